"""Limited-memory BFGS."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import rushlight
from rushlight import Tensor
from rushlight.optim.optimizer import ParamsT

from ._options import options_of
from .optimizer import Optimizer, number


class _Point(NamedTuple):
    """A place on a line: how far along its direction, the loss, its gradient and its slope along the direction."""

    at: float
    loss: float
    grad: Tensor
    slope: float


def _cubic_minimum(a: _Point, b: _Point, least: float, most: float) -> float:
    """Where the cubic with the losses and slopes of two points is least, kept within [least, most].

    Nocedal & Wright 2006, equation 3.59. The middle of the bounds where that cubic has no minimum.
    """
    left, right = sorted((a, b), key=lambda point: point.at)
    width = right.at - left.at
    mean = left.slope + right.slope - 3 * (right.loss - left.loss) / width
    square = mean * mean - left.slope * right.slope
    if not square >= 0:  # NaN too
        return (least + most) / 2
    root = math.sqrt(square)
    bottom = right.slope - left.slope + 2 * root
    if bottom == 0:
        return (least + most) / 2
    return min(max(right.at - width * (right.slope + root - mean) / bottom, least), most)


class _StrongWolfe:
    """The search for a step that meets the strong Wolfe conditions (Nocedal & Wright 2006, algorithms 3.5 and 3.6).

    Args:
        evaluate: the loss and its gradient so far along the direction.
        direction: of descent.
        start: the point at 0.
        tolerance: brackets in which no parameter moves by more are not divided again.
    """

    # The part of the decrease promised by the slope at the start that must come, and the part of the slope that may be
    # left.
    DECREASE, SLOPE = 1e-4, 0.9
    # A trial beyond the last one goes this far beyond at least, and at most this times as far.
    NEXT, FARTHEST = 0.01, 10
    # A trial within a bracket keeps this part of it away from either end, so that the bracket shrinks.
    MARGIN = 0.1
    BUDGET = 25

    def __init__(
        self,
        evaluate: Callable[[float], tuple[float, Tensor]],
        direction: Tensor,
        start: _Point,
        tolerance: float,
        wolfe: tuple[float, float] = (DECREASE, SLOPE),
        budget: int = BUDGET,
    ) -> None:
        self.evaluate, self.direction, self.start = evaluate, direction, start
        (self.decrease, self.slope), self.budget = wolfe, budget
        self.narrowest = tolerance / float(direction.abs().max())
        self.evaluations = 0

    def _trial(self, at: float) -> _Point:
        self.evaluations += 1
        loss, grad = self.evaluate(at)
        return _Point(at, loss, grad, float(grad.dot(self.direction)))

    def _low(self, point: _Point) -> bool:
        return point.loss <= self.start.loss + self.decrease * point.at * self.start.slope

    def _flat(self, point: _Point) -> bool:
        return abs(point.slope) <= self.slope * abs(self.start.slope)

    def run(self, at: float) -> _Point:
        """Step out from a first trial until the loss rises or the slope turns; then close in."""
        behind, ahead = self.start, self._trial(at)
        while self.evaluations < self.budget:
            risen = not self._low(ahead) or (behind is not self.start and ahead.loss >= behind.loss)
            if not risen and self._flat(ahead):
                return ahead
            if risen or ahead.slope >= 0:
                return self._close_in(behind, ahead)
            least = ahead.at + self.NEXT * (ahead.at - behind.at)
            at = _cubic_minimum(behind, ahead, least, self.FARTHEST * ahead.at)
            behind, ahead = ahead, self._trial(at)
        return min(self.start, ahead, key=lambda point: point.loss)

    def _close_in(self, behind: _Point, ahead: _Point) -> _Point:
        low, high = sorted((behind, ahead), key=lambda point: point.loss)
        while self.evaluations < self.budget and abs(high.at - low.at) >= self.narrowest:
            margin = self.MARGIN * abs(high.at - low.at)
            least, most = min(low.at, high.at) + margin, max(low.at, high.at) - margin
            trial = self._trial(_cubic_minimum(low, high, least, most))
            if not self._low(trial) or trial.loss >= low.loss:
                high = trial
                continue
            if self._flat(trial):
                return trial
            if trial.slope * (high.at - low.at) >= 0:
                high = low
            low = trial
        return min(low, high, key=lambda point: point.loss)


def _strong_wolfe(
    obj_func: Callable[[Any, float, Tensor], tuple[float, Tensor]],
    x: Any,
    t: float,
    d: Tensor,
    f: float,
    g: Tensor,
    gtd: float,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, Tensor, float, int]:
    """The search of LBFGS under the name by which packages take it from this file.

    Args:
        obj_func: obj_func(x, step, d) is the loss and its gradient at x + step * d.
        t: the first step to try.
        f, g, gtd: the loss at x, its gradient, and the gradient's product with d.
        c1, c2: of the decrease that the slope promises so much must come, of the slope so much may be left.

    Returns:
        The loss, its gradient, the step, and how often obj_func was called.
    """
    start = _Point(0.0, float(f), g, float(gtd))
    search = _StrongWolfe(lambda at: obj_func(x, at, d), d, start, tolerance_change, (c1, c2), max_ls)
    found = search.run(float(t))
    return found.loss, found.grad, found.at, search.evaluations


def _real(t: Tensor) -> Tensor:
    """A tensor as real numbers: a complex one as pairs of them."""
    return rushlight.view_as_real(t) if t.is_complex() else t


class LBFGS(Optimizer):
    """Limited-memory BFGS (Nocedal & Wright 2006, algorithm 7.5); ``step`` needs a closure and takes one group only.

    Args:
        params: parameters.
        lr: the step length.
        max_iter: iterations in one ``step``.
        max_eval: evaluations of the closure in one ``step``; 5/4 of ``max_iter`` unless given.
        tolerance_grad: stop when no element of the gradient is larger.
        tolerance_change: stop when parameters or loss change by less.
        history_size: how many pairs of changes are kept.
        line_search_fn: None or ``"strong_wolfe"``.

    Raises:
        ValueError: there is more than one group.
        RuntimeError: the line search is not known.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, options_of(locals()))
        if len(self.param_groups) != 1:
            raise ValueError(f"LBFGS: 'params' must be one group; found {len(self.param_groups)}")
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError(f"LBFGS: 'line_search_fn' must be None or 'strong_wolfe'; found {line_search_fn!r}")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def _flat_grad_(self) -> Tensor:
        grads: Iterable[Any] = (rushlight.zeros_like(p) if p.grad is None else p.grad for p in self._params)
        return rushlight.cat([_real(grad.to_dense() if grad.is_sparse else grad).reshape(-1) for grad in grads])

    def _move_(self, t: float, direction: Tensor) -> None:
        targets = [_real(p) for p in self._params]
        for target, part in zip(targets, direction.split([target.numel() for target in targets]), strict=True):
            target.add_(part.reshape(target.shape), alpha=t)

    def _direction_(self, grad: Tensor, state: dict[str, Any]) -> Tensor:
        """Minus the inverse Hessian's estimate times the gradient: the two-loop recursion."""
        steps, changes, rhos = state["old_stps"], state["old_dirs"], state["ro"]
        q = -grad
        alphas: list[Any] = []
        for s, y, rho in zip(reversed(steps), reversed(changes), reversed(rhos), strict=True):
            alpha = s.dot(q) * rho
            alphas.append(alpha)
            q = q - alpha * y
        # One place for each pair that may be kept, as PyTorch's state has.
        state["al"][: len(alphas)] = reversed(alphas)
        r: Tensor = q * state["H_diag"]
        for s, y, rho, alpha in zip(steps, changes, rhos, reversed(alphas), strict=True):
            r = r + s * (alpha - y.dot(r) * rho)
        return r

    def _remember_(self, grad: Tensor, state: dict[str, Any], history_size: int) -> None:
        """Add the last step, and how the gradient changed by it, to the estimate of the inverse Hessian."""
        y = grad - state["prev_flat_grad"]
        s = state["d"] * state["t"]
        curvature = y.dot(s)
        if float(curvature) > 1e-10:
            oldest = max(len(state["ro"]) + 1 - history_size, 0)
            new = {"old_dirs": y, "old_stps": s, "ro": 1.0 / curvature}
            kept = {name: [*state[name], value][oldest:] for name, value in new.items()}
            # In one go: an interrupt leaves no lists of unequal lengths.
            state.update(kept, H_diag=curvature / y.dot(y))

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Minimize for up to ``max_iter`` iterations; returns the loss at the start."""
        with rushlight.no_grad():
            return self._minimize_(closure)

    def _minimize_(self, closure: Callable[[], Any]) -> Any:
        options, state = self.param_groups[0], self.state[self._params[0]]
        first = self._call_closure_(closure)
        loss, grad, evaluations = float(first), self._flat_grad_(), 1
        state.update(
            func_evals=state.get("func_evals", 0) + 1,
            n_iter=state.get("n_iter", 0),
            al=state.get("al", [None] * options["history_size"]),
        )
        for left in reversed(range(options["max_iter"])):
            if float(grad.abs().max()) <= options["tolerance_grad"]:
                break
            self._aim_(loss, grad)
            point = _Point(0.0, loss, grad, float(grad.dot(state["d"])))
            if point.slope > -options["tolerance_change"]:
                break
            new, more = self._travel_(closure, point, last=left == 0)
            state["t"] = new.at
            state["func_evals"] += more
            evaluations += more
            moved, gained = float(state["d"].abs().max()) * abs(new.at), abs(new.loss - loss)
            loss, grad = new.loss, new.grad
            stalled = moved <= options["tolerance_change"] or gained < options["tolerance_change"]
            if stalled or evaluations >= options["max_eval"]:
                break
        return first

    def _aim_(self, loss: float, grad: Tensor) -> None:
        """Choose the next direction ``d`` and the first step ``t`` to try along it."""
        options, state = self.param_groups[0], self.state[self._params[0]]
        lr = number(options["lr"])
        if state["n_iter"] == 0:
            t = min(1.0, 1.0 / float(grad.abs().sum())) * lr
            aim = {"d": -grad, "t": t, "old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1.0}
        else:
            self._remember_(grad, state, options["history_size"])
            aim = {"d": self._direction_(grad, state), "t": lr}
        state.update(aim, n_iter=state["n_iter"] + 1, prev_flat_grad=grad.clone(), prev_loss=loss)

    def _travel_(self, closure: Callable[[], Any], start: _Point, last: bool) -> tuple[_Point, int]:
        """Move the parameters along ``d``; return where they are now, and how often the loss was evaluated.

        Without a line search the loss at the ``last`` place of all is not needed, and start's is given.
        """
        options, state = self.param_groups[0], self.state[self._params[0]]
        direction, t = state["d"], state["t"]
        if options["line_search_fn"] is None:
            self._move_(t, direction)
            if last:
                return start._replace(at=t), 0
            return _Point(t, float(self._call_closure_(closure)), self._flat_grad_(), math.nan), 1
        origin = [p.clone() for p in self._params]

        def evaluate(at: float) -> tuple[float, Tensor]:
            self._move_(at, direction)
            found = float(self._call_closure_(closure)), self._flat_grad_()
            for p, value in zip(self._params, origin, strict=True):
                p.copy_(value)
            return found

        search = _StrongWolfe(evaluate, direction, start, options["tolerance_change"])
        found = search.run(t)
        self._move_(found.at, direction)
        return found, search.evaluations

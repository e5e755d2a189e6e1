"""Limited-memory BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight import Tensor

from .optimizer import Optimizer, check_lr, number

Evaluation = tuple[float, Tensor]


def _cubic_minimum(x1: float, f1: float, g1: float, x2: float, f2: float, g2: float, low: float, high: float) -> float:
    """The minimum within [low, high] of the cubic through two values and slopes (Nocedal & Wright 2006, eq. 3.59)."""
    if x1 > x2:
        x1, f1, g1, x2, f2, g2 = x2, f2, g2, x1, f1, g1
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2
    d2 = square**0.5
    x = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    return min(max(x, low), high)


def _strong_wolfe(
    evaluate: Callable[[float], Evaluation],
    direction: Tensor,
    t: float,
    f0: float,
    g0: Tensor,
    slope0: float,
    *,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance: float = 1e-9,
    max_evals: int = 25,
) -> tuple[float, Tensor, float, int]:
    """A step length that meets the strong Wolfe conditions (Nocedal & Wright 2006, algorithms 3.5 and 3.6).

    Returns:
        The loss and the gradient there, the step length, and how often the loss was evaluated.
    """
    width = float(direction.abs().max())

    def at(x: float) -> tuple[float, float, Tensor, float]:
        value, grad = evaluate(x)
        grad = grad.clone()
        return x, value, grad, float(grad.dot(direction))

    previous = (0.0, f0, g0.clone(), slope0)
    current = at(t)
    evals = 1
    bracket: list[tuple[float, float, Tensor, float]] = []
    # First a bracket: step out until the loss rises or the slope turns.
    for i in range(max_evals):
        x, value, _, slope = current
        if value > f0 + c1 * x * slope0 or (i > 0 and value >= previous[1]):
            bracket = [previous, current]
            break
        if abs(slope) <= -c2 * slope0:
            return current[1], current[2], x, evals
        if slope >= 0:
            bracket = [previous, current]
            break
        low, high = x + 0.01 * (x - previous[0]), x * 10
        longer = _cubic_minimum(previous[0], previous[1], previous[3], x, value, slope, low, high)
        previous, current = current, at(longer)
        evals += 1
    else:
        bracket = [(0.0, f0, g0.clone(), slope0), current]
    # Then zoom in.
    stalled = False
    best, other = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
    while evals < max_evals:
        (xa, fa, _, sa), (xb, fb, _, sb) = bracket
        if abs(xb - xa) * width < tolerance:
            break
        lo, hi = min(xa, xb), max(xa, xb)
        x = _cubic_minimum(xa, fa, sa, xb, fb, sb, lo, hi)
        margin = 0.1 * (hi - lo)
        # Twice near an end without progress: move off it.
        if min(hi - x, x - lo) < margin:
            if stalled or x >= hi or x <= lo:
                x = hi - margin if abs(x - hi) < abs(x - lo) else lo + margin
                stalled = False
            else:
                stalled = True
        else:
            stalled = False
        trial = at(x)
        evals += 1
        if trial[1] > f0 + c1 * x * slope0 or trial[1] >= bracket[best][1]:
            bracket[other] = trial
            best, other = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
            continue
        if abs(trial[3]) <= -c2 * slope0:
            return trial[1], trial[2], x, evals
        if trial[3] * (bracket[other][0] - bracket[best][0]) >= 0:
            bracket[other] = bracket[best]
        bracket[best] = trial
    x, value, grad, _ = bracket[best]
    return value, grad, x, evals


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
        params: Any,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def _flat_grad(self) -> Tensor:
        parts = []
        for p in self._params:
            if p.grad is None:
                part = rushlight.zeros(p.numel(), dtype=p.dtype, device=p.device)
            else:
                grad: Any = p.grad
                part = (grad.to_dense() if grad.is_sparse else grad).reshape(-1)
            parts.append(rushlight.view_as_real(part).reshape(-1) if part.is_complex() else part)
        return rushlight.cat(parts)

    def _move(self, t: float, direction: Tensor) -> None:
        start = 0
        for p in self._params:
            target = rushlight.view_as_real(p) if p.is_complex() else p
            count = target.numel()
            target.add_(direction[start : start + count].view_as(target), alpha=t)
            start += count

    def _direction(self, grad: Tensor, state: dict[str, Any]) -> Tensor:
        """Minus the inverse Hessian's estimate times the gradient: the two-loop recursion."""
        steps, changes, rhos = state["old_stps"], state["old_dirs"], state["ro"]
        q = -grad
        alphas: list[Tensor] = []
        for s, y, rho in zip(reversed(steps), reversed(changes), reversed(rhos), strict=True):
            alpha = s.dot(q) * rho
            alphas.append(alpha)
            q = q - alpha * y
        r = q * state["H_diag"]
        for s, y, rho, alpha in zip(steps, changes, rhos, reversed(alphas), strict=True):
            r = r + s * (alpha - y.dot(r) * rho)
        return r

    def _remember(self, grad: Tensor, state: dict[str, Any], history_size: int) -> None:
        y = grad - state["prev_flat_grad"]
        s = state["d"] * state["t"]
        curvature = float(y.dot(s))
        if curvature > 1e-10:
            for name, value in (("old_dirs", y), ("old_stps", s), ("ro", 1.0 / curvature)):
                if len(state[name]) == history_size:
                    state[name].pop(0)
                state[name].append(value)
            state["H_diag"] = curvature / float(y.dot(y))

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Minimize for up to ``max_iter`` iterations; return the loss at the start."""
        with rushlight.no_grad():
            return self._minimize(closure)

    def _minimize(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        lr = number(group["lr"])
        tolerance_change = group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = self._call_closure(closure)
        loss = float(first_loss)
        evals = 1
        state["func_evals"] += 1
        grad = self._flat_grad()
        converged = float(grad.abs().max()) <= group["tolerance_grad"]
        if converged:
            return first_loss
        for n in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                state.update(d=-grad, t=lr, old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
            else:
                self._remember(grad, state, group["history_size"])
                state["d"] = self._direction(grad, state)
            state["prev_flat_grad"] = grad.clone()
            before = loss
            state["prev_loss"] = loss
            direction = state["d"]
            t = min(1.0, 1.0 / float(grad.abs().sum())) * lr if state["n_iter"] == 1 else lr
            slope = float(grad.dot(direction))
            state["t"] = t
            if slope > -tolerance_change:
                break
            used = 0
            if group["line_search_fn"] == "strong_wolfe":
                start = [p.clone() for p in self._params]

                def restore(start: list[Tensor] = start) -> None:
                    for p, value in zip(self._params, start, strict=True):
                        p.copy_(value)

                def evaluate(x: float, direction: Tensor = direction, restore: Any = restore) -> Evaluation:
                    self._move(x, direction)
                    value = float(self._call_closure(closure))
                    gradient = self._flat_grad()
                    restore()
                    return value, gradient

                loss, grad, t, used = _strong_wolfe(evaluate, direction, t, loss, grad, slope)
                self._move(t, direction)
            else:
                self._move(t, direction)
                if n != group["max_iter"]:
                    loss = float(self._call_closure(closure))
                    grad = self._flat_grad()
                    used = 1
            state["t"] = t
            evals += used
            state["func_evals"] += used
            if (
                evals >= group["max_eval"]
                or float(grad.abs().max()) <= group["tolerance_grad"]
                or float((direction * t).abs().max()) <= tolerance_change
                or abs(loss - before) < tolerance_change
            ):
                break
        return first_loss

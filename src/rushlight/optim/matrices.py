"""Optimizers that treat a parameter as a matrix: Adafactor and Muon."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.optim.optimizer import ParamsT

from ._options import options_of
from .optimizer import Optimizer, number


def _root_mean_square(t: Tensor) -> float:
    return math.sqrt(t.pow(2).mean().item()) if t.numel() else 0.0


class _OneByOne(Optimizer):
    """An optimizer whose parameters have steps of their own."""

    @rushlight.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once; returns the loss that ``closure``, if given, computes."""
        loss = self._call_closure_(closure)
        for group in self.param_groups:
            for p in filter(lambda p: p.grad is not None, group["params"]):
                self._step_one_(group, p, p.grad, self.state[p])
        return loss

    def _step_one_(self, group: dict[str, Any], p: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        raise NotImplementedError


class Adafactor(_OneByOne):
    """Adafactor: second moments of a matrix kept as one row and one column (Shazeer & Stern 2018, arXiv:1804.04235).

    Args:
        params: parameters or groups of them.
        lr: the greatest relative step.
        beta2_decay: the second moments' decay at step t is 1 - t**beta2_decay.
        eps: the least divisor (None: the dtype's epsilon), and the least scale of a parameter.
        d: updates whose root mean square is greater are divided by it.
        weight_decay: decoupled, times ``lr``.
        foreach: accepted.
        maximize: go up instead of down.

    Raises:
        ValueError: an option is out of its range.
    """

    _ranges_ = {
        "beta2_decay": ("at most 0", lambda power: power <= 0.0),
        "eps": ("a pair of numbers, at least 0 (or None first)", lambda eps: (eps[0] or 0.0) >= 0.0 <= eps[1]),
        "d": ("at least 1", lambda d: d >= 1.0),
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _step_one_(self, group: dict[str, Any], p: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        if p.is_complex():
            raise RuntimeError(f"Adafactor: a parameter must be real; found {p.dtype}")
        if not state:
            begun = {"step": rushlight.tensor(0.0)}
            if grad.dim() > 1:
                begun["row_var"] = grad.new_zeros((*grad.shape[:-1], 1))
                begun["col_var"] = grad.new_zeros((*grad.shape[:-2], 1, grad.shape[-1]))
            else:
                begun["variance"] = rushlight.zeros_like(grad)
            state.update(begun)  # in one go: an interrupt leaves no half of a state
        state["step"] += 1
        step, lr = state["step"].item(), number(group["lr"])
        least, least_scale = group["eps"]
        least = rushlight.finfo(p.dtype).eps if least is None else least
        if group["maximize"]:
            grad = -grad
        fresh = step ** group["beta2_decay"]
        size = max(least_scale, _root_mean_square(p)) * min(lr, 1.0 / math.sqrt(step))
        if group["weight_decay"]:
            p.mul_(1 - lr * group["weight_decay"])
        if grad.dim() > 1:
            rows, cols = state["row_var"], state["col_var"]
            rows.lerp_(grad.pow(2).mean(-1, keepdim=True), fresh)
            cols.lerp_(grad.pow(2).mean(-2, keepdim=True), fresh)
            variance = rows @ cols / rows.mean(-2, keepdim=True).clamp(min=least)
        else:
            variance = state["variance"].lerp_(grad.pow(2), fresh)
        update = variance.clamp(min=least * least).rsqrt() * grad
        p.add_(update, alpha=-size / max(1.0, _root_mean_square(update) / group["d"]))


def _orthogonalized(m: Tensor, coefficients: Sequence[float], steps: int, eps: float) -> Tensor:
    """Nearly the orthogonal factor of a matrix, by Newton-Schulz iterations in bfloat16 (Jordan et al. 2024)."""
    a, b, c = coefficients
    x = m.bfloat16()
    tall = x.size(0) > x.size(1)
    if tall:
        x = x.T
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * (gram @ gram)) @ x
    return x.T if tall else x


class Muon(_OneByOne):
    """Momentum whose steps are orthogonalized (Jordan et al. 2024, kellerjordan.github.io/posts/muon): for matrices
    alone.

    Args:
        params: parameters of 2 dimensions, or groups of them.
        lr: learning rate.
        weight_decay: decoupled, times ``lr``.
        momentum: what remains of the velocity at each step.
        nesterov: look ahead along the velocity.
        ns_coefficients: of the odd polynomial of degree five that each iteration applies to the singular values.
        eps: the least norm divided by.
        ns_steps: iterations.
        adjust_lr_fn: ``"original"`` (also None): steps times sqrt(max(1, rows / columns)); ``"match_rms_adamw"``: times
            0.2 sqrt(max(rows, columns)) (Liu et al. 2025, arXiv:2502.16982).

    Raises:
        ValueError: an option is out of its range, or a parameter is no matrix.
    """

    _ranges_ = {
        "ns_coefficients": ("three numbers", lambda coefficients: len(coefficients) == 3),
        "ns_steps": ("less than 100", lambda steps: steps < 100),
        "adjust_lr_fn": ("None, 'original' or 'match_rms_adamw'", (None, "original", "match_rms_adamw").__contains__),
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        super().__init__(params, options_of(locals()))
        for p in self._parameters_():
            if p.dim() != 2:
                raise ValueError(f"Muon: a parameter must be 2D, a matrix; found the shape {tuple(p.shape)}")

    def _step_one_(self, group: dict[str, Any], p: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        mu, lr = group["momentum"], number(group["lr"])
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = rushlight.zeros_like(grad)
        velocity = state["momentum_buffer"].lerp_(grad, 1 - mu)
        update = grad.lerp(velocity, mu) if group["nesterov"] else velocity
        update = _orthogonalized(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, cols = p.shape
        if group["adjust_lr_fn"] == "match_rms_adamw":
            ratio = 0.2 * math.sqrt(max(rows, cols))
        else:
            ratio = math.sqrt(max(1.0, rows / cols))
        p.mul_(1 - lr * group["weight_decay"])
        p.add_(update.to(p.dtype), alpha=-lr * ratio)

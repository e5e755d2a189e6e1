"""Optimizers that scale by accumulated squares: Adagrad, RMSprop, Adadelta."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.optim.optimizer import ParamsT

from ._options import AT_LEAST_0, options_of
from ._terms import downhill
from .optimizer import Row, SteppedOptimizer, number, rate, zeros_for


def _common(group: dict[str, Any]) -> dict[str, Any]:
    return {"lr": rate(group), "weight_decay": number(group["weight_decay"]), "eps": group["eps"]}


@functools.cache
def _adagrad(maximize: bool, decay: bool) -> Any:
    def rule(p: Tensor, g: Tensor, total: Tensor, *, lr: float, weight_decay: float, eps: float) -> tuple[Tensor, ...]:
        g = downhill(p, g, maximize, decay, weight_decay)
        total = total + g * g
        return p - lr * (g / (total.sqrt() + eps)), total

    return rule


class Adagrad(SteppedOptimizer):
    """Adagrad (Duchi et al. 2011).

    Args:
        params: parameters or groups of them.
        lr: learning rate.
        lr_decay: the rate is divided by 1 + steps * ``lr_decay``.
        weight_decay: an L2 penalty.
        initial_accumulator_value: where the sum of squares starts.
        eps: added to its root.
        foreach, fused: accepted and not needed.
        maximize: go up instead of down.
        differentiable: record the step in the autograd graph.
    """

    _states_ = ("sum",)
    _ranges_ = {"lr_decay": AT_LEAST_0, "initial_accumulator_value": AT_LEAST_0}
    _layouts_ = "any"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, options_of(locals()))
        # The state is there from the start, as PyTorch has it: programs share it before the first step.
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["step"] = rushlight.tensor(0.0, dtype=rushlight.float32)
                self._init_(p, self.state[p], group)

    def share_memory(self) -> None:
        """Move the state to shared memory."""
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["sum"].share_memory_()

    def _update_(self, group: dict[str, Any], rows: Iterable[Row]) -> None:
        decay = number(group["weight_decay"])
        rows = list(rows)
        if decay != 0 and any(grad.is_sparse for _, grad, _ in rows):
            raise RuntimeError(
                "Adagrad: 'weight_decay' must be 0, weight_decay option is not compatible with sparse gradients; found "
                f"{decay}"
            )
        super()._update_(group, rows)

    def _init_(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        start = group["initial_accumulator_value"]
        value = complex(start, start) if p.is_complex() else start
        state["sum"] = rushlight.full_like(p, value, memory_format=rushlight.preserve_format)

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        scalars = _common(group)
        scalars["lr"] = scalars["lr"] / (1 + (step - 1) * group["lr_decay"])
        return _adagrad(group["maximize"], scalars["weight_decay"] != 0), scalars


@functools.cache
def _rmsprop(maximize: bool, decay: bool, centered: bool, momentum: bool) -> Any:
    def rule(
        p: Tensor,
        g: Tensor,
        square: Tensor,
        *rest: Tensor,
        lr: float,
        weight_decay: float,
        eps: float,
        alpha: float,
        mu: float,
    ) -> tuple[Tensor, ...]:
        g = downhill(p, g, maximize, decay, weight_decay)
        square = alpha * square + (1 - alpha) * g * g
        new: list[Tensor] = []
        if centered:
            mean = rest[-1] + (1 - alpha) * (g - rest[-1])
            new.append(mean)
            root = (square - mean * mean).sqrt() + eps
        else:
            root = square.sqrt() + eps
        change = g / root
        if momentum:
            change = mu * rest[0] + change
            new.insert(0, change)
        return (p - lr * change, square, *new)

    return rule


class RMSprop(SteppedOptimizer):
    """RMSprop (Hinton's lecture 6e), centred (Graves 2013, arXiv:1308.0850) if asked for.

    Args:
        params: parameters or groups of them.
        lr: learning rate.
        alpha: what remains of the mean square at each step.
        eps: added to its root.
        weight_decay: an L2 penalty.
        momentum: what remains of the velocity at each step.
        centered: subtract the square of the mean gradient.
        foreach: accepted and not needed.
        capturable: a step is an AssertionError: no device here captures steps.
        maximize: go up instead of down.
        differentiable: record the step in the autograd graph.
    """

    _ranges_ = {"alpha": AT_LEAST_0}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _names_(self, group: dict[str, Any]) -> tuple[str, ...]:
        names = ["square_avg"]
        if group["momentum"] > 0:
            names.append("momentum_buffer")
        if group["centered"]:
            names.append("grad_avg")
        return tuple(names)

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        scalars = _common(group) | {"alpha": group["alpha"], "mu": group["momentum"]}
        decay = scalars["weight_decay"] != 0
        return _rmsprop(group["maximize"], decay, group["centered"], group["momentum"] > 0), scalars


@functools.cache
def _adadelta(maximize: bool, decay: bool) -> Any:
    def rule(
        p: Tensor, g: Tensor, square: Tensor, moved: Tensor, *, lr: float, weight_decay: float, eps: float, rho: float
    ) -> tuple[Tensor, ...]:
        g = downhill(p, g, maximize, decay, weight_decay)
        square = rho * square + (1 - rho) * g * g
        delta = (moved + eps).sqrt() / (square + eps).sqrt() * g
        return p - lr * delta, square, rho * moved + (1 - rho) * delta * delta

    return rule


class Adadelta(SteppedOptimizer):
    """Adadelta (Zeiler 2012, arXiv:1212.5701).

    Args:
        params: parameters or groups of them.
        lr: a factor on the change.
        rho: what remains of the mean squares at each step.
        eps: added to them before the roots.
        weight_decay: an L2 penalty.
        foreach: accepted and not needed.
        capturable: a step is an AssertionError: no device here captures steps.
        maximize: go up instead of down.
        differentiable: record the step in the autograd graph.
    """

    _states_ = ("square_avg", "acc_delta")
    _ranges_ = {"rho": ("in [0, 1]", lambda rho: 0.0 <= rho <= 1.0)}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        scalars = _common(group) | {"rho": group["rho"]}
        return _adadelta(group["maximize"], scalars["weight_decay"] != 0), scalars


@functools.cache
def _rprop(maximize: bool) -> Any:
    def rule(
        p: Tensor, g: Tensor, before: Tensor, size: Tensor, *, down: float, up: float, least: float, most: float
    ) -> tuple[Tensor, ...]:
        g = -g if maximize else g
        agree = g * before
        size = rushlight.where(agree > 0, size * up, rushlight.where(agree < 0, size * down, size))
        size = size.clamp(least, most)
        # Where the sign turned, wait a step.
        g = rushlight.where(agree < 0, rushlight.zeros_like(g), g)
        return p - g.sign() * size, g, size

    return rule


class Rprop(SteppedOptimizer):
    """Resilient backpropagation (Riedmiller & Braun 1993).

    Args:
        params: parameters or groups of them.
        lr: the first step size of each element.
        etas: its factors when the gradient's sign turns and when it stays.
        step_sizes: its bounds.
        foreach: accepted and not needed.
        capturable: a step is an AssertionError: no device here captures steps.
        maximize: go up instead of down.
        differentiable: record the step in the autograd graph.
    """

    _states_ = ("prev", "step_size")
    _ranges_ = {"etas": ("one factor in (0, 1) and one above 1", lambda etas: 0.0 < etas[0] < 1.0 < etas[1])}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _init_(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr = number(group["lr"])
        state["prev"] = zeros_for(p)
        state["step_size"] = rushlight.full_like(p, complex(lr, lr) if p.is_complex() else lr)

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        (down, up), (least, most) = group["etas"], group["step_sizes"]
        return _rprop(group["maximize"]), {"down": down, "up": up, "least": least, "most": most}

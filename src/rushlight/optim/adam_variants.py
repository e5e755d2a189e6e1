"""Variants of Adam (Adamax, NAdam, RAdam), and averaged stochastic gradient descent."""

from __future__ import annotations

import functools
import math
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.optim.optimizer import ParamsT

from ._options import AT_LEAST_0, options_of
from ._terms import averaged, decayed, downhill, moments
from .optimizer import Bucket, SteppedOptimizer, number, rate, zeros_for


@functools.cache
def _adamax(maximize: bool, decay: bool) -> Any:
    def rule(
        p: Tensor,
        g: Tensor,
        mean: Tensor,
        norm: Tensor,
        *,
        weight_decay: float,
        beta1: float,
        beta2: float,
        eps: float,
        step_size: float,
    ) -> tuple[Tensor, ...]:
        g = downhill(p, g, maximize, decay, weight_decay)
        mean = mean + (1 - beta1) * (g - mean)
        norm = rushlight.maximum(norm * beta2, g.abs() + eps)
        return p - step_size * (mean / norm), mean, norm

    return rule


class Adamax(SteppedOptimizer):
    """Adam with the infinity norm (Kingma & Ba 2014, arXiv:1412.6980, section 7); arguments as Adam."""

    _states_ = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        scalars = moments(group)
        scalars["step_size"] = rate(group) / (1 - scalars["beta1"] ** step)
        return _adamax(group["maximize"], scalars["weight_decay"] != 0), scalars


@functools.cache
def _nadam(maximize: bool, decay: bool, decoupled: bool) -> Any:
    def rule(
        p: Tensor,
        g: Tensor,
        mean: Tensor,
        square: Tensor,
        product: Tensor,
        *,
        lr: float,
        shrink: float,
        weight_decay: float,
        beta1: float,
        beta2: float,
        eps: float,
        correction2: float,
        mu: float,
        mu_next: float,
    ) -> tuple[Tensor, ...]:
        p, g = decayed(p, g, maximize, decay, decoupled, weight_decay, shrink)
        product = product * mu
        mean, square = averaged(g, mean, square, beta1, beta2)
        root = (square / correction2).sqrt() + eps
        so_far = product.double()  # as PyTorch: kept as a float32, computed with as a Python number
        p = p - (lr * (1 - mu) / (1 - so_far)) * (g / root)
        return p - (lr * mu_next / (1 - so_far * mu_next)) * (mean / root), mean, square, product

    return rule


class NAdam(SteppedOptimizer):
    """Adam with Nesterov momentum (Dozat 2016); arguments as Adam, and

    Args:
        momentum_decay: how quickly the momentum grows to its full value.
    """

    _states_ = ("exp_avg", "exp_avg_sq", "mu_product")
    _ranges_ = {"momentum_decay": AT_LEAST_0}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _init_(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["mu_product"] = rushlight.ones((), dtype=rushlight.float32)
        state["exp_avg"] = zeros_for(p)
        state["exp_avg_sq"] = zeros_for(p)

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        scalars, lr, slow = moments(group), rate(group), group["momentum_decay"]
        beta1, weight_decay = scalars["beta1"], scalars["weight_decay"]
        scalars |= {
            "lr": lr,
            "shrink": 1 - lr * weight_decay,
            "correction2": 1 - scalars["beta2"] ** step,
            "mu": beta1 * (1.0 - 0.5 * 0.96 ** (step * slow)),
            "mu_next": beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * slow)),
        }
        return _nadam(group["maximize"], weight_decay != 0, group["decoupled_weight_decay"]), scalars


@functools.cache
def _radam(maximize: bool, decay: bool, decoupled: bool, rectified: bool) -> Any:
    def rule(
        p: Tensor,
        g: Tensor,
        mean: Tensor,
        square: Tensor,
        *,
        shrink: float,
        weight_decay: float,
        beta1: float,
        beta2: float,
        eps: float,
        step_size: float,
        factor: float,
    ) -> tuple[Tensor, ...]:
        p, g = decayed(p, g, maximize, decay, decoupled, weight_decay, shrink)
        mean, square = averaged(g, mean, square, beta1, beta2)
        change = step_size * mean
        if rectified:
            change = change * (factor / (square.sqrt() + eps))
        return p - change, mean, square

    return rule


def _rectification(beta2: float, step: float) -> float | None:
    """The variance of the adaptive rate in the end over that at a step, from the lengths of the two averages.

    Liu et al. 2019, equations 5 and 6, and their bound: None where the average is too short to have a variance.
    """
    longest = 2 / (1 - beta2) - 1
    left = beta2**step
    length = longest - 2 * step * left / (1 - left)
    if length <= 5:
        return None

    def freedom(n: float) -> float:
        return (n - 4) * (n - 2) / n

    return freedom(length) / freedom(longest)


class RAdam(SteppedOptimizer):
    """Adam with a rectified first phase (Liu et al. 2019, arXiv:1908.03265); arguments as Adam."""

    _states_ = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        scalars, lr = moments(group), rate(group)
        beta2, weight_decay = scalars["beta2"], scalars["weight_decay"]
        rectification = _rectification(beta2, step)
        scalars |= {
            "shrink": 1 - lr * weight_decay,
            "step_size": lr / (1 - scalars["beta1"] ** step),
            "factor": 1.0 if rectification is None else math.sqrt((1 - beta2**step) * rectification),
        }
        options = (group["decoupled_weight_decay"], rectification is not None)
        return _radam(group["maximize"], weight_decay != 0, *options), scalars


@functools.cache
def _asgd(maximize: bool, decay: bool) -> Any:
    def rule(
        p: Tensor, g: Tensor, mean: Tensor, eta: Tensor, mu: Tensor, *, weight_decay: float, lambd: float
    ) -> tuple[Tensor, ...]:
        g = downhill(p, g, maximize, decay, weight_decay)
        rate_now = eta.double()  # as PyTorch: kept as a float32, computed with as a Python number
        p = p * (1 - lambd * rate_now) - rate_now * g
        return p, rushlight.where(mu == 1, p, mean + (p - mean) * mu), eta, mu

    return rule


class ASGD(SteppedOptimizer):
    """Averaged stochastic gradient descent (Polyak & Juditsky 1992).

    Args:
        params: parameters or groups of them.
        lr: learning rate.
        lambd: decay of the parameters.
        alpha: the power with which the rate falls.
        t0: the step at which averaging starts.
        weight_decay: an L2 penalty.
        foreach: accepted and not needed.
        capturable: a step is an AssertionError: no device here captures steps.
        maximize: go up instead of down.
        differentiable: record the step in the autograd graph.
    """

    _states_ = ("ax", "eta", "mu")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _init_(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["eta"] = rushlight.tensor(number(group["lr"]), dtype=rushlight.float32)
        state["mu"] = rushlight.tensor(1.0, dtype=rushlight.float32)
        state["ax"] = zeros_for(p)

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        weight_decay = number(group["weight_decay"])
        rule = _asgd(group["maximize"], weight_decay != 0)
        return rule, {"weight_decay": weight_decay, "lambd": group["lambd"]}

    def _after_(self, group: dict[str, Any], bucket: Bucket) -> None:
        lr, step = number(group["lr"]), bucket.step
        eta = rushlight.tensor(lr / (1 + group["lambd"] * lr * step) ** group["alpha"], dtype=rushlight.float32)
        mu = rushlight.tensor(1 / max(1, step - group["t0"]), dtype=rushlight.float32)
        for state in bucket.owners:
            state["eta"], state["mu"] = eta, mu

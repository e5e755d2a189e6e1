"""Adam and AdamW."""

from __future__ import annotations

import functools
import math
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.optim.optimizer import ParamsT

from ._options import options_of
from ._terms import averaged, decayed, moments
from .optimizer import SteppedOptimizer, rate


@functools.cache
def _rule(maximize: bool, decay: bool, decoupled: bool, amsgrad: bool) -> Any:
    """The rule for one choice of options: p, the two moments and, with ``amsgrad``, the second one's maximum.

    ``step_size`` is lr over the first moment's bias correction, ``root_correction`` the second one's square root.
    """

    def rule(
        p: Tensor,
        g: Tensor,
        mean: Tensor,
        square: Tensor,
        *largest: Tensor,
        beta1: float,
        beta2: float,
        shrink: float,
        weight_decay: float,
        step_size: float,
        root_correction: float,
        eps: float,
    ) -> tuple[Tensor, ...]:
        p, g = decayed(p, g, maximize, decay, decoupled, weight_decay, shrink)
        mean, square = averaged(g, mean, square, beta1, beta2)
        if not amsgrad:
            return p - step_size * (mean / (square.sqrt() / root_correction + eps)), mean, square
        top = rushlight.maximum(largest[0], square)
        return p - step_size * (mean / (top.sqrt() / root_correction + eps)), mean, square, top

    return rule


class Adam(SteppedOptimizer):
    """Adam (Kingma & Ba 2014, arXiv:1412.6980).

    Args:
        params: parameters or groups of them.
        lr: learning rate.
        betas: what remains of the running mean of the gradient and of its square at each step.
        eps: added to the root of the mean square.
        weight_decay: an L2 penalty.
        amsgrad: divide by the largest mean square so far (Reddi et al. 2018).
        foreach: accepted and not needed: all parameters are always stepped together.
        maximize: go up instead of down.
        capturable: a step is an AssertionError, unless it is `fused`: no device here captures steps.
        differentiable: record the step in the autograd graph.
        fused: accepted and not needed.
        decoupled_weight_decay: shrink the parameter instead of adding a penalty, as AdamW does.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _names_(self, group: dict[str, Any]) -> tuple[str, ...]:
        names = ("exp_avg", "exp_avg_sq")
        return (*names, "max_exp_avg_sq") if group["amsgrad"] else names

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        scalars, lr = moments(group), rate(group)
        weight_decay = scalars["weight_decay"]
        scalars |= {
            "shrink": 1 - lr * weight_decay,
            "step_size": lr / (1 - scalars["beta1"] ** step),
            "root_correction": math.sqrt(1 - scalars["beta2"] ** step),
        }
        return _rule(group["maximize"], weight_decay != 0, group["decoupled_weight_decay"], group["amsgrad"]), scalars


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov & Hutter 2017, arXiv:1711.05101); arguments as Adam."""

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, **options_of(locals()), decoupled_weight_decay=True)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        # A checkpoint from before the option existed was still one of AdamW.
        for group in self.param_groups:
            group.update(decoupled_weight_decay=True)

"""SparseAdam: Adam for sparse gradients."""

from __future__ import annotations

import functools
import math
from typing import Any

from rushlight import Tensor
from rushlight.optim.optimizer import ParamsT

from ._options import options_of
from .optimizer import SteppedOptimizer, number, rate


@functools.cache
def _rule(maximize: bool) -> Any:
    """The rule, of the elements that have an entry in the gradient."""

    def rule(
        p: Tensor, g: Tensor, mean: Tensor, square: Tensor, *, beta1: float, beta2: float, step_size: float, eps: float
    ) -> tuple[Tensor, ...]:
        g = -g if maximize else g
        mean = mean + (1 - beta1) * (g - mean)
        square = square + (1 - beta2) * (g * g - square)
        return p - step_size * (mean / (square.sqrt() + eps)), mean, square

    return rule


class SparseAdam(SteppedOptimizer):
    """Adam for sparse gradients, as those of embeddings: what has no entry in the gradient is not touched, and its
    moments do not decay.

    Args:
        params: parameters or groups of them.
        lr: learning rate.
        betas: what remains of the running mean of the gradient and of its square at each step.
        eps: added to the root of the mean square.
        maximize: go up instead of down.

    Raises:
        ValueError: an option is out of its range, or a parameter is sparse itself.
    """

    _states_ = ("exp_avg", "exp_avg_sq")
    _layouts_ = "sparse"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))
        for at, group in enumerate(self.param_groups):
            for i, p in enumerate(group["params"]):
                if p.is_sparse:
                    raise ValueError(
                        "SparseAdam: parameters must be dense, SparseAdam requires dense parameter tensors; found a "
                        f"sparse one, number {i} of group {at}"
                    )

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        beta1, beta2 = (number(beta) for beta in group["betas"])
        step_size = rate(group) * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        return _rule(group["maximize"]), {"beta1": beta1, "beta2": beta2, "step_size": step_size, "eps": group["eps"]}

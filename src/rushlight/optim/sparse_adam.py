"""SparseAdam: Adam that steps the rows alone that have a gradient."""

from __future__ import annotations

import functools
import math
from typing import Any

import rushlight
from rushlight import Tensor

from ._options import options_of
from .optimizer import SteppedOptimizer, number, rate


@functools.cache
def _rule(maximize: bool) -> Any:
    """The rule: elements in rows (slices along dimension 0) whose gradient is zero throughout stay as they are, their
    moments too.
    """

    def rule(
        p: Tensor, g: Tensor, mean: Tensor, square: Tensor, *, beta1: float, beta2: float, step_size: float, eps: float
    ) -> tuple[Tensor, ...]:
        g = -g if maximize else g
        row = g != 0
        if g.ndim > 1:
            row = row.any(dim=list(range(1, g.ndim)), keepdim=True)
        new_mean = mean + (1 - beta1) * (g - mean)
        new_square = square + (1 - beta2) * (g * g - square)
        step = step_size * (new_mean / (new_square.sqrt() + eps))
        return (
            rushlight.where(row, p - step, p),
            rushlight.where(row, new_mean, mean),
            rushlight.where(row, new_square, square),
        )

    return rule


class SparseAdam(SteppedOptimizer):
    """Adam for gradients that are zero in most rows, as those of embeddings: rows without a gradient are not touched,
    and their moments do not decay.

    There are no sparse tensors here: a gradient is dense, and a row of it counts as there if it has an element that is
    not zero.

    Args:
        params: parameters or groups of them.
        lr: learning rate.
        betas: what remains of the running mean of the gradient and of its square at each step.
        eps: added to the root of the mean square.
        maximize: go up instead of down.

    Raises:
        ValueError: an option is out of its range.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _names_(self, group: dict[str, Any]) -> tuple[str, ...]:
        return "exp_avg", "exp_avg_sq"

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        beta1, beta2 = (number(beta) for beta in group["betas"])
        step_size = rate(group) * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        return _rule(group["maximize"]), {"beta1": beta1, "beta2": beta2, "step_size": step_size, "eps": group["eps"]}

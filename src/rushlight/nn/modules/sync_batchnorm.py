"""Batch normalization over all processes, of which there is one; and local response normalization across channels."""

from __future__ import annotations

from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor

from .module import Module
from .normalization import _BatchNorm

__all__ = ["CrossMapLRN2d", "SyncBatchNorm"]


class SyncBatchNorm(_BatchNorm):
    """Batch normalization with the statistics of the batches of all processes: with one process, of its batch.

    Args:
        num_features: C, of an input of (N, C) or (N, C, *).
        eps: added to the variance.
        momentum: the weight of the newest batch in the running statistics; None averages all batches.
        affine: whether a scale and a shift are learned.
        track_running_stats: whether running statistics are kept and used in evaluation.
        process_group: must be None: there are no groups.

    Raises:
        ValueError: a process group is given, or the input has fewer than two dimensions.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        if process_group is not None:
            raise ValueError(
                "SyncBatchNorm(): 'process_group' must be None, for statistics are those of one process here; found "
                f"{process_group!r}"
            )
        self.process_group = None

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"SyncBatchNorm: the input must be at least 2-d, got {input.dim()}-d")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with all its batch norms made synchronized ones, on the same parameters and statistics."""
        result = module
        if isinstance(module, _BatchNorm):
            made = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
            )
            if module.affine:
                made.weight, made.bias = module.weight, module.bias
            made.running_mean, made.running_var, made.num_batches_tracked = (
                module.running_mean,
                module.running_var,
                module.num_batches_tracked,
            )
            made.training = module.training
            result = made
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result


class CrossMapLRN2d(Module):
    """Local response normalization across channels (Krizhevsky et al. 2012): x / (k + alpha / size * sum of squares of
    near channels and of the first) ** beta.

    Args:
        size: how many channels count.
        alpha: the weight of their squares.
        beta: the exponent.
        k: added to them.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        """The input, (N, C, H, W), normalized."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: the input must be 4-d, got {input.dim()}-d")
        reach = int((self.size + 1) / 2) - 1  # as many channels to either side
        square = input * input
        padded = F.pad(square, (0, 0, 0, 0, reach, reach))
        total = padded.unfold(1, 2 * reach + 1, 1).sum(-1)
        # PyTorch's running sum never drops the first channel: it counts for every later one, and models are trained
        # with that.
        later = rushlight.arange(input.size(1), device=input.device) > reach
        total = total + square[:, :1] * later.to(input.dtype).view(1, -1, 1, 1)
        return input * (self.k + self.alpha / self.size * total) ** -self.beta

    def extra_repr(self) -> str:
        return "{size}, alpha={alpha}, beta={beta}, k={k}".format(**self.__dict__)

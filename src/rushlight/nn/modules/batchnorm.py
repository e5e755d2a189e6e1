"""Batch normalization, alone and over several processes."""

from __future__ import annotations

from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.operators.table.types import Device, DType

from ._scaled import Scaled
from .module import Module

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]


class _NormBase(Scaled):
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    _version = 2
    _ranks_: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device = None,
        dtype: DType = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        # Plain values are written at once: __setattr__ would look each of them up among the parts.
        self.__dict__.update(num_features=num_features, eps=eps, momentum=momentum)
        self.__dict__.update(affine=affine, track_running_stats=track_running_stats)
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self._make_scale_(num_features, place, weight=affine, bias=affine and bias)
        first: dict[str, Any] = {
            "running_mean": lambda: rushlight.zeros(num_features, **place),
            "running_var": lambda: rushlight.ones(num_features, **place),
            "num_batches_tracked": lambda: rushlight.tensor(0, dtype=rushlight.long, device=device),
        }
        for name, make in first.items():
            self.register_buffer(name, make() if track_running_stats else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the batches seen."""
        if self.track_running_stats:
            for name, start in (("running_mean", 0), ("running_var", 1), ("num_batches_tracked", 0)):
                running = getattr(self, name)
                running.fill_(start) if start else running.zero_()

    def reset_parameters(self) -> None:
        """Forget the batches seen and set weight to one and bias to zero."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self._ranks_:
            expected = " or ".join(f"{rank}-d" for rank in self._ranks_)
            raise ValueError(f"{type(self).__name__}: the input must be {expected}; found {input.dim()}-d")

    def _channel_dim_(self, input: Tensor) -> int:
        """Which dimension of the input is C."""
        return 1

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any, **named: Any
    ) -> None:
        key = prefix + "num_batches_tracked"
        # Modules have the count since version 2; an older checkpoint keeps the one here.
        if self.track_running_stats and (local_metadata.get("version") or 1) < 2 and key not in state_dict:
            count = self.num_batches_tracked
            state_dict[key] = rushlight.tensor(0, dtype=rushlight.long) if count is None else count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest, **named)


class _BatchNorm(_NormBase):
    _is_batch_norm_ = True  # for func.replace_all_batch_norm_modules_, which lies below the layers

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        mean, var, momentum = self.running_mean, self.running_var, self.momentum
        if self.training:
            if not self.track_running_stats:
                mean = var = None
            elif self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)
                if momentum is None:  # a plain average over all batches
                    momentum = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or mean is None and var is None
        return F.batch_norm(input, mean, var, self.weight, self.bias, by_batch, momentum or 0.0, self.eps)


class BatchNorm1d(_BatchNorm):
    """Batch normalization of a (N, C) or (N, C, L) input (Ioffe & Szegedy 2015, arXiv:1502.03167).

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: the weight of the newest batch in the running statistics; None averages all batches.
        affine: whether a scale is learned, and a shift too unless ``bias`` is False.
        track_running_stats: whether running statistics are kept and used in evaluation.
    """

    _ranks_ = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of a (N, C, H, W) input; arguments as BatchNorm1d."""

    _ranks_ = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of a (N, C, D, H, W) input; arguments as BatchNorm1d."""

    _ranks_ = (5,)


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
        device: Device = None,
        dtype: DType = None,
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
            raise ValueError(f"SyncBatchNorm: the input must be at least 2-d; found {input.dim()}-d")

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

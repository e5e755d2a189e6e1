"""The older classes that have the device in their module's name: `cuda.amp` and `cpu.amp`."""

from __future__ import annotations

import functools
import warnings
from typing import Any, ClassVar

from rushlight.amp import autocast_mode, grad_scaler
from rushlight.core import dtypes as dt


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated: write {new}", FutureWarning, stacklevel=3)


class CudaAutocast(autocast_mode.autocast):
    """Deprecated: use `amp.autocast("cuda", ...)`."""

    def __init__(self, enabled: bool = True, dtype: dt.dtype = dt.float16, cache_enabled: bool = True) -> None:
        _warn("cuda.amp.autocast(args...)", "amp.autocast('cuda', args...)")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class CpuAutocast(autocast_mode.autocast):
    """Deprecated: use `amp.autocast("cpu", ...)`."""

    def __init__(self, enabled: bool = True, dtype: dt.dtype = dt.bfloat16, cache_enabled: bool = True) -> None:
        _warn("cpu.amp.autocast(args...)", "amp.autocast('cpu', args...)")
        super().__init__("cpu", dtype, enabled, cache_enabled)


class _GradScaler(grad_scaler.GradScaler):
    _device_: ClassVar[str]

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn(f"{self._device_}.amp.GradScaler(args...)", f"amp.GradScaler({self._device_!r}, args...)")
        super().__init__(self._device_, init_scale, growth_factor, backoff_factor, growth_interval, enabled)


class CudaGradScaler(_GradScaler):
    """Deprecated: use `amp.GradScaler("cuda", ...)`."""

    _device_ = "cuda"


class CpuGradScaler(_GradScaler):
    """Deprecated: use `amp.GradScaler("cpu", ...)`."""

    _device_ = "cpu"


def cuda_custom_fwd(fwd: Any = None, *, cast_inputs: dt.dtype | None = None) -> Any:
    """Deprecated: use `amp.custom_fwd(device_type="cuda")`."""
    _warn("cuda.amp.custom_fwd(args...)", "amp.custom_fwd(args..., device_type='cuda')")
    return functools.partial(autocast_mode.custom_fwd, device_type="cuda")(fwd, cast_inputs=cast_inputs)


def cuda_custom_bwd(bwd: Any) -> Any:
    """Deprecated: use `amp.custom_bwd(device_type="cuda")`."""
    _warn("cuda.amp.custom_bwd(args...)", "amp.custom_bwd(args..., device_type='cuda')")
    return autocast_mode.custom_bwd(bwd, device_type="cuda")


for _cls in (CudaAutocast, CpuAutocast):
    _cls.__name__ = _cls.__qualname__ = "autocast"
for _scaler in (CudaGradScaler, CpuGradScaler):
    _scaler.__name__ = _scaler.__qualname__ = "GradScaler"

"""Names of `torch.cuda.profiler` that programs import: there is no CUDA device to profile, and using one says so."""

from __future__ import annotations

from rushlight.utils._absent import absent_names

_CALLS = ("init", "profile", "start", "stop")
globals().update(absent_names(__name__, "there is no CUDA device; ask cuda.is_available() first", (), _CALLS))
__all__ = [*_CALLS]

"""Process-wide settings of PyTorch's that are always satisfied here, or steer nothing, and hold what is set.

Every operator gives the same bits at each run and at any number of threads, so asking for deterministic algorithms
changes nothing; float32 products are always computed in float32.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

from rushlight.core import warning
from rushlight.core.checks import check_argument

__all__ = [
    "are_deterministic_algorithms_enabled",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_warn_always_enabled",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_num_interop_threads",
    "has_lapack",
    "has_mkl",
    "has_openmp",
    "set_warn_always",
    "typename",
    "use_deterministic_algorithms",
]

has_lapack, has_mkl, has_openmp = True, False, False  # what PyTorch says of its build: OpenBLAS, and threads of our own

_PRECISIONS = ("highest", "high", "medium")
_DEBUG_MODES = ("default", "warn", "error")


class _State:
    """What programs have set."""

    deterministic = 0
    precision = "highest"
    interop: int | None = None


_state = _State()


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for the same results at every run, which is always so."""
    if not isinstance(mode, bool):
        raise TypeError(f"use_deterministic_algorithms(): 'mode' must be a bool; found {type(mode).__name__}")
    _state.deterministic = 0 if not mode else 1 if warn_only else 2


def are_deterministic_algorithms_enabled() -> bool:
    """Whether use_deterministic_algorithms(True) was called."""
    return bool(_state.deterministic)


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether use_deterministic_algorithms(True, warn_only=True) was called."""
    return _state.deterministic == 1


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """use_deterministic_algorithms by a number or name: 0 "default", 1 "warn", 2 "error"."""
    owner, known = "set_deterministic_debug_mode", (*_DEBUG_MODES, 0, 1, 2)
    check_argument(
        isinstance(debug_mode, (int, str)),
        owner,
        "debug_mode",
        "be an int or a str",
        lambda: repr(debug_mode),
        TypeError,
    )
    check_argument(debug_mode in known, owner, "debug_mode", f"be one of {known}", lambda: repr(debug_mode))
    _state.deterministic = _DEBUG_MODES.index(debug_mode) if isinstance(debug_mode, str) else int(debug_mode)


def get_deterministic_debug_mode() -> int:
    """0, 1 or 2: see set_deterministic_debug_mode()."""
    return _state.deterministic


def set_float32_matmul_precision(precision: str) -> None:
    """Allow less precise float32 products ("high", "medium"); they stay as precise as with "highest"."""
    if precision not in _PRECISIONS:
        warnings.warn(
            "set_float32_matmul_precision(): 'precision' must be 'highest', 'high' or 'medium'; found "
            f"{precision!r}, and nothing was set",
            stacklevel=2,
        )
        return
    _state.precision = precision


def get_float32_matmul_precision() -> str:
    """What set_float32_matmul_precision() set: "highest" by default."""
    return _state.precision


def set_num_interop_threads(num: int) -> None:
    """The number of threads for independent operators; operators run one after the other, so it is only held."""
    if isinstance(num, bool) or not isinstance(num, int):
        raise RuntimeError(f"set_num_interop_threads(): 'num' must be an int; found {type(num).__name__}")
    check_argument(num > 0, "set_num_interop_threads()", "num", "be positive", num)
    _state.interop = num


def get_num_interop_threads() -> int:
    """What set_num_interop_threads() set: the number of processors by default."""
    if _state.interop is not None:
        return _state.interop
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_warn_always(b: bool) -> None:
    """Whether warnings that come once per process come every time, as far as Python's own filters let them."""
    check_argument(isinstance(b, bool), "set_warn_always()", "b", "be a bool", type(b).__name__, TypeError)
    warning.set_always(b)


def is_warn_always_enabled() -> bool:
    """What set_warn_always() set."""
    return warning.is_always()


def typename(obj: Any, /) -> str:
    """The name of an object's type, with its module; a tensor's is that of its dtype ("torch.FloatTensor")."""
    from rushlight.core.tensor import Tensor

    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) or (hasattr(obj, "__qualname__") and not isinstance(obj, type)) else type(obj)
    module = getattr(kind, "__module__", None)
    name: str = getattr(kind, "__qualname__", type(obj).__qualname__)
    return name if module in (None, "builtins") else f"{module}.{name}"

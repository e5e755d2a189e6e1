"""`autocast`: inside, products run in a 16-bit dtype and what would lose digits there runs in float32.

Operators are distinguished by name; all others take their arguments unchanged. While no autocast is in force nothing is
asked: the calls of a thread leave the plain path only when a mode is counted there (`core.tensor.add_modes`).
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import locks
from rushlight.core import tensor as _core
from rushlight.core.checks import check_argument
from rushlight.core.dispatch import Operator
from rushlight.core.nesting import mapped
from rushlight.core.tensor import Tensor, device
from rushlight.core.warning import warn
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.define import METHODS

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

# Products: as exact as their inputs when they accumulate in float32, and most of the time of a network.
LOWER = """
matmul mm bmm addmm addbmm baddbmm cov corrcoef linalg.matmul linalg.vecdot linalg.multi_dot tensordot inner
_einsum _chain_matmul matrix_power linalg.matrix_power affine_grid_generator rnn_relu_cell rnn_tanh_cell
nn.functional.linear nn.functional.scaled_dot_product_attention nn.functional.affine_grid prelu nn.functional.prelu
conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc
nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d
nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d nn.functional.conv_tbc
""".split()

# Sums of many terms, differences of near numbers, functions that overflow.
FLOAT32 = """
fake_quantize_per_tensor_affine cdist prod masked.prod quantile nanquantile trace polar view_as_complex stft
cholesky cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr pinverse geqrf svd qr
nn.functional.avg_pool3d nn.functional.max_pool3d max_pool3d nn.functional.adaptive_avg_pool3d
nn.functional.max_unpool2d nn.functional.max_unpool3d nn.functional.grid_sample
nn.functional.binary_cross_entropy nn.functional.binary_cross_entropy_with_logits nn.functional.cosine_embedding_loss
nn.functional.cross_entropy nn.functional.ctc_loss nn.functional.hinge_embedding_loss nn.functional.huber_loss
nn.functional.kl_div nn.functional.l1_loss nn.functional.margin_ranking_loss nn.functional.mse_loss
nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss nn.functional.nll_loss
nn.functional.poisson_nll_loss nn.functional.smooth_l1_loss nn.functional.soft_margin_loss
nn.functional.triplet_margin_loss
linalg.cholesky linalg.cholesky_ex linalg.cond linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
linalg.householder_product linalg.inv linalg.inv_ex linalg.ldl_factor linalg.ldl_factor_ex linalg.lstsq
linalg.matrix_norm
linalg.matrix_rank linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.svdvals
linalg.tensorinv linalg.tensorsolve
fft.fft fft.fft2 fft.fftn fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft
fft.rfft2 fft.rfftn
""".split()

_LOWER, _FLOAT32 = frozenset(LOWER), frozenset(FLOAT32)


class _State(threading.local):
    """What holds in this thread."""

    enabled: bool
    dtype: dt.dtype
    cache_enabled: bool

    def __init__(self) -> None:
        self.enabled = False
        self.dtype = dt.bfloat16
        self.cache_enabled = True
        self.nesting = 0
        # id of a leaf -> (the leaf, its version, dtype, whether it was recorded, the cast). The leaf is held: its id
        # stays its own.
        self.cache: dict[int, tuple[Tensor, int, dt.dtype, bool, Tensor]] = {}
        # What programs set for devices that are not here.
        self.others: dict[str, dt.dtype] = {"cuda": dt.float16, "xpu": dt.float16, "mps": dt.float16}


_state = _State()


def _name(op: Operator) -> str:
    space = op.definition.namespace
    return f"{space}.{op.name}" if space else op.name


def _cast_tensor(t: Tensor, to: dt.dtype) -> Tensor:
    if t.dtype is to or t.dtype.kind != "f" or t.dtype is dt.float64 or t.device.type not in ("cpu", "meta"):
        return t
    if not (
        _state.cache_enabled
        and to is _state.dtype
        and type(t).__name__ == "Parameter"
        and t.requires_grad
        and t.is_leaf
    ):
        return METHODS["to"](t, to)
    recorded = _core.is_grad_enabled()
    held = _state.cache.get(id(t))
    if held is not None and held[1] == t._version and held[2] is to and held[3] == recorded:
        return held[4]
    made = METHODS["to"](t, to)
    keep_cast(t, to, recorded, made)
    return made


def _cast_value(v: Any, to: dt.dtype) -> Any:
    if isinstance(v, Tensor):
        return _cast_tensor(v, to)
    if isinstance(v, (tuple, list)) and any(isinstance(x, Tensor) for x in v):
        return [_cast_value(x, to) for x in v]
    return v


def _cast(op: Operator, values: list[Any]) -> list[Any]:
    """The values of a call as autocast wants them; the hook of the slow path."""
    if not _state.enabled or op.inplace:
        return values
    name = _name(op)
    if name in _LOWER:
        if name == "_einsum" and len(values[1]) < 2:  # sums and transposes of one operand are no product
            return values
        to = _state.dtype
    elif name in _FLOAT32:
        to = dt.float32
    else:
        return values
    if _dispatch.modes.stack and getattr(_dispatch.modes.stack[-1], "notes_calls", False):
        return [_cast_value(v, to) for v in values]  # they are recorded as the call is
    with locks.below():  # the casts themselves are plain calls
        found = [_cast_value(v, to) for v in values]
    return found


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast knows a type of device, as PyTorch's does: those of accelerators too, whether or not there are
    any.
    """
    if not isinstance(device_type, str):
        raise TypeError(
            f"is_autocast_available(): argument 'device_type' must be str, not {type(device_type).__name__}"
        )
    return device(device_type).type in ("cpu", "cuda", "hpu", "ipu", "maia", "mps", "mtia", "xla", "xpu")


def _set(enabled: bool) -> None:
    """Turn autocast on or off in this thread; the count of modes is what brings calls here."""
    if enabled != _state.enabled:
        if _cast not in _dispatch.casts:
            _dispatch.casts.append(_cast)
        _state.enabled = enabled
        _core.add_modes(1 if enabled else -1)


def _check_device_type(owner: str, device_type: str) -> None:
    check_argument(
        isinstance(device_type, str), owner, "device_type", "be a str", lambda: repr(device_type), ValueError
    )


class autocast(locks.Block["autocast"]):
    """Inside, operators choose the dtype of their inputs. A context manager or a decorator.

    Products and convolutions cast float32 to `dtype`; losses, norms of matrices, decompositions and the like cast
    16-bit floats to float32; float64 stays. A parameter is cast once and kept until the outermost block ends.

    Args:
        device_type: "cpu"; another device that is not there turns autocast off with a warning.
        dtype: bfloat16 (default) or float16.
        enabled: False makes a block without autocast.
        cache_enabled: whether casts of parameters are kept.

    Raises:
        ValueError: device_type is not a str.
        RuntimeError: for a device type that does not exist.
    """

    def __init__(
        self, device_type: str, dtype: dt.dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        _check_device_type("autocast", device_type)
        self.device = device(device_type).type
        self.fast_dtype = get_autocast_dtype(self.device) if dtype is None else dtype
        self._cache_enabled = _state.cache_enabled if cache_enabled is None else cache_enabled
        if enabled and self.device != "cpu":
            warnings.warn(
                f"autocast: {self.device.upper()} is not available; nothing is cast in this block", stacklevel=2
            )
            enabled = False
        if enabled and self.fast_dtype not in (dt.bfloat16, dt.float16):
            warnings.warn(
                f"autocast: 'dtype' must be bfloat16 or float16; found {self.fast_dtype}, which is not supported: "
                "nothing is cast in "
                "this block",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled

    def _before_(self) -> tuple[bool, dt.dtype, bool, int]:
        """What is in force."""
        return _state.enabled, _state.dtype, _state.cache_enabled, _state.nesting

    def _begin_(self) -> autocast:
        """Put this in force."""
        if self.device == "cpu":
            _set(self._enabled)
            _state.dtype = self.fast_dtype
        _state.cache_enabled = self._cache_enabled
        _state.nesting += 1
        return self

    def _end_(self, before: tuple[bool, dt.dtype, bool, int]) -> None:
        """Put back what was in force."""
        enabled, _state.dtype, _state.cache_enabled, _state.nesting = before
        if not _state.nesting:
            _state.cache.clear()
        _set(enabled)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return wrapper


def in_force() -> dt.dtype | None:
    """The dtype that this thread's calls are cast to; None outside of autocast."""
    return _state.dtype if _state.enabled else None


def state_in_force() -> tuple[dt.dtype, bool]:
    """What a call that is cast depends on: the dtype, and whether casts of parameters are kept."""
    return _state.dtype, _state.cache_enabled


def kept_casts() -> dict[int, tuple[Tensor, int, dt.dtype, bool, Tensor]]:
    """The casts of parameters that are kept, by the ids of these: each with its parameter, the count of writes to that,
    the dtype, and whether it was recorded.
    """
    return _state.cache


def keep_cast(t: Tensor, to: dt.dtype, recorded: bool, made: Tensor) -> None:
    """Keep the cast of a parameter for later calls in the same block."""
    _state.cache[id(t)] = (t, t._version, to, recorded, made)


class left_out(locks.Block[None]):
    """Nothing is cast in the block, and what was cast before is kept."""

    def _before_(self) -> bool:
        """Whether autocast is in force."""
        return _state.enabled

    def _begin_(self) -> None:
        """Put it out of force."""
        _set(False)

    def _end_(self, before: bool) -> None:
        """Put it back."""
        _set(before)


def snapshot() -> Callable[[], autocast]:
    """What makes blocks in which autocast is as it is now."""
    enabled, dtype, cache = _state.enabled, _state.dtype, _state.cache_enabled
    return lambda: autocast("cpu", dtype, enabled, cache)


# ----------------------------------------------------------------------------------------------- functions of one's own
def _cast_arguments(value: Any, device_type: str, to: dt.dtype) -> Any:
    def cast(x: Any) -> Any:
        castable = isinstance(x, Tensor) and x.device.type == device_type and x.is_floating_point()
        return METHODS["to"](x, to) if castable and x.dtype is not dt.float64 else x

    return mapped(value, cast)


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: dt.dtype | None = None) -> Any:
    """Decorate `forward` of an autograd.Function: what autocast does in it, `backward` under `custom_bwd` does too.

    Args:
        device_type: whose autocast.
        cast_inputs: when given, floating point tensors among the arguments are cast to it and autocast is off inside,
            if it was on.
    """
    _check_device_type("custom_fwd", device_type)

    def decorate(forward: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(forward)
        def with_notes(ctx: Any, *args: Any, **kwargs: Any) -> Any:
            on = is_autocast_enabled(device_type)
            # What backward will need to know.
            ctx._dtype, ctx._fwd_used_autocast = get_autocast_dtype(device_type), on and cast_inputs is None
            if cast_inputs is None or not on:
                return forward(ctx, *args, **kwargs)
            args, kwargs = _cast_arguments((args, kwargs), device_type, cast_inputs)
            with autocast(device_type, enabled=False):
                return forward(ctx, *args, **kwargs)

        return with_notes

    return decorate if fwd is None else decorate(fwd)


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorate `backward` of an autograd.Function whose `forward` has `custom_fwd`: autocast is as it was there."""
    _check_device_type("custom_bwd", device_type)

    def decorate(backward: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(backward)
        def as_forward(ctx: Any, *grads: Any, **kwargs: Any) -> Any:
            with autocast(device_type, ctx._dtype, ctx._fwd_used_autocast):
                return backward(ctx, *grads, **kwargs)

        return as_forward

    return decorate if bwd is None else decorate(bwd)


# ----------------------------------------------------------------------- the functions that the package has of the same
def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is in force for a type of device (by default "cuda", as in PyTorch: False here)."""
    return _state.enabled and device(device_type).type == "cpu"


def is_autocast_cpu_enabled() -> bool:
    """Whether autocast is in force on the CPU."""
    warn("is_autocast_cpu_enabled() is deprecated; write is_autocast_enabled('cpu')", DeprecationWarning)
    return _state.enabled


def get_autocast_dtype(device_type: str) -> dt.dtype:
    """The dtype that autocast casts to on a type of device."""
    kind = device(device_type).type
    return _state.dtype if kind == "cpu" else _state.others.get(kind, dt.bfloat16)


def get_autocast_cpu_dtype() -> dt.dtype:
    """The dtype that autocast casts to on the CPU."""
    warn("get_autocast_cpu_dtype() is deprecated; write get_autocast_dtype('cpu')", DeprecationWarning)
    return _state.dtype


def get_autocast_gpu_dtype() -> dt.dtype:
    """The dtype that autocast would cast to on a CUDA device."""
    warn("get_autocast_gpu_dtype() is deprecated; write get_autocast_dtype('cuda')", DeprecationWarning)
    return _state.others["cuda"]


def set_autocast_enabled(*args: Any) -> None:
    """set_autocast_enabled(device_type, enabled): turn autocast on or off in this thread.

    Raises:
        RuntimeError: it is to be turned on for another device than the CPU.
    """
    kind, enabled = args if len(args) == 2 else ("cuda", *args)
    if device(kind).type == "cpu":
        _set(bool(enabled))
    elif enabled:
        raise RuntimeError(f"set_autocast_enabled(): autocast works on 'cpu' only; found '{kind}'")


def set_autocast_dtype(device_type: str, dtype: dt.dtype) -> None:
    """Set the dtype that autocast casts to on a type of device."""
    kind = device(device_type).type
    if kind == "cpu":
        _state.dtype = dtype
    else:
        _state.others[kind] = dtype


def is_autocast_cache_enabled() -> bool:
    """Whether casts of parameters are kept."""
    return _state.cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set whether casts of parameters are kept."""
    _state.cache_enabled = bool(enabled)


def clear_autocast_cache() -> None:
    """Forget the casts of parameters."""
    _state.cache.clear()

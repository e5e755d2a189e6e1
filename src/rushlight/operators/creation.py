"""Factories: tensors from sizes and numbers, and the devices that they are made on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from rushlight.core import dtypes as dt
from rushlight.core import places
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import (
    Tensor,
    device,
    flat_of,
    plain_arange,
    plain_full,
    plain_like,
    plain_permuted,
    plain_strided,
    plain_triangle,
)
from rushlight.core.warning import warn
from rushlight.operators._arguments import negative_size, overflow
from rushlight.operators._define import METHODS, Definition, eager, function, operator, parameters
from rushlight.operators._tracer import P, Tracer, convert, default_dtype, expand_to, tracer, var_of
from rushlight.operators._types import Int, Ints, Number
from rushlight.program.ir import Builder
from rushlight.program.sym import Sym

_KEYS = _core.get_keys_flag_mask()
STANDS_FOR = _KEYS["TRACE"] | _KEYS["TRANSFORM"]  # tensors whose metadata say nothing about memory
_dtype = dt.dtype
_Device: TypeAlias = device | str | int | None


# -------------------------------------------------------------------------------------------------------------- devices
@function
def get_default_device() -> device:
    """The device that factories use when none is named."""
    return places.chosen[-1]


@function
def set_default_device(device: _Device) -> None:
    """Let factories make tensors on `device` when none is named; None means the CPU."""
    places.chosen[0] = place("set_default_device", device) if device is not None else _core.CPU


def place(name: str, where: _Device) -> device:
    """The device object for a `device` argument; AssertionError for a device type that nobody has registered, as in
    PyTorch's CPU build.
    """
    if where is None:
        return places.chosen[-1]
    found = places.device_of(where)
    if found.type not in device.registered:
        raise AssertionError(
            f"{name}(): Torch not compiled with {found.type.upper()} enabled: expected one of the registered devices "
            f"{', '.join(sorted(device.registered))}, got '{found}'"
        )
    return found


# ------------------------------------------------------------------------------------------------------------ arguments
def size_args(size: Any, name: str) -> tuple[Any, ...]:
    """The sizes of zeros(2, 3) or zeros((2, 3)); TypeError for what is not an int, RuntimeError for negative sizes."""
    if isinstance(size, (int, Sym)) and not isinstance(size, bool):
        size = (size,)
    if not isinstance(size, (tuple, list)):
        if isinstance(size, Tensor) and size.ndim == 1:
            size = size.tolist()
        elif isinstance(size, Tensor) or (hasattr(size, "__index__") and not isinstance(size, bool)):
            size = (size,)
        else:
            raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = size[0]
    out = []
    for i, s in enumerate(size):
        if isinstance(s, Sym):
            out.append(s)
            continue
        if isinstance(s, bool) or not hasattr(s, "__index__"):
            raise TypeError(f"{name}(): argument 'size' must be tuple of ints, not of {type(s).__name__} (element {i})")
        s = s.__index__()
        if s < 0:
            raise negative_size(name, list(size))
        out.append(s)
    return tuple(out)


def plain_size(size: Any, name: str) -> tuple[Any, ...]:
    """`size_args`, quick for the usual tuple of small ints."""
    if type(size) is tuple:
        for s in size:
            if type(s) is not int or s < 0:
                return size_args(size, name)
        return size
    return size_args(size, name)


def check_options(name: str, dtype: Any, layout: Any, pin_memory: bool) -> None:
    """Errors for factory arguments that cannot be honoured."""
    if dtype is not None and not isinstance(dtype, _dtype):
        raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")
    if dtype in dt.NAMED:
        raise NotImplementedError(f"{name}(): {dt.unsupported(dtype)}")
    if layout is not None and layout is not dt.strided:
        raise NotImplementedError(f"{name}(): 'layout' must be torch.strided; found {layout}")
    if pin_memory:
        raise RuntimeError(f"{name}(): 'pin_memory' must be False where there is no accelerator; found True")


def format_strides(size: Sequence[int], memory_format: Any, name: str) -> tuple[int, ...] | None:
    """The strides of a memory format; None for row-major."""
    if memory_format is None or memory_format is dt.contiguous_format or memory_format is dt.preserve_format:
        return None
    rank = {dt.channels_last: 4, dt.channels_last_3d: 5}.get(memory_format)
    if rank is None:
        raise TypeError(
            f"{name}(): argument 'memory_format' must be torch.memory_format, not {type(memory_format).__name__}"
        )
    if len(size) != rank:
        raise RuntimeError(f"{name}(): {memory_format} is for {rank} dimensions; found {len(size)}")
    strides, step = [0] * rank, 1
    for d in (1, *range(rank - 1, 1, -1), 0):
        strides[d] = step
        step *= max(size[d], 1)
    return tuple(strides)


def row_major(size: Sequence[int]) -> tuple[int, ...]:
    """The strides of row-major memory."""
    strides, step = [], 1
    for n in reversed(size):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def strided_extent(size: Sequence[int], stride: Sequence[int]) -> int:
    """How many elements of memory a strided tensor spans."""
    return 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))


def preserved_strides(t: Tensor) -> tuple[int, ...] | None:
    """The strides of a copy that keeps t's order of dimensions in memory; None for row-major."""
    if t.is_contiguous() or t.keys & STANDS_FOR:
        return None
    size, stride = t.shape, t.stride()
    if any(s <= 0 and n > 1 for n, s in zip(size, stride, strict=True)):
        return None
    order = sorted(range(len(size)), key=lambda d: (stride[d], -d) if size[d] != 1 else (0, -d))
    strides, step = [0] * len(size), 1
    for d in order:
        strides[d] = step
        step *= max(size[d], 1)
    return tuple(strides)


# --------------------------------------------------------------------------------------------------------------- memory
def raw_empty(
    name: str, size: tuple[Any, ...], dtype: dt.dtype, where: _Device, strides: Sequence[int] | None = None
) -> Tensor:
    """Memory for a new tensor on a device; a value of the trace when one is in progress."""
    if Builder.active():
        return tracer_full(size, 0, dtype)
    if where is None and places.chosen[-1] is _core.CPU:
        return _core.empty_strided_raw(dtype, size, strides)
    found = place(name, where)
    if found.type == "cpu":
        return _core.empty_strided_raw(dtype, size, strides)
    if found.type == "meta":
        return _core.empty_meta(dtype, size, strides)
    make = empty.implementations.get(found.type)
    if make is None:
        raise NotImplementedError(
            f"{name}(): no implementation of empty for device '{found}'; register one with "
            f"rushlight.empty.register('{found.type}', ...)"
        )
    return make(size, dtype=dtype, device=found)


def tracer_full(size: tuple[Any, ...], value: Any, dtype: dt.dtype) -> Tracer:
    """A constant of the trace in progress."""
    return P.broadcast_in_dim(convert(value, dtype), shape=tuple(size), dims=())


def fill_raw(t: Tensor, value: Any) -> Tensor:
    """Write `value` everywhere in a tensor that was just made."""
    if t.numel() == 0 or t.is_meta:
        return t
    if t.device.type != "cpu":
        return METHODS["fill_"](t, value)
    _fill_(t if t.ndim <= 2 else flat_of(t), value)  # one dimension for all higher ranks: none is traced on its own
    t.untyped_storage().version = 0  # this is how the tensor was made, no write to it
    return t


_BOUNDS = {
    d: (-(1 << (8 * d.itemsize - 1)), (1 << (8 * d.itemsize - 1)) - 1)
    if d.kind == "i"
    else (0, (1 << (8 * d.itemsize)) - 1)
    for d in dt.by_code
    if d.kind in "iu"
}


def cast_number(value: Any, dtype: dt.dtype) -> Any:
    """A number in the range and kind of `dtype`; RuntimeError when it overflows, as a checked cast does."""
    if isinstance(value, complex) and dtype.kind != "c":
        if value.imag != 0:
            raise overflow(value, dtype)
        value = value.real
    bounds = _BOUNDS.get(dtype)
    if bounds is not None:
        if isinstance(value, float) and not math.isfinite(value):
            raise overflow(value, dtype)
        value = int(value)
        if dtype.kind == "u" and bounds[0] > value >= -bounds[1]:
            value += bounds[1] + 1  # small negatives wrap
        if not bounds[0] <= value <= bounds[1]:
            raise overflow(value, dtype)
    elif dtype is dt.float16 and isinstance(value, (int, float)) and 65504 < abs(value) < math.inf:
        raise overflow(value, dtype)
    return value


def _fill_body(input: Tensor, value: Number) -> Tensor:
    """`value` everywhere."""
    return expand_to(convert(value, input.dtype), input.var.shape)


# The in-place form alone: a tensor that was just made has no history to look after.
_fill_ = Operator(
    "fill_",
    parameters(_fill_body),
    Definition("fill", _fill_body, namespace="", shape_class="pointwise"),
    None,
    True,
    False,
    False,
)


def filled(
    name: str,
    size: tuple[Any, ...],
    value: Any,
    dtype: dt.dtype,
    where: _Device,
    requires_grad: bool,
    out: Tensor | None = None,
) -> Tensor:
    """A new tensor with `value` everywhere, or `out` resized and filled."""
    if out is not None:
        return into_out(name, out, size, dtype).fill_(value)
    if Builder.active():
        return tracer_full(size, value, dtype)
    t = fill_raw(raw_empty(name, size, dtype, where), value)
    if requires_grad:
        t.requires_grad = True
    return t


def into_out(name: str, out: Tensor, size: tuple[int, ...], dtype: dt.dtype | None) -> Tensor:
    """Check and resize the destination of a factory."""
    if dtype is not None and out.dtype is not dtype:
        raise RuntimeError(f"{name}(): 'dtype' must be that of 'out', {out.dtype}; found {dtype}")
    if tuple(out.shape) != size:
        if name == "arange" and out.numel():
            warn(f"arange(): 'out' has {out.numel()} elements, and is resized to the {size[0]} of the result")
        _core.set_storage(out, _core.empty_strided_raw(out.dtype, size, None))
    return out


# ---------------------------------------------------------------------------------------------------- empty, full & co.
@eager(method=False, varargs="size", out=True)
def empty(
    size: Ints,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor of uninitialised memory.

    Args: size: ints or a sequence of ints. dtype: default the default dtype. layout: torch.strided. device: "cpu",
    "meta" or a registered one.
    Errors: TypeError for a size that is not an int, RuntimeError for a negative one.
    """
    if layout is None and memory_format is None and out is None and not pin_memory:
        made = plain_full(size, None, dtype, device, requires_grad)
        if made is not None:
            return made
    size = plain_size(size, "empty")
    if out is not None:
        return into_out("empty", out, size, dtype)
    check_options("empty", dtype, layout, pin_memory)
    t = raw_empty(
        "empty",
        size,
        dtype or default_dtype(),
        device,
        None if memory_format is None else format_strides(size, memory_format, "empty"),
    )
    if requires_grad:
        t.requires_grad = True
    return t


@eager(method=False)
def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of uninitialised memory with the given strides (elements, not negative)."""
    if layout is None and not pin_memory:
        made = plain_strided(size, stride, dtype, device, requires_grad)
        if made is not None:
            return made
    check_options("empty_strided", dtype, layout, pin_memory)
    size, stride = size_args(size, "empty_strided"), tuple(int(s) for s in stride)
    if len(size) != len(stride):
        raise RuntimeError(
            f"empty_strided(): 'stride' must be as long as 'size'; found {list(stride)} for {list(size)}"
        )
    if any(s < 0 for s in stride):
        raise RuntimeError(f"empty_strided(): 'stride' must be at least 0 in each dimension; found {list(stride)}")
    t = raw_empty("empty_strided", size, dtype or default_dtype(), device, stride)
    if requires_grad:
        t.requires_grad = True
    return t


@eager(method=False)
def empty_permuted(
    size: Any,
    physical_layout: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Uninitialised memory whose dimensions lie in memory in the order `physical_layout`, outermost first."""
    if layout is None and not pin_memory:
        made = plain_permuted(size, physical_layout, dtype, device, requires_grad)
        if made is not None:
            return made
    check_options("empty_permuted", dtype, layout, pin_memory)
    size = size_args(size, "empty_permuted")
    order = [int(d) for d in physical_layout]
    if sorted(order) != list(range(len(size))):
        raise RuntimeError(
            f"empty_permuted(): 'physical_layout' must hold each of the {len(size)} dimensions once; found {order}"
        )
    strides, step = [0] * len(size), 1
    for d in reversed(order):
        strides[d] = step
        step *= max(size[d], 1)
    t = raw_empty("empty_permuted", size, dtype or default_dtype(), device, strides)
    if requires_grad:
        t.requires_grad = True
    return t


def _filler(name: str, value: int) -> Any:
    def make(
        size: Ints,
        *,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        out: Tensor | None = None,
    ) -> Tensor:
        if layout is None and out is None and not pin_memory:
            made = plain_full(size, value, dtype, device, requires_grad)
            if made is not None:
                return made
        size = plain_size(size, name)
        check_options(name, dtype, layout, pin_memory)
        if out is not None:
            return into_out(name, out, size, dtype).fill_(value)
        return filled(name, size, value, dtype or default_dtype(), device, requires_grad)

    make.__name__ = name
    make.__doc__ = f"""A tensor filled with {value}.

    Args: size: ints or a sequence of ints. dtype: default the default dtype. device: "cpu", "meta" or a registered one.
    """
    return eager(make, name=name, method=False, varargs="size", out=True)


zeros, ones = _filler("zeros", 0), _filler("ones", 1)


_INTEGERS = {bool: dt.bool_, int: dt.int64}  # dtypes of numbers that are not the default one


def number_dtype(value: Any) -> dt.dtype:
    """The dtype that a factory gives a number."""
    if isinstance(value, Tensor):
        return value.dtype
    if not isinstance(value, (bool, int, float, complex, Sym)):
        value = value.item()  # a NumPy scalar
    if isinstance(value, bool):
        return dt.bool_
    if isinstance(value, int):
        return dt.int64
    return default_dtype() if isinstance(value, float) else dt.complex_of(default_dtype())


def python_number(value: Any, name: str, argument: str) -> Any:
    """A Python number from a number, a NumPy scalar or a one-element tensor."""
    if isinstance(value, (bool, int, float, complex)):
        # NumPy's float64 and complex128 are subclasses; the core wants the plain types.
        return value if type(value).__module__ == "builtins" else value.item()  # type: ignore[union-attr]
    if isinstance(value, (Tensor, Sym)):
        return value if isinstance(value, Sym) or value.keys & STANDS_FOR else value.item()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{name}(): argument '{argument}' must be Number, not {type(value).__name__}")


@eager(method=False, out=True)
def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor filled with one number.

    Args: size: sequence of ints. fill_value: a number or a 0-d tensor. dtype: default that of the number (bool, int64,
    the default float or complex dtype).
    """
    if fill_value is not None and layout is None and out is None and not pin_memory:
        made = plain_full(size, fill_value, dtype or _INTEGERS.get(type(fill_value)), device, requires_grad)
        if made is not None:
            return made
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    size = plain_size(size, "full")
    value = python_number(fill_value, "full", "fill_value")
    check_options("full", dtype, layout, pin_memory)
    if out is not None:
        return into_out("full", out, size, dtype).fill_(value)
    d = dtype or number_dtype(fill_value)
    return filled(
        "full", size, value if isinstance(value, (Tensor, Sym)) else cast_number(value, d), d, device, requires_grad
    )


# -------------------------------------------------------------------------------------------------------- *_like, new_*
@operator(name="_full_like", register=False)
def _full_like(input: Tensor, value: Number, *, dtype: Any = None) -> Tensor:
    """A constant in the shape of a tensor that stands for a traced or batched value."""
    return expand_to(convert(value, dtype or input.dtype), input.var.shape)


def like(
    name: str,
    input: Tensor,
    value: Any,
    dtype: Any,
    layout: Any,
    device: Any,
    requires_grad: bool,
    pin_memory: bool,
    memory_format: Any,
) -> Tensor:
    """A tensor like `input`: shape, and dtype, device and order of dimensions unless they are given; value None leaves
    it uninitialised.
    """
    if layout is None and memory_format is None and not pin_memory:
        made = plain_like(input, None, value, dtype, device, requires_grad)
        if made is not None:
            return made
    check_options(name, dtype, layout, pin_memory)
    d = dtype or input.dtype
    if input.keys & STANDS_FOR and (device is None or input.keys & _KEYS["TRACE"]):
        return _full_like(input, value or 0, dtype=d)
    strides = (
        preserved_strides(input)
        if memory_format is None or memory_format is dt.preserve_format
        else format_strides(input.shape, memory_format, name)
    )
    t = raw_empty(name, tuple(input.shape), d, input.device if device is None else device, strides)
    if value is not None:
        if strides is None:
            fill_raw(t, value)
        else:
            # dense in some order: fill it as one row
            fill_raw(_core.view_of(t, (t.numel(),), (1,), 0) if t.device.type == "cpu" else t, value)
    if requires_grad:
        t.requires_grad = True
    return t


def _like(name: str, value: int | None, what: str) -> Any:
    def make(
        input: Tensor,
        *,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        memory_format: Any = None,
    ) -> Tensor:
        return like(name, input, value, dtype, layout, device, requires_grad, pin_memory, memory_format)

    make.__name__ = name
    make.__doc__ = f"""{what} with the shape of `input`, and its dtype, device and order of dimensions in memory unless they are given."""
    return eager(make, name=name, method=False)


empty_like = _like("empty_like", None, "A tensor of uninitialised memory")
zeros_like = _like("zeros_like", 0, "A tensor of zeros")
ones_like = _like("ones_like", 1, "A tensor of ones")


@eager(method=False)
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor filled with `fill_value`, with the shape of `input`, and its dtype, device and order of dimensions
    unless they are given.
    """
    if fill_value is not None and layout is None and memory_format is None and not pin_memory:
        made = plain_like(input, None, fill_value, dtype, device, requires_grad)
        if made is not None:
            return made
    value = python_number(fill_value, "full_like", "fill_value")
    if not isinstance(value, (Tensor, Sym)):
        value = cast_number(value, dtype or input.dtype)
    return like("full_like", input, value, dtype, layout, device, requires_grad, pin_memory, memory_format)


def _new(name: str, value: int | None, what: str) -> Any:
    def make(
        input: Tensor,
        size: Ints,
        *,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
    ) -> Tensor:
        if layout is None and not pin_memory:
            made = plain_like(input, size, value, dtype, device, requires_grad)
            if made is not None:
                return made
        check_options(name, dtype, layout, pin_memory)
        size = plain_size(size, name)
        where = input.device if device is None else device
        if value is None:
            t = raw_empty(name, size, dtype or input.dtype, where)
            if requires_grad:
                t.requires_grad = True
            return t
        return filled(name, size, value, dtype or input.dtype, where, requires_grad)

    make.__name__ = name
    make.__doc__ = f"""{what} of the given size, with the dtype and device of `input` unless they are given."""
    return eager(make, name=name, namespace=None, varargs="size")


new_empty = _new("new_empty", None, "Uninitialised memory")
new_zeros = _new("new_zeros", 0, "A tensor of zeros")
new_ones = _new("new_ones", 1, "A tensor of ones")


@eager(namespace=None)
def new_full(
    input: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor filled with `fill_value`, with the dtype and device of `input` unless they are given."""
    if fill_value is not None and layout is None and not pin_memory:
        made = plain_like(input, size, fill_value, dtype, device, requires_grad)
        if made is not None:
            return made
    check_options("new_full", dtype, layout, pin_memory)
    d = dtype or input.dtype
    value = python_number(fill_value, "new_full", "fill_value")
    value = value if isinstance(value, (Tensor, Sym)) else cast_number(value, d)
    return filled(
        "new_full", plain_size(size, "new_full"), value, d, input.device if device is None else device, requires_grad
    )


@eager(namespace=None)
def new_empty_strided(
    input: Tensor,
    size: Any,
    stride: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Uninitialised memory with the given strides, and the dtype and device of `input` unless they are given."""
    if not input.keys and layout is None and not pin_memory:
        made = plain_strided(size, stride, dtype or input.dtype, _core.CPU if device is None else device, requires_grad)
        if made is not None:
            return made
    return empty_strided(
        size,
        stride,
        dtype=dtype or input.dtype,
        layout=layout,
        device=input.device if device is None else device,
        requires_grad=requires_grad,
        pin_memory=pin_memory,
    )


@eager(namespace=None)
def new_tensor(
    input: Tensor,
    data: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor from `data`, with the dtype and device of `input` unless they are given."""
    from rushlight.operators.interop import tensor as make

    return make(
        data,
        dtype=dtype or input.dtype,
        device=input.device if device is None else device,
        requires_grad=requires_grad,
        pin_memory=pin_memory,
    )


# ------------------------------------------------------------------------------------------------------------ sequences
def _row(n: Int, dtype: dt.dtype) -> Tracer:
    return P.iota(shape=(n,), dim=0, dtype=dtype)


def _affine(n: Int, start: Any, step: Any, dtype: dt.dtype) -> Tracer:
    # Floating point sequences are computed in float64 and rounded once.
    compute = (
        dt.int64
        if dtype.kind in "iub" and not any(isinstance(x, Tracer) and x.dtype.kind == "f" for x in (start, step))
        else dt.float64
    )
    row = P.add(
        P.mul(_row(n, compute), expand_to(convert(step, compute), (n,))), expand_to(convert(start, compute), (n,))
    )
    return convert(row, dtype)


@operator(name="arange", register=False)
def _arange(n: Int, start: Number, step: Number, *, dtype: Any) -> Tensor:
    """start + step * (0, 1, ... n - 1)."""
    return _affine(n, start, step, dtype)


@eager(method=False, out=True)
def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The numbers start, start + step, ... below end: arange(end), arange(start, end), arange(start, end, step).

    Args: start, end, step: numbers. dtype: default int64 when all are ints, else the default dtype.
    Errors: RuntimeError for a step of 0 or of the wrong sign.
    """
    if end is None:
        start, end = 0, start
    if end is None:
        raise TypeError("arange() missing 1 required positional argument: 'end'")
    if start is None:
        start = 0
    if layout is None and out is None and not pin_memory:
        made = plain_arange(start, end, step, dtype, device, requires_grad)
        if made is not None:
            return made
    start, end, step = (python_number(x, "arange", n) for x, n in ((start, "start"), (end, "end"), (step, "step")))
    check_options("arange", dtype, layout, pin_memory)
    if Builder.active():
        return _traced_arange(start, end, step, dtype)
    if dtype is None and out is None:
        dtype = dt.int64 if all(isinstance(x, int) for x in (start, end, step)) else default_dtype()
    target = out.dtype if out is not None else dtype
    if step == 0:
        raise RuntimeError("arange(): 'step' must not be 0")
    if not all(isinstance(x, int) or math.isfinite(x) for x in (start, end)):
        raise RuntimeError(f"arange(): 'start' and 'end' must be finite; found {start} and {end}")
    if (end < start) if step > 0 else (end > start):
        raise RuntimeError(
            f"arange(): 'step' must lead from 'start' to 'end'; found start {start}, end {end}, step {step}"
        )
    if target.kind in "iu":
        # As in PyTorch (and NumPy), numbers with a fraction decide how many elements a narrow dtype gets, but not those
        # of int64.
        whole = target is dt.int64 or all(isinstance(x, int) for x in (start, end, step))
        n = 0 if whole else math.ceil((end - start) / step)
        start, end, step = int(start), int(end), int(step)
        if whole:
            if step == 0:
                raise ValueError(f"arange(): 'step' must not be less than 1 in magnitude for dtype {target}")
            n = max(0, -((start - end) // step))
    else:
        n = math.ceil((end - start) / step)
    if out is not None:
        into_out("arange", out, (n,), dtype)
        return out if n == 0 else METHODS["copy_"](out, _arange(n, start, step, dtype=target))
    where = place("arange", device)
    if where.type != "cpu" or n == 0:
        t = raw_empty("arange", (n,), target, where)
        if where.type not in ("cpu", "meta"):
            METHODS["copy_"](t, _arange(n, start, step, dtype=target))
    else:
        t = _arange(n, start, step, dtype=target)
    if requires_grad:
        t.requires_grad = True
    return t


def _traced_arange(start: Any, end: Any, step: Any, dtype: Any) -> Tracer:
    if any(isinstance(x, (float, Tensor)) for x in (start, end, step)):
        raise RuntimeError("arange(): 'start', 'end' and 'step' must be ints inside a traced operator")
    n = (end - start + step - 1) // step if isinstance(step, Sym) or step > 0 else (start - end - step - 1) // -step
    return _affine(
        n,
        tracer(var_of(start)) if isinstance(start, Sym) else start,
        tracer(var_of(step)) if isinstance(step, Sym) else step,
        dtype or dt.int64,
    )


@eager(name="range", method=False, out=True)
def inclusive_range(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """start, start + step, ... up to and including end; deprecated in favour of arange."""
    warn(
        "range() includes its end, unlike Python's, and is deprecated for that; use arange(), whose end is exclusive",
        UserWarning,
    )
    if end is None:
        start, end = 0, start
    if step == 0:
        raise RuntimeError("range(): 'step' must not be 0")
    if not all(isinstance(x, int) or math.isfinite(x) for x in (start, end)):
        raise RuntimeError(f"range(): 'start' and 'end' must be finite; found {start} and {end}")
    if (end < start) if step > 0 else (end > start):
        raise RuntimeError(
            f"range(): 'step' must lead from 'start' to 'end'; found start {start}, end {end}, step {step}"
        )
    target = dtype or (out.dtype if out is not None else default_dtype())
    if target.kind in "iu":
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise RuntimeError(f"range(): 'step' must not be less than 1 in magnitude for dtype {target}")
    n = math.floor((end - start) / step) + 1
    t = _arange(n, start, step, dtype=target)
    return t if out is None else METHODS["copy_"](into_out("range", out, (n,), dtype), t)


@operator(name="linspace", register=False)
def _linspace(n: Int, start: Number, end: Number, base: Number, *, dtype: Any, log: bool = False) -> Tensor:
    """n numbers from start to end, both halves counted from their own end so that the last is exactly `end`."""
    compute = dt.complex128 if dtype.kind == "c" else dt.float64
    first, last = (expand_to(convert(x, compute), (n,)) for x in (start, end))
    i = _row(n, dt.int64)
    if isinstance(n, int) and n == 1:
        values = first
    else:
        count = expand_to(P.sub(convert(tracer(var_of(n)), dt.int64), convert(1, dt.int64)), (n,))
        step = P.div(P.sub(last, first), convert(count, compute))
        back = P.sub(count, i)
        values = P.select(
            P.lt(i, back),
            P.add(first, P.mul(step, convert(i, compute))),
            P.sub(last, P.mul(step, convert(back, compute))),
        )
    if log:
        values = P.pow(expand_to(convert(base, compute), (n,)), values)
    return convert(values, dtype)


def _spaced(
    name: str,
    start: Any,
    end: Any,
    steps: Any,
    base: float,
    dtype: Any,
    layout: Any,
    device: Any,
    requires_grad: bool,
    pin_memory: bool,
    out: Tensor | None,
    log: bool,
) -> Tensor:
    for x, what in ((start, "start"), (end, "end")):
        if isinstance(x, Tensor) and x.ndim:
            raise RuntimeError(f"{name}(): '{what}' must be a number or a 0-d tensor; found a {x.ndim}-d tensor")
    where = place(name, device)
    kinds = {x.dtype.kind if isinstance(x, Tensor) else "c" if isinstance(x, complex) else "" for x in (start, end)}
    if where.type == "cpu":
        start, end = python_number(start, name, "start"), python_number(end, name, "end")
    check_options(name, dtype, layout, pin_memory)
    if isinstance(steps, bool) or not hasattr(steps, "__index__"):
        raise TypeError(f"{name}(): argument 'steps' (position 3) must be int, not {type(steps).__name__}")
    n = steps.__index__()
    if n < 0:
        raise RuntimeError(f"{name}(): 'steps' must be at least 0; found {n}")
    default = default_dtype().to_complex() if "c" in kinds else default_dtype()
    if default.kind == "c" and dtype is not None and dtype.kind != "c":
        raise RuntimeError(f"{name}(): 'dtype' must be complex where 'start' or 'end' is; found {dtype}")
    target = out.dtype if out is not None else dtype or default
    if target.kind in "iu" and where.type == "cpu":
        start, end = (x.to(dt.int64) if isinstance(x, Tensor) else int(x) for x in (start, end))
    if n == 0 or where.type != "cpu":
        t = raw_empty(name, (n,), target, where)
    else:
        t = _linspace(n, start, end, base, dtype=target, log=log)
    if out is not None:
        return METHODS["copy_"](into_out(name, out, (n,), dtype), t)
    if requires_grad:
        t.requires_grad = True
    return t


@eager(method=False, out=True)
def linspace(
    start: Any,
    end: Any,
    steps: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """`steps` evenly spaced numbers from start to end, both included.

    Args: start, end: numbers or 0-d tensors. steps: int >= 0. dtype: default the default dtype (complex for complex
    ends).
    """
    return _spaced("linspace", start, end, steps, 10.0, dtype, layout, device, requires_grad, pin_memory, out, False)


@eager(method=False, out=True)
def logspace(
    start: Any,
    end: Any,
    steps: Any,
    base: float = 10.0,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """base ** linspace(start, end, steps)."""
    return _spaced(
        "logspace", start, end, steps, float(base), dtype, layout, device, requires_grad, pin_memory, out, True
    )


@operator(name="eye", register=False)
def _eye(n: Int, m: Int, *, dtype: Any) -> Tensor:
    """Ones on the diagonal."""
    return convert(
        P.eq(P.iota(shape=(n, m), dim=0, dtype=dt.int64), P.iota(shape=(n, m), dim=1, dtype=dt.int64)), dtype
    )


@eager(method=False, out=True)
def eye(
    n: Any,
    m: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The identity matrix, cut or widened to n rows and m columns.

    Args: n, m: rows and columns (m = n when it is left out). dtype: default the default dtype.
    """
    check_options("eye", dtype, layout, pin_memory)
    m = n if m is None else m
    for x, what in ((n, "n"), (m, "m")):
        if not isinstance(x, Sym) and (isinstance(x, bool) or not hasattr(x, "__index__")):
            raise TypeError(f"eye(): argument '{what}' must be int, not {type(x).__name__}")
        if not isinstance(x, Sym) and x < 0:
            raise RuntimeError(f"eye(): '{what}' must be at least 0; found {x}")
    target = out.dtype if out is not None else dtype or default_dtype()
    if Builder.active() or place("eye", device).type == "cpu":
        t = _eye(n, m, dtype=target)
    else:
        t = raw_empty("eye", (int(n), int(m)), target, device)
    if out is not None:
        return METHODS["copy_"](into_out("eye", out, (int(n), int(m)), dtype), t)
    if requires_grad:
        t.requires_grad = True
    return t


def _triangle(name: str, lower: bool) -> Any:
    def make(
        row: int, col: int, offset: int = 0, *, dtype: Any = dt.int64, device: Any = None, layout: Any = None
    ) -> Tensor:
        if layout is None:
            made = plain_triangle(row, col, offset, lower, dtype, device)
            if made is not None:
                return made
        check_options(name, dtype, layout, False)
        for label, size in (("row", row), ("col", col)):
            if isinstance(size, (float, complex, str)) or size is None:
                raise TypeError(f"{name}(): argument '{label}' must be int, not {type(size).__name__}")
        if row < 0 or col < 0:
            raise RuntimeError(f"{name}(): 'row' and 'col' must be at least 0; found {row} and {col}")
        import numpy as np

        from rushlight.operators.interop import from_array

        found = np.tril_indices(row, offset, col) if lower else np.triu_indices(row, offset, col)
        return from_array(np.stack(found), dtype, place(name, device))

    make.__name__ = name
    make.__doc__ = (
        f"The row and column indices of the {'lower' if lower else 'upper'} triangle of a (row, col) matrix, shape "
        "(2, n), in row-major order; "
        "offset shifts the diagonal."
    )
    return eager(make, name=name, method=False)


tril_indices, triu_indices = _triangle("tril_indices", True), _triangle("triu_indices", False)


# -------------------------------------------------------------------------------------------------------------- complex
def _parts(name: str, a: Tensor, b: Tensor) -> tuple[Tracer, Tracer]:
    from rushlight.operators._tracer import align

    if a.dtype is not b.dtype:
        raise RuntimeError(f"{name}(): the two tensors must be of one dtype; found {a.dtype} and {b.dtype}")
    if a.dtype not in (dt.float16, dt.float32, dt.float64):
        raise RuntimeError(f"{name}(): the tensors must be of dtype float16, float32 or float64; found {a.dtype}")
    x, y = align(a, b)
    return x, y


@operator(name="complex", method=False, shape_class="pointwise")
def complex_of(real: Tensor, imag: Tensor) -> Tensor:
    """real + imag * i, elementwise.

    Args: real, imag: tensors of one floating point dtype and broadcastable shapes.
    """
    return P.complex(*_parts("complex", real, imag))


@operator(method=False, shape_class="pointwise")
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """abs * (cos(angle) + i sin(angle)), elementwise.

    Args: abs, angle: tensors of one floating point dtype and broadcastable shapes; angle in radians.
    """
    r, a = _parts("polar", abs, angle)
    return P.complex(P.mul(r, P.cos(a)), P.mul(r, P.sin(a)))


def _zeros_hook(size: Any, dtype: dt.dtype, meta: bool) -> Tensor:
    return _core.empty_meta(dtype, size) if meta else fill_raw(_core.empty_strided_raw(dtype, size, None), 0)


_core.set_hook("zeros", _zeros_hook)

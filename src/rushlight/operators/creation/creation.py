"""Factories: tensors from sizes and numbers, and the devices that they are made on."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import places
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.factory import Factory, Strided
from rushlight.core.raw import flat_of
from rushlight.core.tensor import Tensor, device
from rushlight.core.upcalls import upcalls
from rushlight.operators.creation.placement import (
    STANDS_FOR,
    _Device,
    check_options,
    format_strides,
    into_out,
    place,
    plain_size,
    preserved_strides,
    raw_empty,
    size_args,
)
from rushlight.operators.table.arguments import number
from rushlight.operators.table.define import METHODS, Definition, eager, function, operator, parameters
from rushlight.operators.table.ranges import INT_RANGES, check_range
from rushlight.operators.table.tracer import constant, convert, default_dtype, expand_to
from rushlight.operators.table.types import Ints, Number
from rushlight.program.ir import Builder
from rushlight.program.sym import Sym

_KEYS = _core.get_keys_flag_mask()


# -------------------------------------------------------------------------------------------------------------- devices
@function
def get_default_device() -> device:
    """The device that factories use when none is named."""
    return places.chosen[-1]


@function
def set_default_device(device: _Device) -> None:
    """Let factories make tensors on `device` when none is named; None means the CPU."""
    places.chosen[0] = place("set_default_device", device) if device is not None else _core.CPU


# --------------------------------------------------------------------------------------------------------------- memory


def fill_raw(t: Tensor, value: Any) -> Tensor:
    """Write `value` everywhere in a tensor that was just made."""
    if t.numel() == 0 or t.is_meta:
        return t
    if t.device.type != "cpu":
        return METHODS["fill_"](t, value)
    _fill_(t if t.ndim <= 2 else flat_of(t), value)  # one dimension for all higher ranks: none is traced on its own
    t.untyped_storage().version = 0  # this is how the tensor was made, no write to it
    return t


def cast_number(value: Any, dtype: dt.dtype) -> Any:
    """A number in the range and kind of `dtype`; RuntimeError when it overflows, as a checked cast does."""
    check_range("", value, dtype)
    if isinstance(value, complex) and dtype.kind not in "bc":
        value = value.real
    if dtype in INT_RANGES:
        value = int(value)
        if dtype.kind == "u" and value < 0:
            value += INT_RANGES[dtype][1] + 1  # small negatives wrap
    return value


def _fill_body(input: Tensor, value: Number) -> Tensor:
    """`value` everywhere."""
    return expand_to(convert(value, input.dtype), input.var.shape)


# The in-place form alone: a tensor that was just made has no history to look after.
_fill_ = Operator("fill_", parameters(_fill_body), Definition("fill", _fill_body, "", "pointwise"), inplace=True)


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
        return constant(value, size, dtype)
    t = fill_raw(raw_empty(name, size, dtype, where), value)
    if requires_grad:
        t.requires_grad = True
    return t


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

    Args:
        size: ints or a sequence of ints.
        dtype: default the default dtype.
        layout: torch.strided.
        device: "cpu", "meta" or a registered one.

    Raises:
        TypeError: for a size that is not an int.
        RuntimeError: for a negative one.
    """
    size = plain_size(size, "empty")
    if out is not None:
        return into_out("empty", out, size, dtype)
    if layout in _SPARSE and out is None:
        return _sparse(plain_size(size, "empty"), dtype or default_dtype(), layout, requires_grad)
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


empty.usually(Factory(empty))


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


empty_strided.usually(Strided(empty_strided))


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


empty_permuted.usually(Strided(empty_permuted))


_SPARSE = tuple(dt.layout.registry[name] for name in dt.layout.registry if name.startswith("sparse_"))


def _sparse(size: Any, dtype: dt.dtype, layout: dt.layout, requires_grad: bool) -> Tensor:
    """A sparse tensor without entries."""
    from rushlight.operators.shapes.layouts import room

    made: Tensor
    if layout is dt.sparse_coo:
        made = room("elementwise").without_entries(size, len(size), dtype)
    else:
        made = room("compressed").without_entries(layout, size, dtype)
    return made.requires_grad_() if requires_grad else made


def _usual(op: Operator, value: int | None) -> Operator:
    op.usually(Factory(op, value))
    return op


def _filler(name: str, value: int) -> Operator:
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
        size = plain_size(size, name)
        if layout in _SPARSE and not value and out is None:
            return _sparse(size, dtype or default_dtype(), layout, requires_grad)
        check_options(name, dtype, layout, pin_memory)
        if out is not None:
            return into_out(name, out, size, dtype).fill_(value)
        return filled(name, size, value, dtype or default_dtype(), device, requires_grad)

    make.__name__ = name
    make.__doc__ = f"""A tensor filled with {value}.

    Args:
        size: ints or a sequence of ints.
        dtype: default the default dtype.
        device: "cpu", "meta" or a registered one.
    """
    return _usual(eager(name=name, method=False, varargs="size", out=True)(make), value)


zeros, ones = _filler("zeros", 0), _filler("ones", 1)


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
        return number(value)  # NumPy's float64 is a subclass of float; the core wants the plain types
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

    Args:
        size: sequence of ints.
        fill_value: a number or a 0-d tensor.
        dtype: default that of the number (bool, int64, the default float or complex dtype).
    """
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


full.usually(Factory(full))


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
    d = dtype or input.dtype
    if layout in _SPARSE and not value:
        return _sparse(input.shape, d, layout, requires_grad)
    check_options(name, dtype, layout, pin_memory)
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
            fill_raw(_raw.view_of(t, (t.numel(),), (1,), 0) if t.device.type == "cpu" else t, value)
    if requires_grad:
        t.requires_grad = True
    return t


def _like(name: str, value: int | None, what: str) -> Operator:
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
    make.__doc__ = f"{what} with the shape of `input`; its dtype, device and order of dimensions unless they are given."
    return _usual(eager(name=name, method=False)(make), value)


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
    value = python_number(fill_value, "full_like", "fill_value")
    if not isinstance(value, (Tensor, Sym)):
        value = cast_number(value, dtype or input.dtype)
    return like("full_like", input, value, dtype, layout, device, requires_grad, pin_memory, memory_format)


full_like.usually(Factory(full_like))


def _new(name: str, value: int | None, what: str) -> Operator:
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
        size = plain_size(size, name)
        if layout in _SPARSE and not value:
            return _sparse(size, dtype or input.dtype, layout, requires_grad)
        check_options(name, dtype, layout, pin_memory)
        where = input.device if device is None else device
        if value is None:
            t = raw_empty(name, size, dtype or input.dtype, where)
            if requires_grad:
                t.requires_grad = True
            return t
        return filled(name, size, value, dtype or input.dtype, where, requires_grad)

    make.__name__ = name
    make.__doc__ = f"""{what} of the given size, with the dtype and device of `input` unless they are given."""
    return _usual(eager(name=name, namespace=None, varargs="size")(make), value)


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
    check_options("new_full", dtype, layout, pin_memory)
    d = dtype or input.dtype
    value = python_number(fill_value, "new_full", "fill_value")
    value = value if isinstance(value, (Tensor, Sym)) else cast_number(value, d)
    return filled(
        "new_full", plain_size(size, "new_full"), value, d, input.device if device is None else device, requires_grad
    )


new_full.usually(Factory(new_full))


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
    return empty_strided(
        size,
        stride,
        dtype=dtype or input.dtype,
        layout=layout,
        device=input.device if device is None else device,
        requires_grad=requires_grad,
        pin_memory=pin_memory,
    )


new_empty_strided.usually(Strided(new_empty_strided))


def _zeros_hook(size: Any, dtype: dt.dtype, meta: bool) -> Tensor:
    return _raw.empty_meta(dtype, size) if meta else fill_raw(_raw.empty_strided_raw(dtype, size, None), 0)


upcalls.zeros = _zeros_hook

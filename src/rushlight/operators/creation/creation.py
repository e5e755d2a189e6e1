"""Factories: tensors from sizes and numbers, and the devices that they are made on."""

from __future__ import annotations

from typing import Any

from rushlight.core import devices
from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.factory import Factory, Strided
from rushlight.core.raw import flat_of, unwritten
from rushlight.core.tensor import Tensor, device
from rushlight.core.upcalls import upcalls
from rushlight.operators.creation.placement import (
    LIKE,
    NEW,
    STANDS_FOR,
    Options,
    format_strides,
    into_out,
    place,
    plain_size,
    raw_empty,
    size_args,
)
from rushlight.operators.table.arguments import number
from rushlight.operators.table.define import IN_PLACE, METHODS, eager, function, operator
from rushlight.operators.table.ranges import INT_RANGES, check_range
from rushlight.operators.table.tracer import constant, convert, default_dtype, expand_to
from rushlight.operators.table.types import Device, DType, Ints, Number, SizeLike
from rushlight.program.ir import Builder
from rushlight.program.sym import Sym

_KEYS = _core.get_keys_flag_mask()


# -------------------------------------------------------------------------------------------------------------- devices
@function
def get_default_device() -> device:
    """The device that factories use when none is named."""
    return devices.defaults[-1]


@function
def set_default_device(device: Device) -> None:
    """Let factories make tensors on `device` when none is named; None means the CPU."""
    devices.defaults[0] = place("set_default_device", device) if device is not None else _core.CPU


# --------------------------------------------------------------------------------------------------------------- memory


def fill_raw(t: Tensor, value: Any) -> Tensor:
    """Write `value` everywhere in a tensor that was just made."""
    if t.numel() == 0 or t.is_meta:
        return t
    if t.device.type != "cpu":
        return METHODS["fill_"](t, value)
    _fill_(t if t.ndim <= 2 else flat_of(t), value)  # one dimension for all higher ranks: none is traced on its own
    unwritten(t)  # this is how the tensor was made
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


@operator(name="fill", register=False, inplace=True, out=False, shape_class="pointwise")
def _fill(input: Tensor, value: Number) -> Tensor:
    """`value` everywhere."""
    return expand_to(convert(value, input.dtype), input.var.shape)


_fill_ = IN_PLACE[_fill]


def filled_tensor(name: str, size: tuple[Any, ...], value: Any, dtype: dt.dtype, where: Device) -> Tensor:
    """A new tensor with `value` everywhere."""
    if Builder.active():
        return constant(value, size, dtype)
    return fill_raw(raw_empty(name, size, dtype, where), value)


# ---------------------------------------------------------------------------------------------------- empty, full & co.
@eager(method=False, varargs="size", out=True, options=LIKE)
def empty(size: Ints, *options: Any, out: Tensor | None = None) -> Tensor:
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
    size, new = plain_size(size, "empty"), Options(*options)
    if out is not None:
        return into_out("empty", out, size, new.dtype)
    if new.sparse:
        return new.without_entries(size, None)
    strides = format_strides(size, new.checked("empty").memory_format, "empty")
    return new.finish(new.empty("empty", size, strides=strides))


# What programs make in the place of factories: 0 or 1 is a part of the program, any other number is given.
@operator(name="constant", register=False, out=False, shape_class="pointwise")
def _constant(size: Ints, ones: bool, dtype: dt.dtype) -> Tensor:
    """0 or 1 everywhere."""
    return constant(int(ones), size, dtype)


@operator(name="filled", register=False, out=False, shape_class="pointwise")
def _filled(size: Ints, value: Number, dtype: dt.dtype) -> Tensor:
    """`value` everywhere."""
    return expand_to(convert(value, dtype), size)


empty.usually(Factory(empty, None, _constant))


def _strided(name: str, size: SizeLike, stride: Any, new: Options, input: Tensor | None = None) -> Tensor:
    new.checked(name)
    size, stride = size_args(size, name), tuple(int(s) for s in stride)
    if len(size) != len(stride):
        raise RuntimeError(f"{name}(): 'stride' must be as long as 'size'; found {list(stride)} for {list(size)}")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"{name}(): 'stride' must be at least 0 in each dimension; found {list(stride)}")
    return new.finish(new.empty(name, size, input, stride))


@eager(method=False, options=NEW)
def empty_strided(size: SizeLike, stride: Any, *options: Any) -> Tensor:
    """A tensor of uninitialised memory with the given strides (elements, not negative)."""
    return _strided("empty_strided", size, stride, Options(*options))


empty_strided.usually(Strided(empty_strided))


@eager(method=False, options=NEW)
def empty_permuted(size: SizeLike, physical_layout: Any, *options: Any) -> Tensor:
    """Uninitialised memory whose dimensions lie in memory in the order `physical_layout`, outermost first."""
    new = Options(*options).checked("empty_permuted")
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
    return new.finish(new.empty("empty_permuted", size, strides=strides))


empty_permuted.usually(Strided(empty_permuted))


def _usual(op: Operator, value: int | None) -> Operator:
    op.usually(Factory(op, value, _constant))
    return op


def _filler(name: str, value: int) -> Operator:
    def make(size: Ints, *options: Any, out: Tensor | None = None) -> Tensor:
        size, new = plain_size(size, name), Options(*options)
        if new.sparse and not value and out is None:
            return new.without_entries(size, None)
        new.checked(name)
        if out is not None:
            return into_out(name, out, size, new.dtype).fill_(value)
        return new.finish(filled_tensor(name, size, value, new.dtype or default_dtype(), new.device))

    return _usual(
        eager(
            name=name,
            method=False,
            varargs="size",
            out=True,
            options=NEW,
            doc=f"""A tensor filled with {value}.

    Args:
        size: ints or a sequence of ints.
        dtype: default the default dtype.
        device: "cpu", "meta" or a registered one.
    """,
        )(make),
        value,
    )


zeros, ones = _filler("zeros", 0), _filler("ones", 1)


def number_dtype(value: Any) -> dt.dtype:
    """The dtype that a factory gives a number."""
    if isinstance(value, Tensor):
        return value.dtype
    if not isinstance(value, (bool, int, float, complex, Sym)):
        value = value.item()  # a NumPy scalar
    return dt.dtype_of_number(value, default_dtype(), dt.complex_of)


def python_number(value: Any, name: str, argument: str) -> Any:
    """A Python number from a number, a NumPy scalar or a one-element tensor."""
    if isinstance(value, (bool, int, float, complex)):
        return number(value)  # NumPy's float64 is a subclass of float; the core wants the plain types
    if isinstance(value, (Tensor, Sym)):
        return value if isinstance(value, Sym) or value._keys_ & STANDS_FOR else value.item()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{name}(): argument '{argument}' must be Number, not {type(value).__name__}")


def _fill_value(value: Any, name: str, dtype: dt.dtype) -> Any:
    """A `fill_value` as a number of the dtype; one of a tensor or a size that stands for something else as it is."""
    value = python_number(value, name, "fill_value")
    return value if isinstance(value, (Tensor, Sym)) else cast_number(value, dtype)


@eager(method=False, out=True, options=NEW)
def full(size: SizeLike, fill_value: Any, *options: Any, out: Tensor | None = None) -> Tensor:
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
    new = Options(*options).checked("full")
    if out is not None:
        return into_out("full", out, size, new.dtype).fill_(value)
    d = new.dtype or number_dtype(fill_value)
    return new.finish(filled_tensor("full", size, _fill_value(value, "full", d), d, new.device))


full.usually(Factory(full, None, _filled))


# -------------------------------------------------------------------------------------------------------- *_like, new_*
@operator(name="_full_like", register=False)
def _full_like(input: Tensor, value: Number, *, dtype: DType = None) -> Tensor:
    """A constant in the shape of a tensor that stands for a traced or batched value."""
    return expand_to(convert(value, dtype or input.dtype), input.var.shape)


def _like(name: str, input: Tensor, value: Any, new: Options) -> Tensor:
    """A tensor like `input`: shape, and dtype, device and order of dimensions unless they are given; value None leaves
    it uninitialised.
    """
    if new.sparse and not value:
        return new.without_entries(input.shape, input.dtype)
    new.checked(name)
    if input._keys_ & STANDS_FOR and (new.device is None or input._keys_ & _KEYS["TRACE"]):
        return _full_like(input, value or 0, dtype=new.dtype or input.dtype)
    strides = new.strides(input, name)
    t = new.empty(name, tuple(input.shape), input, strides)
    if value is not None:
        # What is dense in some order is filled as one row.
        dense = strides is not None and t.device.type == "cpu"
        fill_raw(_raw.view_of(t, (t.numel(),), (1,), 0) if dense else t, value)
    return new.finish(t)


def _filler_like(name: str, value: int | None, what: str) -> Operator:
    doc = f"{what} with the shape of `input`; its dtype, device and order of dimensions unless they are given."

    @eager(name=name, method=False, options=LIKE, doc=doc)
    def make(input: Tensor, *options: Any) -> Tensor:
        return _like(name, input, value, Options(*options))

    return _usual(make, value)


empty_like = _filler_like("empty_like", None, "A tensor of uninitialised memory")
zeros_like = _filler_like("zeros_like", 0, "A tensor of zeros")
ones_like = _filler_like("ones_like", 1, "A tensor of ones")


@eager(method=False, options=LIKE)
def full_like(input: Tensor, fill_value: Any, *options: Any) -> Tensor:
    """A tensor filled with `fill_value`, with the shape of `input`, and its dtype, device and order of dimensions
    unless they are given.
    """
    new = Options(*options)
    return _like("full_like", input, _fill_value(fill_value, "full_like", new.dtype or input.dtype), new)


full_like.usually(Factory(full_like, None, _filled))


def _new(name: str, value: int | None, what: str) -> Operator:
    doc = f"{what} of the given size, with the dtype and device of `input` unless they are given."

    @eager(name=name, namespace=None, varargs="size", options=NEW, doc=doc)
    def make(input: Tensor, size: Ints, *options: Any) -> Tensor:
        size, new = plain_size(size, name), Options(*options)
        if new.sparse and not value:
            return new.without_entries(size, input.dtype)
        new.checked(name)
        if value is None:
            return new.finish(new.empty(name, size, input))
        where = input.device if new.device is None else new.device
        return new.finish(filled_tensor(name, size, value, new.dtype or input.dtype, where))

    return _usual(make, value)


new_empty = _new("new_empty", None, "Uninitialised memory")
new_zeros = _new("new_zeros", 0, "A tensor of zeros")
new_ones = _new("new_ones", 1, "A tensor of ones")


@eager(namespace=None, options=NEW)
def new_full(input: Tensor, size: SizeLike, fill_value: Any, *options: Any) -> Tensor:
    """A tensor filled with `fill_value`, with the dtype and device of `input` unless they are given."""
    new = Options(*options).checked("new_full")
    d, where = new.dtype or input.dtype, input.device if new.device is None else new.device
    value = _fill_value(fill_value, "new_full", d)
    return new.finish(filled_tensor("new_full", plain_size(size, "new_full"), value, d, where))


new_full.usually(Factory(new_full, None, _filled))


@eager(namespace=None, options=NEW)
def new_empty_strided(input: Tensor, size: SizeLike, stride: Any, *options: Any) -> Tensor:
    """Uninitialised memory with the given strides, and the dtype and device of `input` unless they are given."""
    return _strided("new_empty_strided", size, stride, Options(*options), input)


new_empty_strided.usually(Strided(new_empty_strided))


def _zeros_hook(size: tuple[int, ...], dtype: dt.dtype, meta: bool) -> Tensor:
    return _raw.empty_meta(dtype, size) if meta else fill_raw(_raw.empty_strided_raw(dtype, size, None), 0)


upcalls.zeros = _zeros_hook

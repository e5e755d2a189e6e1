"""Copies and conversions: clone, to, copy_, fill_, and what changes a tensor's memory in place."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import engine
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core import views as _views
from rushlight.core.dispatch import Operator
from rushlight.core.factory import Converted
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor, device
from rushlight.core.upcalls import upcalls
from rushlight.operators.creation.placement import (
    STANDS_FOR,
    channels_last,
    format_strides,
    place,
    row_major,
    size_args,
    strided_extent,
)
from rushlight.operators.table.arguments import type_name
from rushlight.operators.table.define import METHODS, eager, operator
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.tracer import P, Tracer, convert, expand_to
from rushlight.operators.table.types import Device, MemoryFormat, Operand, SizeLike
from rushlight.program.sym import hints


# ---------------------------------------------------------------------------------------------------------------- clone
@operator(name="clone", register=False)
def _clone(input: Tensor) -> Tensor:
    """A copy with the order of dimensions of the original: a program that returns its input copies it."""
    return input


@operator(name="clone", register=False, shape_class="pointwise", memory_format="rows")
def _in_rows(input: Tensor) -> Tensor:
    """A copy that lies row by row, of a pending tensor, which has no memory to copy to."""
    return P.buffered(input)


@operator(name="clone", register=False, shape_class="pointwise", memory_format="channels_last")
def _in_channels_last(input: Tensor) -> Tensor:
    """A copy that lies channels_last, of a pending tensor of 4 or 5 dimensions."""
    return P.buffered(input)


@operator(name="stop_gradient", register=False)
def _detached(input: Tensor) -> Tensor:
    """The value without its derivative, for traced and transformed values."""
    return P.stop_gradient(input)


@eager()
def clone(input: Tensor, *, memory_format: MemoryFormat = None) -> Tensor:
    """A copy with memory of its own; gradients flow through it.

    Args:
        memory_format: torch.preserve_format (default: keep the order of dimensions), contiguous_format or
            channels_last.
    """
    if memory_format is None or memory_format is dt.preserve_format or input._keys_ & STANDS_FOR:
        return _clone(input)
    return in_format(input, memory_format, "clone")


def in_format(input: Tensor, memory_format: MemoryFormat, name: str) -> Tensor:
    """A copy of `input` whose dimensions lie in memory in the order of `memory_format`."""
    return _with_strides(input, format_strides(input.shape, memory_format, name))


def _with_strides(input: Tensor, strides: tuple[int, ...] | None) -> Tensor:
    """A copy of `input` with these strides (None: row by row), for which no two elements share memory."""
    if input.is_meta:
        return _raw.empty_meta(input.dtype, tuple(input.shape), strides)
    if input.device.type != "cpu":
        return _clone(input)
    if input._keys_ == _PENDING:
        if strides is None or strides == row_major(input.shape):
            return _in_rows(input)
        if input.ndim in (4, 5) and strides == channels_last(input.shape):
            return _in_channels_last(input)
    result = _raw.empty_strided_raw(input.dtype, tuple(input.shape), strides)
    if type(input) is Tensor and not (input.requires_grad and _core.is_grad_enabled()):
        _copy_raw(result, input)
        return result
    made = METHODS["copy_"](result, input)
    made.untyped_storage().version = 0  # this is how the tensor was made, no write to it
    if made.grad_fn_ is not None:
        made.grad_fn_.label = "CloneBackward0"
    return made


@eager(namespace=None)
def contiguous(input: Tensor, memory_format: MemoryFormat = None) -> Tensor:
    """The tensor itself when its memory is in the order of `memory_format` (default: row-major), else a copy that
    is.
    """
    if input.is_contiguous() if memory_format is None else input.is_contiguous(memory_format):
        return input
    if memory_format is dt.preserve_format:
        raise RuntimeError("contiguous(): 'memory_format' must say an order of dimensions; found torch.preserve_format")
    return in_format(input, memory_format, "contiguous")


_LAYOUT, _PENDING = (_core.get_keys_flag_mask()[key] for key in ("LAYOUT", "PENDING"))


def _clone_grad(grad: Tensor, like: Tensor) -> Tensor:
    # A gradient that is kept must share no memory, and have its leaf's order in memory (row by row for a leaf with
    # gaps, or with several elements in one place). This does not concern wrappers, which choose their memory
    # themselves.
    if type(grad) is not Tensor or (grad._keys_ | like._keys_) & (_LAYOUT | STANDS_FOR) or grad.shape != like.shape:
        return _clone(grad)
    strides = like.stride() if _dense(like) else row_major(like.shape)
    own = grad.stride()
    if all(s == t for s, t, n in zip(own, strides, grad.shape, strict=True) if n > 1):
        return _clone(grad)
    return _with_strides(grad, strides)


def _dense(t: Tensor) -> bool:
    """Whether each place between the first and the last element in memory holds one element."""
    step = 1
    for stride, size in sorted((s, n) for s, n in zip(t.stride(), t.shape, strict=True) if n != 1):
        if stride != step:
            return False
        step *= size
    return True


@eager()
def detach(input: Tensor) -> Tensor:
    """The same memory without history: no gradient flows through the result."""
    return _detached(input) if input._keys_ & STANDS_FOR else _raw.alias_of(input)


# ----------------------------------------------------------------------------------------------------- dtype and device
@operator(name="_to_copy", register=False, shape_class="pointwise")
def _to_dtype(input: Tensor, *, dtype: dt.dtype) -> Tensor:
    """The values in another dtype."""
    return convert(input, dtype)


def cast(input: Tensor, dtype: dt.dtype) -> Tensor:
    """`input` in another dtype; itself when it has that dtype."""
    if input.dtype is dtype:
        return input
    return _to_dtype(input, dtype=dtype)


def to_device(input: Tensor, where: device, dtype: dt.dtype) -> Tensor:
    """A copy on another device, or on this one by another number: the CPU's are one."""
    if where.type == input.device.type == "cpu":
        return _clone(input) if input.dtype is dtype else cast(input, dtype)
    if where.type == "meta":
        made = _raw.empty_meta(dtype, tuple(input.shape), input.stride())
        if not (input.requires_grad and dtype.kind in "fc" and _core.is_grad_enabled()):
            return made
        copied = METHODS["copy_"](made, input)  # so that the copy is in the graph
        copied.grad_fn_.label = "ToCopyBackward0"
        return copied
    if input.is_meta:
        raise NotImplementedError(
            "Cannot copy out of meta tensor; no data! to(): the tensor is on the device 'meta'; empty_like() makes "
            "memory for one"
        )
    for t in (where.type, input.device.type):
        move = to.implementations.get(t)
        if move is not None:
            moved: Tensor = move(input, where, dtype)
            return moved
    raise NotImplementedError(
        f"to(): no implementation for copies from device '{input.device}' to '{where}'; register one with "
        f"rushlight.Tensor.to.register('{where.type}', ...)"
    )


@eager(namespace=None, moves=True)
def to(
    input: Tensor,
    target: Any = None,
    dtype: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    *,
    device: Device = None,
    other: Any = None,
    memory_format: MemoryFormat = None,
) -> Tensor:
    """The tensor in another dtype or on another device; itself when nothing changes.

    x.to(dtype), x.to(device, dtype), x.to(other tensor), each with non_blocking=False, copy=False, memory_format=None.

    Args:
        copy: copy even if nothing changes.
        non_blocking: accepted; copies between CPU tensors are always complete on return.
    """
    if isinstance(target, type):
        target = dt.OF_PYTHON.get(target, target)
    if isinstance(target, dt.dtype):
        if dtype is not None:  # x.to(dtype, non_blocking, copy): the places after the dtype are one further left
            non_blocking, copy = dtype, non_blocking
        d, where = target, device
    elif isinstance(target, Tensor) or other is not None:
        source = target if isinstance(target, Tensor) else other
        if dtype is not None and not isinstance(dtype, dt.dtype):
            non_blocking, copy = dtype, non_blocking
        d, where = source.dtype, source.device
    else:
        d, where = dtype, target if target is not None else device
    if d is not None and not isinstance(d, dt.dtype):
        raise TypeError(f"to(): argument 'dtype' must be torch.dtype, not {type(d).__name__}")
    d = d or input.dtype
    if where is not None:
        if not isinstance(where, (str, int, _core.device)):
            raise TypeError(f"to(): 'target' must be a dtype, device or tensor; found {type(where).__name__}")
        where = place("to", where)
        if where is not input.device and where != input.device and not input._keys_ & STANDS_FOR:
            return to_device(input, where, d)
    if memory_format is not None and memory_format is not dt.preserve_format and not input._keys_ & STANDS_FOR:
        result = cast(input, d)
        if result is not input:
            wanted = format_strides(result.shape, memory_format, "to") or row_major(result.shape)
            return result if result.stride() == tuple(wanted) else in_format(result, memory_format, "to")
        # A tensor with gaps, or with its dimensions in an order without a name, passes for contiguous; and where its
        # strides are good for both formats (one channel, one pixel), they are those of the other one.
        by_channels = dt.channels_last if input.ndim == 4 else dt.channels_last_3d
        order = by_channels if _views.lies_by_channels(input) else dt.contiguous_format
        return input if memory_format is order and not copy else in_format(input, memory_format, "to")
    if d is input.dtype:
        return _clone(input) if copy else input
    return cast(input, d)


to.usually(Converted(to, _to_dtype))


def _chalf(input: Tensor, *, memory_format: MemoryFormat = None) -> Tensor:
    # (PyTorch takes it by keyword only; the others have a position for it)
    return METHODS["to"](input, dt.complex32, memory_format=memory_format)


def _caster(name: str, d: dt.dtype) -> Operator[Tensor]:
    def convert_to(input: Tensor, *, memory_format: MemoryFormat = None) -> Tensor:
        if memory_format is not None:
            return METHODS["to"](input, d, memory_format=memory_format)
        return input if input.dtype is d else cast(input, d)

    body = _chalf if d is dt.complex32 else convert_to
    return eager(name=name, namespace=None, doc=f"""The tensor as {d}; itself when it has that dtype.""")(body)


for _d in (
    *(dt.float32, dt.float64, dt.float16, dt.bfloat16, dt.int32, dt.int64, dt.int16, dt.int8, dt.uint8, dt.bool_),
    *(dt.complex32, dt.complex64, dt.complex128),
):
    _caster(type_name(_d).lower().replace("complex", "c"), _d)


@eager(namespace=None)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype and on the device of `other`."""
    return METHODS["to"](input, other)


@eager(name="type", namespace=None)
def type_of(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the tensor's type ("torch.FloatTensor"), or the tensor converted to a dtype or type."""
    from rushlight.operators.table.tracer import default_dtype
    from rushlight.operators.tensors.interop import TYPES

    if dtype is None:
        prefix = "torch." if input.device.type in ("cpu", "meta") else f"torch.{input.device.type}."
        return (
            prefix + TYPES[input.dtype].__name__ if input.dtype in TYPES else f"{prefix}{type_name(input.dtype)}Tensor"
        )
    space = ""
    if isinstance(dtype, str):
        space, _, name = dtype.rpartition(".")
        found = next((d for d, t in TYPES.items() if t.__name__ == name), None)
        if found is None or space not in ("torch", "torch.sparse", "torch.cuda"):
            raise ValueError(f"type(): 'dtype' must name a type, as 'torch.FloatTensor' does; found '{dtype}'")
        dtype = found
    elif dtype is Tensor:  # the default type
        dtype = default_dtype()
    elif not isinstance(dtype, dt.dtype):
        found = getattr(dtype, "dtype", None)
        if not isinstance(found, dt.dtype):
            raise TypeError(f"type(): 'dtype' must be a type, a string or a dtype; found {dtype!r}")
        space, dtype = getattr(dtype, "__module__", ""), found
    return METHODS["to"](input, "cuda", dtype) if space == "torch.cuda" else cast(input, dtype)


@eager(namespace=None)
def cpu(input: Tensor, memory_format: MemoryFormat = None) -> Tensor:
    """The tensor on the CPU; itself when it is there."""
    return (
        input
        if memory_format is None and input.device is _core.CPU
        else METHODS["to"](input, "cpu", memory_format=memory_format)
    )


@eager(namespace=None, shape_class="pointwise")
def cuda(
    input: Tensor, device: Device = None, non_blocking: bool = False, memory_format: MemoryFormat = None
) -> Tensor:
    """The tensor on a CUDA device: an AssertionError unless somebody has registered one.

    Args:
        input: a tensor of any dtype.
    """
    where = place("cuda", _core.device("cuda") if device is None else device)
    return METHODS["to"](input, where, memory_format=memory_format)


# ----------------------------------------------------------------------------------------------------- writing in place
@operator(name="copy", namespace=None, method=False, inplace=True)
def copy(input: Tensor, src: Operand, non_blocking: bool = False) -> Tensor:
    """Write the values of `src` (broadcast, converted) into `input`."""
    if isinstance(src, Tracer) and not src.number:
        shape, target = src.var.shape, input.var.shape
        if len(shape) > len(target):
            raise RuntimeError(
                f"copy_(): 'source' must broadcast to the shape of the tensor, {hints(target)}; found {hints(shape)}"
            )
        check_broadcast("copy_", shape, target)
    return expand_to(convert(src, input.dtype), input.var.shape)


def check_broadcast(name: str, shape: Any, target: Any) -> None:
    """RuntimeError unless `shape` broadcasts to `target`."""
    for i in range(1, len(shape) + 1):
        s, t = shape[-i], target[-i]
        if not (isinstance(s, int) and s == 1) and s != t:
            raise RuntimeError(
                f"{name}(): a source must broadcast to the shape {hints(target)}; found the size {hints([s])[0]} for "
                f"{hints([t])[0]} in "
                f"dimension {len(target) - i}"
            )


@operator(inplace=True, method=False, zero_gradient=True, memory_format="kept")
def fill(input: Tensor, value: Operand) -> Tensor:
    """`value` in the shape and dtype of `input`; fill_ writes it there.

    Args:
        value: a number or a 0-d tensor.
    """
    if isinstance(value, Tracer) and not value.number and value.ndim:
        raise RuntimeError(f"fill_(): 'value' must be a number or a 0-d tensor; found a {value.ndim}-d tensor")
    check_range("fill_", value, input.dtype)
    return expand_to(convert(value, input.dtype), input.var.shape)


@operator(name="zero", namespace=None, method=False, inplace=True, shape_class="pointwise")
def zero(input: Tensor) -> Tensor:
    """Zeros in the shape of `input`; zero_ writes them there."""
    return expand_to(convert(0, input.dtype), input.var.shape)


def _copy_raw(dst: Tensor, src: Tensor) -> None:
    # Both are plain memory here: no history, no subclass. The call that ends here counts its write itself.
    METHODS["copy_"](_raw.uncounted(dst), _raw.alias_of(src))


def check_mutable_meta(name: str, t: Tensor) -> None:
    """Errors for changing the metadata of a tensor that autograd knows, or that has no memory of its own."""
    if t._keys_ & STANDS_FOR:
        raise RuntimeError(f"{name}(): cannot change the memory of a tensor that is being traced or transformed")
    if t.requires_grad and (_core.is_grad_enabled() or t.grad_fn is not None):
        raise RuntimeError(f"{name}(): a tensor that requires grad keeps its memory; use it on detach() of the tensor")


@eager(name="resize_", namespace=None, varargs="size", shape_class="view")
def resize_(input: Tensor, size: SizeLike, *, memory_format: MemoryFormat = None) -> Tensor:
    """Change the size in place, keeping the elements that fit; new elements are uninitialised.

    When the memory is too small the storage grows, and all tensors on it stay on it.

    Raises:
        RuntimeError: it cannot: on memory of another owner, or that an array, a buffer or another library has seen.
    """
    check_mutable_meta("resize_", input)
    size = size_args(size, "resize_")
    strides = format_strides(size, memory_format, "resize_")
    if input.is_meta:
        _raw.set_memory(input, _raw.empty_meta(input.dtype, size, strides))
        return input
    if tuple(input.shape) == size and memory_format is None:
        return input
    if strides is None:
        strides = row_major(size)
    storage, offset = input.untyped_storage(), input.storage_offset()
    need = (offset + strided_extent(size, strides)) * input.itemsize if 0 not in size else 0
    if need > storage.nbytes():
        storage.resize_(need)
    _raw.set_memory(input, _raw.view_of(input, size, strides, offset))
    return input


@eager(name="resize_as_", namespace="", shape_class="view")
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: MemoryFormat = None) -> Tensor:
    """Resize in place to the size of `the_template`."""
    return METHODS["resize_"](input, tuple(the_template.shape), memory_format=memory_format)


@eager(name="set_", namespace=None, shape_class="view")
def set_(
    input: Tensor, source: Any = None, storage_offset: Any = 0, size: SizeLike | None = None, stride: Any = None
) -> Tensor:
    """Let the tensor view other memory: that of a tensor or storage, with an offset, size and stride (elements)."""
    check_mutable_meta("set_", input)
    if isinstance(source, Tensor) and source._keys_ & STANDS_FOR:
        raise RuntimeError(
            "set_(): argument 'source' is a tensor that is being traced or transformed: it has no memory to share"
        )
    if source is None:
        new = _raw.empty_strided_raw(input.dtype, (0,), None)
    elif isinstance(source, Tensor) and size is None:
        if source.dtype is not input.dtype:
            raise RuntimeError(f"set_(): 'source' must be of the tensor's dtype, {input.dtype}; found {source.dtype}")
        if source.device != input.device:
            raise RuntimeError(
                f"set_(): 'source' must be on the tensor's device, {input.device}; found {source.device}"
            )
        new = source
    else:
        storage = (
            source.untyped_storage() if isinstance(source, Tensor) else getattr(source, "_untyped_storage", source)
        )
        if not isinstance(storage, Storage):
            raise TypeError(
                f"set_(): argument 'source' (position 1) must be Tensor or Storage, not {type(source).__name__}"
            )
        if storage.device != input.device:
            raise RuntimeError(
                f"set_(): 'source' must be on the tensor's device, {input.device}; found {storage.device}"
            )
        if size is None:
            size = (storage.nbytes() // input.itemsize - storage_offset,)
        size = size_args(size, "set_")
        stride = row_major(size) if stride is None else size_args(stride, "set_")
        if len(stride) != len(size):
            raise RuntimeError(
                f"set_(): 'size' and 'stride' must be of one length; found {list(size)} and {list(stride)}"
            )
        offset = storage_offset.__index__()
        # A storage that is too small grows, as in PyTorch.
        need = (offset + strided_extent(size, stride)) * input.itemsize if 0 not in size else 0
        if offset >= 0 and need > storage.nbytes() and need < 1 << 63:
            storage.resize_(need)
        new = _raw.tensor_from_storage(storage, input.dtype, offset, size, stride)
    _raw.set_memory(input, new)
    return input


@eager(name="detach_", namespace="")
def detach_(input: Tensor) -> Tensor:
    """Cut the tensor off its history in place: it becomes a leaf that requires no gradient."""
    if isinstance(input, Tracer):
        raise RuntimeError("detach_(): a value that is being traced has no history to cut; use the result of detach()")
    if input._is_view():
        raise RuntimeError("detach_(): a view cannot be cut off from its base; use detach()")
    engine.cut_history(input)
    return input


def replace_with_view(input: Tensor, view: Tensor, name: str) -> Tensor:
    """Give `input` the metadata and the place in the graph of a view of itself: t_(), squeeze_() and the like."""
    if isinstance(input, Tracer):
        raise RuntimeError(
            f"{name}(): a value that is being traced keeps its sizes and strides; use the result of "
            f"{name.rstrip('_')}()"
        )
    if (
        input.requires_grad
        and _core.is_grad_enabled()
        and (input.grad_fn is None or (input._base is not None and input._base.is_leaf))
    ):
        what = "a view of a leaf" if input._is_view() else "a leaf"
        raise RuntimeError(f"{name}(): {what} Variable that requires grad is being used in an in-place operation.")
    if input.requires_grad and _core.is_grad_enabled() and input._meta_.why_no_inplace:
        raise RuntimeError(
            f"{name}(): a view that was made with others by one call, or from a custom Function, must not be changed "
            "in place while gradients are recorded"
        )
    _raw.set_storage(input, view)
    if view.grad_fn is not None:
        engine.set_history(input, view.grad_fn, view.output_nr)
    _raw.bump(input)
    return input


upcalls.clone_grad = _clone_grad
upcalls.copy_raw = _copy_raw

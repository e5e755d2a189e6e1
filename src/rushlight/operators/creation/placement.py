"""Where a tensor's memory is, and how it lies: the devices, sizes, formats and options that factories take."""

# Annotations are not postponed here: a NamedTuple compiles those that are text, which costs more than the rest of it.
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from rushlight.core import devices
from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core import views as _views
from rushlight.core.tensor import Tensor, device
from rushlight.core.warning import warn
from rushlight.operators.table.arguments import negative_size
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.tracer import constant, default_dtype
from rushlight.operators.table.types import Device, DType, Layout, MemoryFormat
from rushlight.program.ir import Builder
from rushlight.program.sym import Sym

_KEYS = _core.get_keys_flag_mask()
STANDS_FOR = _KEYS["TRACE"] | _KEYS["TRANSFORM"]  # tensors whose metadata say nothing about memory


_dtype = dt.dtype


def place(name: str, where: Device) -> device:
    """The device object for a `device` argument; AssertionError for a device type that is not registered, as in
    PyTorch's CPU build.
    """
    if where is None:
        return devices.defaults[-1]
    found = devices.device_of(where)
    if found.type not in device.registered:
        raise AssertionError(
            f"{name}(): Torch not compiled with {found.type.upper()} enabled: expected one of the registered devices "
            f"{', '.join(sorted(device.registered))}; found '{found}'"
        )
    return found


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
        # (PyTorch looks at the first one alone: `rand(n, x is None)` has a column, or none.)
        if isinstance(s, bool) and i == 0 or not hasattr(s, "__index__"):
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


def check_options(name: str, dtype: DType, layout: Layout, pin_memory: bool) -> None:
    """Errors for factory arguments that cannot be honoured."""
    if dtype is not None and not isinstance(dtype, _dtype):
        raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")
    if dtype is not None and dtype in dt.NAMED:
        raise NotImplementedError(f"{name}(): {dt.unsupported(dtype)}")
    if layout is not None and layout is not dt.strided:
        raise NotImplementedError(f"{name}(): 'layout' must be torch.strided; found {layout}")
    if pin_memory:
        raise RuntimeError(f"{name}(): 'pin_memory' must be False where there is no accelerator; found True")


# The keywords of every factory, and of those of a tensor's shape: rows for the decorator.
NEW: dict[str, tuple[str, Any]] = {
    "dtype": ("DType", None),
    "layout": ("Layout", None),
    "device": ("Device", None),
    "requires_grad": ("bool", False),
    "pin_memory": ("bool", False),
}
LIKE = NEW | {"memory_format": ("MemoryFormat", None)}
_SPARSE = tuple(dt.layout.registry[name] for name in dt.layout.registry if name.startswith("sparse_"))


class Options(NamedTuple):
    """The keywords of a factory, all that describes the tensor that it makes but its sizes: `Options(*options)`."""

    dtype: DType = None
    layout: Layout = None
    device: Device = None
    requires_grad: bool = False
    pin_memory: bool = False
    memory_format: MemoryFormat = None

    def checked(self, name: str) -> Self:
        """Itself; errors for what cannot be honoured."""
        check_options(name, self.dtype, self.layout, self.pin_memory)
        return self

    @property
    def sparse(self) -> bool:
        """Whether a sparse tensor is asked for."""
        return self.layout in _SPARSE

    def without_entries(self, size: Sequence[int], default: dt.dtype | None) -> Tensor:
        """The sparse tensor that is asked for, without entries; default: the dtype where none is given."""
        from rushlight.operators.shapes.layouts import sparse_module

        dtype = self.dtype or default or default_dtype()
        if self.layout is dt.sparse_coo:
            return self.finish(sparse_module("elementwise").without_entries(size, len(size), dtype))
        return self.finish(sparse_module("compressed").without_entries(self.layout, size, dtype))

    def strides(self, input: Tensor, name: str) -> tuple[int, ...] | None:
        """The strides of a tensor like `input`; None for row-major."""
        if self.memory_format is None or self.memory_format is dt.preserve_format:
            return preserved_strides(input)
        return format_strides(input.shape, self.memory_format, name)

    def empty(
        self, name: str, size: tuple[Any, ...], input: Tensor | None = None, strides: Sequence[int] | None = None
    ) -> Tensor:
        """Uninitialised memory; in the dtype and on the device of `input` where none is given."""
        like = (default_dtype(), None) if input is None else (input.dtype, input.device)
        where = like[1] if self.device is None else self.device
        return raw_empty(name, size, self.dtype or like[0], where, strides)

    def finish(self, t: Tensor, name: str = "", out: Tensor | None = None) -> Tensor:
        """The tensor that was made, in `out` if that is given; it requires grad if that is asked for."""
        if out is not None:
            return METHODS["copy_"](into_out(name, out, tuple(t.shape), self.dtype), t)
        if self.requires_grad:
            t.requires_grad = True
        return t


def format_strides(size: Sequence[int], memory_format: MemoryFormat, name: str) -> tuple[int, ...] | None:
    """The strides of a memory format; None for row-major."""
    if memory_format is None or memory_format is dt.contiguous_format or memory_format is dt.preserve_format:
        return None
    rank = 4 if memory_format is dt.channels_last else 5 if memory_format is dt.channels_last_3d else None
    if rank is None:
        raise TypeError(f"{name}(): argument 'memory_format' must be memory_format, not {type(memory_format).__name__}")
    if len(size) != rank:
        raise RuntimeError(f"{name}(): {memory_format} is for {rank} dimensions; found {len(size)}")
    return channels_last(size)


def channels_last(size: Sequence[int]) -> tuple[int, ...]:
    """The strides of memory in which the channels, dimension 1, lie side by side."""
    strides, step = [0] * len(size), 1
    for d in (1, *range(len(size) - 1, 1, -1), 0):
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
    return None if t._keys_ & STANDS_FOR else _views.preserved_strides(t)


def raw_empty(
    name: str, size: tuple[Any, ...], dtype: dt.dtype, where: Device, strides: Sequence[int] | None = None
) -> Tensor:
    """Memory for a new tensor on a device; a value of the trace when one is in progress."""
    if Builder.active():
        return constant(0, size, dtype)
    if where is None and devices.defaults[-1] is _core.CPU:
        return _raw.empty_strided_raw(dtype, size, strides)
    found = place(name, where)
    if found.type == "cpu":
        return _raw.empty_strided_raw(dtype, size, strides)
    if found.type == "meta":
        return _raw.empty_meta(dtype, size, strides)
    make = TABLE["empty"].implementations.get(found.type)
    if make is None:
        raise NotImplementedError(
            f"{name}(): no implementation of empty for device '{found}'; register one with "
            f"rushlight.empty.register('{found.type}', ...)"
        )
    made: Tensor = make(size, dtype=dtype, device=found)
    return made


def into_out(name: str, out: Tensor, size: tuple[int, ...], dtype: dt.dtype | None) -> Tensor:
    """Check and resize the destination of a factory."""
    if dtype is not None and out.dtype is not dtype:
        raise RuntimeError(f"{name}(): 'dtype' must be that of 'out', {out.dtype}; found {dtype}")
    if tuple(out.shape) != size:
        if name == "arange" and out.numel():
            warn(f"arange(): 'out' has {out.numel()} elements, and is resized to the {size[0]} of the result")
        _raw.set_storage(out, _raw.empty_strided_raw(out.dtype, size, None))
    return out

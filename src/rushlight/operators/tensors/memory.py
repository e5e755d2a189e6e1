"""A tensor's memory as such: typed storages, memory shared between processes and with files, and Python functions of
elements.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rushlight.core import _native
from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core import sharing as _sharing
from rushlight.core import storage as _storage
from rushlight.core import tensor as _core
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor, device
from rushlight.core.upcalls import upcalls
from rushlight.core.warning import warn
from rushlight.operators.creation.placement import NEW, Options, place, plain_size
from rushlight.operators.table.arguments import dim_out_of_range, tensor_argument, type_name
from rushlight.operators.table.checks import check_argument, check_that, check_type
from rushlight.operators.table.define import FUNCTIONS, METHODS, TABLE, eager, function, operator
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.tracer import P, convert, expand_to, filled
from rushlight.operators.table.types import Device, DType, MemoryFormat, Number


# ------------------------------------------------------------------------------------------------------------ storages
class TypedStorage:
    """The memory under a tensor as a line of elements; deprecated in PyTorch in favour of untyped_storage().

    Args:
        args: nothing, a number of elements, or their values.
        wrap_storage: the untyped storage, in the place of these.
        dtype: of the elements: the default dtype unless given, which `wrap_storage` demands.
        device: of new memory.

    Raises:
        RuntimeError, TypeError: for any other arguments.
    """

    _resolved: dict[tuple[str, bool, bool], Storage]  # of a storage from a file: see compat/rebuild.py

    def __init__(
        self, *args: Any, wrap_storage: Storage | None = None, dtype: dt.dtype | None = None, device: Any = None
    ) -> None:
        if len(args) + (wrap_storage is not None) > 1:
            raise RuntimeError(
                "TypedStorage(): takes a number of elements, their values, or 'wrap_storage', and no more; found "
                f"{len(args)} positional arguments{'' if wrap_storage is None else ' and a storage'}"
            )
        if wrap_storage is not None:
            if dtype is None:
                raise RuntimeError("TypedStorage(): argument 'dtype' must be specified with 'wrap_storage'")
            check_type("TypedStorage()", "wrap_storage", wrap_storage, Storage, "an UntypedStorage")
            self._untyped_storage, self.dtype = wrap_storage, dtype
            return
        given = args[0] if args else 0
        if hasattr(type(given), "__index__"):
            made = TABLE["empty"]((given,), dtype=dtype, device=device)
        elif isinstance(given, Sequence):
            made = TABLE["tensor"](given, dtype=dtype or FUNCTIONS["get_default_dtype"](), device=device)
        else:
            raise TypeError(
                "TypedStorage(): argument 'data' (position 1) must be int or a sequence of numbers, not "
                f"{type(given).__name__}"
            )
        self._untyped_storage, self.dtype = made.untyped_storage(), made.dtype

    @property
    def _cdata(self) -> int:
        return self._untyped_storage._cdata

    def _elements(self) -> Tensor:
        return _raw.tensor_from_storage(self._untyped_storage, self.dtype, 0, (len(self),), (1,))

    @property
    def device(self) -> device:
        """Where the memory is."""
        return self._untyped_storage.device

    def untyped(self) -> Storage:
        """The memory as bytes."""
        return self._untyped_storage

    def __len__(self) -> int:
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    def resize_(self, size: int) -> TypedStorage:
        """Change the number of elements, keeping those that fit; returns the storage.

        Raises:
            As UntypedStorage.resize_.
        """
        self._untyped_storage.resize_(size * self.dtype.itemsize)
        return self

    def resizable(self) -> bool:
        """Whether resize_ may change the size."""
        return self._untyped_storage.resizable()

    def size(self) -> int:
        """The number of elements."""
        return len(self)

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._untyped_storage.nbytes()

    def __sizeof__(self) -> int:
        return super().__sizeof__() + self.nbytes()

    def element_size(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._untyped_storage.data_ptr()

    def __getitem__(self, index: Any) -> Any:
        found = self._elements()[index]
        return (
            found.item()
            if found.ndim == 0
            else TypedStorage(wrap_storage=found.clone().untyped_storage(), dtype=self.dtype)
        )

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements()[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The elements as numbers."""
        return list(self._elements().tolist())

    def fill_(self, value: Any) -> TypedStorage:
        """Set all elements; returns the storage."""
        self._elements().fill_(value)
        return self

    def clone(self) -> TypedStorage:
        """A copy with memory of its own."""
        return TypedStorage(wrap_storage=self._elements().clone().untyped_storage(), dtype=self.dtype)

    def is_shared(self) -> bool:
        """Whether other processes see the memory."""
        return _sharing.is_shared(self._untyped_storage)

    def share_memory_(self) -> TypedStorage:
        """Move the storage to memory that other processes may see; returns it."""
        self._untyped_storage.share_memory_()  # type: ignore[attr-defined]
        return self

    def _new_shared(self, size: int, *, device: Device = None) -> TypedStorage:
        """A storage of `size` elements of this dtype, in memory that other processes may see."""
        made = Storage(size * self.dtype.itemsize, device=self.device if device is None else device)
        return TypedStorage(wrap_storage=made, dtype=self.dtype).share_memory_()

    is_cuda = is_hpu = is_sparse = False

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of PyTorch's class for this dtype; given the class or its name, the elements in that dtype."""
        if dtype is None:
            return f"torch.{type_name(self.dtype)}Storage"
        kind = FUNCTIONS.get(dtype.removeprefix("torch.")) if isinstance(dtype, str) else dtype
        if not isinstance(kind, _StorageType):
            raise TypeError(f"type(): 'dtype' must be a class of storages, or its name; found {dtype!r}")
        return self.to_dtype(kind.dtype)

    def to_dtype(self, dtype: dt.dtype) -> TypedStorage:
        """The elements converted; on the same memory if they have that dtype."""
        return TypedStorage(wrap_storage=METHODS["to"](self._elements(), dtype).untyped_storage(), dtype=dtype)

    def copy_(self, source: TypedStorage, non_blocking: bool | None = None) -> TypedStorage:
        """Copy the elements of a storage of as many, converted; returns this one.

        Raises:
            RuntimeError: for another number of elements.
        """
        if source.size() != self.size():
            raise RuntimeError(f"copy_(): 'source' must be of {self.size()} elements; found {source.size()}")
        self._elements().copy_(source._elements())
        return self

    def cpu(self) -> TypedStorage:
        """The storage on the CPU, where it is."""
        return TypedStorage(wrap_storage=self._untyped_storage.cpu(), dtype=self.dtype)  # type: ignore[attr-defined]

    def is_pinned(self, device: Device = None) -> bool:
        """Whether the memory is page-locked: never."""
        return False

    def get_device(self) -> int:
        """The index of the device: -1 for the CPU."""
        return -1

    @property
    def filename(self) -> str | None:
        """The path of the file that the storage shares, or None."""
        return _sharing.filename(self._untyped_storage)

    def __repr__(self) -> str:
        values = "..." if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist()))
        return f"{values}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"


FUNCTIONS.update(TypedStorage=TypedStorage, UntypedStorage=Storage)


def _conversion(dtype: dt.dtype) -> Callable[[TypedStorage], TypedStorage]:
    def convert(self: TypedStorage) -> TypedStorage:
        return self.to_dtype(dtype)

    convert.__doc__ = f"The elements as {dtype.name}."
    return convert


for _name, _d in {
    "float": dt.float32,
    "double": dt.float64,
    "half": dt.float16,
    "bfloat16": dt.bfloat16,
    "long": dt.int64,
    "int": dt.int32,
    "short": dt.int16,
    "char": dt.int8,
    "byte": dt.uint8,
    "bool": dt.bool_,
    "complex_float": dt.complex64,
    "complex_double": dt.complex128,
}.items():
    setattr(TypedStorage, _name, _conversion(_d))


class _StorageType(type):
    """The class of FloatStorage & co.: makes storages of one dtype, and knows them by isinstance."""

    dtype: dt.dtype

    def __call__(cls, *args: Any, wrap_storage: Storage | None = None, **kwargs: Any) -> TypedStorage:
        if kwargs or len(args) + (wrap_storage is not None) > 1:
            raise TypeError(
                f"{cls.__name__}(): must be called with a number of elements, their values, or 'wrap_storage'; found "
                f"{len(args)} arguments and {sorted(kwargs)}"
            )
        if wrap_storage is not None or (args and isinstance(args[0], Storage)):
            return TypedStorage(wrap_storage=args[0] if wrap_storage is None else wrap_storage, dtype=cls.dtype)
        return TypedStorage(*args, dtype=cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype


for _d in (
    *(dt.float32, dt.float64, dt.float16, dt.bfloat16, dt.int64, dt.int32, dt.int16, dt.int8, dt.uint8, dt.bool_),
    *(dt.complex64, dt.complex128),
):
    _name = f"{type_name(_d)}Storage"
    FUNCTIONS[_name] = globals()[_name] = _StorageType(
        _name, (), {"dtype": _d, "__doc__": f"Makes storages of dtype {_d.name}: {_name}(3), {_name}([1, 2])."}
    )


@function
def is_storage(obj: Any) -> bool:
    """Whether an object is a tensor's storage, typed or not."""
    return isinstance(obj, (Storage, TypedStorage))


def _bytes(storage: Storage) -> Tensor:
    """The storage's bytes as a tensor on it."""
    if storage.device.type == "meta":
        raise NotImplementedError(
            "UntypedStorage: a storage on the device 'meta' has no bytes; found one that is asked for them"
        )
    return _raw.tensor_from_storage(storage, dt.uint8, 0, (storage.nbytes(),), (1,))


class _StorageMethods:
    """The methods of UntypedStorage other than those for its size and address; they are attached to the class."""

    is_cuda = is_hpu = is_sparse = is_sparse_csr = False

    @staticmethod
    def from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> Storage:
        """A storage on the first bytes of a file.

        Args:
            shared: what is written goes into the file.

        Raises:
            RuntimeError, as from_file's.
        """
        return (
            Storage(0)
            if nbytes <= 0
            else _sharing.map_file("from_file", os.fspath(filename), bool(shared), int(nbytes))
        )

    @property
    def filename(self: Any) -> str | None:
        """The path of the file that the storage shares, or None."""
        return _sharing.filename(self)

    def is_shared(self: Any) -> bool:
        """Whether other processes may see the memory."""
        return _sharing.is_shared(self)

    @staticmethod
    def _new_shared(size: int, *, device: Device = "cpu") -> Storage:
        """A storage of `size` bytes in memory that other processes may see."""
        made = Storage(size, device=device)
        return made.share_memory_()  # type: ignore[no-any-return, attr-defined]

    def share_memory_(self: Any) -> Any:
        """Move the storage to memory that other processes may see; returns it."""
        if self.device.type != "meta":
            _sharing.share(self)
        return self

    def type(self: Any, dtype: DType = None, non_blocking: bool = False) -> str:
        """The name of the class."""
        return "torch.storage.UntypedStorage"

    def is_pinned(self: Any, device: Device = None) -> bool:
        """Whether the memory is page-locked: never."""
        return False

    def get_device(self: Any) -> int:
        """The index of the device: -1 for the CPU."""
        return -1

    def element_size(self: Any) -> int:
        """Bytes of an element: 1."""
        return 1

    def untyped(self: Any) -> Any:
        """The storage itself."""
        return self

    def cpu(self: Any) -> Any:
        """The storage on the CPU: itself."""
        if self.device.type == "meta":
            raise NotImplementedError(
                "Cannot copy out of meta tensor; no data! cpu(): the storage is on the device 'meta'"
            )
        return self

    def clone(self: Any) -> Storage:
        """A copy with memory of its own."""
        if self.device.type == "meta":
            return _storage.meta_storage(self.nbytes())
        return _bytes(self).clone().untyped_storage()

    def copy_(self: Any, source: Any, non_blocking: bool | None = None) -> Any:
        """Copy the bytes of a storage of the same size; returns this one.

        Raises:
            RuntimeError: for another size.
        """
        source = getattr(source, "_untyped_storage", source)
        if source.nbytes() != self.nbytes():
            raise RuntimeError(f"copy_(): 'source' must be of {self.nbytes()} bytes; found {source.nbytes()}")
        _bytes(self).copy_(_bytes(source))
        return self

    def fill_(self: Any, value: Any) -> Any:
        """Set every byte; returns the storage."""
        _bytes(self).fill_(value)
        return self

    def tolist(self: Any) -> list[int]:
        """The bytes as ints."""
        return _bytes(self).tolist()  # type: ignore[no-any-return]


for _name, _value in vars(_StorageMethods).items():
    if not _name.startswith("__"):
        _storage.attach_storage(_name, _value)


def _item(storage: Storage, index: Any, value: Any, assign: bool) -> Any:
    """storage[index], an int or a storage on a part of the memory, or the assignment of `value` to it."""
    n, of_bytes = storage.nbytes(), _bytes(storage)
    if isinstance(index, slice):
        start, stop, step = index.indices(n)
        check_that(step == 1, "UntypedStorage", "a slice", "have the step 1", step)
        if assign:
            of_bytes[start:stop] = value
            return None
        memoryview(storage)  # which fixes the memory where it is
        return _storage.storage_from_external(storage.data_ptr() + start, max(stop - start, 0), storage)
    if not hasattr(type(index), "__index__"):
        raise TypeError(f"UntypedStorage: an index must be an int or a slice; found {type(index).__name__}")
    at = index.__index__()
    if not -n <= at < n:
        raise IndexError(f"UntypedStorage: index {at} is out of range for storage of size {n}")
    if assign:
        of_bytes[at] = value
        return None
    return of_bytes[at].item()


@eager(namespace=None, shape_class="host")
def storage(input: Tensor) -> TypedStorage:
    """The memory under the tensor as a line of its elements' dtype."""
    warn("storage() with a dtype is PyTorch's old kind; untyped_storage() gives the bytes", once="storage")
    return _typed_storage(input)


def _typed_storage(self: Tensor) -> TypedStorage:
    """The memory under the tensor as a line of its elements' dtype, without `storage`'s warning."""
    return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype)


_core.attach("_typed_storage", _typed_storage)


@eager(namespace=None, shape_class="host")
def is_set_to(input: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same view of the same memory."""
    return (
        input.untyped_storage() is tensor.untyped_storage()
        and input.storage_offset() == tensor.storage_offset()
        and tuple(input.shape) == tuple(tensor.shape)
        and input.stride() == tensor.stride()
    )


@eager(namespace=None, shape_class="host")
def const_data_ptr(input: Tensor) -> int:
    """The address of the first element, for reading."""
    return input.data_ptr()


@eager(namespace=None, shape_class="host")
def dim_order(input: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost.

    Args:
        ambiguity_check: True: RuntimeError where sizes of 1 or equal strides leave a choice; a list of memory formats:
            the order of the only one that the tensor has, RuntimeError if there is no such one.
    """
    strides = input.stride()
    order = tuple(sorted(range(input.ndim), key=lambda d: -strides[d]))
    if ambiguity_check is False:
        return order
    if ambiguity_check is True:
        unique = input.numel() > 0 and len(set(strides)) == input.ndim and (input.ndim < 2 or 1 not in input.shape)
    else:
        fits = [f for f in ambiguity_check if _fits(input, f)]
        unique = len(fits) == 1
        if unique and fits[0] is not dt.contiguous_format:
            order = (0, *range(2, input.ndim), 1)
        elif unique:
            order = tuple(range(input.ndim))
    if not unique:
        raise RuntimeError(
            "dim_order(): the strides must fit one order of the dimensions alone; found the shape "
            f"{tuple(input.shape)} with strides "
            f"{input.stride()}"
        )
    return order


def _fits(input: Tensor, memory_format: MemoryFormat) -> bool:
    if not isinstance(memory_format, dt.memory_format):
        raise TypeError(
            f"dim_order(): 'ambiguity_check' must be a bool or memory formats in a list; found {memory_format!r}"
        )
    return input.is_contiguous(memory_format)


# ------------------------------------------------------------------------------------------ memory that others see, too
@eager(namespace=None, shape_class="host")
def is_shared(input: Tensor) -> bool:
    """Whether the tensor's memory is shared with other processes (after share_memory_, or from a shared file)."""
    return not input.is_meta and _sharing.is_shared(input.untyped_storage())


@eager(name="share_memory_", namespace=None, shape_class="host")
def share_memory_(input: Tensor) -> Tensor:
    """Move the tensor to memory that other processes share: those forked from now on, and those that multiprocessing
    sends it to.

    The storage moves, and all tensors on it with it.

    Returns:
        The tensor itself.
    """
    if not input.is_meta:
        _sharing.share(input.untyped_storage())
    return input


@eager(namespace=None, shape_class="host")
def is_pinned(input: Tensor, device: Device = None) -> bool:
    """Whether the tensor is in page-locked memory: never, there is no accelerator to copy to."""
    return False


@eager(namespace=None, shape_class="host")
def pin_memory(input: Tensor, device: Device = None) -> Tensor:
    """The tensor in page-locked memory.

    Args:
        input: a tensor of any dtype.

    Raises:
        RuntimeError, for there is no accelerator that could read it.
    """
    raise RuntimeError("pin_memory(): memory is pinned for copies to an accelerator; found no accelerator")


@eager(method=False, shape_class="factory", options=NEW)
def from_file(filename: Any, shared: bool | None = None, size: int = 0, *options: Any) -> Tensor:
    """A 1-d tensor on the bytes of a file, read as they are needed.

    Args:
        filename: its path.
        shared: what is written to the tensor goes into the file, which is made as large as needed; otherwise it stays
            in this process.
        size: the number of elements.
        dtype: by default the default float dtype.

    Raises:
        RuntimeError: for a file that cannot be opened, or is too short.
    """
    from rushlight.operators.table.tracer import default_dtype

    new = Options(*options).checked("from_file")
    d = default_dtype() if new.dtype is None else new.dtype
    if place("from_file", new.device).type != "cpu":
        raise RuntimeError(f"from_file(): 'device' must be a CPU; found {new.device}")
    (n,) = plain_size((size,), "from_file")
    need = n * d.itemsize
    if need == 0:
        return new.finish(_raw.empty_strided_raw(d, (0,), None))
    mapped = _sharing.map_file("from_file", os.fspath(filename), bool(shared), need)
    return new.finish(_raw.tensor_from_storage(mapped, d, 0, (n,), (1,)))


# ----------------------------------------------------------------------------------------- Python functions of elements
def _mapped(name: str, fn: Callable[..., Any], *tensors: Tensor) -> Tensor:
    first, *others = tensors
    check_that(first.device.type == "cpu", f"{name}()", "the tensor", "be on a CPU", lambda: first.device, TypeError)
    lines = [t.expand(first.shape).reshape(-1).tolist() for t in (first, *others)]
    values = [fn(*row) for row in zip(*lines, strict=True)]
    from rushlight.operators.tensors.interop import tensor

    if values:
        first.copy_(tensor(values).reshape(first.shape))
    return first


@eager(name="apply_", namespace=None, shape_class="host")
def apply_(input: Tensor, callable: Any) -> Tensor:
    """Replace each element by a Python function of it, in place: slow, one call an element."""
    return _mapped("apply_", callable, input)


@eager(name="map_", namespace=None, shape_class="host")
def map_(input: Tensor, tensor: Tensor, callable: Any) -> Tensor:
    """Replace each element by a Python function of it and of that of `tensor` (broadcast), in place."""
    return _mapped("map_", callable, input, tensor)


@eager(name="map2_", namespace=None, shape_class="host")
def map2_(input: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    """Replace each element by a Python function of it and of those of x and y (broadcast), in place."""
    return _mapped("map2_", callable, input, x, y)


# ------------------------------------------------------------------------------------------------------ smaller methods
@operator(name="fill_diagonal", namespace=None, method=False, inplace=True, shape_class="pointwise")
def fill_diagonal(input: Tensor, fill_value: Number, wrap: bool = False) -> Tensor:
    """`fill_value` where all indices are equal, the rest as it is; fill_diagonal_ writes it.

    Args:
        input: at least 2-d; of equal sizes if more.
        wrap: in a tall matrix the diagonal begins anew, one row further down.
    """
    shape = input.var.shape
    check_that(len(shape) >= 2, "fill_diagonal_()", "the tensor", "be of 2 dimensions or more", len(shape))
    if len(shape) > 2 and any(s != shape[0] for s in shape[1:]):
        raise RuntimeError(
            "fill_diagonal_(): a tensor of more than 2 dimensions must have one size in all; found "
            f"{[int(s) for s in input.shape]}"
        )
    check_range("fill_diagonal_", fill_value, input.dtype)
    first, *rest = (P.iota(shape=shape, dim=d, dtype=dt.int64) for d in range(len(shape)))
    if wrap and len(shape) == 2:
        first = P.rem(first, filled(shape[1] + 1, first))
    on = first == rest[0]
    for other in rest[1:]:
        on = on & (first == other)
    return P.select(on, expand_to(convert(fill_value, input.dtype), shape), input)


@eager(name="__reversed__", namespace=None, shape_class="movement")
def reversed_(input: Tensor) -> Tensor:
    """The tensor with its first dimension the other way round."""
    return input if input.ndim == 0 else METHODS["flip"](input, (0,))


@eager(name="_local_scalar_dense", method=False, shape_class="data-dependent")
def local_scalar_dense(input: Tensor) -> complex:
    """The value of a tensor of one element as a Python number: what item() of a wrapper, or in a mode, becomes."""
    return _raw.scalar_of(input)


@eager(name="is_nonzero", namespace=None, shape_class="data-dependent")
def is_nonzero(input: Tensor) -> bool:
    """Whether a one-element tensor is not zero."""
    return bool(input)


@eager(namespace=None, varargs="sizes", shape_class="view")
def resize(input: Tensor, sizes: Any) -> Tensor:
    """The elements in another shape; deprecated in PyTorch in favour of reshape.

    Raises:
        RuntimeError: unless their number is the same.
    """
    warn("resize() without an underscore is deprecated; use reshape() or resize_()")
    size = plain_size(sizes, "resize")
    n = 1
    for s in size:
        n *= s
    if n != input.numel():
        raise RuntimeError(
            f"resize(): 'size' must hold the {input.numel()} elements of the tensor, as it can only change their "
            f"shape; found {list(size)}, "
            f"which holds {n}"
        )
    return input.reshape(size)


@eager(namespace=None, shape_class="view")
def resize_as(input: Tensor, tensor: Tensor) -> Tensor:
    """`resize` to the shape of another tensor."""
    return METHODS["resize"](input, tuple(tensor.shape))


@eager(namespace=None, shape_class="pointwise")
def module_load(input: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What a state dict's value becomes before it takes a parameter's place: `other` itself (assign), or the parameter
    with its values.
    """
    return other.detach() if assign else input.copy_(other).detach()


def _is_nested(self: Tensor) -> bool:
    """Whether the tensor is a nested one: there are none."""
    return False


def _name_of(self: Tensor) -> None:
    """The tensor's name: none has one."""
    return None


def _of_kind(kind: str) -> property:
    def is_kind(self: Tensor) -> bool:
        return bool(self.device.type == kind)

    is_kind.__doc__ = f"Whether the tensor is on a device of type {kind!r}."
    return property(is_kind)


def _set_grad(self: Tensor, value: Tensor | None) -> None:
    self.grad = value


_core.attach("is_nested", property(_is_nested))
_core.attach(
    "is_sparse_csr",
    property(lambda self: str(self.layout) == "torch.sparse_csr", doc="Whether the tensor's layout is sparse_csr."),
)
for _kind in ("mps", "xpu", "ipu", "mtia", "xla", "maia", "vulkan", "mkldnn"):
    _core.attach(f"is_{_kind}", _of_kind(_kind))


def _volatile(self: Tensor) -> bool:
    """False: PyTorch no longer has what it is about."""
    warn("volatile: there is no such thing any more, it is always False")
    return False


def _set_volatile(self: Tensor, value: Any) -> None:
    warn("volatile: there is no such thing any more; compute within torch.no_grad()")


_core.attach("volatile", property(_volatile, _set_volatile))
_core.attach(
    "_grad", property(lambda self: self.grad, _set_grad, doc="The tensor's gradient, under PyTorch's inner name.")
)
_core.attach("name", property(_name_of))


# ------------------------------------------------------------------------------------------------------------ functions
@function
def get_device(input: Tensor) -> int:
    """The index of the tensor's device, -1 for the CPU."""
    return tensor_argument("get_device", input).get_device()


@function
def is_signed(input: Tensor) -> bool:
    """Whether the tensor's dtype has negative numbers."""
    return tensor_argument("is_signed", input).is_signed()


@function
def set_flush_denormal(mode: bool) -> bool:
    """Let this thread compute with zero in the place of denormal numbers, and all threads that help it.

    Returns:
        Whether the processor can: True on x86-64.
    """
    check_argument(isinstance(mode, bool), "set_flush_denormal()", "mode", "be a bool", type(mode).__name__)
    return _native.flush_denormal(mode)


# --------------------------------------------------------------------------------------------------------------- copies
@eager(method=False, checked=True)
def slice_copy(input: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Tensor:
    """A slice of one dimension with memory of its own.

    Args:
        start, end: as in Python.
        step: positive.
    """
    if step <= 0:
        raise RuntimeError(f"slice_copy(): 'step' must be at least 1; found {step}")
    if not -input.ndim <= dim < input.ndim:
        raise dim_out_of_range("slice_copy", dim, input.ndim)
    index = (slice(None),) * (dim % input.ndim) + (slice(start, end, step),)
    return input[index].clone(memory_format=dt.contiguous_format)


@eager(method=False)
def split_copy(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split` with memory of its own."""
    return tuple(v.clone(memory_format=dt.contiguous_format) for v in METHODS["split"](input, split_size, dim))


@eager(method=False)
def view_as_real_copy(input: Tensor) -> Tensor:
    """`view_as_real` with memory of its own."""
    return TABLE["view_as_real"](input).clone()


@eager(method=False)
def view_as_complex_copy(input: Tensor) -> Tensor:
    """`view_as_complex` with memory of its own."""
    return TABLE["view_as_complex"](input.contiguous()).clone()


upcalls.storage_item = _item
upcalls.local_scalar = local_scalar_dense

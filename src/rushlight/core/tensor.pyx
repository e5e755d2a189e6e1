# cython: freethreading_compatible=False
"""Tensor: memory, metadata and nothing else.

The operator table attaches all operators to the class (`attach`), and the arithmetic slots look their operators up in
`SLOTS`, so this module knows no operator. Modules above it make the usual calls of factories (factory.pyx) and of
indexing (indexing.pyx), and return None for all others; patched.pyx adds to the class what Cython has no syntax for.
"""
from cpython.buffer cimport Py_buffer, PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memcpy
cimport cython

from rushlight.core import dtypes as _dtypes
from rushlight.core.base import BUFFER_FORMATS, NO_OPERATOR
from rushlight.core.base cimport (
    DTYPES, ITEMSIZE, KINDS, RL_FITS, RL_WRAPS, UPCALLS, core_only, reach, read_scalar, rl_attach, rl_withdraw,
    times_most, times_overflows)
from rushlight.core.devices import CPU, META, Size, device
from rushlight.core.python cimport PyTuple_SET_ITEM, is_tensor_like
from rushlight.core.storage cimport Storage, describe, meta_storage, new_storage


cdef extern from "tensor_types.h":
    object rl_new_size(PyObject*, Py_ssize_t)
    void* rl_get_tls() noexcept nogil
    int rl_tls_size() noexcept nogil

cdef extern from "Python.h":
    char* PyByteArray_AS_STRING(object)
    object PyObject_GenericGetDict(object, void*)
    PyObject* PyLong_FromLongLong(long long) except NULL

cdef State* tls() noexcept nogil:
    return <State*>rl_get_tls()

cdef list SLOTS = []               # operators behind Python's operator syntax, by slot number
cdef object _Size = Size

cdef object size_tuple(Tensor t):
    cdef int i
    cdef object made = rl_new_size(<PyObject*>_Size, t.ndim_)
    for i in range(t.ndim_):
        PyTuple_SET_ITEM(made, i, PyLong_FromLongLong(t.sizes[i]))
    return made


# ------------------------------------------------------------------------------------------------------------- Tensor
@cython.no_gc
@cython.freelist(16)
cdef class Counter:
    pass


# A tensor may be the gradient of one that is another's gradient: a long chain is freed one by one, not recursively.
@cython.trashcan(True)
cdef class AutogradMeta:
    """The state for autograd that only some tensors have; it is made when it is first needed."""

cdef AutogradMeta get_meta(Tensor t):
    if t.meta is None:
        t.meta = AutogradMeta.__new__(AutogradMeta)
    return t.meta


cdef dict _keys_of_type = {}

def _disabled_torch_function_impl(func, types, args=(), kwargs=None):
    """Assigned as `__torch_function__` by subclasses that want plain tensors as results."""
    return func(*args, **(kwargs or {}))

cdef unsigned int keys_of(type cls) except? 99:
    found = _keys_of_type.get(cls)
    if found is None:
        if hasattr(cls, "_dispatch_keys"):
            found = cls._dispatch_keys
        else:
            plain = cls.__torch_function__ is _disabled_torch_function_impl and not hasattr(cls, "__torch_dispatch__")
            found = 0 if plain else KEY_SUBCLASS
            if getattr(cls, "__torch_dispatch__", _disabled_torch_function_impl) is not _disabled_torch_function_impl:
                found |= KEY_DISPATCH
        _keys_of_type[cls] = found
    return found


_set_class = object.__dict__["__class__"].__set__

SLOTS.extend([NO_OPERATOR] * N_SLOTS)


@cython.freelist(256)
cdef class Tensor:
    """A strided array of one dtype on one device, with an optional place in an autograd graph."""

    def __cinit__(self, *args, **kwargs):
        self.sizes = self.inline_dims
        self.strides = self.inline_dims + INLINE_DIMS
        if type(self) is not Tensor:
            self.keys = keys_of(type(self))

    cdef void set_ndim(self, int n) except *:
        if n > MAX_DIMS:
            raise RuntimeError(f"a tensor has at most {MAX_DIMS} dimensions; found {n}")
        if n > INLINE_DIMS and (self.more_dims is None or n > self.ndim_):
            self.more_dims = bytearray(2 * n * sizeof(int64_t))
            self.sizes = <int64_t*>PyByteArray_AS_STRING(self.more_dims)
            self.strides = self.sizes + n
        self.ndim_ = n

    @property
    def __dict__(self):
        return PyObject_GenericGetDict(self, NULL)

    @property
    def __class__(self):
        return type(self)

    @__class__.setter
    def __class__(self, value):
        cdef unsigned int keys = 0
        expose(self)
        if isinstance(value, type) and issubclass(value, Tensor) and value is not Tensor:
            keys = keys_of(<type>value)
        if self.keys & KEY_SPECIAL & ~(KEY_SUBCLASS | KEY_META | KEY_DEVICE) or keys & ~(KEY_SUBCLASS | KEY_DISPATCH):
            raise TypeError(
                "__class__: a tensor that stands for a traced or transformed value keeps its class, "
                f"{type(self).__name__}; found {value!r}")
        _set_class(self, value)
        self.keys = (self.keys & ~(KEY_SUBCLASS | KEY_DISPATCH)) | keys

    # ---- metadata
    @property
    def shape(self):
        if class_says(self):
            return _Size(self._special_shape())
        return size_tuple(self)

    def size(self, dim=None):
        """The sizes, or the size of one dimension."""
        if class_says(self):
            s = self._special_shape()
            return _Size(s) if dim is None else s[dim]
        if dim is None:
            return size_tuple(self)
        return self.sizes[_wrap(dim, self.ndim_, "size")]

    def stride(self, dim=None):
        """The strides in elements, or the stride of one dimension."""
        if self.keys & (KEY_TRACE | KEY_TRANSFORM):
            s = self._special_stride()
            return s if dim is None else s[dim]
        if dim is None:
            return tuple([self.strides[i] for i in range(self.ndim_)])
        return self.strides[_wrap(dim, self.ndim_, "stride")]

    @property
    def ndim(self):
        if class_says(self):
            return len(self._special_shape())
        return self.ndim_

    def dim(self):
        """The number of dimensions."""
        return self.ndim

    def ndimension(self):
        """The number of dimensions."""
        return self.ndim

    def numel(self):
        """The number of elements."""
        if class_says(self):
            return self.shape.numel()
        return self.numel_

    def nelement(self):
        """The number of elements."""
        return self.numel()

    @property
    def dtype(self):
        return DTYPES[self.code]

    @property
    def _keys_(self):
        """The dispatch keys. (A program's subclass may define its own `keys`.)"""
        return self.keys

    @property
    def device(self):
        if self.storage is None:
            if self.keys & (KEY_META | KEY_SUBCLASS) == KEY_META:
                return META
            return getattr(self, "_device", META if self.keys & KEY_META else CPU)
        return self.storage.device

    @property
    def layout(self):
        if self.keys & KEY_LAYOUT:
            return self._layout if class_says(self) else self.meta.parts.layout
        return _dtypes.strided

    @property
    def itemsize(self):
        return self.itemsize_

    @property
    def nbytes(self):
        if self.keys & KEY_LAYOUT:
            raise RuntimeError(
                f"nbytes: a tensor with layout {self.layout} has no memory of its own; found one; add those of its "
                "indices and values")
        return self.numel() * self.itemsize_

    def element_size(self):
        """The size of one element in bytes."""
        return self.itemsize_

    def storage_offset(self):
        """The offset of the first element in its storage, in elements."""
        if self.keys & (KEY_TRACE | KEY_TRANSFORM):
            return 0
        settle(self)
        return self.offset_()

    def data_ptr(self):
        """The address of the first element (0 when there is none)."""
        if self.keys & KEY_LAYOUT:
            raise RuntimeError(
                f"data_ptr(): a tensor with layout {self.layout} lies in several others; found no storage of its own; "
                "use values()")
        expose(self)
        return <size_t>address(self) if self.numel_ else 0

    def untyped_storage(self):
        """The memory that this tensor views."""
        expose(self)
        if self.storage is not None:
            return self.storage
        if self.keys & (KEY_TRACE | KEY_TRANSFORM) or not self.keys & KEY_META:
            raise NotImplementedError(
                f"untyped_storage(): a tensor on {self.device} with layout {self.layout} has no storage")
        return _meta_storage_of(self)

    def is_contiguous(self, memory_format=None):
        """Whether the elements are contiguous in the order of `memory_format` (default: row-major)."""
        if self.keys & (KEY_TRACE | KEY_TRANSFORM):
            return True
        if (memory_format is None or memory_format is _dtypes.contiguous_format
                or memory_format is _dtypes.preserve_format):
            return self.contiguous_
        if memory_format is not {4: _dtypes.channels_last, 5: _dtypes.channels_last_3d}.get(self.ndim_):
            return False
        cdef int64_t i, expected = 1
        for i in [1, *range(self.ndim_ - 1, 1, -1), 0]:
            if self.sizes[i] != 1 and self.strides[i] != expected:
                return False
            expected = times_most(expected, self.sizes[i])
        return True

    def is_floating_point(self):
        """Whether the dtype is a floating point type."""
        return DTYPES[self.code].kind == "f"

    def is_complex(self):
        """Whether the dtype is complex."""
        return DTYPES[self.code].kind == "c"

    def is_signed(self):
        """Whether the dtype is signed."""
        return DTYPES[self.code].is_signed

    def get_device(self):
        """The device index, -1 for the CPU."""
        index = self.device.index
        return -1 if index is None else index

    @property
    def is_cpu(self):
        return self.device.type == "cpu"

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    @property
    def is_meta(self):
        return bool(self.keys & KEY_META) and (not self.keys & KEY_SUBCLASS or self.device.type == "meta")

    @property
    def is_sparse(self):
        return bool(self.keys & KEY_LAYOUT) and self.layout is _dtypes.sparse_coo

    @property
    def is_quantized(self):
        return False

    @property
    def _version(self):
        settle(self)
        if self.inference_ == I_UNCOUNTED:
            raise RuntimeError(
                "_version: nobody counts the writes to a tensor made in inference mode; clone() makes an ordinary "
                "tensor of it")
        return version_of(self)

    def _bump_version(self):
        settle(self)
        check_write(self, "_bump_version")
        bump_version(self)

    def __len__(self):
        if asks(self) and (found := ask_class(self, "__len__", ())) is not NotImplemented:
            return found
        if class_says(self):
            s = self._special_shape()
            if not s:
                raise TypeError("len(): a 0-d tensor has no length")
            return int(s[0])
        if self.ndim_ == 0:
            raise TypeError("len(): a 0-d tensor has no length")
        return self.sizes[0]

    def __hash__(self):
        # its id, as in PyTorch: programs keep tables of ids and look tensors up by hash
        return <Py_ssize_t><void*>self

    def __iter__(self):
        if self.dim() == 0:
            raise TypeError("iter(): a 0-d tensor has no elements to go through")
        found = self.unbind(0)
        # a handler of a subclass may return anything: iter() of that could come back here, without end
        if isinstance(found, Tensor):
            raise TypeError(
                f"iter(): unbind() of a {type(self).__name__} must give a tuple of Tensors; found "
                f"{type(found).__name__}")
        return iter(found)

    def __repr__(self):
        if asks(self) and (found := ask_class(self, "__repr__", ())) is not NotImplemented:
            return found
        return UPCALLS.repr(self)

    def __format__(self, spec):
        if self.ndim == 0 and not self.is_meta and type(self) is Tensor:
            return format(number_in(self), spec)
        return object.__format__(self, spec)

    # ---- autograd metadata
    @property
    def requires_grad(self):
        return wants_grad(self)

    @requires_grad.setter
    def requires_grad(self, bint value):
        set_requires_grad(self, value)

    def requires_grad_(self, bint requires_grad=True):
        """Set whether autograd records operations on this leaf, in place."""
        set_requires_grad(self, requires_grad)
        return self

    @property
    def is_leaf(self):
        return history(self) is None

    @property
    def grad_fn(self):
        node = history(self)
        return None if node is None else UPCALLS.shown_node(node)

    @property
    def grad(self):
        if self.storage is None:             # (A tensor that waits to be written to has its gradient already.)
            settle(self)
        found = None if self.meta is None else self.meta.grad
        # (The node as it is now: to look up a view's place in the graph might renew it, or be refused.)
        if found is None and self.rg and self.grad_fn_ is not None and not (self.meta and self.meta.retains_grad):
            UPCALLS.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. backward() gives it "
                "none: call retain_grad() on it before, or take autograd.grad()")
        if found is not None and tls().tape != NULL and tls().grad_enabled:
            UPCALLS.grad_read(found)
        return found

    @grad.setter
    def grad(self, value):
        if self.storage is None:
            settle(self)
        if value is None:
            if self.meta is not None:
                self.meta.grad = None
            return
        if not isinstance(value, Tensor):
            raise TypeError(f"grad: must be a Tensor or None, not {type(value).__name__}")
        if value is self:
            raise RuntimeError("grad: a tensor cannot be its own gradient")
        wanted = self.dtype if self.meta is None or self.meta.grad_dtype is None else self.meta.grad_dtype
        if wanted and value.dtype is not wanted:
            which = "the tensor's dtype" if wanted is self.dtype else "its grad_dtype"
            raise RuntimeError(f"grad: must be of {which}, {wanted}; found {value.dtype}")
        if tuple(value.shape) != tuple(self.shape):
            raise RuntimeError(f"grad: must have the tensor's shape, {list(self.shape)}; found {list(value.shape)}")
        if value.device != self.device:
            raise RuntimeError(f"grad: must be on the tensor's device, {self.device}; found {value.device}")
        get_meta(self).grad = value

    @grad.deleter
    def grad(self):
        if self.meta is not None:
            self.meta.grad = None

    @property
    def _meta_(self):
        settle(self)
        return get_meta(self)

    @property
    def retains_grad(self):
        return self.meta is not None and self.meta.retains_grad

    @property
    def _base(self):
        settle(self)
        return None if self.meta is None else self.meta.base

    def _is_view(self):
        settle(self)
        return self.meta is not None and self.meta.base is not None

    def is_inference(self):
        """Whether the tensor was made under inference_mode."""
        return self.inference_ != 0

    @property
    def data(self):
        """This tensor's values without its history; version checks do not see writes through it."""
        if self.keys & (KEY_TRACE | KEY_TRANSFORM):
            return self.detach()
        cdef Tensor t = alias(self)
        count_apart(t, 0)
        if t.inference_:
            t.inference_ = I_COUNTED
        return t

    @data.setter
    def data(self, value):
        cdef Tensor other
        if not isinstance(value, Tensor):
            raise TypeError(f"data: must be a Tensor, not {type(value).__name__}")
        other = <Tensor>value
        settle(self)
        settle(other)
        if self.keys & KEY_SPECIAL & ~KEY_SUBCLASS or other.keys & KEY_SPECIAL & ~KEY_SUBCLASS:
            raise RuntimeError("data: cannot be set on or to a tensor that stands for a traced or transformed value")
        if self.rg and DTYPES[other.code].kind not in "fc":
            raise RuntimeError(f"data: a tensor that requires grad takes float and complex dtypes; found {other.dtype}")
        if (self.keys ^ other.keys) & (KEY_META | KEY_DEVICE) or self.device != other.device:
            raise RuntimeError(f"data: must be on the tensor's device, {self.device}; found {other.device}")
        ABOVE.move(self, other, 0)
        self.inference_ = I_COUNTED if other.inference_ else 0

    # ---- values
    def item(self):
        """The value of a one-element tensor as a Python number."""
        if self.keys & (KEY_TRACE | KEY_TRANSFORM | KEY_DEVICE | KEY_LAYOUT):
            return self._special_item() if class_says(self) or not self.keys & KEY_LAYOUT else UPCALLS.layout_item(self)
        if ((tls().modes or (self.keys & KEY_DISPATCH and tls().no_subclass != 2))
                and (self.numel_ == 1 or self.keys & ~KEY_PENDING)):   # (else it raises)
            return UPCALLS.local_scalar(self)
        return scalar_in(self)

    def tolist(self):
        """The values as nested lists of Python numbers (a number for a 0-d tensor)."""
        if self.keys & KEY_LAYOUT:
            raise RuntimeError(f"tolist(): 'input' must be dense; found layout {self.layout}; use to_dense()")
        if self.keys & (KEY_TRACE | KEY_TRANSFORM | KEY_DEVICE):
            return self._special_tolist()
        if self.keys & KEY_META:
            if self.keys & KEY_DISPATCH:
                raise RuntimeError(
                    f"tolist(): a {type(self).__name__} stands for other tensors and has no elements of its own")
            raise NotImplementedError("tolist(): a tensor on the device 'meta' has no data")
        return _to_list(self, 0, memory(self))

    def __bool__(self):
        if asks(self) and (found := ask_class(self, "__bool__", ())) is not NotImplemented:
            return found
        if self.numel() != 1:
            raise RuntimeError(
                f"bool(): the tensor must have 1 element; found {self.numel()}, whose truth is ambiguous; use any() "
                "or all()")
        return bool(number_in(self))

    def __float__(self):
        if asks(self) and (found := ask_class(self, "__float__", ())) is not NotImplemented:
            return found
        return float(one_number(self, "float", True))

    def __int__(self):
        if asks(self) and (found := ask_class(self, "__int__", ())) is not NotImplemented:
            return found
        return int(one_number(self, "int", True))

    def __complex__(self):
        if asks(self) and (found := ask_class(self, "__complex__", ())) is not NotImplemented:
            return found
        return complex(one_number(self, "complex", False))

    def __index__(self):
        if asks(self) and (found := ask_class(self, "__index__", ())) is not NotImplemented:
            return found
        if DTYPES[self.code].kind not in "iub" or self.numel() != 1:
            raise TypeError(
                f"__index__(): the tensor must have 1 element of an integer dtype; found {self.numel()} of "
                f"{DTYPES[self.code]}")
        return int(number_in(self))

    def __contains__(self, element):
        if asks(self) and (found := ask_class(self, "__contains__", (element,))) is not NotImplemented:
            return found
        if isinstance(element, (Tensor, int, float, bool, complex)):
            return bool((element == self).any().item())
        raise RuntimeError(f"__contains__(): must be a tensor or a number, not {type(element).__name__}")

    def __getitem__(self, index):
        return ABOVE.get(self, index)

    def __setitem__(self, index, value):
        ABOVE.set(self, index, value)

    def __delitem__(self, index):
        raise TypeError("__delitem__(): the elements of a tensor cannot be deleted")

    # ---- operator syntax; the operators are put into SLOTS by the operator table
    def __add__(self, other): return binary(SLOT_ADD, self, other)
    def __radd__(self, other): return binary(SLOT_ADD, self, other)
    def __sub__(self, other): return binary(SLOT_SUB, self, other)
    def __rsub__(self, other): return binary(SLOT_RSUB, self, other)
    def __mul__(self, other): return binary(SLOT_MUL, self, other)
    def __rmul__(self, other): return binary(SLOT_MUL, self, other)
    def __truediv__(self, other): return binary(SLOT_TRUE_DIVIDE, self, other)
    def __rtruediv__(self, other): return called(SLOT__RDIV, self, other)
    def __floordiv__(self, other): return binary(SLOT_FLOOR_DIVIDE, self, other)
    def __rfloordiv__(self, other): return called(SLOT__RFLOORDIV, self, other)
    def __mod__(self, other): return binary(SLOT_REMAINDER, self, other)
    def __rmod__(self, other): return reflected(SLOT_REMAINDER, self, other)
    def __pow__(self, other, modulo): return binary(SLOT_POW, self, other)
    def __rpow__(self, other, modulo): return reflected(SLOT_POW, self, other)
    def __matmul__(self, other): return binary(SLOT_MATMUL, self, other)
    def __rmatmul__(self, other): return reflected(SLOT_MATMUL, self, other)
    def __and__(self, other): return binary(SLOT_BITWISE_AND, self, other)
    def __rand__(self, other): return binary(SLOT_BITWISE_AND, self, other)
    def __or__(self, other): return binary(SLOT_BITWISE_OR, self, other)
    def __ror__(self, other): return binary(SLOT_BITWISE_OR, self, other)
    def __xor__(self, other): return binary(SLOT_BITWISE_XOR, self, other)
    def __rxor__(self, other): return binary(SLOT_BITWISE_XOR, self, other)
    def __lshift__(self, other): return binary(SLOT_BITWISE_LEFT_SHIFT, self, other)
    def __rlshift__(self, other): return reflected(SLOT_BITWISE_LEFT_SHIFT, self, other)
    def __rshift__(self, other): return binary(SLOT_BITWISE_RIGHT_SHIFT, self, other)
    def __rrshift__(self, other): return reflected(SLOT_BITWISE_RIGHT_SHIFT, self, other)
    def __neg__(self): return (<OperatorBase>SLOTS[SLOT_NEG]).call1(self)
    def __abs__(self): return (<OperatorBase>SLOTS[SLOT_ABS]).call1(self)
    def __invert__(self):
        if KINDS[self.code] in (c"f", c"c") and not self.keys & KEY_SUBCLASS:
            raise TypeError(f"~: the tensor must be of an integer or bool dtype; found {self.dtype}")
        return (<OperatorBase>SLOTS[SLOT_BITWISE_NOT]).call1(self)
    def __pos__(self): return SLOTS[SLOT_POSITIVE](self)
    def __iadd__(self, other):
        found = called(SLOT_ADD_, self, other)
        # In a subclass made in Python this is also the slot of a sequence, for which NotImplemented would be a result.
        return found if found is not NotImplemented or type(self) is Tensor else added_anew(self, other)
    def __isub__(self, other): return called(SLOT_SUB_, self, other)
    def __imul__(self, other): return called(SLOT_MUL_, self, other)
    def __itruediv__(self, other): return called(SLOT_TRUE_DIVIDE_, self, other)
    def __ifloordiv__(self, other): return called(SLOT_FLOOR_DIVIDE_, self, other)
    def __imod__(self, other): return called(SLOT_REMAINDER_, self, other)
    def __ipow__(self, other): return called(SLOT_POW_, self, other)
    def __iand__(self, other): return called(SLOT_BITWISE_AND_, self, other)
    def __ior__(self, other): return called(SLOT_BITWISE_OR_, self, other)
    def __ixor__(self, other): return called(SLOT_BITWISE_XOR_, self, other)
    def __ilshift__(self, other): return called(SLOT_BITWISE_LEFT_SHIFT_, self, other)
    def __irshift__(self, other): return called(SLOT_BITWISE_RIGHT_SHIFT_, self, other)

    def __richcmp__(self, other, int op):
        return binary(SLOT_LT + op, self, other)

    # ---- buffers and copies
    def __getbuffer__(self, Py_buffer* view, int flags):
        expose(self)
        name = DTYPES[self.code].name
        if self.keys & (KEY_TRACE | KEY_TRANSFORM | KEY_DEVICE | KEY_LAYOUT | KEY_META):
            raise BufferError(f"a tensor on {self.device} with layout {self.layout} has no buffer")
        if self.rg:
            raise BufferError("the tensor requires grad, and a buffer cannot carry that; use detach()")
        if name not in BUFFER_FORMATS:
            raise BufferError(
                f"{DTYPES[self.code]} has no format in the buffer protocol; convert with "
                f".{'cfloat' if KINDS[self.code] == c'c' else 'float'}() first")
        if not self.contiguous_ and not flags & PyBUF_STRIDES == PyBUF_STRIDES:
            raise BufferError("the tensor is not contiguous and the consumer takes no strides; use .contiguous()")
        describe(view, flags, memory(self), BUFFER_FORMATS[name], self.itemsize_, self.ndim_, self.sizes, self.strides)
        # The memory belongs to the storage. Code that asks for a writable buffer without a format (NumPy's `buffer`)
        # may release the buffer, continue to use its memory, and keep a reference to the tensor only: see `become`.
        view.obj = self.storage
        self.storage.fixed = True
        self.storage.lent |= flags & (PyBUF_FORMAT | PyBUF_WRITABLE) == PyBUF_WRITABLE

    def __dir__(self):
        if asks(self) and (found := ask_class(self, "__dir__", ())) is not NotImplemented:
            return found
        return object.__dir__(self)

    def __deepcopy__(self, memo):
        settle(self)
        return UPCALLS.deepcopy(self, memo)

    def __reduce_ex__(self, protocol):
        settle(self)
        if asks(self) and (found := ask_class(self, "__reduce_ex__", (protocol,))) is not NotImplemented:
            return found
        return UPCALLS.reduce(self, protocol)

    __torch_function__ = classmethod(
        lambda cls, func, types, args=(), kwargs=None: UPCALLS.default_torch_function(cls, func, types, args, kwargs))


cdef int set_requires_grad(Tensor t, bint value) except -1:
    expose(t)
    if value and KINDS[t.code] != c"f" and KINDS[t.code] != c"c":
        raise RuntimeError(
            f"requires_grad: numbers of dtype {DTYPES[t.code]} have no derivative; a float or complex dtype is needed")
    if t.grad_fn_ is not None and not value:
        raise RuntimeError(
            "requires_grad: the result of an operation cannot be told to require none, only a leaf can; use detach() "
            "of it")
    if value and t.inference_ and not tls().inference:
        raise RuntimeError("requires_grad: a tensor made in inference mode takes part in no graph; use clone() of it")
    t.rg = value
    return 0


cdef object history(Tensor t):
    """The node that made `t`, None for a leaf; that of a view whose base was written to since is made now."""
    settle(t)
    cdef AutogradMeta m = t.meta
    cdef bint known
    if m is not None and m.base is not None and m.view_version != version_of(t):
        known = (<Tensor>m.base).rg
        if known or t.grad_fn_ is not None:
            if m.view_fn is None or m.why_no_inplace is not None:
                UPCALLS.refuse_view(t)
            if known:
                UPCALLS.regenerate_view(t)
        m.view_version = version_of(t)
    return t.grad_fn_


include "making.pxi"


# ------------------------------------------------------------------------------------------- syntax and classes
cdef int is_overridden(PyObject* o) noexcept:
    cdef State* state = tls()
    return (state.readers and state.modes) or (not state.no_subclass and (<Tensor>o).keys & KEY_SUBCLASS)


cdef inline bint asks(Tensor t) noexcept:
    """Whether the tensor's class may handle Python's syntax."""
    return is_overridden(<PyObject*>t)

cdef object number_in(Tensor t):
    """item(), for which a handler of a subclass may return anything: a tensor would come back here, without end."""
    found = t.item()
    if isinstance(found, Tensor):
        raise TypeError(f"item() of a {type(t).__name__} must give a number; found {type(found).__name__}")
    return found

cdef object one_number(Tensor t, str what, bint real):
    """The number that `float`, `int` and the like make from a tensor: ValueError unless it has one element,
    RuntimeError if it is complex and `real`.
    """
    if t.rg and what != "int" and tls().grad_enabled:
        UPCALLS.warn(
            f"{what}(): the tensor requires grad, and the number does not; write {what}(x.detach())", UserWarning,
            "number of a tensor that requires grad")
    if t.numel_ != 1 and not t.keys & ~KEY_PENDING:
        raise ValueError(f"{what}(): a tensor of one element becomes a number; found {t.numel_} elements")
    found = number_in(t)
    if real and type(found) is complex:
        if found.imag != 0:
            raise RuntimeError(f"{what}(): a complex number with an imaginary part is no real number; found {found}")
        return found.real
    return found

cdef object ask_class(Tensor t, str name, tuple args):
    """Let the class's `__torch_function__` handle a piece of Python's syntax; NotImplemented if it has none."""
    return UPCALLS.asked(getattr(Tensor, name), (t, *args))


cdef object beside(int slot, Tensor t, object other, bint reflects):
    """The operator on a tensor and an operand that is neither a tensor nor a Python number; NotImplemented if its class
    has no `__torch_function__`, so that Python tries the class's own method.
    """
    if not UPCALLS.is_plain_number(other) and not is_tensor_like(other):
        return NotImplemented
    operator = SLOTS[slot]
    try:
        return operator(other, t) if reflects else operator(t, other)
    except TypeError:
        if UPCALLS.is_plain_number(other):
            raise
        return NotImplemented


cdef inline object operated(int slot, Tensor t, object other, bint reflects, bint seldom):
    """The operator behind Python's syntax on a tensor and another operand, for rare cases. A TypeError may mean that a
    class leaves the operator to Python: the result is NotImplemented, as in PyTorch.
    """
    if not isinstance(other, (Tensor, float, int, complex)):
        return beside(slot, t, other, reflects)
    try:
        if seldom:
            return SLOTS[slot](t, other)
        return (<OperatorBase>SLOTS[slot]).call2(other if reflects else t, t if reflects else other)
    except TypeError:
        if not (asks(t) or (isinstance(other, Tensor) and asks(<Tensor>other))):
            raise
    if slot != SLOT_MATMUL or not reflects or isinstance(other, Tensor):
        return NotImplemented
    try:
        return ask_class(t, "__rmatmul__", (other,))    # matmul has refused a number before the class was tried
    except TypeError:
        return NotImplemented


cdef inline object binary(int slot, Tensor t, object other): return operated(slot, t, other, False, False)
cdef inline object reflected(int slot, Tensor t, object other): return operated(slot, t, other, True, False)
cdef inline object called(int slot, Tensor t, object other): return operated(slot, t, other, False, True)


cdef object added_anew(Tensor t, object other):
    """The result of `t += other` if the sum cannot be written into t."""
    try:
        return t + other
    except TypeError as error:
        raise TypeError(str(error).replace(" for +:", " for +=:")) from None


# -------------------------------------------------------------------------------------------------------- registration
def attach(name, value):
    """Set an attribute of the class Tensor, as the operator table does for methods."""
    rl_attach(Tensor, name, value)

def withdraw(name):
    """Delete an attribute of the class Tensor."""
    rl_withdraw(Tensor, name)

def get_keys_flag_mask():
    """The dispatch keys by name, for internal subclasses written in Python."""
    return {
        "SUBCLASS": KEY_SUBCLASS, "TRACE": KEY_TRACE, "TRANSFORM": KEY_TRANSFORM, "DEVICE": KEY_DEVICE,
        "LAYOUT": KEY_LAYOUT, "META": KEY_META, "DTYPE": KEY_DTYPE, "DISPATCH": KEY_DISPATCH, "PENDING": KEY_PENDING}

def set_slot(int slot, OperatorBase operator not None):
    """Set the operator behind a piece of Python's syntax, by its SLOT_ number."""
    SLOTS[slot] = operator


include "modes.pxi"

core_only(AutogradMeta)
if sizeof(State) != rl_tls_size():
    raise ImportError("rushlight.core.tensor: State (tensor.pxd) and rl_state (tensor_types.h) must be alike")

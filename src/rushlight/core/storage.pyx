"""Storage: a block of memory."""
from cpython.buffer cimport Py_buffer, PyBUF_FORMAT
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
cimport cython

from rushlight.core import devices as _places
from rushlight.core._native cimport c_alloc, c_free
from rushlight.core.base cimport UPCALLS, core_only, rl_attach
from rushlight.core.devices import CPU, META

cdef extern from "storage_types.h":
    ctypedef void (*dealloc_t)(PyObject*) noexcept
    void rl_patch_storage(PyObject*, dealloc_t)
    void rl_next_dealloc(PyObject*)

cdef char _nothing                     # the address of a buffer without bytes


@cython.no_gc           # `owner` is a buffer, a capsule or a map, from which no reference leads back here
@cython.freelist(128)
cdef class Storage:
    """A block of memory and its version counter; shared by the views on it. Supports the buffer protocol (bytes)."""

    def __cinit__(self):
        self.device = CPU

    def __init__(self, size=0, *, device=None):
        """Make a storage with memory of its own.

        Args:
            size: how many bytes, uninitialised, or the bytes themselves in a sequence of ints.
            device: the CPU, or meta.
        """
        if device is not None and _places.device_of(device) is META:
            self.device = META
        elif device is not None and _places.device_of(device) is not CPU:
            raise NotImplementedError(f"UntypedStorage(): 'device' must be the CPU; found {device}")
        if self.ptr != NULL:
            return                     # it exists already: a second call of __init__ changes nothing
        values = None
        if not hasattr(type(size), "__index__"):
            if not isinstance(size, (list, tuple, bytes, bytearray)):
                raise TypeError(
                    "UntypedStorage(): argument 'size' (position 1) must be int or a sequence of ints, not "
                    f"{type(size).__name__}")
            values = bytes(size)
            size = len(values)
        if size.__index__() < 0:
            raise RuntimeError(f"UntypedStorage(): 'size' must be at least 0; found {size}")
        self.resize_(size)
        if values and self.ptr != NULL:
            memcpy(self.ptr, <char*>values, self.size_bytes)

    def nbytes(self):
        """How many bytes it has."""
        return self.size_bytes

    def size(self):
        """How many elements it has, that is, bytes."""
        return self.size_bytes

    def __len__(self):
        return self.size_bytes

    def __repr__(self):
        shown = "..." if self.device is META else " " + "\n ".join([str(byte) for byte in self])
        return f"{shown}\n[torch.storage.UntypedStorage(device={self.device}) of size {self.size_bytes}]"

    def __sizeof__(self):
        """The bytes of the memory, and 64 bytes for the object, as in PyTorch, because programs print the sum."""
        return 64 + self.size_bytes

    def data_ptr(self):
        """The address of its first byte; 0 where there is none."""
        return <size_t>self.ptr if self.size_bytes else 0    # 0 on the meta device, where there is a size and no memory

    @property
    def _cdata(self):
        """A number that this storage alone has, by which programs find the tensors that share it."""
        return <size_t><void*>self

    def resizable(self):
        """Whether resize_ may change the size: the storage owns its memory, and nothing but tensors has seen its
        address.
        """
        return self.owner is None and not self.fixed and self.windows == 0 and (self.owned or self.ptr == NULL)

    def resize_(self, nbytes):
        """Change the size to `nbytes` bytes, keeping the contents that fit; returns the storage. Its tensors stay; one
        that then reaches beyond the end cannot be used.

        Raises:
            RuntimeError: the size is negative, or another object owns the memory or has seen its address (an array, a
                buffer).
            MemoryError: there is not enough memory.
        """
        cdef int64_t n
        cdef void* p
        if not hasattr(type(nbytes), "__index__"):
            raise TypeError(f"resize_(): argument 'nbytes' (position 1) must be int, not {type(nbytes).__name__}")
        wanted = nbytes.__index__()
        if wanted < 0:
            raise RuntimeError(f"resize_(): 'nbytes' must be at least 0; found {wanted}")
        if wanted > _MOST:
            raise RuntimeError(f"resize_(): 'nbytes' must be a number of 63 bits; found {wanted}: overflow")
        n = wanted
        if n == self.size_bytes and self.ptr != NULL:
            return self
        if self.device is META:
            self.size_bytes = n
            return self
        if not self.resizable():
            raise RuntimeError(
                "resize_(): Trying to resize storage that is not resizable: it is on memory of another owner, or an "
                "array, a buffer or another library has seen where it is")
        UPCALLS.flush("memory is shown to others")
        p = c_alloc(n)
        if p == NULL:
            raise MemoryError(f"cannot allocate {n} bytes (DefaultCPUAllocator: can't allocate memory)")
        if self.ptr != NULL:
            memcpy(p, self.ptr, min(n, self.size_bytes))
            if n < self.size_bytes:
                self.shrunk = True
            c_free(self.ptr, self.size_bytes)
        self.ptr, self.size_bytes, self.owned = p, n, True
        return self

    def __getbuffer__(self, Py_buffer* view, int flags):
        if not self.fixed:
            UPCALLS.flush("memory is shown to others")
        self.fixed = True              # for ever: NumPy, for one, releases the buffer and keeps the address
        describe_bytes(self, view, flags)
        view.obj = self

    def __releasebuffer__(self, Py_buffer* view):
        free(view.internal)            # for a tensor's buffer, too: see Tensor.__getbuffer__

    def __getitem__(self, index):
        return UPCALLS.storage_item(self, index, None, False)

    def __setitem__(self, index, value):
        UPCALLS.storage_item(self, index, value, True)

    def __reduce__(self):
        if self.device is META:
            return meta_storage, (self.size_bytes,)
        return _storage_from_bytes, (_bytes_of(self),)


cdef int describe(
        Py_buffer* view, int flags, void* p, const char* format, int item, int ndim, const int64_t* sizes,
        const int64_t* strides) except -1:
    """Fill in all of a buffer but its owner: elements of `item` bytes at p, strides in elements."""
    cdef Py_ssize_t* dims = <Py_ssize_t*>malloc((2 * ndim + 1) * sizeof(Py_ssize_t))
    cdef int i
    if dims == NULL:
        raise MemoryError("buffer")
    view.buf, view.len, view.itemsize, view.readonly, view.ndim = p, item, item, 0, ndim
    view.format = <char*>format if flags & PyBUF_FORMAT else NULL
    view.shape, view.strides, view.suboffsets, view.internal = dims, dims + ndim, NULL, dims
    for i in range(ndim):
        dims[i], dims[ndim + i] = sizes[i], strides[i] * item
        view.len *= sizes[i]
    return 0


cdef int describe_bytes(Storage s, Py_buffer* view, int flags) except -1:
    cdef int64_t one = 1
    if s.device is META:
        raise BufferError("a storage on the device 'meta' has no bytes")
    return describe(view, flags, s.ptr if s.ptr != NULL else <void*>&_nothing, b"B", 1, 1, &s.size_bytes, &one)


cdef object _MOST = 0x7FFFFFFFFFFFFFFF


cdef bytes _bytes_of(Storage s):
    return (<char*>s.ptr)[:s.size_bytes] if s.ptr != NULL else b""


cdef class _Window:
    """The buffer of a storage for reading and writing files: the storage stays in place while a memoryview lives, and
    may move afterwards.
    """
    cdef Storage storage

    def __getbuffer__(self, Py_buffer* view, int flags):
        describe_bytes(self.storage, view, flags)
        self.storage.windows += 1
        view.obj = self

    def __releasebuffer__(self, Py_buffer* view):
        self.storage.windows -= 1
        free(view.internal)


def contents(Storage s not None):
    """A memoryview of the contents for use within the library; unlike memoryview(storage) it does not fix the storage
    for ever.
    """
    UPCALLS.flush("memory is shown to others")
    cdef _Window window = _Window.__new__(_Window)
    window.storage = s
    return memoryview(window)


def _storage_from_bytes(data):
    cdef Storage s = new_storage(len(data))
    cdef const unsigned char[::1] view = data
    if len(data):
        memcpy(s.ptr, &view[0], len(data))
    return s


def storage_from_external(size_t address, int64_t nbytes, object owner):
    """A storage on memory that `owner` keeps alive; used for NumPy arrays, DLPack capsules and mapped files."""
    cdef Storage s = Storage.__new__(Storage)
    s.ptr = <void*>address
    s.size_bytes = nbytes
    s.owner = owner
    return s

cpdef Storage meta_storage(int64_t nbytes):
    """A storage on the meta device: a size and no memory."""
    cdef Storage s = Storage.__new__(Storage)
    s.device, s.size_bytes = META, nbytes
    return s


cdef Storage new_storage(int64_t nbytes):
    cdef Storage s = Storage.__new__(Storage)
    s.ptr = c_alloc(nbytes)
    if s.ptr == NULL:
        raise MemoryError(f"cannot allocate {nbytes} bytes (DefaultCPUAllocator: can't allocate memory)")
    s.size_bytes = nbytes
    s.owned = True
    return s


def move_storage(Storage s not None, Storage other not None):
    """Move `s`, and all tensors on it, to the memory of `other`, which must be as large; `other` cannot be used
    afterwards.
    """
    cdef Storage old
    if other.size_bytes != s.size_bytes:
        raise RuntimeError(f"a storage of {s.size_bytes} bytes cannot move to one of {other.size_bytes}")
    if s.fixed:                        # whoever has seen the old block keeps this storage alive, and thereby the block
        old = Storage.__new__(Storage)
        old.ptr, old.size_bytes, old.owned, old.owner, old.former = s.ptr, s.size_bytes, s.owned, s.owner, s.former
        s.former = old
    elif s.owned:
        c_free(s.ptr, s.size_bytes)
    s.ptr, s.owned, s.owner = other.ptr, other.owned, other.owner
    other.ptr, other.size_bytes, other.owned, other.owner = NULL, 0, False, None


def attach_storage(name, value):
    """Set an attribute of the class of storages."""
    rl_attach(Storage, name, value)


cdef void storage_dealloc(PyObject* o) noexcept:
    if (<Storage>o).owned:
        c_free((<Storage>o).ptr, (<Storage>o).size_bytes)
    rl_next_dealloc(o)

rl_patch_storage(<PyObject*>Storage, storage_dealloc)
core_only(_Window)

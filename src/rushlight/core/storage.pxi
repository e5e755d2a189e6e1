# Included by tensor.pyx: memory.
@cython.no_gc           # `owner` is a buffer, a capsule or a map: nothing that can lead back here
@cython.freelist(128)
cdef class Storage:
    """A block of memory and its version counter; shared by the views on it. Supports the buffer protocol (bytes)."""

    def __cinit__(self, int64_t nbytes=-1):
        self.device = CPU
        if nbytes >= 0:
            self.ptr = c_alloc(nbytes)
            if self.ptr == NULL:
                raise MemoryError(f"cannot allocate {nbytes} bytes")
            self.size_bytes = nbytes
            self.owned = True

    def nbytes(self):
        return self.size_bytes

    def size(self):
        return self.size_bytes

    def __len__(self):
        return self.size_bytes

    def data_ptr(self):
        return <size_t>self.ptr

    def resize_(self, int64_t nbytes):
        """Grow to `nbytes` bytes, keeping the contents; a smaller size is accepted and changes nothing. Tensors made before stay on the old block."""
        if self.owner is not None or not self.owned:
            raise RuntimeError("resize_(): the storage must own its memory; found memory of another owner")
        cdef Storage old
        cdef void* p
        if nbytes > self.size_bytes:
            p = c_alloc(nbytes)
            if p == NULL:
                raise MemoryError(f"cannot allocate {nbytes} bytes")
            memcpy(p, self.ptr, self.size_bytes)
            # Tensors hold addresses into the old block: it lives as long as this storage.
            old = Storage.__new__(Storage)
            old.ptr, old.size_bytes, old.owned = self.ptr, self.size_bytes, True
            old.former = self.former
            self.former = old
            self.ptr = p
            self.size_bytes = nbytes
        return self

    def __getbuffer__(self, Py_buffer* view, int flags):
        self.buf_shape[0] = self.size_bytes
        self.buf_strides[0] = 1
        view.buf = self.ptr
        view.obj = self
        view.len = self.size_bytes
        view.readonly = 0
        view.itemsize = 1
        view.format = b"B"
        view.ndim = 1
        view.shape = self.buf_shape
        view.strides = self.buf_strides
        view.suboffsets = NULL
        view.internal = NULL

    def __releasebuffer__(self, Py_buffer* view):
        pass

    def __reduce__(self):
        return _storage_from_bytes, (bytes(memoryview(self)),)


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

cdef Storage new_storage(int64_t nbytes):
    cdef Storage s = Storage.__new__(Storage)
    s.ptr = c_alloc(nbytes)
    if s.ptr == NULL:
        raise MemoryError(f"cannot allocate {nbytes} bytes (DefaultCPUAllocator: can't allocate memory)")
    s.size_bytes = nbytes
    s.owned = True
    return s

from cpython.buffer cimport Py_buffer
from libc.stdint cimport int64_t

cdef class Storage:
    cdef void* ptr
    cdef readonly int64_t size_bytes
    cdef bint owned
    cdef bint fixed            # others than tensors have seen the address: the memory stays where it is
    cdef bint lent             # and hold no more than a tensor on it: see Tensor.__getbuffer__
    cdef bint shrunk           # was made smaller: tensors on it may reach beyond its end
    cdef int windows           # buffers of the library's own that are open on it: see storage.pyx
    cdef object owner          # keeps external memory alive
    cdef Storage former        # a block that it lay on and others have seen
    cdef public int64_t version
    cdef int64_t stamp         # of the launch that last looked for tensors on the same memory, see execute.pyx
    cdef public object device
    cdef object __weakref__

cdef Storage new_storage(int64_t nbytes)
cpdef Storage meta_storage(int64_t nbytes)
cdef int describe(
    Py_buffer* view, int flags, void* p, const char* format, int item, int ndim, const int64_t* sizes,
    const int64_t* strides) except -1

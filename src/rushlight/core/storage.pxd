from cpython.buffer cimport Py_buffer
from libc.stdint cimport int64_t

cdef class Storage:
    cdef void* ptr
    cdef readonly int64_t size_bytes
    cdef bint owned
    cdef bint fixed            # other objects than tensors have seen the address: the memory must stay in place
    cdef bint lent             # and may keep alive only a tensor on it: see Tensor.__getbuffer__
    cdef bint shrunk           # it has shrunk: tensors on it may reach beyond its end
    cdef int windows           # how many buffers of the library itself are open on it: see storage.pyx
    cdef object owner          # keeps external memory alive
    cdef Storage former        # a former block that others have seen
    cdef public int64_t version
    cdef int64_t stamp   # of the last launch that looked for tensors on the same memory, see execute.pyx
    cdef public object device
    cdef object __weakref__

cdef Storage new_storage(int64_t nbytes)
cpdef Storage meta_storage(int64_t nbytes)
cdef int describe(
    Py_buffer* view, int flags, void* p, const char* format, int item, int ndim, const int64_t* sizes,
    const int64_t* strides) except -1

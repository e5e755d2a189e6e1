from libc.stdint cimport int64_t

cdef bint default_is_cpu()
cdef int code_of(object dtype, int default) except -2
cdef int plain_sizes(object size, int64_t* sizes, int64_t* total) except -2

"""Arrays of C made of Python's sequences, for what a plan hands to the core; their owner frees them."""
from libc.stdint cimport int64_t
from libc.stdlib cimport malloc


ctypedef fused integer:
    int
    int64_t


cdef inline integer* _filled(integer* p, values) except NULL:
    cdef int i
    if p == NULL:
        raise MemoryError("plan")
    for i in range(len(values)):
        p[i] = values[i]
    return p


cdef inline int* int_array(values) except NULL:
    return _filled(<int*>malloc((len(values) + 1) * sizeof(int)), values)


cdef inline int64_t* int64_array(values) except NULL:
    return _filled(<int64_t*>malloc((len(values) + 1) * sizeof(int64_t)), values)

"""Arrays of C made of Python's sequences, for what a plan hands to the core; their owner frees them."""
from libc.stdint cimport int64_t
from libc.stdlib cimport malloc


cdef inline int* int_array(values) except NULL:
    cdef int* p = <int*>malloc((len(values) + 1) * sizeof(int))
    cdef int i
    if p == NULL:
        raise MemoryError("plan")
    for i in range(len(values)):
        p[i] = values[i]
    return p


cdef inline int64_t* int64_array(values) except NULL:
    cdef int64_t* p = <int64_t*>malloc((len(values) + 1) * sizeof(int64_t))
    cdef int i
    if p == NULL:
        raise MemoryError("plan")
    for i in range(len(values)):
        p[i] = values[i]
    return p

from libc.stdint cimport int64_t
from rushlight.core.launch cimport Launch
from rushlight.core.library cimport Library

cdef class Fused:
    cdef Library product
    cdef Launch kernel
    cdef int buffer          # of the product's result
    cdef int at              # which of the kernel's operands that is

cdef Library product_in(object step)
cdef list launches_of(list steps)
cdef int run_fused(Fused s, int64_t* slots, void** buffers, int64_t* room) except -1

from libc.stdint cimport int64_t
from rushlight.core.storage cimport Storage

cdef class Library:
    cdef str name
    cdef object function
    cdef list views          # (buffer, code, offset slot, size slots, stride slots)
    cdef dict params
    cdef tuple ints
    cdef int n_in, routine
    cdef list sized, sized_lists       # parameters that are sizes, read from slots at each launch

cdef class Operands:
    cdef int n
    cdef int* buffers        # -1: a result that nobody wants
    cdef int* offsets
    cdef int* ranks
    cdef int* items
    cdef int* sizes          # n x MAX_DIMS slots
    cdef int* strides

cdef class Lapack(Operands):
    cdef int routine, dtype, nb
    cdef int64_t flags
    cdef object name, check

cdef class Panels:
    cdef int blas, item
    cdef int64_t columns
    cdef Storage memory

cdef object library_step(object s)
cdef Panels panels_of(Library s, int constants, int64_t* slots, void** buffers)
cdef int run_panels(Library s, Panels b, int64_t* slots, void** buffers) except -1
cdef int run_library(Library s, int64_t* slots, void** buffers) except -1
cdef int run_lapack(Lapack s, int64_t* slots, void** buffers) except -1

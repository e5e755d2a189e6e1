from libc.stdint cimport int64_t
from rushlight.core.tensor cimport Tensor

cdef int place_at(Tensor t, int64_t first) except -1
cdef int64_t span(Tensor t) except -1
cdef Tensor part_of(Tensor t, int dim, int64_t at, int64_t n, bint alone=*)
cdef void set_row_major(Tensor t, int ndim, const int64_t* sizes) noexcept
cpdef Tensor flat_of(Tensor t)
cdef void become(Tensor t, Tensor o) except *
cdef void set_meta(Tensor t, int code, tuple sizes, tuple strides) except *

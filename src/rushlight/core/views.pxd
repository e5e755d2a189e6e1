from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from rushlight.core.tensor cimport Tensor

cdef int64_t rank_in_range(int64_t n) except -1
cdef list view_steps(steps)
cdef Tensor tensor_view(Tensor t, int* steps, int n_steps, int64_t* slots, bint copies)
cdef void by_columns(Tensor t)
cdef bint lies_channels_last(Tensor t) noexcept
cdef void by_channels_last(Tensor t)
cdef void by_rows(Tensor t)
cdef list likes_as_ints(likes, int rank)
cdef int lay_among(Tensor t, PyObject** ts, int* likes, int n) except -1
cdef void lay_as(Tensor t, Tensor like)
cdef bint kept_strides(Tensor t, int64_t* strides) noexcept
cdef bint reshape_strides(int nd, int64_t* size, int64_t* stride, int nd2, int64_t* size2, int64_t* stride2)

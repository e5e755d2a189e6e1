from rushlight.core.tensor cimport Tensor

cdef Tensor metadata_of(Tensor t, unsigned int keys)
cdef Tensor shadow(Tensor t)
cdef bint alike(Tensor a, Tensor b)
cdef bint lie_alike(Tensor a, Tensor b)
cdef int lie_as(Tensor t, Tensor like) except -1
cdef int fulfil(Tensor t, Tensor o) except -1
cdef bint shared_outside(Tensor t) noexcept

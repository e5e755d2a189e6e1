from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from rushlight.core.dispatch cimport Usual
from rushlight.core.tensor cimport Tensor

cdef class Factory(Usual):
    cdef object value
    cdef int like, size, number, dtype, device, grad     # positions of parameters, -1 for those that it lacks
    cdef uint64_t left_out                               # a bit for each parameter that must be given
    cdef int place(self, str name) except -2
    cdef bint knows_sizes(self)
    cdef int known(self, PyObject** vals, unsigned int keys, int* code, int64_t* sizes, int64_t* n) except -2
    cdef int lay(self, PyObject** vals, Tensor like, int* code, int64_t* sizes, int64_t* n) except -2
    cdef Tensor new(
        self, PyObject** vals, int code, int ndim, const int64_t* sizes, int64_t n, const int64_t* strides)

cdef bint exact_double(object number, double* value) except -1
cdef int code_of(object dtype, int default) except -2
cdef int plain_sizes(object size, int64_t* sizes, int64_t* total) except -2

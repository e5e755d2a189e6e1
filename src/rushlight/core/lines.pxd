from cpython.object cimport PyObject
from rushlight.core.tensor cimport Tensor

cdef PyObject* user_line(int* lasti) except? NULL
cdef void note_write(Tensor t) except *

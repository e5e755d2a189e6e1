from cpython.object cimport PyObject

cdef void trim_error() noexcept


cdef inline PyObject* trimmed(PyObject* result) noexcept:
    """The result of a call; if it is NULL, the core's frames are taken out of the error."""
    if result == NULL:
        trim_error()
    return result

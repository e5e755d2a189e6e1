from cpython.object cimport PyObject

cdef void trim_error() noexcept


cdef inline PyObject* trimmed(PyObject* result) noexcept:
    """What a call gave; where that is NULL, the error is left without the core's frames."""
    if result == NULL:
        trim_error()
    return result

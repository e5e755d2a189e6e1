"""Functions of Python's C interface that Cython does not declare, or declares with a costlier type."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

cdef extern from "Python.h":
    bint PyBool_Check(object)
    bint PyComplex_Check(object)
    bint PyFloat_CheckExact(object)
    bint PyLong_CheckExact(object)
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1
    bint PyNumber_Check(object)
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t)
    Py_ssize_t PyTuple_GET_SIZE(PyObject*)
    void PyTuple_SET_ITEM(object, Py_ssize_t, PyObject*)
    PyObject* _PyType_Lookup(type, object)
    void* PyEval_GetFrame()


cdef inline PyObject* owned(object x) noexcept:
    """A new reference, which is what a function returns that Python calls itself."""
    Py_INCREF(x)
    return <PyObject*>x


cdef inline bint is_tensor_like(object x):
    """Whether the class of `x` has a `__torch_function__`."""
    if type(type(x)) is type:                # a metaclass of its own may look attributes up in another way
        return _PyType_Lookup(type(x), "__torch_function__") != NULL
    return hasattr(type(x), "__torch_function__")

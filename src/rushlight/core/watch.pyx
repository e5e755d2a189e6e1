"""The conditions on which a traced call relies, compared at once."""
from cpython.dict cimport PyDict_CheckExact, PyDict_GetItemWithError
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE

from rushlight.core.tensor cimport Tensor, tls

cdef extern from "Python.h":
    bint PyCell_Check(object)
    PyObject* PyCell_GET(object)


cdef inline PyObject* standing(object holder, object key, Py_ssize_t place) except? NULL:
    """The value in a dict under a key, in a list or a tuple at an index, or in a cell; NULL if there is none."""
    if PyDict_CheckExact(holder):
        return PyDict_GetItemWithError(holder, key)
    if PyCell_Check(holder):
        return PyCell_GET(holder)
    if PyList_CheckExact(holder):
        return PyList_GET_ITEM(holder, place) if 0 <= place < PyList_GET_SIZE(holder) else NULL
    return PyTuple_GET_ITEM(holder, place) if 0 <= place < PyTuple_GET_SIZE(holder) else NULL


cdef class Watch:
    """Whether a call fulfils the conditions of a known one.

    Args:
        count: how many arguments it has, all of them plain tensors.
        grad: whether gradients are recorded.
        empty: a list that must be empty.
        stands: (holder, key, value) of the values that must still be in a dict under a key, in a list or a tuple at an
            index, or in a cell.
    """
    cdef Py_ssize_t count
    cdef bint grad
    cdef list empty
    cdef tuple holders, keys, values
    cdef list places

    def __init__(self, Py_ssize_t count, bint grad, list empty not None, list stands not None):
        self.count, self.grad, self.empty = count, grad, empty
        self.places = []
        for holder, key, _ in stands:
            if not PyDict_CheckExact(holder) and not PyCell_Check(holder):
                if not PyList_CheckExact(holder) and not PyTuple_CheckExact(holder):
                    raise TypeError(f"Watch: a holder must be a dict, a list, a tuple or a cell; found {type(holder)}")
                self.places.append(key)
            else:
                self.places.append(0)
        self.holders = tuple([holder for holder, _, _ in stands])
        self.keys = tuple([key for _, key, _ in stands])
        self.values = tuple([value for _, _, value in stands])

    def holds(self, tuple args not None):
        """Whether a call with these arguments fulfils the conditions."""
        cdef Py_ssize_t i
        if PyTuple_GET_SIZE(args) != self.count or tls().grad_enabled != self.grad or PyList_GET_SIZE(self.empty):
            return False
        for i in range(self.count):
            if type(<object>PyTuple_GET_ITEM(args, i)) is not Tensor:
                return False
        for i in range(PyTuple_GET_SIZE(self.holders)):
            if standing(
                    <object>PyTuple_GET_ITEM(self.holders, i), <object>PyTuple_GET_ITEM(self.keys, i),
                    <Py_ssize_t>self.places[i]) != PyTuple_GET_ITEM(self.values, i):
                return False
        return True

"""The user's lines: an error about a value that an in-place call overwrote names the line that recorded it and the line
that wrote.

For each call the code object and the instruction of the nearest frame outside this package are kept; lines are looked
up when they are needed.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.stdint cimport int64_t, uint64_t

from rushlight.core import dtypes as _dtypes
from rushlight.core.python cimport PyEval_GetFrame
from rushlight.core.tensor cimport Tensor, version_of, writes_to

cdef extern from *:
    """
    #define RL_FRAME(f) ((PyFrameObject*)(f))
    #define PyFrame_GetBack_(f) ((PyObject*)PyFrame_GetBack(RL_FRAME(f)))
    #define PyFrame_GetCode_(f) ((PyObject*)PyFrame_GetCode(RL_FRAME(f)))
    #define PyFrame_GetLasti_(f) PyFrame_GetLasti(RL_FRAME(f))
    """
    PyObject* PyFrame_GetBack_(PyObject*)
    PyObject* PyFrame_GetCode_(PyObject*)
    int PyFrame_GetLasti_(PyObject*)

cdef struct _Known:
    PyObject* code
    bint library

cdef struct _Write:
    int64_t* counter
    int64_t version
    PyObject* code
    int lasti

cdef enum:
    KNOWN = 1024
    WRITES = 1024

cdef _Known[KNOWN] _known        # code objects seen lately, and whether they belong to this package
cdef _Write[WRITES] _writes      # the latest in-place calls
cdef int64_t _n_writes = 0
cdef str _PACKAGE = _dtypes.__file__.rpartition("core")[0]


cdef bint in_library(PyObject* code) except -1:
    # the upper 10 bits: of KNOWN
    cdef int i = <int>((<uint64_t><size_t>code * <uint64_t>0x9E3779B97F4A7C15ULL) >> 54)
    if _known[i].code != code:
        library = (<object>code).co_filename.startswith(_PACKAGE)
        Py_XDECREF(_known[i].code)
        Py_INCREF(<object>code)
        _known[i].code, _known[i].library = code, library
    return _known[i].library


cdef PyObject* user_line(int* lasti) except? NULL:
    """The code object (a new reference, or NULL) and the instruction of the nearest frame outside the package."""
    cdef PyObject* frame = <PyObject*>PyEval_GetFrame()
    cdef PyObject* code
    cdef PyObject* back
    cdef bint owned = False
    while frame != NULL:
        code = PyFrame_GetCode_(frame)
        if not in_library(code):
            lasti[0] = PyFrame_GetLasti_(frame)
            if owned:
                Py_XDECREF(frame)
            return code
        Py_XDECREF(code)
        back = PyFrame_GetBack_(frame)
        if owned:
            Py_XDECREF(frame)
        frame, owned = back, True
    return NULL


cdef void note_write(Tensor t) except *:
    """Remember which line wrote to a storage."""
    global _n_writes
    cdef _Write* w = &_writes[_n_writes & (WRITES - 1)]
    _n_writes += 1
    Py_XDECREF(w.code)
    w.code = NULL
    w.code = user_line(&w.lasti)
    w.counter, w.version = writes_to(t), version_of(t)


def line_of(code, int lasti):
    """'file:line' of an instruction."""
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= lasti < end and number is not None:
            line = number
    return f"{code.co_filename}:{line} (in {code.co_name})"


def writer_of(Tensor t not None, int64_t version):
    """The line that first wrote to the storage of `t` after `version`; None if that call is no longer remembered."""
    cdef int64_t i
    cdef _Write* w
    # newest first: an address may have belonged to an older storage
    for i in range(_n_writes - 1, max(_n_writes - WRITES, 0) - 1, -1):
        w = &_writes[i & (WRITES - 1)]
        if w.counter == writes_to(t) and w.version == version + 1:
            return None if w.code == NULL else line_of(<object>w.code, w.lasti)
    return None

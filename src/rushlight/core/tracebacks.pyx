"""Tracebacks without the library's own lines, for errors that leave an operator."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
import os

from rushlight.core.python cimport PyEval_GetFrame

cdef extern from "Python.h":
    void PyErr_Fetch(PyObject**, PyObject**, PyObject**)
    void PyErr_Restore(PyObject*, PyObject*, PyObject*)

cdef str PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
# Code that runs beneath an operator looks at where an error of another operator comes from
# (operators/table/arguments.py), so only the entry of the outer operator trims.
cdef tuple BENEATH = tuple(
    [PACKAGE + name + os.sep for name in ("operators", "func", "transforms", "compiler", "prims", "program", "core")])
cdef bint frames_hidden = os.environ.get("RUSHLIGHT_TRACEBACK") != "full"


def hide_frames(bint hide):
    """Set whether errors leave out the library's own frames; returns the previous setting."""
    global frames_hidden
    before = frames_hidden
    frames_hidden = hide
    return before


def frames_are_hidden():
    """Whether errors leave out the library's own frames."""
    return frames_hidden


cdef bint is_own(object tb) except -1:
    cdef str name = tb.tb_frame.f_code.co_filename
    # Compiled code is recognized by its source file, wherever it was built.
    return name.startswith(PACKAGE) or name.endswith((".pyx", ".pxi")) and "rushlight/core/" in name


cpdef object visible(object tb):
    """A traceback without the library's own frames, but with those of the program between them; None if nothing is
    left.

    The entries are relinked in place: no Python code runs here, and hence no handler of a signal.
    """
    cdef object first = None, last = None, entry = tb
    while entry is not None:
        if not is_own(entry):
            if first is None:
                first = entry
            else:
                last.tb_next = entry
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None
    return first


cdef void trim_error() noexcept:
    """Leave the library's frames out of the traceback of the error in flight."""
    cdef PyObject* kind = NULL
    cdef PyObject* value = NULL
    cdef PyObject* tb = NULL
    cdef object shown
    if not frames_hidden:
        return
    cdef void* caller = PyEval_GetFrame()
    if caller != NULL and (<str>(<object><PyObject*>caller).f_code.co_filename).startswith(BENEATH):
        return
    PyErr_Fetch(&kind, &value, &tb)
    if tb != NULL:
        try:
            shown = visible(<object>tb)
        except BaseException:      # out of memory at worst: the error in flight is raised with all its frames
            shown = <object>tb
        Py_XDECREF(tb)
        tb = NULL
        if shown is not None:
            Py_INCREF(shown)
            tb = <PyObject*>shown
    PyErr_Restore(kind, value, tb)

/* Classes whose instances the core alone can make: Python gets no unfinished one, by cls.__new__, copying or unpickling. */
#ifndef RL_TYPES_H
#define RL_TYPES_H
#include <Python.h>

static PyObject *rl_refuse_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    (void)args, (void)kwargs;
    PyErr_Format(PyExc_TypeError, "cannot create '%s' instances: the core makes them", type->tp_name);
    return NULL;
}

/* Cython's own `C.__new__(C)` calls the function that was in the slot, and goes on working. */
static void rl_core_only(PyObject *type) {
    ((PyTypeObject *)type)->tp_new = rl_refuse_new;
    ((PyTypeObject *)type)->tp_vectorcall = NULL; /* a short cut to the old function */
    PyType_Modified((PyTypeObject *)type);
}
#endif

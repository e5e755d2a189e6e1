/* Changes to the core's types that are made when it is loaded. */
#ifndef RL_TYPES_H
#define RL_TYPES_H
#include <Python.h>

/* Make a class one whose instances only the core can make: Python gets no unfinished ones, by cls.__new__, copying or
 * unpickling. */
static PyObject *rl_refuse_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    (void)args, (void)kwargs;
    PyErr_Format(PyExc_TypeError, "cannot create '%s' instances: the core makes them", type->tp_name);
    return NULL;
}

/* Cython's own `C.__new__(C)` calls the function that was in the slot, and still works. */
static void rl_core_only(PyObject *type) {
    ((PyTypeObject *)type)->tp_new = rl_refuse_new;
    ((PyTypeObject *)type)->tp_vectorcall = NULL; /* a short cut to the old function */
    PyType_Modified((PyTypeObject *)type);
}

/* Set an attribute of a type. */
static int rl_attach(PyObject* type, PyObject* name, PyObject* value) {
    int r = PyDict_SetItem(((PyTypeObject*)type)->tp_dict, name, value);
    PyType_Modified((PyTypeObject*)type);
    return r;
}

/* Delete an attribute of a type. */
static int rl_withdraw(PyObject* type, PyObject* name) {
    int r = PyDict_DelItem(((PyTypeObject*)type)->tp_dict, name);
    PyType_Modified((PyTypeObject*)type);
    return r;
}
#endif

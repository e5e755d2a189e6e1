/* Thread-local state, and tuples of sizes. Included by tensor.pyx alone. */
#ifndef RL_TENSOR_TYPES_H
#define RL_TENSOR_TYPES_H
#include <Python.h>
typedef struct {
    int grad_enabled;
    int inference;
    int modes;
    int readers;
    int no_subclass;
    int building;
    int marking;
    PyObject* tape;
} rl_state; /* State of tensor.pxd */
static __thread rl_state rl_tls = {1, 0, 0, 0, 0, 0, 0, NULL};
#define rl_tls_size() ((int)sizeof(rl_state))
#define rl_get_tls() ((void*)&rl_tls)
static PyObject* rl_new_size(PyObject* type, Py_ssize_t n) {
    /* an instance of a subclass of tuple, without items; tuple.__new__ would need them in a list, and copy it */
    PyObject* t = PyType_GenericAlloc((PyTypeObject*)type, n);
#if PY_VERSION_HEX >= 0x030E0000
    if (t) ((PyTupleObject*)t)->ob_hash = -1;        /* not yet computed: from Python 3.14 on a tuple keeps its hash */
#endif
    return t;
}
#endif

/* A deallocator of storages that does not save and restore the error state, as Cython's does. Included by storage.pyx
 * alone. */
#ifndef RL_STORAGE_TYPES_H
#define RL_STORAGE_TYPES_H
#include <Python.h>

static destructor rl_storage_dealloc0;
static void rl_next_dealloc(PyObject* o) { rl_storage_dealloc0(o); }
static void rl_patch_storage(PyObject* type, destructor d) {
    rl_storage_dealloc0 = ((PyTypeObject*)type)->tp_dealloc;
    ((PyTypeObject*)type)->tp_dealloc = d;
}
#endif

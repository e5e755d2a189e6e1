/* The parts of types for which Cython has no syntax. Included by patched.pyx alone. */
#ifndef RL_PATCHED_TYPES_H
#define RL_PATCHED_TYPES_H
#include <Python.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* Two things that Cython does at too high a cost: it makes an attribute dictionary with every instance (ours is made at
 * its first use), and its deallocator saves and restores the error state. */
static destructor rl_tensor_dealloc0;
static traverseproc rl_tensor_traverse0;
static inquiry rl_tensor_clear0;
static Py_ssize_t rl_tensor_dict;
#define RL_DICT(o) ((PyObject**)((char*)(o) + rl_tensor_dict))
static void rl_tensor_dealloc(PyObject* o) {
    PyObject* d = *RL_DICT(o);
    if (d) { *RL_DICT(o) = NULL; Py_DECREF(d); }
    rl_tensor_dealloc0(o);
}
static int rl_tensor_traverse(PyObject* o, visitproc visit, void* arg) {
    Py_VISIT(*RL_DICT(o));
    return rl_tensor_traverse0(o, visit, arg);
}
static int rl_tensor_clear(PyObject* o) {
    Py_CLEAR(*RL_DICT(o));
    return rl_tensor_clear0(o);
}
/* Tensor.__new__ of Python, also for a subclass, makes a complete tensor from its arguments; the core's own `__new__`
 * makes a bare one. There is no __init__: the arguments of a subclass's own __init__ are not for the tensor. */
static newfunc rl_tensor_new0;
static int (*rl_complete)(PyObject*);
static PyObject* (*rl_construct)(PyObject*, PyObject*, PyObject*);
static PyObject* rl_tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    if (PyTuple_GET_SIZE(args) || (kwargs && PyDict_GET_SIZE(kwargs)))
        return rl_construct((PyObject*)type, args, kwargs);
    PyObject* o = rl_tensor_new0(type, args, NULL);
    if (o && rl_complete(o) < 0) { Py_DECREF(o); return NULL; }
    return o;
}
static void rl_patch_tensor(PyObject* type, Py_ssize_t dict, int (*complete)(PyObject*),
                            PyObject* (*construct)(PyObject*, PyObject*, PyObject*)) {
    PyTypeObject* t = (PyTypeObject*)type;
    rl_tensor_dict = t->tp_dictoffset = dict;
    rl_tensor_dealloc0 = t->tp_dealloc; t->tp_dealloc = rl_tensor_dealloc;
    rl_tensor_traverse0 = t->tp_traverse; t->tp_traverse = rl_tensor_traverse;
    rl_tensor_clear0 = t->tp_clear; t->tp_clear = rl_tensor_clear;
    rl_tensor_new0 = t->tp_new;
    t->tp_new = rl_tensor_new;
    t->tp_vectorcall = NULL;
    rl_complete = complete;
    rl_construct = construct;
    PyType_Modified(t);
}
/* Attributes and methods that are not operators, as Python reads them from the class: first `__torch_function__` of the
 * instance's class is tried, and modes that see reads. Plain tensors pay two comparisons. */
typedef struct {
    PyObject_HEAD vectorcallfunc call;
    PyObject *inner, *name;
    descrgetfunc get;
    descrsetfunc set;
} rl_guarded;
static PyTypeObject *rl_tensor_type;
static const int* rl_readers;     /* READERS of tensor.pxd */
static int (*rl_is_overridden)(PyObject*);
static PyObject* (*rl_overridden)(PyObject*, PyObject*, PyObject*, PyObject*);
#define RL_ASKED(o) \
    ((Py_TYPE(o) != rl_tensor_type || *rl_readers) && PyObject_TypeCheck(o, rl_tensor_type) && rl_is_overridden(o))
static PyObject* rl_guarded_get(PyObject* d, PyObject* o, PyObject* type) {
    if (!o) return Py_NewRef(d);
    if (RL_ASKED(o)) return rl_overridden(d, o, NULL, NULL);
    return ((rl_guarded*)d)->get(((rl_guarded*)d)->inner, o, type);
}
static int rl_guarded_set(PyObject* d, PyObject* o, PyObject* value) {
    if (!((rl_guarded*)d)->set) {
        PyErr_Format(PyExc_AttributeError, "attribute of '%s' objects is not writable", Py_TYPE(o)->tp_name);
        return -1;
    }
    if (RL_ASKED(o)) {
        PyObject* r = rl_overridden(d, o, value, value ? NULL : Py_None);
        Py_XDECREF(r);
        return r ? 0 : -1;
    }
    return ((rl_guarded*)d)->set(((rl_guarded*)d)->inner, o, value);
}
static PyObject* rl_guarded_attribute(PyObject* d, PyObject* name) {
    PyObject* found = PyObject_GenericGetAttr(d, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    if (PyUnicode_CompareWithASCIIString(name, "__name__") == 0)
        return Py_NewRef(((rl_guarded*)d)->name); /* a property has no name */
    if (PyUnicode_CompareWithASCIIString(name, "__qualname__") == 0 && !PyObject_HasAttr(((rl_guarded*)d)->inner, name))
        return PyUnicode_FromFormat("TensorBase.%U", ((rl_guarded*)d)->name);
    return PyObject_GetAttr(((rl_guarded*)d)->inner, name);
}
static void rl_guarded_dealloc(PyObject* d) {
    Py_XDECREF(((rl_guarded*)d)->inner);
    Py_XDECREF(((rl_guarded*)d)->name);
    Py_TYPE(d)->tp_free(d);
}
static PyObject* rl_guarded_repr(PyObject* d) { return PyObject_Repr(((rl_guarded*)d)->inner); }
static PyTypeObject rl_attribute_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "rushlight.getset_descriptor",
    .tp_basicsize = sizeof(rl_guarded),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = rl_guarded_dealloc,
    .tp_descr_get = rl_guarded_get,
    .tp_descr_set = rl_guarded_set,
    .tp_getattro = rl_guarded_attribute,
    .tp_repr = rl_guarded_repr,
};
static PyObject* rl_method_get(PyObject* d, PyObject* o, PyObject* type) {
    (void)type;
    return o ? PyMethod_New(d, o) : Py_NewRef(d);
}
static PyObject* rl_method_call(PyObject* d, PyObject* const* args, size_t n, PyObject* names) {
    if (PyVectorcall_NARGS(n) && RL_ASKED(args[0])) {
        PyObject *all = PyTuple_New(PyVectorcall_NARGS(n)), *kw = PyDict_New(), *r = NULL;
        Py_ssize_t i, m = PyVectorcall_NARGS(n), k = names ? PyTuple_GET_SIZE(names) : 0;
        if (all && kw) {
            int bad = 0;
            for (i = 0; i < m; i++) PyTuple_SET_ITEM(all, i, Py_NewRef(args[i]));
            for (i = 0; i < k && !bad; i++) bad = PyDict_SetItem(kw, PyTuple_GET_ITEM(names, i), args[m + i]);
            if (!bad) r = rl_overridden(d, args[0], all, kw);
        }
        Py_XDECREF(all); Py_XDECREF(kw);
        return r;
    }
    return PyObject_Vectorcall(((rl_guarded*)d)->inner, args, n, names);
}
static PyTypeObject rl_method_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "rushlight.method_descriptor",
    .tp_basicsize = sizeof(rl_guarded),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_vectorcall_offset = offsetof(rl_guarded, call),
    .tp_call = PyVectorcall_Call,
    .tp_dealloc = rl_guarded_dealloc,
    .tp_descr_get = rl_method_get,
    .tp_getattro = rl_guarded_attribute,
    .tp_repr = rl_guarded_repr,
};
static PyObject* rl_guard(PyObject* inner, PyObject* name, int method) {
    PyTypeObject* type = method ? &rl_method_type : &rl_attribute_type;
    if (PyType_Ready(type) < 0) return NULL;
    rl_guarded* d = PyObject_New(rl_guarded, type);
    if (!d) return NULL;
    d->call = rl_method_call; d->inner = Py_NewRef(inner); d->name = Py_NewRef(name);
    d->get = Py_TYPE(inner)->tp_descr_get; d->set = Py_TYPE(inner)->tp_descr_set;
    return (PyObject*)d;
}
/* Programs patch the class Tensor as one written in Python. Only a flag closes a static type to that: the work of
 * `type` for an assignment (on the dictionary, the version tag, and the slots of the type and of its subclasses) is the
 * same for every type. Only its name and its bases are stored in a part that a static type lacks; the metaclass handles
 * those. */
static void rl_open_type(PyObject* type, PyObject* meta) {
    PyTypeObject* t = (PyTypeObject*)type;
    rl_tensor_type = t;
    Py_SET_TYPE(t, (PyTypeObject*)Py_NewRef(meta));
    t->tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE;
    PyType_Modified(t);
}
/* Cython writes `__sub__` and `__rsub__` as two methods, where Python has two wrappers of one slot. A subclass of such
 * a type gets Python's general function in the slot, which looks both up at every call, and tries the subclass's
 * `__rsub__` before the base's `__sub__`. So the wrappers are put in place of the methods: those of int show how each
 * is made. */
static int rl_faces(PyObject* type) {
    static const char* names[] = {"add", "sub", "mul", "truediv", "floordiv", "mod", "pow",
                                  "and", "or",  "xor", "lshift",  "rshift",   NULL};
    char full[24];
    for (int i = 0; names[i]; i++)
        for (int reflected = 0; reflected < 2; reflected++) {
            snprintf(full, sizeof full, "__%s%s__", reflected ? "r" : "", names[i]);
            PyObject* model = PyObject_GetAttrString((PyObject*)&PyLong_Type, full);
            if (!model) return -1;
            if (Py_IS_TYPE(model, &PyWrapperDescr_Type)) {
                struct wrapperbase* base = ((PyWrapperDescrObject*)model)->d_base;
                size_t at = (size_t)base->offset - offsetof(PyHeapTypeObject, as_number);
                PyObject* made = PyDescr_NewWrapper((PyTypeObject*)type, base,
                                                    *(void**)((char*)((PyTypeObject*)type)->tp_as_number + at));
                if (!made || PyDict_SetItemString(((PyTypeObject*)type)->tp_dict, full, made) < 0) {
                    Py_XDECREF(made);
                    Py_DECREF(model);
                    return -1;
                }
                Py_DECREF(made);
            }
            Py_DECREF(model);
        }
    PyType_Modified((PyTypeObject*)type);
    return 0;
}
/* The module and name of a static type are one string, which lives as long as the type, that is, for ever. */
static int rl_name_type(PyObject* type, const char* name) {
    char* copy = PyMem_RawMalloc(strlen(name) + 1);
    if (!copy) { PyErr_NoMemory(); return -1; }
    ((PyTypeObject*)type)->tp_name = strcpy(copy, name);
    PyType_Modified((PyTypeObject*)type);
    return 0;
}
/* x.shape[0] as fast as that of a tuple: a slice of a Size is a Size, and Python would be called for ints, too. */
static PyObject* rl_size_subscript(PyObject* s, PyObject* i) {
    PyObject* r = PyTuple_Type.tp_as_mapping->mp_subscript(s, i);
    if (!r || !PySlice_Check(i)) return r;
    PyObject* args = PyTuple_Pack(1, r);            /* tuple.__new__, because its items are sizes already */
    Py_DECREF(r);
    PyObject* size = args ? PyTuple_Type.tp_new(Py_TYPE(s), args, NULL) : NULL;
    Py_XDECREF(args);
    return size;
}
static void rl_patch_size(PyObject* type) {
    ((PyTypeObject*)type)->tp_as_mapping->mp_subscript = rl_size_subscript;
    PyType_Modified((PyTypeObject*)type);
}
#endif

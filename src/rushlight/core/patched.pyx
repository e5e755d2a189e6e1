"""The parts of the types for which Cython has no syntax, and the results of their `__new__`."""
from cpython.object cimport PyObject

from rushlight.core import dtypes as _dtypes
from rushlight.core.base cimport DEFAULT_DTYPE, ITEMSIZE, UPCALLS, rl_attach
from rushlight.core.devices import CPU, Size, device as _device
from rushlight.core.python cimport owned
from rushlight.core.raw cimport become, set_meta
from rushlight.core.storage cimport Storage
from rushlight.core.tensor cimport (
    KEY_META, KEY_SPECIAL, KEY_SUBCLASS, KEY_TRACE, KEY_TRANSFORM, READERS, Tensor, is_overridden, mark_inference,
    set_requires_grad, unmade)

cdef extern from "patched_types.h":
    ctypedef int (*complete_t)(PyObject*) except -1
    ctypedef PyObject* (*construct_t)(PyObject*, PyObject*, PyObject*) except NULL
    void rl_patch_tensor(PyObject*, Py_ssize_t, complete_t, construct_t)
    void rl_patch_size(PyObject*)
    void rl_open_type(PyObject*, PyObject*)
    int rl_name_type(PyObject*, const char*) except -1
    object rl_guard(PyObject*, object, int)
    int rl_faces(PyObject*) except -1
    const int* rl_readers
    int (*rl_is_overridden)(PyObject*) noexcept
    PyObject* (*rl_overridden)(PyObject*, PyObject*, PyObject*, PyObject*) except NULL

cdef PyObject* construct(PyObject* cls, PyObject* args, PyObject* kwargs) except NULL:
    """Tensor.__new__ with arguments: an instance of `cls`."""
    if len(<tuple>args) == 1 and (kwargs is NULL or not <dict>kwargs) and isinstance((<tuple>args)[0], Tensor):
        made = UPCALLS.as_subclass((<tuple>args)[0], <object>cls)
    else:
        made = UPCALLS.legacy_constructor(<object>cls, <tuple>args, {} if kwargs is NULL else <dict>kwargs)
    return owned(made)


cdef int complete(PyObject* o) except -1:
    """Make the result of Tensor.__new__ without arguments an empty tensor; one that stands for another value gets no
    memory.
    """
    cdef Tensor t = <Tensor>o
    if t.keys & KEY_SPECIAL & ~KEY_SUBCLASS:
        return 0
    t.storage = Storage.__new__(Storage)
    t.code = DEFAULT_DTYPE[0].code
    t.itemsize_ = ITEMSIZE[t.code]
    t.ndim_, t.sizes[0], t.strides[0] = 1, 0, 1
    t.contiguous_ = True
    mark_inference(t)
    return 0


cdef void _patch_types() except *:
    cdef Tensor probe = unmade()
    rl_patch_size(<PyObject*>Size)
    rl_patch_tensor(<PyObject*>Tensor, <char*>&probe.attributes - <char*><PyObject*>probe, complete, construct)

    global rl_is_overridden, rl_overridden, rl_readers
    rl_is_overridden, rl_overridden, rl_readers = is_overridden, overridden, &READERS[0]
    rl_faces(<PyObject*>Tensor)
    rl_open_type(<PyObject*>Tensor, <PyObject*>_TensorMeta)


class _TensorMeta(type):
    """The class of Tensor, whose attributes may be set and deleted."""

    __module__ = "rushlight.core.tensor"     # where Tensor is: Python finds the module of a compiled class here

    def __setattr__(cls, name, value):
        if cls is Tensor:
            if name in ("__name__", "__qualname__", "__bases__"):
                raise TypeError(f"cannot set '{name}' of 'Tensor': it is a compiled class")
            if name == "__module__":
                name_class(Tensor, f"{value}.Tensor")
                return
        type.__setattr__(cls, name, value)


def name_class(cls, str name):
    """Set the module and name of a compiled class, 'torch.Tensor': they are part of its type, not attributes."""
    rl_name_type(<PyObject*>cls, name.encode())
    rl_attach(cls, "__module__", name.rpartition(".")[0])       # otherwise Python finds that of the metaclass


cdef PyObject* overridden(PyObject* what, PyObject* o, PyObject* args, PyObject* kwargs) except NULL:
    """Let `__torch_function__` handle the read of an attribute, its assignment (args: the value), its deletion (kwargs:
    None), or the call of a method (args, kwargs).
    """
    guarded = <object>what
    if kwargs == <PyObject*>None:
        result = UPCALLS.overridden(guarded, "__delete__", (<object>o,), {})
    elif kwargs != NULL:
        result = UPCALLS.overridden(guarded, None, <object>args, <object>kwargs)
    elif args != NULL:
        result = UPCALLS.overridden(guarded, "__set__", (<object>o, <object>args), {})
    else:
        result = UPCALLS.overridden(guarded, "__get__", (<object>o,), {})
    return owned(result)


def guard(names):
    """Let `__torch_function__` handle these attributes and methods of Tensor, as it does operators."""
    for name in names:
        inner = vars(Tensor)[name]
        rl_attach(Tensor, name, rl_guard(<PyObject*>inner, name, not hasattr(type(inner), "__set__")))


def _make_subclass(
        cls, Tensor data, bint require_grad=False, *, dispatch_sizes_strides_policy=None, dispatch_device=False,
        dispatch_layout=False, device_for_backend_keys=None):
    """An instance of subclass `cls` on the memory of `data`."""
    cdef Tensor t = Tensor.__new__(cls)
    become(t, data)
    t.inference_ = data.inference_
    if data.keys & (KEY_TRACE | KEY_TRANSFORM):
        raise RuntimeError("_make_subclass(): data must be a plain tensor")
    if require_grad:
        set_requires_grad(t, True)
    return t


def _make_wrapper_subclass(
        cls, size, *, strides=None, storage_offset=0, dtype=None, layout=None, device=None, requires_grad=False,
        **ignored):
    """An instance of subclass `cls` with metadata and no memory of its own, for `__torch_dispatch__` wrappers."""
    cdef Tensor t = Tensor.__new__(cls)
    set_meta(t, (dtype or _dtypes.float32).code, tuple(size), None if strides is None else tuple(strides))
    t.storage = None
    t.keys |= KEY_META
    t._device = CPU if device is None else _device(device)
    t.rg = requires_grad
    return t


_patch_types()
for _function in (_make_subclass, _make_wrapper_subclass):
    rl_attach(Tensor, _function.__name__, staticmethod(_function))

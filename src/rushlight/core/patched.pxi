# Included by tensor.pyx: what the types do that Cython has no syntax for, and what Python gets from their __new__.
cdef PyObject* construct(PyObject* cls, PyObject* args, PyObject* kwargs) except NULL:
    """What Python gets from Tensor.__new__ with arguments: an instance of `cls`."""
    if len(<tuple>args) == 1 and (kwargs is NULL or not <dict>kwargs) and isinstance((<tuple>args)[0], Tensor):
        made = UPCALLS.as_subclass((<tuple>args)[0], <object>cls)
    else:
        made = UPCALLS.legacy_constructor(<object>cls, <tuple>args, {} if kwargs is NULL else <dict>kwargs)
    Py_INCREF(made)
    return <PyObject*>made

cdef int complete(PyObject* o) except -1:
    """Make a tensor that Python gets from Tensor.__new__ without arguments an empty one; what stands for another value
    has no memory.
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

for _class in (AutogradMeta,):
    core_only(_class)

cdef void _patch_types() except *:
    cdef Tensor probe = Tensor.__new__(Tensor)
    rl_patch_size(<PyObject*>Size)
    rl_patch_tensor(<PyObject*>Tensor, <char*>&probe.attributes - <char*><PyObject*>probe, complete, construct)

    global rl_is_overridden, rl_overridden
    rl_is_overridden, rl_overridden = is_overridden, overridden
    rl_faces(<PyObject*>Tensor)
    rl_open_type(<PyObject*>Tensor, <PyObject*>_TensorMeta)


class _TensorMeta(type):
    """The class of Tensor: a class to which attributes may be given, and taken away again."""

    def __setattr__(cls, name, value):
        if cls is Tensor:
            if name in ("__name__", "__qualname__", "__bases__"):
                raise TypeError(f"cannot set '{name}' of 'Tensor': it is a compiled class")
            if name == "__module__":
                name_class(Tensor, f"{value}.Tensor")
                return
        type.__setattr__(cls, name, value)


def name_class(cls, str name):
    """Give a compiled class its module and name, 'torch.Tensor': they are part of its type, not attributes."""
    rl_name_type(<PyObject*>cls, name.encode())
    rl_attach(cls, "__module__", name.rpartition(".")[0])       # else Python finds the metaclass's


cdef int is_overridden(PyObject* o) noexcept:
    cdef State* state = tls()
    return (state.readers and state.modes) or (not state.no_subclass and (<Tensor>o).keys & KEY_SUBCLASS)


cdef inline bint asks(Tensor t) noexcept:
    """Whether the tensor's class may have a say in what Python's syntax does with it."""
    return is_overridden(<PyObject*>t)

cdef object number_in(Tensor t):
    """item(), which a class's handler may have do anything: a tensor in the place of a number would come back here, for
    ever.
    """
    found = t.item()
    if isinstance(found, Tensor):
        raise TypeError(f"item() of a {type(t).__name__} must give a number; found {type(found).__name__}")
    return found

cdef object one_number(Tensor t, str what, bint real):
    """The number that Python's `float` and its kin make of a tensor: ValueError unless it has one element, RuntimeError
    for a complex one where a `real` one is wanted.
    """
    if t.numel_ != 1 and not t.keys:
        raise ValueError(f"{what}(): a tensor of one element becomes a number; found {t.numel_} elements")
    found = number_in(t)
    if real and type(found) is complex:
        if found.imag != 0:
            raise RuntimeError(f"{what}(): a complex number with an imaginary part is no real number; found {found}")
        return found.real
    return found

cdef object ask_class(Tensor t, str name, tuple args):
    """Let the class's `__torch_function__` do a piece of Python's syntax; NotImplemented where it has none."""
    return UPCALLS.asked(getattr(Tensor, name), (t, *args))


cdef PyObject* overridden(PyObject* what, PyObject* o, PyObject* args, PyObject* kwargs) except NULL:
    """Offer the reading of an attribute, its setting (args: the value), its deletion (kwargs: None), or the call of a
    method (args, kwargs) to `__torch_function__`.
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
    Py_INCREF(result)
    return <PyObject*>result


def guard(names):
    """Let `__torch_function__` see these attributes and methods of Tensor, as it sees the operators."""
    for name in names:
        inner = vars(Tensor)[name]
        rl_attach(Tensor, name, rl_guard(<PyObject*>inner, name, not hasattr(type(inner), "__set__")))


_patch_types()


cdef inline bint foreign(object x) except -1:
    """Whether an operand of Python's syntax is for its own class to handle: no tensor, no number, nothing that
    overrides operators.
    """
    if isinstance(x, (Tensor, float, int, complex)):
        return False
    return not UPCALLS.is_number(x) and not UPCALLS.is_tensor_like(x)


cdef int scalar_of_recorded(str kind) except -1:
    UPCALLS.warn(f"{kind}(): the tensor requires grad, and the number does not; write {kind}(x.detach())", UserWarning, "number of a tensor that requires grad")
    return 0

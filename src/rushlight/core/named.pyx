"""An operator under other names, with other parameters, and as a method."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
cimport cython

from rushlight.core.base cimport UPCALLS, OperatorBase
from rushlight.core.dispatch cimport (
    Operator, Written, bind_defaults, bind_keywords, install_vectorcall, quiet_vectorcall, unfinished_vectorcall,
    vectorcallfunc)
from rushlight.core.flatten cimport MAX_PARAMS, Param, shown_signature
from rushlight.core.python cimport is_tensor_like, owned
from rushlight.core.tensor cimport Tensor, tls
from rushlight.core.tracebacks cimport trimmed

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)
    object PyMethod_New(object, object)

cdef enum:
    NOWHERE = -1     # the place of a parameter without effect
    CHOICE = -2      # the place of a parameter that chooses the operator's twin


@cython.final
cdef class Form:
    """How a public name takes its arguments, if that differs from the operator: `relu(input, inplace=False)`,
    `softmax(input, dim, _stacklevel, dtype)`.

    Args:
        op: the operator.
        params: the parameters of the form; one that the operator lacks has no effect.
        twin: the operator that is called if the parameter `choice` is true: for `inplace` the in-place variant.
        convert: by name, functions from (its name, the given value) to the operator's value.
        none: by name, what the operator is given for None.
        same: by name, the operator's name for a parameter that has another one.
        choice: see `twin`.
    """
    cdef readonly tuple params
    cdef Operator op
    cdef readonly Operator twin
    cdef readonly dict converters, same
    cdef dict index
    cdef int n
    cdef int places[MAX_PARAMS]
    cdef PyObject* defaults[MAX_PARAMS]  # NULL: the argument is required
    cdef PyObject* of_none[MAX_PARAMS]
    cdef PyObject* convert[MAX_PARAMS]   # NULL for most
    cdef list held                       # what these point to

    def __init__(
            self, Operator op not None, list params not None, Operator twin=None, dict convert={}, dict none={},
            dict same={}, str choice="inplace"):
        cdef Param p
        if self.params is not None:
            raise RuntimeError(f"{op.name}: a form is made once")
        if len(params) > MAX_PARAMS:
            raise ValueError(f"{op.name}: at most {MAX_PARAMS} parameters")
        if twin is not None and twin.n != op.n:
            raise ValueError(f"{op.name}: its twin must have its {op.n} parameters; found {twin.n}")
        self.held = [p.default for p in params] + list(none.values()) + list(convert.values())
        self.params, self.twin, self.converters, self.same, self.n = tuple(params), twin, convert, same, len(params)
        self.index = {p.name: i for i, p in enumerate(params)}
        for alias, at in op.index.items():
            if alias not in self.index and op.params[at].name in self.index:
                self.index[alias] = self.index[op.params[at].name]
        for i, p in enumerate(params):
            absent = CHOICE if twin is not None and p.name == choice else NOWHERE
            self.places[i] = op.index.get(same.get(p.name, p.name), absent)
            self.of_none[i] = <PyObject*>none[p.name] if p.name in none else <PyObject*>None
            self.convert[i] = <PyObject*>convert[p.name] if p.name in convert else NULL
            self.defaults[i] = NULL if p.required else <PyObject*>p.default
        for i, p in enumerate(op.params):
            if p.required and i not in [self.places[k] for k in range(self.n)]:
                raise ValueError(f"{op.name}: a form needs its parameter '{p.name}'")
        self.op = op                         # last: a form without it is not used by any name


cdef object call_formed(Named name, PyObject** args, Py_ssize_t nargs, PyObject* kwnames):
    """Call the operator of a name with a form."""
    cdef Written written
    cdef PyObject* found[MAX_PARAMS]         # in the order of the form's parameters
    cdef PyObject* vals[MAX_PARAMS + 1]      # in the order of the operator's
    cdef Form form = name.form
    cdef Operator op = name.op
    cdef list converted = None               # keeps alive what was made for this call
    cdef int i, at
    if nargs > form.n:
        raise TypeError(
            f"{op.name}() takes {form.n} positional arguments but {nargs} were given (expected "
            f"{name.signature_text()})")
    for i in range(form.n):
        found[i] = args[i] if i < nargs else NULL
    if kwnames != NULL:
        bind_keywords(name, op.name, form.params, form.index, args + nargs, kwnames, found)
    bind_defaults(name, op.name, form.params, form.defaults, found)
    for i in range(form.n):
        if found[i] == <PyObject*>None:
            found[i] = form.of_none[i]
        if form.convert[i] != NULL:
            try:
                value = (<object>form.convert[i])(name.name, <object>found[i])
            except TypeError as error:
                if tls().no_subclass or not is_tensor_like(<object>found[i]):
                    UPCALLS.in_form(name, error)
                    raise
                continue                     # its class handles the call
            converted = [value] if converted is None else converted + [value]
            found[i] = <PyObject*>value
    for i in range(op.n):
        vals[i] = op.defaults[i]
    for i in range(form.n):
        at = form.places[i]
        if at >= 0:
            vals[at] = found[i]
        elif at == CHOICE and <object>found[i]:
            op = form.twin
    written.args, written.nargs, written.kwnames = args, nargs, kwnames
    try:
        return op.call_bound(vals, None, name, &written)
    except Exception as error:
        UPCALLS.in_form(name, error)
        raise


cdef class Named(OperatorBase):
    """An operator under another public name: `clip` of `clamp`. It has all attributes of the operator, but it is
    another object with its own name.

    Its attribute `shown` is what `__torch_function__` is handed in its place, a Python function that calls it.

    Args:
        op: the operator.
        name: the other name.
        namespace: where it is public.
        form: how it takes its arguments; None if as the operator.
    """
    cdef vectorcallfunc vectorcall
    cdef readonly Operator op
    cdef readonly str name, namespace
    cdef readonly Form form
    cdef public object shown
    cdef object __weakref__

    def __cinit__(self, *args, **kwargs):
        self.vectorcall = unfinished_vectorcall

    def __init__(self, Operator op not None, str name not None, str namespace not None, Form form=None):
        if form is not None and form.op is not op:
            raise ValueError(
                f"{name}: 'form' must be one of {op.name}'s; found "
                f"{'an unfinished one' if form.op is None else 'one of ' + form.op.name}")
        self.op, self.name, self.namespace, self.form = op, name, namespace, form
        self.vectorcall = <vectorcallfunc>named_entry if form is None else <vectorcallfunc>formed_entry

    cdef Operator known(self):
        if self.op is None:
            raise RuntimeError(f"{type(self).__name__}: __init__ was not called, so there is no operator")
        return self.op

    @property
    def params(self):
        return self.known().params if self.form is None else self.form.params

    @property
    def takes_out(self):
        return self.form is None and self.known().takes_out

    @property
    def index(self):
        return self.known().index if self.form is None else self.form.index

    def signature_text(self):
        """The signature as it is shown in errors."""
        if self.form is None:
            return self.known().signature_text()
        return shown_signature(self.known().name, self.form.params, False)

    cdef object call1(self, object a):
        cdef PyObject* args[1]
        args[0] = <PyObject*>a
        return called(<PyObject*>self, args, 1)

    cdef object call2(self, object a, object b):
        cdef PyObject* args[2]
        args[0] = <PyObject*>a
        args[1] = <PyObject*>b
        return called(<PyObject*>self, args, 2)

    def __get__(self, instance, owner):
        return self

    def __getattr__(self, name):
        if self.op is None or name == "__module__":      # a method has none, its class has
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(self.op, name)

    @property
    def __doc__(self):
        return None if self.op is None else self.op.__doc__


cdef class Method(Named):
    """An operator as a method of Tensor, which is bound when it is read from a tensor."""

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return PyMethod_New(self, instance)

    @property
    def __name__(self):
        return self.name

    @property
    def __qualname__(self):
        return f"TensorBase.{self.name}"

    @property
    def __module__(self):
        raise AttributeError("__module__")

    @property
    def __objclass__(self):
        return Tensor

    def __repr__(self):
        return f"<method '{self.name}' of 'torch._C.TensorBase' objects>"


cdef PyObject* named_vectorcall(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    return owned((<Named>op).op.call(<PyObject**>args, PyVectorcall_NARGS(nargsf), kwnames, <OperatorBase>op))


cdef PyObject* formed_vectorcall(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    return owned(call_formed(<Named>op, <PyObject**>args, PyVectorcall_NARGS(nargsf), kwnames))


cdef PyObject* named_entry(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) noexcept:
    return trimmed((<quiet_vectorcall>named_vectorcall)(op, args, nargsf, kwnames))


cdef PyObject* formed_entry(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) noexcept:
    return trimmed((<quiet_vectorcall>formed_vectorcall)(op, args, nargsf, kwnames))


cdef inline object called(PyObject* op, PyObject* const* args, size_t count):
    """Call a Named for an operator of Python's syntax."""
    cdef PyObject* held = (<Named>op).vectorcall(op, args, count, NULL)
    result = <object>held
    Py_XDECREF(held)
    return result


cdef Named _probe = Named.__new__(Named)
for _class in (Named, Method):
    install_vectorcall(_class, <char*>&_probe.vectorcall - <char*><PyObject*>_probe, _class is Method)

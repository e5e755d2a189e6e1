"""Operator handles: binding of arguments, dispatch keys, the call cache, and the graph node of a recorded call.

A call is described by its *key*: bytes made of the static arguments and, per tensor, dtype, rank, which sizes are 1 and
whether it needs a gradient. Equal keys share a list of compiled calls, told apart by their guards on sizes.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_New
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp
cimport cython

from keyword import iskeyword

from rushlight.core import dtypes as _dtypes
from rushlight.core.base cimport BUILTIN_DTYPES, UPCALLS, NodeWatch, OperatorBase, core_only, times_overflows
from rushlight.core.engine cimport Node, gradient_edge
from rushlight.core.flatten cimport (
    MAX_PARAMS, P_INTS, P_OPERAND, P_REAL, P_SIZES, P_STATIC, P_TENSOR, P_TENSORS, TAG_DEFAULT, TAG_IN_PLACE, Flat,
    Param, bad, begin_flat, end_flat, flatten, flatten_out, grown, hash_bytes, held, is_complex, is_int, is_sym,
    overrides, put, put_tensor, shown_signature)
from rushlight.core.python cimport (
    PyBool_Check, PyFloat_CheckExact, PyLong_AsLongLongAndOverflow, PyLong_CheckExact, PyTuple_GET_ITEM,
    PyTuple_GET_SIZE, PyTuple_SET_ITEM, is_tensor_like, owned)
from rushlight.core.record cimport CompiledCall, came_together, check_saved, record, wrote
from rushlight.core.tensor cimport (
    KEY_DEVICE, KEY_DISPATCH, KEY_DTYPE, KEY_LAYOUT, KEY_META, KEY_PENDING, KEY_SPECIAL, KEY_SUBCLASS, MAX_DIMS, State,
    Tensor, check_write, scalar_in, tls)
from rushlight.core.tracebacks cimport trimmed
from rushlight.core.views cimport reshape_strides

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(PyObject*)
    Py_ssize_t PyVectorcall_NARGS(size_t)
    ctypedef struct PyTypeObject:
        unsigned long tp_flags
        Py_ssize_t tp_vectorcall_offset
        void* tp_call
    void* PyVectorcall_Call
    unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    unsigned long Py_TPFLAGS_METHOD_DESCRIPTOR
    void PyType_Modified(type)
    object PyObject_Vectorcall(PyObject*, PyObject**, size_t, PyObject*)

cdef object _dtype = _dtypes.dtype
cdef dict OF_PYTHON = _dtypes.OF_PYTHON
cdef tuple _OUT = ("out",)


include "clock.pxi"


cdef object as_written(Written* call):
    """The arguments of a call as the caller wrote them, for `__torch_function__`: (args, kwargs); None if the call came
    from elsewhere.
    """
    if call == NULL:
        return None
    cdef Py_ssize_t i
    kwargs = {}
    if call.kwnames != NULL:
        for i in range(PyTuple_GET_SIZE(call.kwnames)):
            kwargs[<object>PyTuple_GET_ITEM(call.kwnames, i)] = <object>call.args[call.nargs + i]
    return tuple([<object>call.args[i] for i in range(call.nargs)]), kwargs


cdef object bind_keywords(
        OperatorBase called, str name, tuple params, dict index, PyObject** args, PyObject* kwnames, PyObject** vals):
    """Put the keyword arguments at the places of their parameters; returns the value of `out`, if the operator takes
    it.
    """
    cdef object out = None
    cdef Py_ssize_t i, at, count = PyTuple_GET_SIZE(kwnames), n = PyTuple_GET_SIZE(<PyObject*>params)
    for i in range(count):
        keyword = <object>PyTuple_GET_ITEM(kwnames, i)
        place = index.get(keyword)
        if place is None:
            if keyword == "out" and called.takes_out:
                out = <object>args[i]
                continue
            raise TypeError(
                f"{name}() got an unexpected keyword argument '{keyword}'"
                f"{UPCALLS.nearest_parameter(called, keyword)} (expected {called.signature_text()})")
        at = place
        if not 0 <= at < n:              # `index` is a Python dict, which any code may have changed
            raise RuntimeError(f"{name}(): index['{keyword}'] must be the place of one of {n} parameters; found {at}")
        if vals[at] != NULL:
            raise TypeError(f"{name}() got multiple values for argument '{(<Param>params[at]).name}'")
        vals[at] = args[i]
    return out


cdef int bind_defaults(OperatorBase called, str name, tuple params, PyObject** defaults, PyObject** vals) except -1:
    """Fill in the defaults of parameters that were not given."""
    cdef Py_ssize_t i, n = PyTuple_GET_SIZE(<PyObject*>params)
    for i in range(n):
        if vals[i] == NULL:
            if defaults[i] == NULL:
                raise TypeError(
                    f"{name}() missing 1 required positional argument: '{(<Param>params[i]).name}' (expected "
                    f"{called.signature_text()})")
            vals[i] = defaults[i]
    return 0


@cython.final
cdef class Operator(OperatorBase):
    """A public operator that behaves as a function: as an attribute of a class it is not bound. The method of Tensor is
    a `Method`.

    Args:
        name: its name in errors.
        params: the parameters.
        definition: what it computes (operators/table/definition.Definition).
        eager: a Python function called with the bound arguments instead of a program.
        inplace: argument 0 is the destination.
        functional: the operator whose in-place variant it is.
        is_view: the result is a view of argument 0.
        takes_out: it takes `out`.
    """
    def __cinit__(self, *args, **kwargs):
        self.vectorcall = unfinished_vectorcall

    def __init__(
            self, str name, list params, definition=None, *, eager=None, bint inplace=False, Operator functional=None,
            bint is_view=False, bint takes_out=False):
        cdef Param p
        self.name, self.params, self.definition, self.eager = name, tuple(params), definition, eager
        self.inplace, self.functional, self.is_view, self.takes_out = inplace, functional, is_view, takes_out
        self.eager_writes = eager is not None and name.endswith("_") and name not in ("detach_", "share_memory_")
        self.n = len(params)
        if self.n > MAX_PARAMS:
            raise ValueError(f"{name}: at most {MAX_PARAMS} parameters")
        for p in params:
            if not -1 <= p.like < self.n:
                raise ValueError(
                    f"{name}: 'like' of '{p.name}' must be the place of one of {self.n} parameters; found {p.like}")
        self.index = {p.name: i for i, p in enumerate(params)}
        for alias, name in (
                ("axis", "dim"), ("axis", "dims"), ("keepdims", "keepdim"), ("x2", "other"), ("self", "input"),
                ("x", "input"), ("a", "input")):
            if name in self.index and alias not in self.index:
                self.index[alias] = self.index[name]
        for name in [name for name in self.index if name.endswith("_") and iskeyword(name[:-1])]:
            self.index[name[:-1]] = self.index.pop(name)     # the parameter `from` is written `from_` in Python
        self.n_positional = len([p for p in params if not p.keyword_only])
        self.dtype_at = self.index.get("dtype", -1)
        self.varargs_at = -1
        for i, p in enumerate(params):
            self.kinds[i], self.optional[i] = p.kind, p.optional
            self.defaults[i] = NULL if p.required else <PyObject*>p.default
            self.fixed[i] = self.defaults[i] if p.fixed and p.like < 0 else NULL
            if p.varargs:
                self.varargs_at = i
        self.held = [p.default for p in params]
        self.implementations = {}
        self.entries = []
        self.vectorcall = <vectorcallfunc>operator_entry

    def __dealloc__(self):
        free(self.table)

    def __get__(self, instance, owner):
        """Itself: a built-in function does not bind, and `inspect.isroutine` knows a function by its having `__get__`.
        """
        return self

    @property
    def __doc__(self):
        """The text for `help`: the docstring, completed by the arguments and results that it does not mention."""
        return UPCALLS.documentation(self)

    @property
    def shape_class(self):
        """How the result's shape and order follow from the inputs': "pointwise", "reduction", "view", ..."""
        return UPCALLS.shape_class(self)

    def usually(self, Usual usual):
        """Let `usual` make the calls of an eager operator that it can make; returns what was set before. None: the body
        makes all calls.
        """
        if usual is not None and (usual.op is not self or self.eager is None):
            raise ValueError(f"{self.name}: what makes its usual calls must be made for it, an eager operator")
        old, self.usual = self.usual, usual
        return old

    def usual_result(self, list values not None):
        """The result of a usual call, which needs no body, else None; for code that calls bodies itself. values: the
        bound arguments.
        """
        if self.usual is None:
            return None
        if len(values) != self.n:
            raise ValueError(f"{self.name}: {self.n} bound values were expected, found {len(values)}")
        return self.usual_call(PySequence_Fast_ITEMS(<PyObject*>values))

    @property
    def noted(self):
        """The operator of programs that make a usual call of a factory; None where there is none."""
        return None if self.usual is None else self.usual.noted

    def as_program(self, list values not None):
        """An operator of a program that makes a usual call of a factory, and its arguments; None where there is none.
        values: the bound arguments.
        """
        if self.usual is None or len(values) != self.n:
            return None
        return self.usual.as_program(PySequence_Fast_ITEMS(<PyObject*>values))

    def register(self, str key, function):
        """Use `function` (called with the bound arguments) for tensors on device type, layout or dtype `key`."""
        self.implementations[key] = function
        return function

    def compiled_calls(self):
        """How many programs have been compiled for this operator."""
        return sum([len((<Entry>e).calls) for e in self.entries])

    def cached(self):
        """The compiled calls in the cache."""
        return [c for e in self.entries for c in (<Entry>e).calls]

    cdef object call1(self, object a):
        cdef PyObject* args[1]
        args[0] = <PyObject*>a
        return self.call(args, 1, NULL, self)

    cdef object call2(self, object a, object b):
        cdef PyObject* args[2]
        args[0] = <PyObject*>a
        args[1] = <PyObject*>b
        return self.call(args, 2, NULL, self)

    cdef object call(self, PyObject** args, Py_ssize_t nargs, PyObject* kwnames, OperatorBase called):
        """Call the operator under the public name `called`, which `__torch_function__` is given."""
        cdef Written written
        cdef PyObject* vals[MAX_PARAMS + 1]      # one more for out=, where it is passed on
        cdef object rest = None
        cdef object out = None
        cdef bint missing = kwnames != NULL
        cdef int i
        if nargs > self.n_positional or (nargs and nargs - 1 == self.varargs_at):
            for i in range(self.n):
                vals[i] = NULL
            rest = self.gather_varargs(args, nargs, vals)
            missing = True
        else:
            for i in range(nargs):
                vals[i] = args[i]
            for i in range(nargs, self.n):
                vals[i] = NULL if kwnames != NULL else self.defaults[i]
                missing |= vals[i] == NULL
        if kwnames != NULL:
            out = bind_keywords(self, self.name, self.params, self.index, args + nargs, kwnames, vals)
        if missing:
            bind_defaults(self, self.name, self.params, self.defaults, vals)
        written.args, written.nargs, written.kwnames = args, nargs, kwnames
        return self.call_bound(vals, out, called, &written)

    cdef object gather_varargs(self, PyObject** args, Py_ssize_t nargs, PyObject** vals):
        """x.view(2, 3): collect the ints from the varargs parameter on; returns the tuple of them, which `vals` does
        not hold, or None.
        """
        cdef int i, at, v = self.varargs_at
        if v < 0:
            places = UPCALLS.former_order(self, tuple([<object>args[i] for i in range(nargs)]))
            if places is None:
                raise TypeError(
                    f"{self.name}() takes {self.n_positional} positional arguments but {nargs} were given (expected "
                    f"{self.signature_text()})")
            for i in range(nargs):
                at = places[i]
                vals[at] = args[i]
            return None
        for i in range(min(v, nargs)):
            vals[i] = args[i]
        if nargs <= v:
            return None
        first = <object>args[v]
        if nargs - v == 1 and (isinstance(first, (tuple, list)) or first is None or isinstance(first, str)):
            vals[v] = args[v]
            return None
        if (isinstance(first, (tuple, list)) or self.kinds[v] == P_INTS and not is_int(first) and not is_sym(first)
                and (isinstance(first, Tensor) or not is_tensor_like(first))):
            for i in range(v, nargs):
                if i >= self.n_positional:
                    raise TypeError(
                        f"{self.name}() takes {self.n_positional} positional arguments but {nargs} were given "
                        f"(expected {self.signature_text()})")
                vals[i] = args[i]
            return None
        rest = PyTuple_New(nargs - v)
        for i in range(v, nargs):
            Py_INCREF(<object>args[i])
            PyTuple_SET_ITEM(rest, i - v, args[i])
        vals[v] = <PyObject*>rest
        return rest

    def signature_text(self):
        """The signature as it is shown in errors."""
        return shown_signature(self.name, self.params, self.takes_out)

    cdef object call_bound(self, PyObject** vals, object out, OperatorBase called, Written* written):
        cdef Flat f
        cdef State* state = tls()
        cdef bint grad = state.grad_enabled != 0 and not state.inference
        if self.dtype_at >= 0 and isinstance(<object>vals[self.dtype_at], type):
            dtype = OF_PYTHON.get(<object>vals[self.dtype_at])       # dtype=float; dtypes are never freed
            if dtype is not None:
                vals[self.dtype_at] = <PyObject*>dtype
        if state.tape != NULL and state.modes == 1 and out is None and (self.eager is None or self.taken == ALIASED):
            made = TAPES.take(self, vals, state, called, written)
            if made is not None:
                return made
        if self.eager is not None:
            if self.usual is not None and out is None and (not state.modes or self.taken == MADE):
                made = self.usual_call(vals) if not state.modes else TAPES.make(self, vals, state)
                if made is not None:
                    return made
            return self.call_eager(vals, out, state, called, written)
        begin_flat(&f)
        cdef int i
        cdef int liked = -1          # a parameter whose default is another's value; see Param.like
        cdef PyObject* as_given = NULL
        cdef list copies = None      # (parameter, the caller's list, our copy)
        try:
            if (self.inplace and not isinstance(<object>vals[0], Tensor)
                    and (state.no_subclass or not is_tensor_like(<object>vals[0]))):
                # An operand may be a number, a destination may not.
                raise TypeError(
                    f"{self.name}(): argument '{(<Param>self.params[0]).name}' (position 1) must be Tensor, not "
                    f"{type(<object>vals[0]).__name__}")
            for i in range(self.n):
                if vals[i] == self.fixed[i]:
                    put(&f, TAG_DEFAULT)
                    continue
                v = <object>vals[i]
                if type(v) is Tensor and (self.kinds[i] == P_TENSOR or self.kinds[i] == P_OPERAND):
                    put_tensor(&f, <Tensor>v, grad)
                    continue
                if ((self.kinds[i] == P_TENSORS or self.kinds[i] == P_INTS) and type(v) is not tuple
                        and isinstance(v, (list, tuple))):
                    # The list belongs to the caller: another thread, or an item's own code, may change it meanwhile;
                    # and a subclass may report any length.
                    copied = tuple(v)
                    copies = [(i, v, copied)] if copies is None else copies + [(i, v, copied)]
                    vals[i] = <PyObject*>copied
                    v = copied
                elif (self.kinds[i] == P_SIZES and (<Param>self.params[i]).like >= 0
                        and (v is None or isinstance(v, (tuple, list)) and not v)):
                    liked, as_given = i, vals[i]
                    vals[i] = vals[(<Param>self.params[i]).like]
                    v = <object>vals[i]
                flatten(self, &f, <Param>self.params[i], v, grad)
            if out is not None:
                flatten_out(self, &f, out)
            elif self.inplace and f.n_tensors:
                put(&f, TAG_IN_PLACE)
            if f.keys & KEY_SPECIAL or state.modes:
                if rl_clock != NULL and state.modes == 1:
                    return timed(self, vals, out, called, written, state)
                if (state.modes or f.keys & KEY_SPECIAL & (~KEY_SUBCLASS if state.no_subclass else ~0)
                        or (state.no_subclass == 1 and f.keys & KEY_DISPATCH)):
                    values = self.values(vals)
                    for at, original, _ in copies or ():
                        values[at] = original            # __torch_function__ sees the caller's own object
                    if liked >= 0:
                        values[liked] = <object>as_given
                    return UPCALLS.special(
                        self, values, out, f.keys, called,
                        as_written(written) if state.modes or f.keys & KEY_SUBCLASS else None)
            if f.of_inference:
                others = UPCALLS.of_inference(self, self.values(vals))
                if others is not None:
                    return self.call_bound(PySequence_Fast_ITEMS(<PyObject*>others), out, called, written)
            return self.launch(&f, vals, out)
        finally:
            end_flat(&f)
            if liked >= 0:
                vals[liked] = as_given
            if copies is not None:       # the caller's array of arguments outlives the copies
                for at, original, _ in copies:
                    vals[at] = <PyObject*>original

    cdef object call_plain(self, PyObject** vals, OperatorBase called, bint value):
        """Call the operator with bound arguments that need no dispatch: plain tensors, numbers, and tuples of ints.
        `value`: the caller wants the number in the result, as a Python number.
        """
        cdef Flat f
        cdef State* state = tls()
        cdef bint grad = state.grad_enabled != 0 and not state.inference
        cdef int i
        begin_flat(&f)
        f.of_value = value
        try:
            for i in range(self.n):
                self.take(&f, i, vals[i], grad)
            if not f.of_inference:
                return self.launch(&f, vals, None)
            result = self.call_bound(vals, None, called, NULL)
            return scalar_in(<Tensor?>result) if value else result
        finally:
            end_flat(&f)

    cdef object call_eager(self, PyObject** vals, object out, State* state, OperatorBase called, Written* written):
        cdef Flat f                          # only its `keys`, which `overrides` fills
        cdef int i
        cdef unsigned int keys = 0
        f.keys = 0
        for i in range(self.n):
            if vals[i] == self.defaults[i]:
                continue
            v = <object>vals[i]
            if self.kinds[i] == P_REAL and is_complex(v):
                raise bad(self, <Param>self.params[i], v)
            if isinstance(v, Tensor):
                keys |= (<Tensor>v).keys | (KEY_DTYPE if (<Tensor>v).code >= BUILTIN_DTYPES else 0)
            elif self.kinds[i] == P_TENSOR:
                if v is not None or not self.optional[i]:
                    overrides(self, &f, <Param>self.params[i], v, v)
            elif self.kinds[i] == P_TENSORS and isinstance(v, (tuple, list)):
                for x in v:
                    if isinstance(x, Tensor):
                        keys |= (<Tensor>x).keys
                    elif not state.no_subclass and is_tensor_like(x):
                        f.keys |= KEY_SUBCLASS
            elif isinstance(v, (tuple, list)):      # in sizes, widths and dims any entry may be a value of a trace
                for x in v:
                    if (not PyLong_CheckExact(x) and not state.no_subclass and not isinstance(x, Tensor)
                            and is_tensor_like(x)):
                        f.keys |= KEY_SUBCLASS
            elif (not (PyLong_CheckExact(v) or PyFloat_CheckExact(v) or PyBool_Check(v) or isinstance(v, str)
                       or type(v) is _dtype)
                    and not state.no_subclass and is_tensor_like(v)):
                f.keys |= KEY_SUBCLASS
        if (out is not None and not isinstance(out, (Tensor, tuple, list)) and not state.no_subclass
                and is_tensor_like(out)):
            f.keys |= KEY_SUBCLASS
        if isinstance(out, Tensor):
            keys |= (<Tensor>out).keys & (KEY_LAYOUT | KEY_PENDING)
        keys |= f.keys
        if (state.tape != NULL and state.modes == 1 and out is None and not keys & KEY_SPECIAL & ~KEY_PENDING
                and TAPES.composes(self, state)):
            keys = 0
        elif ((keys & KEY_SUBCLASS and not state.no_subclass) or state.modes
                or (state.no_subclass == 1 and keys & KEY_DISPATCH)):
            if rl_clock != NULL and state.modes == 1:
                return timed(self, vals, out, called, written, state)
            return UPCALLS.special(self, self.values(vals), out, keys | KEY_SUBCLASS, called, as_written(written))
        if keys & (KEY_LAYOUT | KEY_PENDING) or keys & (KEY_DEVICE | KEY_DTYPE) and self.implementations:
            return UPCALLS.special(self, self.values(vals), out, keys, called, None)
        try:
            if self.eager_writes and isinstance(<object>vals[0], Tensor):
                check_write(<Tensor>vals[0], self.name)
            if out is not None:
                UPCALLS.check_out_kind(self, out)
                vals[self.n] = <PyObject*>out
                return PyObject_Vectorcall(<PyObject*>self.eager, vals, self.n, <PyObject*>_OUT)
            return PyObject_Vectorcall(<PyObject*>self.eager, vals, self.n, NULL)
        except Exception as error:
            return self.explained(vals, error, out)

    cdef object usual_call(self, PyObject** vals):
        try:
            return self.usual.make(vals)
        except Exception as error:
            return self.explained(vals, error, None)

    cdef object explained(self, PyObject** vals, error, out):
        """Raise the error of a call again in terms of the call, see operators/table/arguments.py; or return the result
        of the call made in another way.
        """
        better = UPCALLS.eager_error(self, self.values(vals), error, out)
        if type(better) is tuple:
            return better[0]
        if better is error:
            raise
        raise better from error

    cdef int take(self, Flat* f, int i, PyObject* v, bint grad) except -1:
        """Flatten an argument as `call_bound` does, of a call that needs no dispatch."""
        if v == self.fixed[i]:
            return put(f, TAG_DEFAULT)
        return flatten(self, f, <Param>PyTuple_GET_ITEM(<PyObject*>self.params, i), <object>v, grad)

    cdef list values(self, PyObject** vals):
        cdef int i
        return [<object>vals[i] for i in range(self.n)]

    cdef Entry find(self, Flat* f):
        cdef uint64_t h
        cdef Entry e = self.last
        cdef PyObject* q
        cdef int i
        if (e is not None and PyBytes_GET_SIZE(e.key) == f.key_len
                and memcmp(PyBytes_AS_STRING(e.key), f.key, f.key_len) == 0):
            return e
        if self.table == NULL:
            return None
        h = hash_bytes(f.key, f.key_len)
        i = h & (self.table_size - 1)
        while True:
            q = self.table[i]
            if q == NULL:
                return None
            e = <Entry>q
            if (e.hash == h and PyBytes_GET_SIZE(e.key) == f.key_len
                    and memcmp(PyBytes_AS_STRING(e.key), f.key, f.key_len) == 0):
                self.last = e
                return e
            i = (i + 1) & (self.table_size - 1)

    cdef void insert(self, Entry e) except *:
        cdef int i, size
        cdef PyObject** table
        self.entries.append(e)
        if 2 * len(self.entries) >= self.table_size:
            size = max(8, 2 * self.table_size)
            table = <PyObject**>malloc(size * sizeof(void*))
            if table == NULL:
                raise MemoryError("call cache")
            for i in range(size):
                table[i] = NULL
            free(self.table)
            self.table, self.table_size = table, size
            for x in self.entries:
                self.place(<Entry>x)
        else:
            self.place(e)

    cdef void place(self, Entry e) noexcept:
        cdef int i = e.hash & (self.table_size - 1)
        while self.table[i] != NULL:
            i = (i + 1) & (self.table_size - 1)
        self.table[i] = <PyObject*>e

    cdef object launch(self, Flat* f, PyObject** vals, object out):
        cdef Entry e = self.find(f)
        cdef CompiledCall c
        cdef list results = None, dests = None
        cdef int i
        cdef bint meta, fresh = e is None
        if out is not None:
            if isinstance(out, Tensor) and not (<Tensor>out).rg and (<Tensor>out).meta is None:
                dests = [out]
            else:
                dests = UPCALLS.check_out(self, out)
        elif self.inplace:
            dests = [<object>f.tensors[0]]
            if f.needs_grad:
                UPCALLS.check_inplace(self, <object>f.tensors[0])
                # an operand whose place in the graph is no longer valid is refused before anything is written
                for i in range(1, f.n_tensors):
                    gradient_edge(<Tensor><object>f.tensors[i])
        if dests is not None:
            for d in dests:
                if (<Tensor>d).inference_:
                    check_write(<Tensor>d, self.name)
                if not (<Tensor>d).contiguous_ and written_twice(<Tensor>d):
                    UPCALLS.check_overlap(self, d)
                meta = (<Tensor>d).storage is None or (<Tensor>d).keys & KEY_META != 0
                if meta != f.any_meta or meta and not (<Tensor>d).keys & KEY_META:
                    UPCALLS.wrong_device(self, d, f.any_meta)
        if fresh:
            e = Entry.__new__(Entry)
            e.key = PyBytes_FromStringAndSize(<char*>f.key, f.key_len)
            e.hash = hash_bytes(f.key, f.key_len)
            e.calls, e.keep = [], [
                held(<object>vals[i]) for i in range(self.n)
                if (<Param>self.params[i]).kind in (P_STATIC, P_REAL, P_SIZES)]
        for i in range(len(e.calls)):
            c = <CompiledCall>e.calls[i]
            results = self.execute(c, f, dests)
            if results is not None:
                if i > 0:
                    e.calls[i], e.calls[i - 1] = e.calls[i - 1], e.calls[i]
                break
        else:
            # -1, 0 and 1 are static and part of the key, so the tracer gets the values of these ints
            c = UPCALLS.miss(self, self.values(vals), out, f.needs_grad)
            e.calls.append(c)
            if fresh:
                self.insert(e)
            results = self.execute(c, f, dests)
            if self.definition is not None and self.definition.precompile is not None and dests is None:
                UPCALLS.precompile(self, self.values(vals), c)
        if results is None:
            raise RuntimeError(f"{self.name}(): the arguments changed while the call was made ready")
        if c.warned is not None:
            UPCALLS.say(c.warned)
        if f.of_value:
            return c.executable.value_of(results)
        if c.derivative is not None:
            record(self, c, f, results, dests)
        elif dests is not None:
            wrote(dests)
        if out is not None:
            return out if c.wrap is None else c.wrap(results[:c.n_outputs])
        if self.inplace:
            return dests[0]
        if c.wrap is None:
            result = results[0]
            c.executable.take_back(results)
            return result
        if c.n_outputs != len(results):
            results = results[:c.n_outputs]
        if self.is_view:
            came_together(results)
        return c.wrap(results)

    cdef list execute(self, CompiledCall c, Flat* f, list dests):
        """Run a compiled call; None if its guards do not hold. If the call is recorded, the values of its symbols stay
        in f.syms.
        """
        if c.n_compared and not c.numbers_fit(f.scalars, f.n_scalars):
            return None
        try:
            if c.derivative is None:
                return c.executable.run(f.tensors, f.n_tensors, f.ints, f.scalars, dests, f.any_meta, NULL, None)
            if dests is not None: check_saved(self.name, c.derivative, f)
            if c.executable.n_sym > f.most_syms:
                grown(<void**>&f.syms, f.few_syms, &f.most_syms, c.executable.n_sym, sizeof(int64_t))
            return c.executable.run(f.tensors, f.n_tensors, f.ints, f.scalars, dests, f.any_meta, f.syms, None)
        except (RuntimeError, MemoryError) as error:
            if (dests is not None and not self.inplace
                    and UPCALLS.refit(self, error, [<object>f.tensors[i] for i in range(f.n_tensors)])):
                return self.execute(c, f, dests)
            UPCALLS.name_operator(self, error)      # a program does not know which call it belongs to
            raise


cdef class Usual:
    cdef int made_for(self, Operator op) except -1:
        """To be called once, by __init__: an operator with a direct road relies on its own parameters."""
        if self.op is not None:
            raise RuntimeError(f"{self.op.name}: what makes its usual calls is made once")
        self.op = op
        return 0

    cdef object make(self, PyObject** vals):
        return None

    cdef tuple as_program(self, PyObject** vals):
        return None


@cython.final
cdef class GoesTo(Usual):
    """The usual calls of an eager operator that, for plain tensors and ints, does no more than call `direct` with its
    tensor and its second argument, a tensor or sizes.

    Args:
        op: the eager operator.
        direct: the other one.
        value: whether the result is the number in the result of `direct`.
        copying: the operator called instead where `direct` views the tensor in other sizes and its strides do not
            allow that.
    """
    cdef Operator direct, copying
    cdef bint value

    def __init__(self, Operator op not None, Operator direct not None, bint value=False, Operator copying=None):
        if op.n < 2 or direct.n != 2 or copying is not None and (copying.n != 2 or op.kinds[1] == P_TENSOR):
            raise ValueError(
                f"{op.name}: a tensor and another or sizes are what it must take, and {direct.name} nothing else")
        self.made_for(op)
        self.direct, self.value, self.copying = direct, value, copying

    cdef object make(self, PyObject** vals):
        cdef int i
        cdef PyObject* given[2]
        cdef bint views = True
        if not plain_here(<object>vals[0]):
            return None
        for i in range(2, self.op.n):
            if vals[i] != self.op.defaults[i]:
                return None
        if self.op.kinds[1] == P_TENSOR:
            if not plain_here(<object>vals[1]):
                return None
        elif isinstance(<object>vals[1], tuple):
            for i in range(PyTuple_GET_SIZE(vals[1])):
                if not PyLong_CheckExact(<object>PyTuple_GET_ITEM(vals[1], i)):
                    return None
        elif not PyLong_CheckExact(<object>vals[1]):
            return None
        if self.copying is None or (<Tensor>vals[0]).contiguous_:
            return self.direct.call_plain(vals, self.op, self.value)
        sizes = fitting(<Tensor>vals[0], <object>vals[1], &views)
        if sizes is None:
            return None
        given[0], given[1] = vals[0], <PyObject*>sizes
        return (self.direct if views else self.copying).call_plain(given, self.op, self.value)


cdef tuple fitting(Tensor t, object size, bint* views):
    """Sizes, a plain int or a tuple of such, with -1 replaced by what makes them hold t's elements; None if they do not
    fit. views: whether t's strides allow a view in them.
    """
    cdef int64_t sizes[MAX_DIMS]
    cdef int64_t strides[MAX_DIMS]
    cdef int64_t known = 1
    cdef int over = 0, hole = -1, i, n
    if type(size) is not tuple:              # a Size is one of a class of its own
        size = tuple(size) if isinstance(size, tuple) else (size,)
    if PyTuple_GET_SIZE(<PyObject*>size) > MAX_DIMS:
        return None
    n = PyTuple_GET_SIZE(<PyObject*>size)
    for i in range(n):
        sizes[i] = PyLong_AsLongLongAndOverflow((<tuple>size)[i], &over)
        if sizes[i] == -1 and not over and hole < 0:
            hole = i
        elif over or sizes[i] < 0 or times_overflows(known, sizes[i], &known):
            return None
    if hole >= 0:
        if known == 0 or t.numel_ % known:
            return None
        sizes[hole] = t.numel_ // known
        size = (<tuple>size)[:hole] + (sizes[hole],) + (<tuple>size)[hole + 1:]
    elif known != t.numel_:
        return None
    views[0] = reshape_strides(t.ndim_, t.sizes, t.strides, n, sizes, strides)
    return size


cdef bint written_twice(Tensor t) noexcept:
    """Whether elements of `t` share memory because a stride is 0."""
    cdef int i
    for i in range(t.ndim_):
        if t.strides[i] == 0 and t.sizes[i] > 1:
            return True
    return False


cdef PyObject* unfinished_vectorcall(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    raise RuntimeError("this operator was never initialised: Operator.__init__ has not run")


cdef PyObject* operator_vectorcall(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    return owned((<Operator>op).call(<PyObject**>args, PyVectorcall_NARGS(nargsf), kwnames, <OperatorBase>op))


cdef PyObject* operator_entry(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) noexcept:
    return trimmed((<quiet_vectorcall>operator_vectorcall)(op, args, nargsf, kwnames))


cdef void install_vectorcall(type cls, Py_ssize_t offset, bint method) except *:
    """Let instances be called through the function pointer at `offset` in them (vectorcall). Cython has no syntax for
    that: the type is patched once, before any call is made.
    """
    cdef PyTypeObject* t = <PyTypeObject*><PyObject*>cls
    t.tp_vectorcall_offset = offset
    t.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
    if method:
        t.tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR
    t.tp_call = PyVectorcall_Call
    PyType_Modified(cls)

cdef Operator _probe = Operator.__new__(Operator)
install_vectorcall(Operator, <char*>&_probe.vectorcall - <char*><PyObject*>_probe, False)

core_only(Entry)

"""Replays of calls of a function that are known to make the same calls of operators again: the conditions for that are
compared at once, and the operators are called without Python.

The conditions come from an analysis of the function's code (`_dynamo/proving.py`), so that a call which fulfils them
makes exactly these calls.
"""
import weakref

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Size
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp

from rushlight.core.dispatch cimport Operator
from rushlight.core.engine cimport anomaly_enabled
from rushlight.core.engine import run_backward
from rushlight.core.flatten cimport KEY_START, MAX_PARAMS
from rushlight.core.pending cimport lie_as, shared_outside
from rushlight.core.record import SAVED_HOOKS
from rushlight.core.tape cimport written_again
from rushlight.core.tensor cimport AutogradMeta, State, Tensor, get_meta, tls, version_of, wants_grad

cdef extern from *:
    """
    /* A number that every change of a dict changes; 0 where Python has none any more. */
    #if PY_VERSION_HEX < 0x030C0000
    #define DICT_VERSION(d) (((PyDictObject*)(d))->ma_version_tag)
    #else
    #define DICT_VERSION(d) ((void)(d), (uint64_t)0)
    #endif
    """
    uint64_t DICT_VERSION(PyObject* d)

cdef extern from "Python.h":
    object PyObject_GenericGetDict(object, void*)
    bint PyCell_Check(object)
    PyObject* PyCell_GET(object)
    ctypedef struct PyTypeObject
    PyObject* _PyType_Lookup(PyTypeObject*, object)

cdef list HOOKS = SAVED_HOOKS
ABSENT = object()                 # in place of a value: there is none
cdef object NONE_THERE = ABSENT


cdef bint has_own(Tensor t) noexcept:
    """Whether attributes were set on the tensor itself, which may hide those of its class."""
    return t.attributes != NULL and PyDict_Size(<object>t.attributes) != 0


def has_attributes(Tensor t not None):
    """Whether attributes were set on the tensor itself."""
    return has_own(t)


cdef int flatten(x, list found) except -1:
    """The values in nested lists, tuples and dicts."""
    cdef object kind = type(x)
    if kind is list or kind is tuple:
        for part in x:
            flatten(part, found)
    elif kind is dict:
        for part in (<dict>x).values():
            flatten(part, found)
    else:
        found.append(x)
    return 0


def flat(tuple args not None):
    """The values in arguments, and in lists, tuples and dicts among them, in their order."""
    cdef list found = []
    flatten(args, found)
    return found


cdef class _Several:
    """A list, a tuple or a dict among the arguments: its class, its keys, and what each part is: None for a value."""
    cdef object kind
    cdef tuple keys, parts

    def __init__(self, x):
        self.kind = type(x)
        self.keys = tuple(x) if self.kind is dict else None
        self.parts = tuple([_Several(y) if type(y) in (list, tuple, dict) else None
            for y in (x.values() if self.kind is dict else x)])

    cdef bint take(self, x, list found) except -1:
        """Whether an argument is of this form; its values are appended to `found`."""
        cdef Py_ssize_t i = 0
        if type(x) is not self.kind or len(x) != PyTuple_GET_SIZE(self.parts):
            return False
        if self.keys is not None:
            for key in x:
                if not same_value(key, self.keys[i]):
                    return False
                i += 1
            i = 0
        for y in (<dict>x).values() if self.keys is not None else x:
            part = self.parts[i]
            if part is None:
                if type(y) is list or type(y) is tuple or type(y) is dict:
                    return False
                found.append(y)
            elif not (<_Several>part).take(y, found):
                return False
            i += 1
        return True


cdef class _Metadata:
    """What a tensor in memory was: class, dtype, sizes, strides, and whether it requires grad."""
    cdef int code, ndim
    cdef bint requires, inference
    cdef list numbers
    cdef object kind

    def __init__(self, Tensor t not None):
        cdef int i
        self.kind = type(t)
        self.code, self.ndim, self.requires, self.inference = t.code, t.ndim_, wants_grad(t), t.inference_ != 0
        self.numbers = [t.sizes[i] for i in range(t.ndim_)] + [t.strides[i] for i in range(t.ndim_)]

    cdef bint fits(self, Tensor t) noexcept:
        cdef int i
        if (type(t) is not self.kind or t.keys or t.code != self.code or t.ndim_ != self.ndim
                or wants_grad(t) != self.requires or (t.inference_ != 0) != self.inference
                or shared_outside(t) or has_own(t)
                # (A view that was written to finds its place in the graph, or is refused, when it is used.)
                or (self.requires and t.meta is not None and t.meta.base is not None
                    and t.meta.view_version != version_of(t))):
            return False
        for i in range(self.ndim):
            if t.sizes[i] != <int64_t>self.numbers[i] or t.strides[i] != <int64_t>self.numbers[self.ndim + i]:
                return False
        return True


cdef bint plain_leaf(Tensor t) except -1:
    """Whether a backward does nothing to a tensor but add to its `.grad`: it is a leaf, without hooks."""
    cdef AutogradMeta m = t.meta
    return wants_grad(t) and t.grad_fn_ is None and (m is None or not (
        m.base is not None or m.grad_dtype is not None or m.hooks or m.post_hooks
        or (m.accumulator is not None and m.accumulator() is not None)))


def is_plain_leaf(Tensor t not None):
    """Whether a backward does nothing to a tensor but add to its `.grad`: it is a leaf, without hooks."""
    return plain_leaf(t)


cdef class Leaf:
    """A tensor whose `.grad` a call reads, or changes.

    Args:
        where: the tensor, or its place among the values in the arguments.
        gets: whether a backward gives it a gradient; then it must be a leaf without hooks.
        known: whether its `.grad` before the call matters: it must be as `grad`, which is None or a tensor's
            description, and only the leaf may refer to it.
        grad: see `known`.
        number: the number of its `.grad` before the call among the values; -1 if it is not needed.
    """
    cdef object where
    cdef Py_ssize_t at
    cdef bint gets, known
    cdef _Metadata metadata
    cdef Py_ssize_t number

    def __init__(self, where, bint gets, bint known, grad, Py_ssize_t number=-1):
        if not isinstance(where, Tensor) and type(where) is not int:
            raise TypeError(f"Leaf: 'where' must be a tensor or a place among arguments; found {type(where).__name__}")
        if number >= 0 and (not known or grad is None):
            raise ValueError("Leaf: a gradient that a value is must be known, and a tensor")
        self.where, self.at = (None, where) if type(where) is int else (where, -1)
        self.gets, self.known, self.number = gets, known, number
        self.metadata = None if grad is None else _Metadata(grad)

    cdef Tensor of(self, args):
        """The tensor, in a call with these values in its arguments."""
        return <Tensor?>(args[self.at] if self.where is None else self.where)

    cdef bint fits(self, args) except -1:
        cdef Tensor t = self.of(args), g
        cdef AutogradMeta m = t.meta
        if self.gets and not plain_leaf(t):
            return False
        if not self.known:
            return True
        if m is None or m.grad is None:
            return self.metadata is None
        if self.metadata is None or (<PyObject*>m.grad).ob_refcnt != 1:
            return False
        g = <Tensor?>m.grad
        return (self.metadata.fits(g) and (<PyObject*>g.storage).ob_refcnt == 1
            and (g.meta is None or g.meta.base is None))


cdef class _Contents:
    """What is in a dict, by the identity of its values."""
    cdef dict holder
    cdef uint64_t version
    cdef tuple keys, values

    def __init__(self, dict holder not None):
        self.holder, self.keys, self.values = holder, tuple(holder), tuple(holder.values())
        self.version = DICT_VERSION(<PyObject*>holder)

    cdef bint fits(self) except -1:
        cdef uint64_t now = DICT_VERSION(<PyObject*>self.holder)
        cdef Py_ssize_t i = 0
        if now == self.version and now != 0:
            return True
        if len(self.holder) != PyTuple_GET_SIZE(self.keys):
            return False
        for key, value in self.holder.items():
            if key is not self.keys[i] or value is not self.values[i]:
                return False
            i += 1
        self.version = now
        return True


cdef bint is_kind(x, kind, own) except -1:
    """Whether an object is of a class, and has this dict of attributes (None: its attributes do not matter)."""
    return type(x) is kind and (own is None or PyObject_GenericGetDict(x, NULL) is own)


cdef class _Held:
    """An argument that is compared by identity, and that this object does not keep alive."""
    cdef object ref, kind, own

    def __init__(self, ref, own, kind):
        self.ref, self.kind, self.own = ref, kind, own


cdef class Guard:
    """What a call relies on.

    Args:
        args: its arguments: plain tensors, others that are compared by type and value, and containers of such.
        names: those of the last arguments, which are given by name.
        objects: for the arguments that are compared by identity, by their ids, a weak reference to each, with the dict
            of its attributes or None.
        constants: tensors in memory that it reads, or whose sizes it asks for, and that are no arguments.
        written: those among them that it writes to, which share no memory with others.
        stands: (holder, key, value) of values that must be in a dict under a key, or in a cell; ABSENT: there must be
            none.
        types: (class, name, value) of attributes that a class must have.
        kinds: (object, its class, the dict of its attributes or None).
        contents: dicts that must have the same values.
        items: (list, its items).
        attributes: (object, name, value).
        empty: dicts that must be empty.
        leaves: tensors whose gradients it reads or changes.
    """
    cdef tuple args, names, constants, stands, types, kinds, contents, items, attributes, empty, written, leaves
    cdef tuple same               # for each argument the first one that is the same tensor
    cdef int grad, inference
    cdef unsigned char dtype
    cdef _Several shape           # None where no argument is a container

    def __init__(
            self, tuple args not None, tuple names not None, dict objects not None, list constants not None,
            list written not None, list stands not None, list types not None, list kinds not None,
            list contents not None, list items not None, list attributes not None, list empty not None,
            list leaves not None):
        cdef State* state = tls()
        check_rows("stands", stands, (object, object, object))
        check_rows("types", types, (type, str, object))
        check_rows("kinds", kinds, (object, type, object))
        check_rows("objects", list(objects.values()), (weakref.ref, object))
        check_rows("items", items, (list, tuple))
        check_rows("attributes", attributes, (object, str, object))
        check_each("written", written, Tensor)
        check_each("empty", empty, dict)
        check_each("leaves", leaves, Leaf)
        cdef list given = flat(args)
        for leaf in leaves:
            if (<Leaf>leaf).where is None and not (
                    0 <= (<Leaf>leaf).at < len(given) and isinstance(given[(<Leaf>leaf).at], Tensor)):
                raise ValueError(f"Guard: a leaf must be among {len(given)} arguments; found {(<Leaf>leaf).at}")
        if len(names) > len(args):
            raise ValueError(f"Guard: {len(args)} arguments cannot have {len(names)} names")
        self.names = names
        self.shape = None
        for x in args:
            if type(x) in (list, tuple, dict):
                self.shape = _Several(args)
        self.args = tuple(
            [_Metadata(x) if isinstance(x, Tensor) else _Held(*objects[id(x)], type(x)) if id(x) in objects else x
                for x in given])
        self.same = tuple([min([j for j in range(len(given)) if given[j] is x]) for x in given])
        self.constants = tuple([(t, _Metadata(t)) for t in constants])
        self.written = tuple(written)
        for holder, _, _ in stands:
            if type(holder) is not dict and not PyCell_Check(holder):
                raise TypeError(f"Guard: a holder must be a dict or a cell; found {type(holder)}")
        self.stands, self.types, self.kinds = tuple(stands), tuple(types), tuple(kinds)
        self.contents = tuple([_Contents(d) for d in contents])
        self.items, self.attributes, self.empty = tuple(items), tuple(attributes), tuple(empty)
        self.leaves = tuple(leaves)
        self.grad, self.inference, self.dtype = state.grad_enabled, state.inference, KEY_START[0]

    cdef object taken(self, tuple args, tuple names):
        """The values in the arguments of a call that fits; None for any other call."""
        cdef list found
        cdef Py_ssize_t i
        if PyTuple_GET_SIZE(names) != PyTuple_GET_SIZE(self.names):
            return None
        for i in range(PyTuple_GET_SIZE(names)):
            if names[i] != self.names[i]:
                return None
        if self.shape is None:
            return args if self.holds(args, PyTuple_GET_SIZE(args)) else None
        found = []
        return found if self.shape.take(args, found) and self.holds(found, PyList_GET_SIZE(found)) else None

    cdef bint holds(self, args, Py_ssize_t n) except -1:
        """Whether a call with these values in its arguments fits."""
        cdef State* state = tls()
        cdef Py_ssize_t i, j
        cdef PyObject* found
        cdef Tensor t
        cdef tuple x
        cdef list values
        if (n != PyTuple_GET_SIZE(self.args) or state.modes or state.building or state.no_subclass
                or state.grad_enabled != self.grad or state.inference != self.inference or KEY_START[0] != self.dtype
                or PyList_GET_SIZE(HOOKS) or anomaly_enabled()):
            return False
        for i in range(n):
            a, b = args[i], self.args[i]
            if type(b) is _Metadata:
                if not isinstance(a, Tensor) or not (<_Metadata>b).fits(<Tensor>a):
                    return False
                j = self.same[i]
                if j != i and args[j] is not a:
                    return False
                for j in range(i):
                    if args[j] is a and <Py_ssize_t>self.same[i] > j:
                        return False
            elif type(b) is _Held:
                if (<_Held>b).ref() is not a or not is_kind(a, (<_Held>b).kind, (<_Held>b).own):
                    return False
            elif a is not b and not same_value(a, b):
                return False
        for i in range(PyTuple_GET_SIZE(self.empty)):
            if PyDict_Size(<object>PyTuple_GET_ITEM(self.empty, i)):
                return False
        for i in range(PyTuple_GET_SIZE(self.stands)):
            x = <tuple>PyTuple_GET_ITEM(self.stands, i)
            holder = x[0]
            if type(holder) is dict:
                found = PyDict_GetItemWithError(holder, x[1])
            else:
                found = PyCell_GET(holder)
            if found != PyTuple_GET_ITEM(x, 2) and not (found == NULL and x[2] is NONE_THERE):
                return False
        for i in range(PyTuple_GET_SIZE(self.types)):
            x = <tuple>PyTuple_GET_ITEM(self.types, i)
            found = _PyType_Lookup(<PyTypeObject*>PyTuple_GET_ITEM(x, 0), x[1])
            if found != PyTuple_GET_ITEM(x, 2) and not (found == NULL and x[2] is NONE_THERE):
                return False
        for i in range(PyTuple_GET_SIZE(self.kinds)):
            x = <tuple>PyTuple_GET_ITEM(self.kinds, i)
            if not is_kind(x[0], x[1], x[2]):
                return False
        for i in range(PyTuple_GET_SIZE(self.contents)):
            if not (<_Contents>PyTuple_GET_ITEM(self.contents, i)).fits():
                return False
        for i in range(PyTuple_GET_SIZE(self.items)):
            x = <tuple>PyTuple_GET_ITEM(self.items, i)
            values = x[0]
            if PyList_GET_SIZE(values) != PyTuple_GET_SIZE(x[1]):
                return False
            for j in range(PyList_GET_SIZE(values)):
                if PyList_GET_ITEM(values, j) != PyTuple_GET_ITEM(x[1], j):
                    return False
        for i in range(PyTuple_GET_SIZE(self.attributes)):
            x = <tuple>PyTuple_GET_ITEM(self.attributes, i)
            if getattr(x[0], x[1]) is not x[2]:
                return False
        for i in range(PyTuple_GET_SIZE(self.constants)):
            x = <tuple>PyTuple_GET_ITEM(self.constants, i)
            if not (<_Metadata>x[1]).fits(<Tensor>x[0]):
                return False
            for j in range(n):
                if args[j] is x[0]:
                    return False
        for i in range(PyTuple_GET_SIZE(self.written)):
            t = <Tensor>PyTuple_GET_ITEM(self.written, i)
            if (<PyObject*>t.storage).ob_refcnt != 1 or (t.meta is not None and t.meta.base is not None):
                return False
        for i in range(PyTuple_GET_SIZE(self.leaves)):
            if not (<Leaf>PyTuple_GET_ITEM(self.leaves, i)).fits(args):
                return False
        return True


cdef int check_each(str name, values, kind) except -1:
    for x in values:
        if not isinstance(x, kind):
            raise TypeError(f"replay: '{name}' must have {kind.__name__} alone; found {type(x).__name__}")
    return 0


cdef int check_rows(str name, list rows, tuple kinds) except -1:
    for row in rows:
        if type(row) is not tuple or len(row) != len(kinds) or not all(map(isinstance, row, kinds)):
            told = ", ".join([kind.__name__ for kind in kinds])
            raise TypeError(f"replay: '{name}' must have tuples ({told}); found {row!r:.80}")
    return 0


cdef int check_source(pair, Py_ssize_t size) except -1:
    """Whether a pair of `Line` is valid for so many values."""
    if type(pair) is not tuple or len(pair) != 2 or pair[0] not in (0, 1, 2):
        raise TypeError(f"replay: a source must be a pair of 0, 1 or 2 and what it is; found {pair!r:.80}")
    if pair[0] == 1:
        check_number(pair[1], size)
    elif pair[0] == 2:
        if type(pair[1]) is not tuple:
            raise TypeError(f"replay: a source of several must have a tuple of them; found {pair[1]!r:.80}")
        for x in pair[1]:
            check_source(x, size)
    return 0


cdef int check_number(k, Py_ssize_t size) except -1:
    if type(k) is not int or not 0 <= k < size:
        raise ValueError(f"replay: there are {size} values; found the number {k!r:.80}")
    return 0


cdef bint same_value(a, b) except -1:
    """Whether no function could tell two arguments, which are no tensors, apart."""
    cdef double p, q
    if type(a) is not type(b):
        return False
    if type(a) is float:
        p, q = a, b
        return memcmp(&p, &q, sizeof(double)) == 0
    return type(a) in (int, str) and a == b


cdef class Turn:
    """One step of a replay, with grad mode off or on (0, 1) or unchanged (-1). drops: numbers of the values that no
    later step needs.
    """
    cdef readonly tuple drops
    cdef int grad

    cdef int check(self, Py_ssize_t size) except -1:
        """Whether all numbers are those of so many values."""
        for k in self.drops:
            check_number(k, size)
        return 0

    cdef bint make(self, list env) except -1:
        """Do the step; False if its result says that the later steps must not be done."""
        raise NotImplementedError


cdef class Line(Turn):
    """One call of an operator.

    Args:
        op: the operator.
        args: for each argument a pair: (0, a constant), (1, the number of a value) or (2, a tuple of such pairs).
        out: where its destinations come from, None for a call without.
        results: the number of its result, a tuple of several numbers, or None if it is not needed.
        drops: numbers of the values that no later step needs.
        asks: whether its result says if the later calls may be made.
        grad: grad mode: 0 (off), 1 (on), or -1 (unchanged).
        lets_go: a function, numbers of values, and sources: the graph of these values, which began at those, was freed,
            and the function is called with both.
        writes: for results that replace tensors that were written to in place, how often these were written to.
        lies: for results meta tensors, whose strides they have.
    """
    cdef Operator op
    cdef list args
    cdef tuple out
    cdef object results
    cdef bint asks
    cdef tuple lets_go
    cdef dict writes, lies

    def __init__(
            self, Operator op not None, list args not None, results, tuple out=None, tuple drops=(), bint asks=False,
            int grad=-1, tuple lets_go=None, dict writes=None, dict lies=None):
        if len(args) != op.n:
            raise ValueError(f"{op.name}: a line needs {op.n} arguments; found {len(args)}")
        self.op, self.args, self.results, self.out, self.drops, self.asks = op, list(args), results, out, drops, asks
        self.grad = -1 if grad < 0 else grad != 0
        self.lets_go, self.writes, self.lies = lets_go, writes, lies
        if lets_go is not None and len(lets_go) != 3:
            raise ValueError(f"{op.name}: 'lets_go' must be three things; found {len(lets_go)}")

    cdef int check(self, Py_ssize_t size) except -1:
        Turn.check(self, size)
        for pair in self.args if self.out is None else [*self.args, self.out]:
            check_source(pair, size)
        if self.results is not None:
            for k in self.results if type(self.results) is tuple else (self.results,):
                check_number(k, size)
        for k in (*(self.writes or ()), *(self.lies or ())):
            check_number(k, size)
        if self.lets_go is not None:
            for k in self.lets_go[1]:
                check_number(k, size)
            for pair in self.lets_go[2]:
                check_source(pair, size)
        return 0

    cdef bint make(self, list env) except -1:
        cdef PyObject* vals[MAX_PARAMS]
        cdef list given = [None] * self.op.n
        cdef int i
        for i in range(self.op.n):
            given[i] = taken(<tuple>PyList_GET_ITEM(self.args, i), env)
            vals[i] = <PyObject*>given[i]
        found = self.op.call_bound(vals, None if self.out is None else taken(self.out, env), self.op, NULL)
        if self.asks:
            return bool(found)
        if type(self.results) is int:
            env[self.results] = found
        elif self.results is not None:
            for i in range(PyTuple_GET_SIZE(<tuple>self.results)):
                env[(<tuple>self.results)[i]] = found[i]
        if self.lies is not None:
            for k, like in self.lies.items():
                lie_as(<Tensor?>env[k], <Tensor?>like)
        if self.writes is not None:
            written_again(self.writes, env, self.results)
        if self.lets_go is not None:
            function, results, behind = self.lets_go
            function([env[k] for k in results], [taken(<tuple>pair, env) for pair in behind])
        return True


cdef class Act(Turn):
    """A call of a function of the library whose effects are known, such as an optimizer's step.

    Args:
        function: the function.
        args: for each argument its source, as in `Line`.
        result: the number of its result, -1 if it is not needed.
        drops, grad: see `Turn`.
    """
    cdef object function
    cdef tuple args
    cdef Py_ssize_t result

    def __init__(self, function, tuple args not None, Py_ssize_t result=-1, tuple drops=(), int grad=-1):
        if not callable(function):
            raise TypeError(f"Act: 'function' must be callable; found {type(function).__name__}")
        self.function, self.args, self.result, self.drops = function, args, result, drops
        self.grad = -1 if grad < 0 else grad != 0

    cdef int check(self, Py_ssize_t size) except -1:
        Turn.check(self, size)
        for pair in self.args:
            check_source(pair, size)
        if self.result >= 0:
            check_number(self.result, size)
        return 0

    cdef bint make(self, list env) except -1:
        found = self.function(*[taken(<tuple>pair, env) for pair in self.args])
        if self.result >= 0:
            env[self.result] = found
        return True


cdef class Store(Turn):
    """A step that sets the gradient of a leaf, to a value or None.

    Args:
        leaf: its source, as in `Line`.
        value: the source of the gradient.
        drops: see `Turn`.
    """
    cdef tuple leaf, value

    def __init__(self, tuple leaf not None, tuple value not None, tuple drops=()):
        self.leaf, self.value, self.drops, self.grad = leaf, value, drops, -1

    cdef int check(self, Py_ssize_t size) except -1:
        Turn.check(self, size)
        check_source(self.leaf, size)
        check_source(self.value, size)
        return 0

    cdef bint make(self, list env) except -1:
        cdef Tensor t = <Tensor?>taken(self.leaf, env)
        cdef object value = taken(self.value, env)
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"Store: a gradient must be a Tensor or None; found {type(value).__name__}")
        get_meta(t).grad = value
        return True


cdef object taken(tuple pair, list env):
    cdef int how = pair[0]
    if how == 0:
        return pair[1]
    if how == 1:
        return env[pair[1]]
    return tuple([taken(<tuple>p, env) for p in <tuple>pair[1]])


NO_FIT = object()                 # the result of a replay for a call that does not fit


cdef class Replay:
    """The calls of operators that a call of a function makes.

    Args:
        guard: the conditions that a call must fulfil.
        lines: the calls, and the other steps.
        size: how many values there are.
        places: for each value in the arguments its number.
        single: the number of the value that is the result, -1 where `leaves` says it.
        leaves: for each leaf of the result a pair as in `Line`.
        rebuild: makes the result from its leaves.
    """
    cdef Guard guard
    cdef list lines
    cdef Py_ssize_t size, single
    cdef tuple places, leaves
    cdef object rebuild
    cdef readonly Py_ssize_t runs

    def __init__(
            self, Guard guard not None, list lines not None, Py_ssize_t size, tuple places not None, Py_ssize_t single,
            tuple leaves not None, rebuild):
        if len(places) != len(guard.args):
            raise ValueError(f"replay: the guard has {len(guard.args)} arguments; found {len(places)} places")
        check_each("lines", lines, Turn)
        for k in places:
            check_number(k, size)
        if single >= 0:
            check_number(single, size)
        for pair in leaves:
            check_source(pair, size)
        for line in lines:
            (<Turn>line).check(size)
        for leaf in guard.leaves:
            if (<Leaf>leaf).number >= 0:
                check_number((<Leaf>leaf).number, size)
        self.guard, self.lines, self.size, self.places = guard, list(lines), size, places
        self.single, self.leaves, self.rebuild, self.runs = single, leaves, rebuild, 0

    @property
    def calls(self):
        """How many calls of operators it makes."""
        return sum([type(line) is Line for line in self.lines])

    def __call__(self, tuple args not None, tuple names not None=()):
        """The result of a call; NO_FIT if it does not make these calls, and then nothing has been done.

        Args:
            args: its arguments, keyword arguments last.
            names: of these.
        """
        found = self.guard.taken(args, names)
        return NO_FIT if found is None else self.run(found)

    def fits(self, tuple args not None, tuple names not None=()):
        """Whether a call makes these calls, apart from the checks of indices."""
        return self.guard.taken(args, names) is not None

    cdef object run(self, args):
        cdef list env = [None] * self.size
        cdef State* state = tls()
        cdef int grad = state.grad_enabled
        cdef Py_ssize_t i
        for i in range(PyTuple_GET_SIZE(self.places)):
            env[self.places[i]] = args[i]
        for x in self.guard.leaves:
            if (<Leaf>x).number >= 0:
                env[(<Leaf>x).number] = (<Leaf>x).of(args).meta.grad
        try:
            if not self.made(env, state, grad):
                return NO_FIT
        finally:
            state.grad_enabled = grad
        self.runs += 1
        if self.single >= 0:
            return env[self.single]
        return self.rebuild([taken(<tuple>pair, env) for pair in self.leaves])

    cdef bint made(self, list env, State* state, int grad) except -1:
        """Do all steps; False if a check says that they must not be done."""
        cdef Turn line
        cdef Py_ssize_t at
        for at in range(PyList_GET_SIZE(self.lines)):
            line = <Turn>PyList_GET_ITEM(self.lines, at)
            state.grad_enabled = grad if line.grad < 0 else line.grad
            if not line.make(env):
                return False
            for k in line.drops:
                env[k] = None
        return True


def gradients(outputs, cotangents, operands):
    """The gradients of operands, each row by row in memory of its own; the graph is let go. (Behind the run no code of
    Python's is needed, so no interrupt loses what the graph has given: it does not run again.)
    """
    cdef list found = run_backward(list(outputs), list(cotangents), False, False, list(operands), False)
    cdef set own = {id((<Tensor?>t).storage) for t in cotangents}
    cdef Tensor g
    for i in range(len(found)):
        if found[i] is None:
            raise RuntimeError("backward(): a recorded run of the graph gave a gradient that there is not")
        g = <Tensor?>found[i]
        if not g.contiguous_:
            g = g.contiguous()
        if id(g.storage) in own:
            g = g.clone()
        own.add(id(g.storage))
        found[i] = g
    return found

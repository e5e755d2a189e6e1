"""The tape of a compiled function: calls that wait, the tree of known ones, and the steps that run them.

A call that waits gives pending tensors. What it comes to is found by the compiled call that the operator has for meta
tensors: its sizes, strides and dtype, by the expressions of its program. Where the same calls were noted before, in the
same order and with operands of the same numbers, that is all there is to do: the tape goes one place on in the tree.
All else the recorder does (jit/recording.py), in Python, and the tree knows it the next time.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memcmp, memcpy

from rushlight.core.base cimport BUILTIN_DTYPES, DTYPES, KINDS
from rushlight.core.dispatch cimport (
    ALIASED, BY_RECORDER, COMPOSED, NOTED, TAPES, UNKNOWN, WRITES, Entry, Operator, Taken)
from rushlight.core.engine cimport anomaly_enabled, last_seq
from rushlight.core.engine import edge_of
from rushlight.core.flatten cimport (
    FEW_TENSORS, KEY_START, MAX_PARAMS, P_OPERAND, P_SIZES, P_TENSOR, P_TENSORS, Flat, Param, begin_flat, end_flat)
from rushlight.core.record import SAVED_HOOKS
from rushlight.core.record cimport CompiledCall, PlanNode
from rushlight.core.storage cimport Storage
from rushlight.core.tensor cimport (
    KEY_META, KEY_PENDING, State, Tensor, bump_version, lies_inside, new_tensor, place_of, tls, version_of, wants_grad)

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(PyObject*)

cdef list HOOKS = SAVED_HOOKS
cdef enum:
    MOST_PLACES = 4096       # of a tree: calls beyond are noted and not known again
    MOST_KNOWN = 64          # ways on from one place that are known by their compiled calls


class Refused(Exception):
    """The calls of a segment are to be made one by one; why."""


include "pending.pxi"
include "tree.pxi"


# ------------------------------------------------------------------------------------------------------------ the steps
cdef class Step:
    """A call of a plan.

    Args:
        op: the operator.
        args: of each parameter a pair: one of From, and what that takes.
        results: the number of its result, a tuple of the numbers of several, or None for a call that writes.
        program: it is a program of several calls; Refused where it gives what these would not.
        gives: results that pending tensors get as soon as they are there.
        lets_go: is called afterwards, with the tape and the values by their numbers: the graph of earlier calls was let
            go.
        grad: whether the graph takes note of the call; None: as it does where the steps are run.
        out: where its destinations come from, None for a call without.
    """
    cdef readonly Operator op
    cdef readonly list args
    cdef readonly object results
    cdef readonly bint program
    cdef readonly tuple gives
    cdef readonly object lets_go
    cdef readonly tuple out
    cdef readonly int grad        # -1: as it is where the steps are run
    cdef public tuple drops       # numbers of values that no later step wants

    def __init__(
            self, Operator op not None, list args not None, results, bint program=False, tuple gives=(),
            lets_go=None, grad=None, tuple out=None):
        if len(args) != op.n:
            raise ValueError(f"{op.name}: a step needs {op.n} arguments; found {len(args)}")
        self.op, self.args, self.results, self.program, self.gives = op, args, results, program, gives
        self.lets_go, self.grad, self.out, self.drops = lets_go, -1 if grad is None else grad, out, ()

    def takes(self):
        """The numbers of the values that it takes."""
        found = []
        left = list(self.args) if self.out is None else [*self.args, self.out]
        while left:
            how, x = left.pop()
            if how == FROM_VALUE:
                found.append(x)
            elif how == FROM_SEVERAL:
                left += x
        return found

    cdef int run(self, Tape tape, list env) except -1:
        cdef PyObject* vals[MAX_PARAMS]
        cdef list given = [None] * self.op.n
        cdef int i
        cdef tuple pair
        for i in range(self.op.n):
            pair = self.args[i]
            given[i] = tape.argument(pair, env)
            vals[i] = <PyObject*>given[i]
        cdef State* state = tls()
        cdef int before = state.grad_enabled
        if self.grad >= 0:
            state.grad_enabled = self.grad
        try:
            found = self.op.call_bound(
                vals, None if self.out is None else tape.argument(self.out, env), self.op, NULL)
        finally:
            state.grad_enabled = before
        given = None                  # (What a step has let go of is nobody's.)
        if self.results is None:      # it writes
            pass
        elif isinstance(self.results, int):
            env[self.results] = found
        else:
            if len(found) != len(<tuple>self.results):
                raise RuntimeError(
                    f"{self.op.name}(): a recorded call gave {len(<tuple>self.results)} results; found {len(found)}")
            for i in range(len(<tuple>self.results)):
                env[(<tuple>self.results)[i]] = found[i]
        found = None
        if tape.writes and self.results is not None:
            written_again(tape.writes, env, self.results)
        if self.lets_go is not None:
            self.lets_go(tape, env)
        if self.program:
            tape.check(self, env)
        for k in self.gives:
            env[k] = tape.given(k, <Tensor?>env[k])
        for k in self.drops:
            env[k] = None
        return 0


cdef int written_again(dict writes, list env, results) except -1:
    """Results of a call stand for ones that were written in place so often: before a later one keeps them for a
    backward. What the nodes of this call keep of them was computed after that.
    """
    cdef tuple numbers = results if isinstance(results, tuple) else (results,)
    cdef Tensor t, y
    cdef int i, n
    for k in numbers:
        n = writes.get(k, 0)
        if not n:
            continue
        t = <Tensor?>env[k]
        for i in range(n):
            bump_version(t)
        for m in numbers:
            y = <Tensor?>env[m]
            if isinstance(y.grad_fn_, PlanNode):
                y.grad_fn_.renew(t)
    return 0


# ------------------------------------------------------------------------------------------------------------- the tape
cdef class Tape:
    """The calls of a thread that wait.

    Attributes:
        values: by their numbers, tensors in memory that are read, and pending results.
        shadows: meta tensors with their metadata.
        versions: of those that are read, None for results.
        ints, numbers: what is given to the calls, in their order.
        deferred: tensors in memory that calls which wait write to.
        place: in the tree.
        n_calls: how many wait.
        busy: they are being run, or somebody has the lock.
        ended: their graph has been run, and takes note of nothing more.
        done: how many steps of `running`, and of those that follow, have been run.
    """
    cdef readonly list values, shadows, versions, ints, numbers, deferred
    cdef public Place place
    cdef readonly int n_calls
    cdef public bint busy
    cdef readonly bint ended
    cdef readonly Py_ssize_t done
    cdef readonly dict writes     # of a result that stands for one that was written in place: how often it was
    cdef readonly list at_once    # pairs: how many calls waited when one ran at once, and the last place of a node then
    cdef list running, env        # of a run that was interrupted: its steps, and the values so far
    cdef int grad, inference
    cdef unsigned char dtype
    cdef int64_t epoch            # of what waits: it is another one after `clear`
    cdef dict roots

    def __init__(self, dict roots):
        self.roots = roots
        self.epoch = 0
        self.clear()

    def clear(self):
        """Forget all."""
        self.values, self.shadows, self.versions, self.ints, self.numbers = [], [], [], [], []
        self.place, self.n_calls, self.deferred, self.ended, self.writes = None, 0, [], False, {}
        self.running, self.env, self.done, self.at_once = None, None, 0, []
        self.epoch += 1

    def begins(self, bint wants=True):
        """Whether the next call may be noted beside what waits: grad and inference mode, and the default dtype, are
        what they were. The first call says what they are. wants: one of its tensors requires grad.
        """
        cdef State* state = tls()
        if self.n_calls:
            return ((self.grad == state.grad_enabled or (self.ended and not wants))
                and self.inference == state.inference and self.dtype == KEY_START[0])
        self.grad, self.inference, self.dtype = state.grad_enabled, state.inference, KEY_START[0]
        key = (self.grad, self.inference, self.dtype)
        self.place = self.roots.get(key)
        if self.place is None:
            self.place = self.roots[key] = Place()
        return True

    def runs_at_once(self):
        """A call is about to run, whose node is older than those of the calls that wait only where they follow."""
        cdef Py_ssize_t n = len(self.at_once)
        if self.n_calls and (n == 0 or <Py_ssize_t>(<tuple>self.at_once[n - 1])[0] != self.n_calls):
            self.at_once.append((self.n_calls, last_seq()))

    def without_graph(self):
        """From now on the graph takes note of nothing: that of the calls before has been run."""
        self.grad, self.ended = 0, True

    @property
    def common(self):
        """What the calls have in common: whether grad mode and inference mode are on, and the default dtype."""
        return bool(self.grad), bool(self.inference), DTYPES[self.dtype]

    def fits(self, op, values):
        """Whether a call on integers may wait, which it may refuse for their values."""
        return False

    # ---- values
    cdef bint has(self, Tensor t) noexcept:
        """Whether a pending tensor is a result of this tape."""
        return 0 <= t.at < len(self.values) and self.values[t.at] is t and self.versions[t.at] is None

    def holds(self, Tensor t not None):
        """Whether a tensor is a result that waits."""
        return t.keys & KEY_PENDING and self.has(t)

    def waits(self, Tensor t not None):
        """Whether a tensor is a result that waits, or is to be written to."""
        return self.holds(t) or any([t is d for d in self.deferred])

    def stands_for(self, Tensor t not None, Tensor y not None):
        """Let a result that waits be another one from now on, which nobody else holds, in its place: it is written to.
        False where they lie in different ways.
        """
        cdef Py_ssize_t k = t.at, n = y.at
        if not (self.holds(t) and self.holds(y)) or not alike(self.shadows[k], self.shadows[n]):
            return False
        self.values[k], self.values[n] = y, t
        self.writes[n] = self.writes.pop(k, 0) + 1
        t.at, y.at = n, k
        return True

    def is_held(self, Py_ssize_t k):
        """Whether others than the tape hold the result of a number."""
        return PySequence_Fast_ITEMS(<PyObject*>self.values)[k].ob_refcnt > 1

    cdef Py_ssize_t operand(self, Tensor t):
        """The number of a tensor in memory that is read, -1 for others."""
        cdef Py_ssize_t k, n = len(self.values)
        for k in range(n - 1, -1, -1):
            if self.values[k] is t:
                return k
        return -1

    def reads(self, Tensor t not None):
        """Whether a tensor in memory is read by what waits."""
        return not t.keys & KEY_PENDING and self.operand(t) >= 0

    def reads_memory_of(self, Tensor t not None):
        """Whether a tensor's memory is read by what waits."""
        return self.reads_storage(t)

    cdef bint reads_storage(self, Tensor t):
        cdef Py_ssize_t k
        for k in range(len(self.values)):
            if self.versions[k] is not None and (<Tensor>self.values[k]).storage is t.storage:
                return t.storage is not None
        return False

    def slot(self, Tensor t not None):
        """The number of a tensor. One that gets a gradient is an operand of its own each time that it is used: the
        graph sums what flows back to it then, in the order in which it does for single calls.
        """
        cdef Py_ssize_t k
        if t.keys & KEY_PENDING:
            if not self.has(t):
                raise RuntimeError("a tensor that waits for the calls of another function is no operand")
            return t.at
        if not (self.grad and wants_grad(t)) and (k := self.operand(t)) >= 0:
            return k
        self.values.append(t)
        self.shadows.append(shadow(t))
        self.versions.append(version_of(t))
        return len(self.values) - 1

    cdef Tensor result(self, Tensor y):
        """A pending tensor as `y`, a meta tensor that nobody else has."""
        cdef Tensor t = metadata_of(y, KEY_PENDING)
        t.rg = y.rg
        t.at = len(self.values)
        self.values.append(t)
        self.shadows.append(y if y.meta is None and y.grad_fn_ is None else shadow(y))
        self.versions.append(None)
        return t

    def forget(self, Py_ssize_t values, Py_ssize_t ints, Py_ssize_t numbers):
        """Take back what a call that is not noted has added to so many."""
        del self.values[values:], self.shadows[values:], self.versions[values:]
        del self.ints[ints:], self.numbers[numbers:]

    def results(self, list found not None):
        """Pending tensors for the results of a call, as meta tensors."""
        return [self.result(<Tensor?>y) for y in found]

    def advance(self, Place place not None):
        """A call has been noted that leads to `place`."""
        self.place = place
        self.n_calls += 1

    def held(self):
        """The numbers of results that others than the tape hold."""
        cdef Py_ssize_t k
        cdef PyObject** items = PySequence_Fast_ITEMS(<PyObject*>self.values)
        found = []
        for k in range(len(self.values)):
            if self.versions[k] is None and items[k].ob_refcnt > 1:
                found.append(k)
        return tuple(found)

    def bytes_of(self, tuple numbers not None):
        """How many bytes values have."""
        cdef int64_t n = 0
        cdef Tensor t
        for k in numbers:
            t = <Tensor?>self.shadows[k]
            n += t.numel_ * t.itemsize_
        return n

    def written(self):
        """Whether a tensor that is read was written to since."""
        cdef Py_ssize_t k
        for k in range(len(self.values)):
            if self.versions[k] is not None and version_of(<Tensor>self.values[k]) != self.versions[k]:
                return True
        return False

    def defer(self, Tensor t not None):
        """A call that waits writes to `t`: until it has run, `t` is pending, though it has memory."""
        if not self.alone(t):
            raise RuntimeError("defer(): expected a tensor in memory that no other tensor lies on")
        self.deferred.append(t)
        t.keys |= KEY_PENDING

    def alone(self, Tensor t not None):
        """Whether a tensor in memory has it for itself: none else reads, or writes to, what a write to it changes."""
        return (not t.keys and not shared_outside(t) and (<PyObject*>t.storage).ob_refcnt == 1
            and (t.meta is None or t.meta.base is None))

    def arrive(self):
        """Tensors that are to be written to are what they are in memory again: the calls that do so are about to run.
        """
        for t in self.deferred:
            (<Tensor?>t).keys &= ~KEY_PENDING

    def wait(self):
        """They are to be written to yet: running the calls was interrupted."""
        for t in self.deferred:
            (<Tensor?>t).keys |= KEY_PENDING

    def note_write(self, Operator op not None, list values not None, list dests not None):
        """Note a call that writes where it leads on from here as it did before; False for others.

        Args:
            op: the operator.
            values: its arguments: lists of tensors, and numbers.
            dests: where it writes, each one of the tensors.
        """
        cdef Tensor t
        cdef Py_ssize_t k
        cdef list slots = [], numbers = [], fresh = []
        cdef dict places = {}
        cdef tuple key
        for v in values:
            if type(v) is float or type(v) is int:
                numbers.append(v)
                slots.append(type(v))
                continue
            if not isinstance(v, (list, tuple)):
                return False
            for x in v:
                if not isinstance(x, Tensor):
                    return False
                t = <Tensor>x
                if t.keys & KEY_PENDING:
                    if not self.has(t):
                        return False
                    k = t.at
                elif t.keys or shared_outside(t):
                    return False
                elif id(t) in places:
                    k = places[id(t)]
                else:
                    k = self.operand(t)
                    if k < 0:
                        k = len(self.values) + len(fresh)
                        fresh.append(t)
                    places[id(t)] = k
                slots.append(k)
        key = (op, tuple(slots), tuple([places.get(id(t), -1) for t in dests]))
        cdef Place after = self.place.writes.get(key)
        if after is None:
            return False
        for t in dests:
            if not self.alone(t):
                return False
        for t in fresh:
            self.values.append(t)
            self.shadows.append(shadow(t))
            self.versions.append(version_of(t))
        self.numbers += numbers
        for t in dests:
            self.deferred.append(t)
            t.keys |= KEY_PENDING
        self.place = after
        self.n_calls += 1
        return True

    # ---- runs
    cdef object argument(self, tuple pair, list env):
        cdef int how = pair[0]
        x = pair[1]
        if how == FROM_STEP:
            return x
        if how == FROM_VALUE:
            found = env[x]
            if found is None:
                raise RuntimeError(f"a plan takes the value {x}, which no step before has made")
            return found
        if how == FROM_INT:
            return self.ints[x]
        if how == FROM_NUMBER:
            return self.numbers[x]
        if how == FROM_INTS:
            return tuple(self.ints)
        return tuple([self.argument(<tuple?>p, env) for p in x])

    cdef int check(self, Step s, list env) except -1:
        """Refused where the results of a program lie in another way than those of its calls, or share memory."""
        cdef Tensor t
        cdef list seen = [(<Tensor?>env[k]).storage for k in s.takes()]
        for k in s.results:
            t = <Tensor?>env[k]
            if not alike(<Tensor>self.shadows[k], t):
                raise Refused("the results would lie in another way than those of single calls")
            lie_as(t, <Tensor>self.shadows[k])
            for storage in seen:
                if storage is t.storage:
                    raise Refused("results would share memory that those of single calls do not")
            seen.append(t.storage)
        return 0

    def give(self, k, Tensor t not None):
        """The pending tensor of a number, with what `t` has, a tensor that nobody else holds."""
        return self.given(k, t)

    cdef Tensor given(self, k, Tensor t):
        cdef Tensor waiting = <Tensor?>self.values[k]
        if waiting.keys & KEY_PENDING:
            fulfil(waiting, t)
        return waiting

    def run_steps(self, list steps not None, tuple held not None, list again not None):
        """Run steps, give the values that are held, and then run others, which are made of these."""
        cdef Py_ssize_t k, n = len(steps)
        cdef list env
        if self.running is not steps:
            self.running, self.done = steps, 0
            self.env = [None] * len(self.values)
            for k in range(len(self.values)):
                if self.versions[k] is not None:
                    self.env[k] = self.values[k]
        env = self.env               # (of a run that was interrupted: what has been written is not written twice)
        while self.done < n:
            (<Step?>steps[self.done]).run(self, env)
            self.done += 1
        for i in held:
            if env[i] is not None:
                env[i] = self.given(i, <Tensor?>env[i])
        while self.done < n + len(again):
            (<Step?>again[self.done - n]).run(self, env)
            self.done += 1

    # ---- known calls
    def learn(self, Place before not None, Place after not None, Operator op not None, list shown not None, slots,
            list ints not None, tuple numbers not None):
        """Know a call that leads from one place to another the next time, by the compiled call that it has.

        Args:
            before, after: the places.
            op: the operator.
            shown: its arguments, meta tensors in the place of tensors.
            slots: the numbers of its operands, in their order.
            ints: those that were given to it.
            numbers: the places among the arguments of the numbers that were given.
        """
        cdef Flat f
        cdef _Known known
        cdef CompiledCall c
        cdef Entry e
        cdef int i
        cdef State* state = tls()
        cdef int64_t row[FEW_TENSORS]
        if len(before.known) >= MOST_KNOWN or len(slots) > FEW_TENSORS or len(shown) != op.n:
            return
        if op.taken == ALIASED:
            row[0] = slots[0]
            self.know(before, after, op, row, 1)
            return
        for i in range(op.n):
            if op.kinds[i] == P_SIZES and (<Param>op.params[i]).like >= 0 and not shown[i]:
                return                    # its sizes are another parameter's
        begin_flat(&f)
        try:
            for i in range(op.n):
                op.take(&f, i, <PyObject*>shown[i], state.grad_enabled and not state.inference)
            e = op.find(&f)
            if (e is None or f.n_tensors != len(slots) or f.n_scalars < len(numbers)
                    or ints != [f.ints[i] for i in range(f.n_ints)]):
                return
            for i in range(f.n_tensors):
                row[i] = slots[i]
            for c in e.calls:
                if c.warned is not None or (c.n_compared and not c.numbers_fit(f.scalars, f.n_scalars)):
                    continue
                if c.executable.run(f.tensors, f.n_tensors, f.ints, f.scalars, None, True, NULL, None) is not None:
                    known = self.know(before, after, op, row, f.n_tensors)
                    known.entry, known.call, known.numbers = e, c, numbers
                    known.fixed = scalars_of(&f) if f.n_scalars > len(numbers) else None
                    if c.derivative is not None and c.derivative.numbers == NULL:
                        c.derivative.count()
                    return
        finally:
            end_flat(&f)

    cdef _Known know(self, Place before, Place after, Operator op, int64_t* slots, int n):
        cdef _Known known = _Known.__new__(_Known)
        known.op, known.after = op, after
        known.slots = PyBytes_FromStringAndSize(<char*>slots, n * sizeof(int64_t))
        before.known.append(known)
        return known

    cdef object note_alias(self, Operator op, Tensor t):
        """A view without history of what waits, which is known here; None for others."""
        cdef _Known known
        if not self.has(t):
            return None
        for x in self.place.known:
            known = <_Known>x
            if known.op is op and memcmp(PyBytes_AS_STRING(known.slots), &t.at, sizeof(int64_t)) == 0:
                self.place = known.after
                self.n_calls += 1
                return self.result(metadata_of(<Tensor>self.shadows[t.at], KEY_META))
        return None

    cdef object note(self, Operator op, PyObject** vals, State* state, bint grad):
        """The results of a call that is known here; None for others."""
        cdef Flat f
        cdef PyObject* shown[MAX_PARAMS]
        cdef int64_t slots[FEW_TENSORS]
        cdef PyObject* fresh[FEW_TENSORS]
        cdef Py_ssize_t m, k, n_values = len(self.values)
        cdef int i, j, n_slots = 0, n_fresh = 0
        cdef int64_t epoch = self.epoch
        cdef list shadows = []            # of the operands that are new
        cdef list made, results, own = []
        cdef Tensor t, y
        cdef Entry e
        cdef _Known known
        cdef CompiledCall c
        for i in range(op.n):
            v = <object>vals[i]
            shown[i] = vals[i]
            m = 1
            if isinstance(v, (tuple, list)) and op.kinds[i] == P_TENSORS:
                m = len(v)
                made = [None] * m
            elif not isinstance(v, Tensor):
                if op.kinds[i] == P_SIZES and (<Param>op.params[i]).like >= 0 and not v:
                    return None
                continue
            for j in range(m):
                x = v if isinstance(v, Tensor) else v[j]
                if n_slots >= FEW_TENSORS or not isinstance(x, Tensor):
                    return None
                t = <Tensor>x
                if t.keys & KEY_PENDING:
                    if not self.has(t):
                        return None
                    k = t.at
                elif grad and wants_grad(t):
                    k = -1
                else:
                    k = self.operand(t)
                    if k < 0:
                        for k in range(n_fresh):
                            if fresh[k] == <PyObject*>t:
                                k = n_values + k
                                break
                        else:
                            k = -1
                if k < 0:
                    if grad and t.meta is not None and t.meta.base is not None and wants_grad(t):
                        edge_of(t)            # a view that has lost its place in the graph is refused where it is used
                    k = n_values + n_fresh
                    fresh[n_fresh] = <PyObject*>t
                    n_fresh += 1
                    y = shadow(t)
                    shadows.append(y)
                else:
                    y = <Tensor>(self.shadows[k] if k < n_values else shadows[k - n_values])
                slots[n_slots] = k
                n_slots += 1
                if isinstance(v, Tensor):
                    shown[i] = <PyObject*>y
                else:
                    made[j] = y
            if not isinstance(v, Tensor):
                own.append(tuple(made))
                shown[i] = <PyObject*>own[len(own) - 1]
        begin_flat(&f)
        try:
            for i in range(op.n):
                op.take(&f, i, shown[i], grad)
            if self.epoch != epoch or f.keys & ~KEY_META or f.of_inference or f.n_tensors != n_slots:
                return None
            e = op.find(&f)
            if e is None:
                return None
            for x in self.place.known:
                known = <_Known>x
                if (known.entry is not e or PyBytes_GET_SIZE(known.slots) != n_slots * <Py_ssize_t>sizeof(int64_t)
                        or memcmp(PyBytes_AS_STRING(known.slots), slots, n_slots * sizeof(int64_t)) != 0):
                    continue
                c = known.call
                if known.fixed is not None and known.fixed != scalars_of(&f):
                    continue
                if c.n_compared and not c.numbers_fit(f.scalars, f.n_scalars):
                    continue
                made = c.executable.run(f.tensors, n_slots, f.ints, f.scalars, None, True, NULL, None)
                if made is not None:
                    break
            else:
                return None
            for i in range(c.n_outputs):
                y = <Tensor>made[i]
                if y.keys != KEY_META:
                    return None
                for j in range(n_slots):
                    if f.tensors[j] == <PyObject*>y:
                        return None
            if c.derivative is not None:
                for i in range(c.derivative.n_cotangents):
                    (<Tensor>made[c.derivative.numbers[c.derivative.n_active + i]]).rg = True
            for i in range(n_fresh):
                t = <Tensor>fresh[i]
                self.values.append(t)
                self.versions.append(version_of(t))
            self.shadows.extend(shadows)
            for i in range(f.n_ints):
                self.ints.append(f.ints[i])
            for i in known.numbers:
                self.numbers.append(<object>vals[i])
            self.place = known.after
            self.n_calls += 1
            if c.wrap is None:
                y = <Tensor>made[0]
                c.executable.take_back(made)
                return self.result(y)
            results = [self.result(<Tensor>made[i]) for i in range(c.n_outputs)]
            return c.wrap(results)
        except (RuntimeError, ValueError, TypeError, IndexError, OverflowError, NotImplementedError):
            return None                   # the call itself says what is wrong with it
        finally:
            end_flat(&f)

    cdef bint reads_one_of(self, Operator op, PyObject** vals):
        """Whether one of a call's tensors that require grad is read by what waits, which has the place before it in the
        graph.
        """
        for i in range(op.n):
            v = <object>vals[i]
            for x in v if isinstance(v, (tuple, list)) else (v,):
                if isinstance(x, Tensor) and wants_grad(<Tensor>x) and self.operand(<Tensor>x) >= 0:
                    return True
        return False

    cdef object apart(self, Operator op, PyObject** vals, State* state):
        """A call that runs now and takes nothing that waits."""
        cdef int modes = state.modes
        keep = self
        if state.grad_enabled:
            self.runs_at_once()
        state.modes, state.tape = 0, NULL
        try:
            return op.call_bound(vals, None, op, NULL)
        finally:
            state.modes, state.tape = modes, <PyObject*>self


cdef inline bint plain(Tensor t) noexcept:
    """Whether a tensor is one in memory, or pending, and nothing else."""
    return not t.keys & ~KEY_PENDING and t.code < BUILTIN_DTYPES


cdef object take(Operator op, PyObject** vals, State* state):
    """A call of this thread, of which its tape takes note; None where the recorder is to look at it."""
    cdef Tape tape = <Tape>state.tape
    cdef bint grad = state.grad_enabled != 0 and not state.inference
    cdef bint pending = False, ints = False, outside = False, requires = False, wants = False, unknown = False
    cdef int how = op.taken, i, n = 0
    cdef Py_ssize_t j, m
    cdef Tensor t
    if how == UNKNOWN or how >= BY_RECORDER or tape.busy or HOOKS or anomaly_enabled():
        return None
    for i in range(op.n):
        v = <object>vals[i]
        m = 1
        if isinstance(v, (tuple, list)):
            m = len(v)
        elif not isinstance(v, Tensor):
            continue
        for j in range(m):
            x = v if isinstance(v, Tensor) else v[j]
            if not isinstance(x, Tensor):
                continue
            t = <Tensor>x
            if not plain(t) or not (op.kinds[i] == P_TENSOR or op.kinds[i] == P_OPERAND or op.kinds[i] == P_TENSORS):
                return None
            n += 1
            wants = wants or (grad and wants_grad(t))
            if KINDS[t.code] == c"i" or KINDS[t.code] == c"u":
                ints = True
                unknown = unknown or t.keys & KEY_PENDING
            if t.keys & KEY_PENDING:
                pending = True
                continue
            if shared_outside(t) or (op.is_view and i == 0):
                outside = True
            requires |= grad and wants_grad(t)
    if how == NOTED and ints and not op.is_view and not outside and (pending or requires):
        if unknown or not tape.fits(op, op.values(vals)):
            return None
        ints = False
    if (how == NOTED and n and not outside and (not ints or op.is_view)) or (how == ALIASED and pending):
        if ((tape.grad != state.grad_enabled and (wants or not tape.ended)) or tape.inference != state.inference
                or tape.dtype != KEY_START[0] or not tape.n_calls):
            if tape.n_calls:
                return None
            tape.begins()
        if how == ALIASED:
            return tape.note_alias(op, <Tensor>vals[0])
        return tape.note(op, vals, state, grad)
    if pending or (requires and tape.n_calls and tape.reads_one_of(op, vals)):
        return None
    if how == WRITES and tape.n_calls:
        if not isinstance(<object>vals[0], Tensor):
            return None
        t = <Tensor>vals[0]
        if shared_outside(t) or tape.reads_storage(t):
            return None
    return tape.apart(op, vals, state)


cdef bint composes(Operator op, State* state) noexcept:
    return op.taken == COMPOSED and not (<Tape>state.tape).busy and not HOOKS and not anomaly_enabled()


def set_taken(Operator op not None, Taken how):
    """Say how tapes take the calls of an operator."""
    op.taken = how


TAPES.take, TAPES.composes = take, composes

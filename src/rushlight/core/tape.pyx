"""The tape of a compiled function: the calls that wait, the tree of known calls, and the steps that run them.

A call that waits returns pending tensors. The compiled call that the operator has for meta tensors tells their sizes,
strides and dtypes, by the expressions of its program. If the same calls were noted before, in the same order and with
operands of the same numbers, nothing else is to be done: the tape moves to the next place in the tree. The recorder
(jit/recording.py) does everything else, in Python, and the next time the tree knows it.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memcmp

from rushlight.core.base cimport BUILTIN_DTYPES, DTYPES, KINDS, OperatorBase
from rushlight.core.dispatch cimport (
    ALIASED, BY_RECORDER, COMPOSED, MADE, NOTED, TAPES, UNKNOWN, WRITES, Entry, Operator, Taken, Written)
from rushlight.core.engine cimport anomaly_enabled, last_seq
from rushlight.core.engine import edge_of
from rushlight.core.flatten cimport (
    FEW_TENSORS, KEY_START, MAX_PARAMS, P_OPERAND, P_SIZES, P_TENSOR, P_TENSORS, Flat, Param, begin_flat, end_flat)
from rushlight.core.pending cimport alike, fulfil, lie_alike, lie_as, metadata_of, shadow, shared_outside
from rushlight.core.record import SAVED_HOOKS
from rushlight.core.record cimport CompiledCall, PlanNode
from rushlight.core.storage cimport Storage
from rushlight.core.tensor cimport (
    KEY_META, KEY_PENDING, State, Tensor, bump_version, tls, version_of, wants_grad)

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(PyObject*)

cdef list HOOKS = SAVED_HOOKS
cdef enum:
    MOST_PLACES = 4096       # places of a tree: later calls are noted, and not known again
    MOST_KNOWN = 64          # transitions from one place that are known by their compiled calls


class Refused(Exception):
    """The calls of a segment must be made one by one; says why."""


include "tree.pxi"
include "steps.pxi"


# ------------------------------------------------------------------------------------------------------------- the tape
cdef class Tape:
    """The calls of a thread that wait.

    Attributes:
        values: by number, tensors in memory that are read, and pending results.
        shadows: meta tensors with their metadata.
        versions: of the tensors that are read; None for results.
        ints, numbers: the ints and numbers that are passed to the calls, in order.
        deferred: tensors in memory that calls which wait write to.
        place: the place in the tree.
        n_calls: how many calls wait.
        busy: the calls are being run, or other code has the lock.
        ended: their graph has been run, and records nothing more.
        under_way: how the run of the calls was begun, where it was interrupted: no call is noted behind them.
        done: how many steps of `running`, and of the steps after it, have been run.
        called: the number of the step whose call has been made last.
    """
    cdef readonly list values, shadows, versions, ints, numbers, deferred
    cdef public Place place
    cdef readonly int n_calls
    cdef public bint busy
    cdef public object under_way
    cdef readonly bint ended
    cdef readonly Py_ssize_t done
    cdef Py_ssize_t called
    cdef readonly dict writes     # for a result that replaces a tensor that was written to in place: how often that was
    cdef readonly list at_once    # pairs: how many calls waited when one ran at once, and the last place of a node then
    cdef list running, env        # of an interrupted run: its steps, and the values so far
    cdef int grad, inference
    cdef unsigned char dtype
    cdef int64_t epoch            # the number of what waits now: it changes with `clear`
    cdef dict roots
    cdef Py_ssize_t n_values, n_ints, n_numbers   # how many of each the calls have that were noted to their end

    def __init__(self, dict roots):
        self.roots = roots
        self.epoch = 0
        self.clear()

    def clear(self):
        """Forget everything."""
        self.values, self.shadows, self.versions, self.ints, self.numbers = [], [], [], [], []
        self.place, self.n_calls, self.deferred, self.ended, self.writes = None, 0, [], False, {}
        self.running, self.env, self.done, self.called, self.at_once, self.under_way = None, None, 0, -1, [], None
        self.n_values = self.n_ints = self.n_numbers = 0
        self.epoch += 1

    def begins(self, bint wants=True):
        """Whether the next call may be noted with those that wait: grad mode, inference mode and the default dtype must
        be as in the first call. wants: whether one of its tensors requires grad.
        """
        cdef State* state = tls()
        if self.under_way is not None:
            return False
        self.forget_unfinished()
        if self.n_calls:
            return ((self.grad == state.grad_enabled or (self.ended and not wants))
                and self.inference == state.inference and self.dtype == KEY_START[0])
        self.grad, self.inference, self.dtype = state.grad_enabled, state.inference, KEY_START[0]
        key = (self.grad, self.inference, self.dtype)
        self.place = self.roots.get(key)
        if self.place is None:
            self.place = self.roots[key] = Place()
        return True

    cpdef bint in_state(self):
        """Whether grad mode, inference mode and the default dtype are as in the first call."""
        cdef State* state = tls()
        return self.grad == state.grad_enabled and self.inference == state.inference and self.dtype == KEY_START[0]

    def runs_at_once(self):
        """A call is about to run, whose node is older than those of the calls that wait only where they follow."""
        cdef Py_ssize_t n = len(self.at_once)
        if self.n_calls and (n == 0 or <Py_ssize_t>(<tuple>self.at_once[n - 1])[0] != self.n_calls):
            self.at_once.append((self.n_calls, last_seq()))

    @property
    def common(self):
        """The state that the calls have in common: whether grad mode and inference mode are on, and the default dtype.
        """
        return bool(self.grad), bool(self.inference), DTYPES[self.dtype]

    def fits(self, op, values):
        """Whether a call on integers may wait, although it may raise an error for their values."""
        return False

    # ---- values
    cdef bint has(self, Tensor t) noexcept:
        """Whether a pending tensor is a result of this tape."""
        return 0 <= t.at < len(self.values) and self.values[t.at] is t and self.versions[t.at] is None

    def holds(self, Tensor t not None):
        """Whether a tensor is a pending result."""
        return t.keys & KEY_PENDING and self.has(t)

    def waits(self, Tensor t not None):
        """Whether a tensor is a pending result, or waits to be written to."""
        return self.holds(t) or any([t is d for d in self.deferred])

    def stand_for(self, list pairs not None):
        """Let pending results become others, to which nobody else refers: with the place of those in the graph. False,
        and nothing is changed, if the layouts of one pair differ. pairs: of a result and the other one; the first is
        written to, which is counted, and the rest are views of it.
        """
        cdef Py_ssize_t k, n
        cdef Tensor t, y
        for t, y in pairs:
            if not (self.holds(t) and self.holds(y)) or not lie_alike(self.shadows[t.at], self.shadows[y.at]):
                return False
        (t, y) = pairs[0]
        self.writes[y.at] = self.writes.get(t.at, 0) + 1
        for t, y in pairs:
            k, n = t.at, y.at
            self.values[k], self.values[n] = y, t
            t.at, y.at, t.rg, y.rg = n, k, y.rg, t.rg
        return True

    def is_held(self, Py_ssize_t k):
        """Whether anything but the tape refers to the result of a number."""
        return PySequence_Fast_ITEMS(<PyObject*>self.values)[k].ob_refcnt > 1

    cdef Py_ssize_t operand(self, Tensor t):
        """The number of a tensor in memory that is read, -1 for others."""
        cdef Py_ssize_t k, n = len(self.values)
        for k in range(n - 1, -1, -1):
            if self.values[k] is t:
                return k
        return -1

    def reads(self, Tensor t not None):
        """Whether a call that waits reads a tensor in memory."""
        return not t.keys & KEY_PENDING and self.operand(t) >= 0

    cpdef bint reads_memory_of(self, Tensor t):
        """Whether a call that waits reads a tensor's memory."""
        cdef Py_ssize_t k
        for k in range(len(self.values)):
            if self.versions[k] is not None and (<Tensor>self.values[k]).storage is t.storage:
                return t.storage is not None
        return False

    def slot(self, Tensor t not None):
        """The number of a tensor. One that gets a gradient becomes a new operand each time that it is used: so the
        graph sums its cotangents in the same order as for single calls.
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
        """Make `y`, a meta tensor to which nobody else refers, a pending tensor."""
        cdef Tensor t = metadata_of(y, KEY_PENDING)
        t.rg = y.rg
        t.at = len(self.values)
        self.values.append(t)
        self.shadows.append(y if y.meta is None and y.grad_fn_ is None else shadow(y))
        self.versions.append(None)
        return t

    def forget(self, Py_ssize_t values, Py_ssize_t ints, Py_ssize_t numbers):
        """Remove what a call that is not noted has added, so that so many are left."""
        del self.values[values:], self.shadows[values:], self.versions[values:]
        del self.ints[ints:], self.numbers[numbers:]

    cdef void noted(self) noexcept:
        """A call has been noted to its end."""
        self.n_calls += 1
        self.n_values, self.n_ints, self.n_numbers = len(self.values), len(self.ints), len(self.numbers)

    cpdef forget_unfinished(self):
        """Remove what a call has added that an interrupt has kept from being noted to its end."""
        if (len(self.values) != self.n_values or len(self.ints) != self.n_ints
                or len(self.numbers) != self.n_numbers):
            self.forget(self.n_values, self.n_ints, self.n_numbers)

    def results(self, list found not None):
        """Pending tensors for the results of a call, as meta tensors."""
        return [self.result(<Tensor?>y) for y in found]

    def advance(self, Place place not None, tuple dests=(), bint ended=False):
        """Note that a call has led to `place`. dests: tensors that it writes to, which are pending until it has run,
        although they have memory. ended: it runs the graph of the earlier calls, and nothing more is recorded there.
        """
        if not all([self.alone(t) for t in dests]):
            raise RuntimeError("advance(): expected tensors in memory that no other tensor lies on")
        for t in dests:
            self.defer(t)
        if ended:
            self.grad, self.ended = 0, True
        self.place = place
        self.noted()

    def held(self):
        """The numbers of the results to which anything but the tape refers."""
        cdef Py_ssize_t k
        cdef PyObject** items = PySequence_Fast_ITEMS(<PyObject*>self.values)
        found = []
        for k in range(len(self.values)):
            if self.versions[k] is None and items[k].ob_refcnt > 1:
                found.append(k)
        return tuple(found)

    def bytes_of(self, tuple numbers not None):
        """How many bytes the values have."""
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

    cdef void defer(self, Tensor t):
        """Mark `t` as written to by a call that waits."""
        self.deferred.append(t)
        t.keys |= KEY_PENDING

    def alone(self, Tensor t not None):
        """Whether nothing else shares the memory of a tensor, or reads or writes what a write to it changes."""
        return (not t.keys and not shared_outside(t) and (<PyObject*>t.storage).ob_refcnt == 1
            and (t.meta is None or t.meta.base is None))

    def arrive(self):
        """Let the tensors that wait to be written to be ordinary again: the calls that write to them are about to run.
        """
        for t in self.deferred:
            (<Tensor?>t).keys &= ~KEY_PENDING

    def wait(self):
        """Mark them as waiting again: running the calls was interrupted."""
        for t in self.deferred:
            (<Tensor?>t).keys |= KEY_PENDING

    def note_write(self, Operator op not None, list values not None, list dests not None):
        """Note a call that writes, if it leads on from here as before; False for any other. values: its arguments,
        lists of tensors and numbers. dests: the tensors that it writes to, each one of the values.
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
            self.defer(t)
        self.place = after
        self.noted()
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
        """Raise Refused if the results of a program have another layout than those of its calls, or share memory."""
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

    def make_now(self, Tensor t not None, Tensor made not None):
        """Give a pending result, of a call that is the same at any time, its memory now. To the calls that follow it is
        an operand; those before have the result of their own.
        """
        cdef Py_ssize_t k = t.at
        cdef Tensor own
        if not self.holds(t) or t.rg:
            raise RuntimeError("make_now(): 't' must be a pending result of these calls, without history")
        own = metadata_of(<Tensor>self.shadows[k], KEY_PENDING)
        own.at = k
        fulfil(t, made)
        self.values[k] = own

    def give(self, k, Tensor t not None):
        """Give the pending tensor of a number the memory and history of `t`, to which nobody else refers."""
        return self.given(k, t)

    cdef Tensor given(self, k, Tensor t):
        cdef Tensor waiting = <Tensor?>self.values[k]
        if waiting.keys & KEY_PENDING:
            fulfil(waiting, t)
        return waiting

    def run_steps(self, list steps not None, tuple held not None, list again not None):
        """Run steps, deliver the values that are still referred to, and then run the steps that are made from these
        values.
        """
        cdef Py_ssize_t k, n = len(steps)
        cdef list env
        if self.running is not steps:
            self.running, self.done, self.called = steps, 0, -1
            self.env = [None] * len(self.values)
            for k in range(len(self.values)):
                if self.versions[k] is not None:
                    self.env[k] = self.values[k]
        env = self.env               # (of an interrupted run: what was written is not written twice)
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
        """Remember, by its compiled call, that a call leads from one place to another.

        Args:
            before, after: the places.
            op: the operator.
            shown: its arguments, with meta tensors in place of tensors.
            slots: the numbers of its operands, in order.
            ints: the ints that were passed to it.
            numbers: the positions of the numbers among its arguments.
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
                return                    # its sizes are those of another parameter
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
        """A view without history of a pending tensor, if it is known here; None for any other."""
        cdef _Known known
        cdef Tensor y
        if not self.has(t):
            return None
        for x in self.place.known:
            known = <_Known>x
            if known.op is op and memcmp(PyBytes_AS_STRING(known.slots), &t.at, sizeof(int64_t)) == 0:
                y = self.result(metadata_of(<Tensor>self.shadows[t.at], KEY_META))
                self.place = known.after
                self.noted()
                return y
        return None

    cdef object note(self, Operator op, PyObject** vals, State* state, bint grad):
        """The results of a call that is known here; None for any other."""
        cdef Flat f
        cdef PyObject* shown[MAX_PARAMS]
        cdef int64_t slots[FEW_TENSORS]
        cdef PyObject* fresh[FEW_TENSORS]
        cdef Py_ssize_t m, k, n_values = len(self.values)
        cdef int i, j, n_slots = 0, n_fresh = 0
        cdef int64_t epoch = self.epoch
        cdef list shadows = None          # of the operands that are new
        cdef list made, results, own = None
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
                        edge_of(t)   # a view without a valid place in the graph is refused at its use
                    k = n_values + n_fresh
                    fresh[n_fresh] = <PyObject*>t
                    n_fresh += 1
                    y = shadow(t)
                    if shadows is None:
                        shadows = []
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
                if own is None:
                    own = []
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
            if shadows is not None:
                self.shadows.extend(shadows)
            for i in range(f.n_ints):
                self.ints.append(f.ints[i])
            for i in known.numbers:
                self.numbers.append(<object>vals[i])
            if c.wrap is None:
                y = <Tensor>made[0]
                c.executable.take_back(made)
                y = self.result(y)
                self.place = known.after
                self.noted()
                return y
            results = [self.result(<Tensor>made[i]) for i in range(c.n_outputs)]
            self.place = known.after
            self.noted()
            return c.wrap(results)
        except (RuntimeError, ValueError, TypeError, IndexError, OverflowError, NotImplementedError):
            return None                   # the call itself raises the error
        finally:
            end_flat(&f)

    cdef bint reads_one_of(self, Operator op, PyObject** vals):
        """Whether a call that waits, and whose node must come first, reads one of the tensors of a call that require
        grad.
        """
        for i in range(op.n):
            v = <object>vals[i]
            for x in v if isinstance(v, (tuple, list)) else (v,):
                if isinstance(x, Tensor) and wants_grad(<Tensor>x) and self.operand(<Tensor>x) >= 0:
                    return True
        return False

    cdef object apart(self, Operator op, PyObject** vals, State* state, OperatorBase called, Written* written):
        """Make a call now, which depends on nothing that waits; `__torch_function__` sees it as it was written."""
        cdef int modes = state.modes
        keep = self
        if state.grad_enabled:
            self.runs_at_once()
        state.modes, state.tape = 0, NULL
        try:
            return op.call_bound(vals, None, called, written)
        finally:
            state.modes, state.tape = modes, <PyObject*>self


cdef inline bint plain(Tensor t) noexcept:
    """Whether a tensor is an ordinary one in memory, or pending."""
    return not t.keys & ~KEY_PENDING and t.code < BUILTIN_DTYPES


cdef object take(Operator op, PyObject** vals, State* state, OperatorBase called, Written* written):
    """Note a call of this thread on its tape; None if the recorder must look at it."""
    cdef Tape tape = <Tape>state.tape
    cdef bint grad = state.grad_enabled != 0 and not state.inference
    cdef bint pending = False, ints = False, outside = False, requires = False, wants = False, unknown = False
    cdef int how = op.taken, i, n = 0
    cdef Py_ssize_t j, m
    cdef Tensor t
    if (how == UNKNOWN or how >= BY_RECORDER or tape.busy or tape.under_way is not None or HOOKS
            or anomaly_enabled()):
        return None
    tape.forget_unfinished()
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
    if (how == NOTED and (n or makes(op)) and not outside and (not ints or op.is_view)) or (how == ALIASED and pending):
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
        if shared_outside(t) or tape.reads_memory_of(t):
            return None
    return tape.apart(op, vals, state, called, written)


cdef bint makes(Operator op) noexcept:
    """Whether an operator takes no tensors."""
    cdef int i
    for i in range(op.n):
        if op.kinds[i] == P_TENSOR or op.kinds[i] == P_OPERAND or op.kinds[i] == P_TENSORS:
            return False
    return True


cdef object make(Operator op, PyObject** vals, State* state):
    """The pending result of a factory, which a program makes with the calls that wait; None where none does, or where
    they were called in another mode: what a factory makes is the same in all.
    """
    cdef PyObject* given[MAX_PARAMS]
    cdef Tape tape
    cdef Operator direct
    cdef Py_ssize_t i
    cdef tuple found
    if state.tape == NULL or state.modes != 1:
        return None
    tape = <Tape>state.tape
    if tape.busy or tape.under_way is not None or HOOKS or anomaly_enabled():
        return None
    if tape.n_calls and not ((tape.grad == state.grad_enabled or tape.ended) and tape.inference == state.inference
            and tape.dtype == KEY_START[0]):
        return None
    found = op.usual.as_program(vals)
    if found is None:
        return None
    direct = <Operator>found[0]
    for i in range(direct.n):
        given[i] = <PyObject*>(<tuple>found[1])[i]
    if direct.taken == NOTED:
        tape.forget_unfinished()
        if not tape.n_calls:
            tape.begins()
        made = tape.note(direct, given, state, False)
        if made is not None:
            return made
    return direct.call_bound(given, None, direct, NULL)


cdef bint composes(Operator op, State* state) noexcept:
    return ((op.taken == COMPOSED or op.taken == MADE) and not (<Tape>state.tape).busy and not HOOKS
        and not anomaly_enabled())


def set_taken(Operator op not None, Taken how):
    """Set how tapes treat the calls of an operator."""
    op.taken = how


TAPES.take, TAPES.composes, TAPES.make = take, composes, make

"""Compiled calls, their derivatives, and the graph nodes of recorded calls."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_REFCNT, Py_XDECREF
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from rushlight.core.arrays cimport Arrays
from rushlight.core.base cimport UPCALLS, core_only, dtype_of
from rushlight.core.engine cimport Node, anomaly_enabled, gradient_edge, next_seq
from rushlight.core.engine import raise_freed
from rushlight.core.execute cimport BOOL, FLOAT, INT, UINT, Scalar
from rushlight.core.flatten cimport FEW_TENSORS, MAX_SCALARS, Flat
from rushlight.core.lines cimport note_write, user_line
from rushlight.core.lines import line_of
from rushlight.core.tensor cimport (
    KEY_LAYOUT, KEY_META, KEY_SPECIAL, Tensor, alias, bump_version, settle, size_tuple, tls, version_of, writes_to)

SAVED_HOOKS = []         # (pack, unpack) of saved_tensors_hooks in force, innermost last


# "is" compares bits, so that a NaN equals itself and the two zeros differ. "in" and "in or not finite" ask whether a
# number is in a range.
cdef tuple COMPARISONS = ("==", "<", "<=", ">", ">=", "is", "in", "in or not finite")


cdef class CompiledCall(Arrays):
    """A cached call: its executable, how results are wrapped, and its derivative, if it is recorded."""
    def valid_for(self, list found):
        """Let the call be valid for numbers for which each comparison in `found` has the same answer.

        Args:
            found: comparisons, each of them (number, one of COMPARISONS, constant, -1, answer), or with the index of
                another number of the call for -1. The constant of "in" and "in or not finite" is a pair, the smallest
                and the largest number; -2 in place of -1 compares the imaginary part.

        Raises:
            RuntimeError: comparisons were set before.
            ValueError, TypeError: an entry is no comparison.
        """
        cdef int i
        cdef Py_ssize_t n = len(found)
        cdef Compared* all_of_them
        if self.compared != NULL:
            raise RuntimeError("a compiled call has its guards on numbers already")
        if not n:
            return
        all_of_them = <Compared*>self.room(n * sizeof(Compared))
        for i in range(n):
            number, op, constant, other, answer = found[i]
            low, high = constant if isinstance(constant, tuple) else (constant, 0.0)
            all_of_them[i] = Compared(number, other, COMPARISONS.index(op), answer, low, high)
        self.compared, self.n_compared = all_of_them, n

    cdef bint numbers_fit(self, Scalar* scalars, int n) noexcept:
        cdef int i
        cdef bint answer
        cdef double x, y
        cdef Compared* c
        for i in range(self.n_compared):
            c = &self.compared[i]
            if not 0 <= c.number < n or c.other >= n:
                return False
            if scalars[c.number].kind == INT:
                x = <double>scalars[c.number].lo
            elif scalars[c.number].kind == UINT:
                x = <double><uint64_t>scalars[c.number].lo
            elif c.other == -2:
                memcpy(&x, &scalars[c.number].hi, 8)
            else:
                memcpy(&x, &scalars[c.number].lo, 8)
            if c.other < 0:
                y = c.constant
            else:
                memcpy(&y, &scalars[c.other].lo, 8)
            answer = (
                x == y if c.op == 0 else x < y if c.op == 1 else x <= y if c.op == 2 else x > y if c.op == 3
                else x >= y if c.op == 4 else memcmp(&x, &y, 8) == 0 if c.op == 5
                else y <= x <= c.high or (c.op == 7 and not isfinite(x)))
            if answer != c.expected:
                return False
        return True


cdef class Derivative(Arrays):
    """The backward of a compiled call."""
    def __cinit__(self):
        self.plain = -1

    cdef bint as_they_come(self, list out):
        """Whether `apply` returns `out`, the outputs of the backward, unchanged."""
        if self.plain < 0:
            self.plain = self.grads == list(range(len(out)))
        return self.plain == 1

    cdef int count(self) except -1:
        """Fill `numbers`."""
        values = [*self.active, *self.cotangent_outputs, *(x for pair in self.residuals for x in pair)]
        if self.operands is None or len(self.operands) != self.n_own + len(self.cotangent_outputs):
            raise RuntimeError(f"{self.label}: a derivative must name the dtype of each operand of its backward")
        values += self.operands
        cdef int* numbers = self.ints(values)
        self.n_active, self.n_residuals = len(self.active), len(self.residuals)
        self.n_cotangents = len(self.cotangent_outputs)
        self.numbers = numbers
        return 0


class _Packed:
    """A saved tensor of a node in which at least one has its own hooks."""

    def __init__(self, value, unpack, version):
        self.value, self.unpack, self.version = value, unpack, version

    @classmethod
    def plain(cls, Tensor t, int64_t version):
        return cls(t, None, version)

    @staticmethod
    def open(packed):
        if packed.unpack is not None:
            return packed.unpack(packed.value)
        if packed.value._version != packed.version:
            raise RuntimeError("a value that was saved for the backward was modified by an inplace operation")
        return packed.value


cdef class PlanNode(Node):
    """The graph node of a compiled call: residual tensors, sizes and numbers, and the backward program."""
    def __dealloc__(self):
        if self.syms != &self.few_syms[0]:
            free(self.syms)
        free(self.scalars)
        Py_XDECREF(self.code)

    @property
    def line(self):
        """'file:line' of the user's call that recorded this node, or None."""
        return None if self.code == NULL else line_of(<object>self.code, self.lasti)

    cdef void release(self):
        # A node that keeps nothing may run any number of times, whatever `keep_graph` says.
        if self.derivative.n_own or self.derivative.runs_once:
            self.saved = None
            self.freed = True

    cdef tuple places(self):
        if self.derivative.places is None:
            self.derivative.places = UPCALLS.edge_places(self.derivative)
        return self.derivative.places

    cdef tuple visits(self):
        cdef Derivative d = self.derivative
        if not d.visits_known:
            d.visits, d.visits_known = UPCALLS.edge_visits(d), True
        return d.visits

    @property
    def saved_tensors(self):
        """The residual tensors that the backward program reads."""
        if self.freed:
            raise_freed()
        return tuple([self.residual(i) for i in range(len(self.saved))])

    def kept(self, int i):
        """Residual i; None after the node was run and freed."""
        if self.freed:
            raise_freed()
        self.check_place(i)
        return self.residual(i)

    cdef int check_place(self, int i) except -1:
        if i < 0 or i >= len(self.saved):
            raise IndexError(f"{self.label} has saved {len(self.saved)} tensors; found the number {i}")
        return 0

    def hook_kept(self, int i, pack, unpack):
        """Keep pack(residual i) in place of residual i, and restore it by `unpack` in the backward."""
        if self.freed:
            raise_freed()
        self.check_place(i)
        if self.unpack is None:
            self.saved = [
                _Packed.plain(self.kept(k), version_of(<Tensor>self.saved[k])) for k in range(len(self.saved))]
            self.unpack = _Packed.open
        elif self.unpack is not _Packed.open or self.saved[i].unpack is not None:
            raise RuntimeError("register_hooks(): the saved tensor has hooks already; it takes one pair")
        (<list>self.saved)[i] = _Packed(pack(self.kept(i)), unpack, 0)

    def renew(self, Tensor t not None):
        """Note that the call itself has written to its result `t`, whose kept value is the one after that."""
        cdef Py_ssize_t i
        for i in range(len(self.saved)):
            if isinstance(self.saved[i], Tensor) and (<Tensor>self.saved[i]).storage is t.storage:
                self.versions[i] = version_of(t)

    def ints(self):
        """The values of the program's symbols."""
        return [self.syms[i] for i in range(self.derivative.n_syms)]

    def number(self, int i):
        """Number i of the call; None if the backward takes no numbers, and none were kept."""
        if self.scalars == NULL:
            return None
        if i < 0 or i >= self.n_scalars:
            raise IndexError(f"{self.label} has kept {self.n_scalars} numbers; found the number {i}")
        return scalar_value(self.scalars[i])

    cdef Tensor residual(self, int i):
        """Residual i, unpacked and checked: it must not have been overwritten."""
        cdef Tensor t
        if self.unpack is None:
            t = <Tensor>self.saved[i]
            if version_of(t) != <int64_t>self.versions[i]:
                raise RuntimeError(UPCALLS.modified_message(self, t, self.versions[i]))
            return t
        value = self.unpack(self.saved[i])
        if not isinstance(value, Tensor):
            raise TypeError(f"saved_tensors_hooks: the unpack hook must return a Tensor, not {type(value).__name__}")
        kind, j = self.derivative.residuals[i]
        if kind == 0 and j in self.derivative.active:    # its place in the graph was lost in the hooks
            return UPCALLS.rejoin(value, *self.edges[self.derivative.active.index(j)])
        return value

    cdef list apply(self, list grads):
        cdef PyObject* few[FEW_TENSORS]
        cdef PyObject** args = few
        cdef Arrays memory
        cdef list saved = self.saved         # a run in another thread may release the node meanwhile
        if self.freed:
            raise_freed()
        if len(saved) + len(grads) > FEW_TENSORS:
            memory = Arrays.__new__(Arrays)
            args = <PyObject**>memory.room((len(saved) + len(grads)) * sizeof(PyObject*))
        cdef Derivative d = self.derivative
        cdef int i, n = 0
        cdef Tensor t
        cdef unsigned int keys = 0
        # operands that only this call refers to, made by an unpack hook or a conversion
        cdef list held = None
        cdef list own = None
        cdef list out
        cdef int* codes = d.numbers + d.n_active + d.n_cotangents + 2 * d.n_residuals
        cdef unsigned int where = KEY_META if d.meta else 0
        for i in range(d.n_own):
            t = self.residual(i)
            if t.code != codes[n] or (t.keys ^ where) & KEY_META or self.unpack is not None:
                t = self.operand(t, codes[n], f"saved tensor {i}")
                if held is None:
                    held = []
                held.append(t)
            keys |= t.keys
            args[n] = <PyObject*>t
            n += 1
        for i in range(len(grads)):
            t = <Tensor>grads[i]
            if t is None:
                if self.out_meta is None:        # the only one: without a cotangent there are no gradients
                    return [None] * d.n_active
                t = UPCALLS.zeros(*self.out_meta[i])
                grads[i] = t
            settle(t)
            if t.code != codes[n] or (t.keys ^ where) & (KEY_META | KEY_LAYOUT):
                t = self.operand(t, codes[n], f"gradient {i}")
                grads[i] = t
            keys |= t.keys
            args[n] = <PyObject*>t
            n += 1
        if tls().grad_enabled or keys & KEY_SPECIAL:
            out = self.apply_operator([<object>args[i] for i in range(d.n_own)], grads)
        else:
            if d.compiled is None:
                d.compiled = UPCALLS.compile_backward(d, [<object>args[i] for i in range(n)])
            if self.once and held is None and self.saved is saved and d.n_own:
                # this is the last run of the node, which frees the tensors that it keeps
                self.saved, self.freed = None, True
                if Py_REFCNT(saved) == 1:
                    own = saved
                    if len(own) > d.n_own:  # the others are for a second derivative
                        del own[d.n_own:]
            out = run_compiled(self, d.compiled, args, n, own)
        if d.as_they_come(out):
            return out
        return each_apart(out, d.grads)

    cdef Tensor operand(self, Tensor t, int code, str what):
        """An operand of the backward that is not as the call recorded it: converted to its dtype and made dense;
        RuntimeError if it is on another device.
        """
        if t.keys & KEY_LAYOUT:
            t = t.to_dense()
        if ((t.keys ^ (KEY_META if self.derivative.meta else 0)) & KEY_META
                and not (self.derivative.meta and t.ndim_ == 0)):
            raise RuntimeError(
                f"{self.label}: {what} must be on the device of the call that recorded it, "
                f"{'meta' if self.derivative.meta else 'cpu'}; found {t.device}")
        return t if t.code == code else UPCALLS.cast(t, dtype_of(code))

    cdef list apply_operator(self, list args, list grads):
        """Run the backward program as an operator, so that it is recorded or transformed itself."""
        cdef Derivative d = self.derivative
        cdef int i
        cdef bint again = d.again is not None and tls().grad_enabled != 0
        if again and d.operator_again is None:
            d.operator_again = UPCALLS.backward_operator(d, True)
        elif not again and d.operator is None:
            d.operator = UPCALLS.backward_operator(d, False)
        if again:
            args += [self.residual(i) for i in range(d.n_own, d.n_residuals)]
        for i in range(len(args)):
            if d.residuals[i][0] == 1:           # a saved output gets its place in the graph again
                args[i] = UPCALLS.rejoin(
                    args[i], self,
                    d.cotangent_outputs.index(d.residuals[i][1]) if d.residuals[i][1] in d.cotangent_outputs else -1)
            elif d.old is not None and i in d.old:
                args[i] = UPCALLS.rejoin(args[i], *self.edges[d.old[i]])
        ints = [self.syms[i] for i in range(d.n_syms)]
        numbers = [scalar_value(self.scalars[<int>i]) for i in (d.scalars if again else d.own_scalars)]
        args += grads
        return list((d.operator_again if again else d.operator)(args, ints, *numbers))


def each_apart(list found not None, list places not None):
    """The gradients of a node's inputs, at `places` among those that its program returns. A gradient of several inputs
    becomes a separate tensor for each: code that wants to keep the memory of one must see that others share it.
    """
    cdef list grads = [None if k is None else found[k] for k in places]
    cdef Tensor t
    cdef int i
    for i in range(1, len(grads)):
        if grads[i] is not None and places.index(places[i]) < i:
            t = <Tensor?>grads[i]
            if not t.rg and not t.keys & KEY_SPECIAL:
                grads[i] = alias(t)
    return grads


cdef object scalar_value(Scalar s):
    cdef double re, im
    if s.kind == INT:
        return s.lo
    if s.kind == UINT:
        return <uint64_t>s.lo
    if s.kind == BOOL:
        return s.lo != 0
    memcpy(&re, &s.lo, 8)
    if s.kind == FLOAT:
        return re
    memcpy(&im, &s.hi, 8)
    return complex(re, im)


cdef list run_compiled(PlanNode node, CompiledCall c, PyObject** args, int n, list held):
    cdef Scalar scalars[MAX_SCALARS]
    cdef int i
    cdef list which = c.wrap
    for i in range(len(which)):
        scalars[i] = node.scalars[<int>which[i]]
    out = c.executable.run(args, n, node.syms, scalars, None, node.derivative.meta, NULL, held)
    if out is None:
        raise RuntimeError(
            f"{node.label}: a saved tensor or a gradient must have the sizes that the call recorded; found others")
    return out


cdef Tensor kept_instead(str name, Tensor t):
    """What a node of operator `name` keeps for an inference tensor: a copy, or it raises RuntimeError."""
    return UPCALLS.kept_instead(name, t)


cdef int check_saved(str name, Derivative d, Flat* f) except -1:
    """Raise the errors of `record` before the call writes to its destination."""
    cdef int i
    cdef Tensor t
    if d.numbers == NULL:
        d.count()
    cdef int* numbers = d.numbers + d.n_active + d.n_cotangents
    for i in range(d.n_own):
        if numbers[2 * i] == 0:
            t = <Tensor><object>f.tensors[numbers[2 * i + 1]]
            if t.inference_:
                kept_instead(name, t)
    return 0


cdef tuple zeros_of(Tensor t):
    """The description of `t` from which UPCALLS.zeros makes a zero cotangent."""
    return size_tuple(t), t.dtype, t.keys & KEY_META != 0


cdef list _EMPTY = []         # never written


cdef void record(object op, CompiledCall c, Flat* f, list results, list dests) except *:
    """Make the graph node of the outputs."""
    cdef Derivative d = c.derivative
    cdef PlanNode node = PlanNode.__new__(PlanNode)
    cdef int i, j
    cdef Tensor t
    cdef list saved = _EMPTY
    cdef list versions = _EMPTY
    cdef int* numbers
    if d.numbers == NULL:
        d.count()
    numbers = d.numbers
    d.meta = f.any_meta
    cdef list edges = [None] * d.n_active
    node.derivative, node.label = d, d.label
    node.n_outputs = d.n_cotangents
    for i in range(d.n_active):
        edges[i] = gradient_edge(<Tensor><object>f.tensors[numbers[i]])
    node.edges = edges
    node.seq = next_seq()
    node.code = user_line(&node.lasti)
    if anomaly_enabled():
        UPCALLS.note_traceback(node)
    if d.n_syms:
        if d.n_syms <= 8:
            node.syms = &node.few_syms[0]
        else:
            node.syms = <int64_t*>malloc(d.n_syms * sizeof(int64_t))
            if node.syms == NULL:
                raise MemoryError(f"{op.name}(): cannot keep the sizes of {d.n_syms} dimensions for the backward pass")
        memcpy(node.syms, f.syms, d.n_syms * sizeof(int64_t))
    if d.scalars:
        node.scalars = <Scalar*>malloc(f.n_scalars * sizeof(Scalar))
        if node.scalars == NULL:
            raise MemoryError(f"{op.name}(): cannot keep {f.n_scalars} numbers for the backward pass")
        node.n_scalars = f.n_scalars
        memcpy(node.scalars, f.scalars, f.n_scalars * sizeof(Scalar))
    if dests is not None:
        wrote(dests)
    if d.n_residuals:
        saved, versions = [None] * d.n_residuals, [None] * d.n_residuals
    numbers += d.n_active + d.n_cotangents
    for i in range(d.n_residuals):
        j = numbers[2 * i + 1]
        if numbers[2 * i] == 0:
            t = <Tensor><object>f.tensors[j]
            if t.inference_ and i < d.n_own:
                t = kept_instead(op.name, t)
            if dests is not None and writes_to(t) != NULL and writes_to(t) == writes_to(<Tensor>dests[0]):
                # Another view of memory that was just overwritten: the backward will raise an error.
                saved[i], versions[i] = t, version_of(t) - 1
                continue
        elif numbers[2 * i] == 1:
            t = alias(<Tensor>results[j])    # not the output itself: that would make a reference cycle
        else:
            t = <Tensor>results[c.n_outputs + j]
        saved[i], versions[i] = t, version_of(t)
    if SAVED_HOOKS:
        pack, node.unpack = SAVED_HOOKS[len(SAVED_HOOKS) - 1]
        saved = [pack(x) for x in saved]
    node.saved, node.versions = saved, versions
    if node.n_outputs > 1:
        node.out_meta = [zeros_of(<Tensor>results[<int>k]) for k in d.cotangent_outputs]
    if dests is not None:
        UPCALLS.record_inplace(op, dests, node, d.cotangent_outputs)
        return
    for i in range(node.n_outputs):
        t = <Tensor>results[d.numbers[d.n_active + i]]
        t.grad_fn_, t.output_nr, t.rg = node, i, True
        if t.meta is not None and t.meta.base is not None:
            t.meta.view_version = version_of(t)


cdef void came_together(list views) noexcept:
    """Views are several results of one call: a write to one of them is not recorded."""
    cdef Tensor t
    if not tls().grad_enabled:
        return
    for t in views:
        if t.meta is not None and t.meta.base is not None:
            t.meta.why_no_inplace = "many"


cdef void wrote(list dests) except *:
    """Count a write to each of these, and remember its line."""
    cdef Tensor t
    for t in dests:
        bump_version(t)
        note_write(t)


core_only(PlanNode)

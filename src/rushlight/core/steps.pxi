# Included by tape.pyx: the steps that run the calls of a segment.

cdef class Step:
    """A call of a plan.

    Args:
        op: the operator.
        args: for each parameter a pair: one of From, and its argument.
        results: the number of its result, a tuple of several numbers, or None for a call that writes.
        program: whether it is a program of several calls; Refused if its results would differ from theirs.
        gives: results that pending tensors get as soon as they exist.
        lets_go: is called afterwards, with the tape and the values by their numbers: the graph of earlier calls was
            freed.
        grad: whether the call is recorded in the graph; None: as grad mode is when the steps are run.
        out: the source of its destinations, None for a call without.
    """
    cdef readonly Operator op
    cdef readonly list args
    cdef readonly object results
    cdef readonly bint program
    cdef readonly tuple gives
    cdef readonly object lets_go
    cdef readonly tuple out
    cdef readonly int grad        # -1: as grad mode is when the steps are run
    cdef public tuple drops       # numbers of the values that no later step needs

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
        if tape.called != tape.done:
            self.call(tape, env)
            tape.called = tape.done   # (what follows may be interrupted: the call is not made again)
        if self.lets_go is not None:
            self.lets_go(tape, env)
        if self.program:
            tape.check(self, env)
        for k in self.gives:
            env[k] = tape.given(k, <Tensor?>env[k])
        for k in self.drops:
            env[k] = None
        return 0

    cdef int call(self, Tape tape, list env) except -1:
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
        given = None                  # (Values that a step has dropped have no owner.)
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
        return 0


cdef int written_again(dict writes, list env, results) except -1:
    """Set how often the tensors that the results of a call replace were written to in place, before a later call keeps
    them for a backward. The nodes of this call keep the values after these writes. (A call that is made in place has
    counted its own.)
    """
    cdef tuple numbers = results if isinstance(results, tuple) else (results,)
    cdef Tensor t, y
    cdef int i, n
    for k in numbers:
        n = writes.get(k, 0)
        if not n:
            continue
        t = <Tensor?>env[k]
        for i in range(n - version_of(t)):
            bump_version(t)
        for m in numbers:
            y = <Tensor?>env[m]
            if isinstance(y.grad_fn_, PlanNode):
                y.grad_fn_.renew(t)
    return 0

"""Execution of compiled plans: sizes, guards and allocation; the steps are in launch.pyx and library.pyx."""
cimport cython
from cpython.list cimport PyList_GET_ITEM
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from rushlight.core.arrays cimport Arrays, operand_at
from rushlight.core.fused cimport Fused, launches_of, product_in, run_fused
from rushlight.core.launch cimport COL, Launch, launch_in, launched_so, make_variants, raise_kernel_error
from rushlight.core.library cimport (
    Fourier, Lapack, Library, Operands, Panels, _Matrix, library_step, matrix_of, panels_of, run_fourier, run_lapack,
    run_library, run_panels)
from rushlight.core._native cimport (
    RL_RECURRING_OPERANDS, c_alloc, c_free, rl_product, rl_recurrence, rl_recurrence_run, rl_recurring,
    rl_recurring_part, rl_tracing)
from rushlight.core.aliasing cimport (
    ALIGNED, check_dest, given_memory, has_data, has_sizes, lies_joined, lies_so, next_stamps, taken, wanted)
from rushlight.core.base cimport UPCALLS, dtype_of, item_size, minus_most, plus_most, times_most
from rushlight.core.storage cimport Storage, new_storage
from rushlight.core.tensor cimport (
    KEY_META, KEY_PENDING, MAX_DIMS, Tensor, address, empty_contiguous, finish, lies_inside, new_tensor, place_of,
    scalar_in, settle, tls)
from rushlight.core.views cimport (
    by_channels_last, by_columns, by_rows, lay_among, lay_as, lies_channels_last, likes_as_ints, rank_in_range,
    tensor_view, view_steps)

cdef enum:
    # how many slots and buffers of a plan, and how much working memory of its launches, are on the stack; more are
    # allocated
    SLOTS = 1408
    DROPS = 4                # the fewest steps of a plan that frees operands before its end

cdef enum Code:
    OP_CONST = 0
    OP_ADD = 1
    OP_SUB = 2
    OP_MUL = 3
    OP_FLOORDIV = 4
    OP_MOD = 5
    OP_MIN = 6
    OP_MAX = 7
    OP_EQ = 8
    OP_LT = 9
    OP_LE = 10

_CODES = {
    "const": 0, "add": 1, "sub": 2, "mul": 3, "floordiv": 4, "mod": 5, "min": 6, "max": 7, "eq": 8, "lt": 9, "le": 10}


cdef enum Marks:
    OF_FIRST = 1             # compiler/plan.py, Alloc.handed
    OF_ANY = 2
    OF_ALL = 3
    ALWAYS = 4
    NONE = -1                # in place of a buffer's bytes: it has no memory now,
    TAKEN = -2               # or an input's,
    LATE = -3                # or it is an output, which gets memory when the first step writes it


cdef class _Alloc(Arrays):
    cdef int code, rank, output, handed, same, taken
    cdef bint columns
    cdef int* likes          # one for each of the inputs whose layout decides; see `lay_among`
    cdef int n_likes
    cdef bint lives          # it lives for some of the steps, see Alloc.lives
    cdef int over            # the buffer whose memory it takes over
    cdef int spent           # or the input
    cdef int first           # the step before which it is allocated
    cdef int* order          # for the dimensions of the input that is `taken`
    cdef int* joined
    cdef int n_joined
    cdef bint pieces
    cdef bint holds          # an output is a view of it
    cdef int* sizes
    cdef int* strides
    cdef int* reads          # for an output: a Reads for each tensor input
    def __init__(self, a):
        self.code, self.rank = a.dtype.code, rank_in_range(len(a.sizes))
        self.reads = self.ints(a.reads)
        self.output = -1 if a.output is None else a.output
        self.columns = a.columns
        self.likes, self.n_likes = self.ints(likes_as_ints(a.like, self.rank)), 0 if a.columns else len(a.like)
        self.handed, self.same, self.pieces = a.handed, -1 if a.same is None else a.same, a.pieces
        self.taken, order = (-1, ()) if a.taken is None else a.taken
        self.order = self.ints(order)
        self.joined, self.n_joined = self.ints(a.joined), len(a.joined)
        self.first, last = a.lives or (0, None)
        self.lives, self.over = last is not None, -1 if a.over is None else a.over
        self.spent = -1 if a.spent is None else a.spent
        self.sizes, self.strides = self.ints(a.sizes), self.ints(a.strides)


cdef bint held_here_alone(list held, int j) noexcept:
    """Whether operand `j` of a call is row-major in memory that only the call refers to."""
    cdef PyObject* p = PyList_GET_ITEM(held, j)
    if p == <PyObject*>None or p.ob_refcnt != 1 or not (<Tensor>p).contiguous_ or (<Tensor>p).keys:
        return False
    cdef PyObject* s = <PyObject*>(<Tensor>p).storage
    if s == <PyObject*>None or s.ob_refcnt != 1:
        return False
    cdef Storage storage = <Storage>s
    return storage.owned and not storage.fixed and storage.windows == 0 and storage.owner is None


cdef class _Out(Arrays):
    """An output of a plan: a buffer, or a view of an input."""
    cdef int buffer, offset, rank, index
    cdef bint view
    cdef bint plain              # the whole buffer as it was allocated
    cdef bint inside             # it is a view of a buffer that is no output itself
    cdef bint copies             # see tensor_view
    cdef int* sizes
    cdef int* strides
    cdef int* steps
    cdef int n_steps
    def __init__(self, o, int number, int first_alloc, tuple allocs):
        self.view = o.kind == "view"
        self.buffer, self.offset, self.rank, self.index = o.buffer - first_alloc, o.offset, len(o.sizes), o.index
        self.copies = o.copies
        self.sizes, self.strides = self.ints(o.sizes), self.ints(o.strides)
        steps = view_steps(o.steps)
        self.steps, self.n_steps = self.ints(steps), len(steps)
        if not self.view:
            a = allocs[self.buffer]
            self.inside = a.output != number
            self.plain = tuple(a.sizes) == tuple(o.sizes) and tuple(a.strides) == tuple(o.strides)


cdef class Executable(Arrays):
    """A plan, in a form that can be launched quickly."""

    def __init__(self, plan, sym_sources, int n_tensors, int n_scalars):
        """plan: compiler.Plan of a program whose inputs are n_tensors tensors, then n_scalars scalars; sym_sources: per
        symbol ("size", input, dim) or ("int", number).
        """
        cdef int i
        self.plan = plan
        self.n_sym, self.n_in, self.n_scalars = plan.n_sym, n_tensors, n_scalars
        self.first_alloc = n_tensors + n_scalars
        self.code_base, self.post_base = plan.code_base, plan.post_base
        if len(sym_sources) != self.n_sym:
            raise ValueError(f"a plan of {self.n_sym} symbols needs as many sources; found {len(sym_sources)}")
        self.sym_tensor = self.ints([s[1] if s[0] == "size" else -1 for s in sym_sources])
        self.sym_dim = self.ints([s[2] if s[0] == "size" else s[1] for s in sym_sources])
        self.stride_base = self.ints(plan.in_strides[:n_tensors])
        self.scalar_base = self.ints(plan.scalar_slots[-n_scalars:] if n_scalars else [])
        self.operands = self.ints(
            [x for d, sizes in plan.inputs[:n_tensors] for x in (d.code, rank_in_range(len(sizes)))])
        # these sizes may be anything
        own = {(s[1], s[2]): k for k, s in enumerate(sym_sources) if s[0] == "size"}
        checks = [
            (i, d, n, f)
            for i in range(n_tensors) for d, (n, f) in enumerate(plan.inputs[i][1]) if n < 0 or own.get((i, d)) != n]
        self.n_checks, self.checks = len(checks), self.ints([x for c in checks for x in c])
        self.n_code, self.n_post, self.n_guards = len(plan.code), len(plan.post), len(plan.guards)
        self.code, self.imm = self.ints(code_words(plan.code)), self.longs(code_constants(plan.code))
        self.post, self.post_imm = self.ints(code_words(plan.post)), self.longs(code_constants(plan.post))
        self.guards = self.ints([x for slot, want in plan.guards for x in (slot, 1 if want else 0)])
        self.allocs = [_Alloc(a) for a in plan.allocs]
        self.n_allocs = len(self.allocs)
        lives = [a.lives or (-1, None) for a in plan.allocs]
        self.begins = self.ints(of_steps([first for first, _ in lives], len(plan.steps)))
        self.ends = self.ints(of_steps([-1 if last is None else last for _, last in lives], len(plan.steps)))
        self.lasts = self.ints(of_steps(list(plan.lasts) if len(plan.steps) >= DROPS else [], len(plan.steps)))
        self.changing = len(plan.steps) >= DROPS or max([first for first, _ in lives] or [-1]) > 0 or any(
            last is not None for _, last in lives)
        self.n_slots = plan.n_slots
        self.steps = [step_of(s) for s in plan.steps]
        self.scratch = max([(<Launch>s).scratch for s in launches_of(self.steps)] or [0])
        self.outs = [_Out(o, i, self.first_alloc, plan.allocs) for i, o in enumerate(plan.outputs)]
        self.n_out = len(self.outs)
        for o in self.outs:
            if (<_Out>o).inside:
                (<_Alloc>self.allocs[(<_Out>o).buffer]).holds = True
        self.direct = self.n_allocs == 1 and self.n_out == 1 and (<_Out>self.outs[0]).plain

    def belongs_to(self, str operator):
        """The operator that errors of the plan and its kernels name."""
        self.owner = operator
        for launch in launches_of(self.steps):
            (<Launch>launch).owner = operator
        for step in self.steps:
            if isinstance(step, _Recurrence):
                (<_Recurrence>step).body.belongs_to(operator)

    def time_steps(self):
        """Let each step note the nanoseconds that its runs take from now on; returns the lists, in the order of the
        steps. For tools: all other runs of this plan are measured, and slowed down, too.
        """
        self.steps = [_Timed.__new__(_Timed, step) for step in self.steps]
        return [(<_Timed>step).took for step in self.steps]

    def launch(self, list tensors, ints=(), scalars=(), dests=None):
        """Execute on tensors, int arguments and Python numbers; returns the outputs, or None if a guard does not hold.
        For tests and tools.
        """
        cdef int i
        cdef Arrays memory = Arrays.__new__(Arrays)
        cdef PyObject** raw = <PyObject**>memory.room(len(tensors) * sizeof(PyObject*))
        cdef Scalar* values = <Scalar*>memory.room(len(scalars) * sizeof(Scalar))
        cdef double d
        for i in range(len(tensors)):
            raw[i] = <PyObject*><Tensor?>tensors[i]
        for i in range(len(scalars)):
            x = scalars[i]
            values[i].hi = 0
            if isinstance(x, (bool, int)):
                values[i].lo = <int64_t><uint64_t>(x & 0xFFFFFFFFFFFFFFFF)
            else:
                d = x.real
                memcpy(&values[i].lo, &d, 8)
                d = x.imag
                memcpy(&values[i].hi, &d, 8)
        return self.run(raw, len(tensors), memory.longs(ints), values, dests, False, NULL, None)

    cdef list run(
            self, PyObject** ts, int n_ts, int64_t* ints, Scalar* scalars, list dests, bint meta, int64_t* syms_out,
            list held):
        """Execute on `n_ts` tensors; None if a guard does not hold. dests: the destinations of the outputs, in order,
        or None. held: the first of the tensors, in a list that alone refers to them: each is freed after the last step
        that needs it.
        """
        cdef int64_t small[SLOTS]
        cdef int64_t* slots = small
        cdef Arrays memory
        cdef int i, j, k, at
        cdef Tensor t
        # Behind the slots are the addresses of buffers, then the sizes of buffers that live for some steps (-1: not
        # now), then the working memory of launches.
        cdef int64_t need = self.n_slots + self.first_alloc + 2 * self.n_allocs + self.scratch
        if need > SLOTS:
            memory = Arrays.__new__(Arrays)
            slots = <int64_t*>memory.room(need * sizeof(int64_t))
        cdef void** buffers = <void**>(slots + self.n_slots)
        cdef int64_t* lent = <int64_t*>(buffers + self.first_alloc + self.n_allocs)
        cdef int64_t* room = lent + self.n_allocs
        cdef int* operand = self.operands
        if n_ts != self.n_in:
            raise RuntimeError(f"{self.title()} takes {self.n_in} tensors; found {n_ts}")
        # This loop checks the tensors. Below it nothing looks at their dtypes and ranks again: whoever passed them,
        # they are what the plan was made for.
        for i in range(n_ts):
            t = <Tensor>ts[i]
            if t.code != operand[0] or t.ndim_ != operand[1] or not has_data(t, meta):
                self.refuse(i, t, slots, meta)
            operand += 2
            at = self.stride_base[i]
            for j in range(t.ndim_):
                slots[at + j] = t.strides[j]
            buffers[i] = address(t)
        for i in range(self.n_sym):
            if self.sym_tensor[i] >= 0:
                slots[i] = (<Tensor>ts[self.sym_tensor[i]]).sizes[self.sym_dim[i]]
            else:
                slots[i] = ints[self.sym_dim[i]]
        for i in range(self.n_scalars):
            slots[self.scalar_base[i]] = scalars[i].lo
            slots[self.scalar_base[i] + 1] = scalars[i].hi
        run_code(self.code, self.imm, self.n_code, slots, self.code_base)
        for i in range(self.n_guards):
            if slots[self.guards[2 * i]] != self.guards[2 * i + 1]:
                return None
        for i in range(self.n_checks):
            k = self.checks[4 * i]
            at = self.checks[4 * i + 2]
            if (<Tensor>ts[k]).sizes[self.checks[4 * i + 1]] != (slots[at] if at >= 0 else self.checks[4 * i + 3]):
                self.refuse(k, <Tensor>ts[k], slots, meta)
        if syms_out != NULL:
            memcpy(syms_out, slots, self.n_sym * sizeof(int64_t))
        cdef list outputs = self.spare, keep
        cdef bint made = False                   # the output, see value_of
        if outputs is None:
            outputs = [None] * self.n_out
        else:
            self.spare = None
            made = outputs[0] is not None and not meta and dests is None and (
                (<Tensor>outputs[0]).inference_ != 0) == (tls().inference != 0)
        if made:
            keep, buffers[self.first_alloc] = outputs, address(<Tensor>outputs[0])
        else:
            keep = self.allocate(slots, ts, buffers, dests, outputs, meta, lent) if self.n_allocs else outputs
        if not meta and (self.steps or self.n_post):
            run_code(self.post, self.post_imm, self.n_post, slots, self.post_base)
            if dests is not None and len(self.steps) > 1:
                make_variants(self.steps, slots, buffers, room)
            if self.changing:
                self.run_steps(slots, buffers, lent, room, keep, held)
            else:
                for step in self.steps:
                    run_step(step, slots, buffers, room)
        elif self.n_post:
            run_code(self.post, self.post_imm, self.n_post, slots, self.post_base)
        if dests is not None or not self.direct:
            self.finish_outputs(slots, ts, outputs, keep, dests)
        return outputs

    cdef int run_steps(
            self, int64_t* slots, void** buffers, int64_t* lent, int64_t* room, list keep, list held) except -1:
        """Run the steps, each with the buffers that live then."""
        cdef int i, j, k, n = len(self.steps)
        cdef int n_held = 0 if held is None else len(held)
        cdef list lying = None       # for each alloc the storage of a dying operand that it reuses
        cdef int* last = self.lasts
        cdef int* begin = self.begins
        cdef int* end = self.ends
        cdef void** own = buffers + self.first_alloc
        try:
            for i in range(n):
                while begin[0] == i:
                    k = begin[1]
                    if lent[k] == LATE:
                        own[k] = given_memory(<Tensor>keep[k])
                    elif lent[k] == NONE and (<_Alloc>self.allocs[k]).lives:
                        j = (<_Alloc>self.allocs[k]).over - self.first_alloc
                        if j >= 0:
                            own[k], lent[k], lent[j] = own[j], lent[j], NONE
                            if lying is not None:
                                lying[k], lying[j] = lying[j], None
                        else:
                            j = (<_Alloc>self.allocs[k]).spent
                            if 0 <= j < n_held and held_here_alone(held, j):
                                if lying is None:
                                    lying = [None] * self.n_allocs
                                own[k], lent[k], lying[k] = address(<Tensor>held[j]), TAKEN, (<Tensor>held[j]).storage
                                held[j] = None
                            else:
                                self.lend(k, slots, buffers, lent)
                    begin += 2
                run_step(self.steps[i], slots, buffers, room)
                while end[0] == i:
                    k = end[1]
                    if lent[k] >= 0:
                        c_free(own[k], lent[k])
                        lent[k] = NONE
                    elif lying is not None:
                        lying[k] = None
                    end += 2
                while last[0] == i:
                    if last[1] < n_held:
                        held[last[1]] = None
                    last += 2
        except:
            for k in range(self.n_allocs):
                if lent[k] >= 0:
                    c_free(own[k], lent[k])
            raise
        return 0

    cdef int lend(self, int k, int64_t* slots, void** buffers, int64_t* lent) except -1:
        """Allocate buffer `k` for the steps that touch it."""
        cdef _Alloc a = <_Alloc>self.allocs[k]
        cdef int64_t n = item_size(a.code)
        cdef int d
        for d in range(a.rank):
            n = times_most(n, slots[a.sizes[d]])
        cdef void* p = c_alloc(n)
        if p == NULL:
            raise MemoryError(
                f"{self.title()}: cannot allocate {n} bytes (DefaultCPUAllocator: can't allocate memory)")
        buffers[self.first_alloc + k], lent[k] = p, n
        return 0

    cdef str title(self):
        return "the plan" if self.owner is None else self.owner + "()"

    cdef int refuse(self, int k, Tensor t, int64_t* slots, bint meta) except -1:
        """Raise the error that says in what way tensor `k` is not what the plan was made for."""
        cdef int d, i
        if t.keys & KEY_PENDING:
            settle(t)
            if t.code == self.operands[2 * k] and t.ndim_ == self.operands[2 * k + 1] and has_data(t, meta):
                return 0
        who = f"{self.title()}: operand {k}"
        if t.storage is None and not t.keys & KEY_META:
            raise RuntimeError(f"{who} has no data: a tensor that was never initialised, or stands for another value")
        if t.code == self.operands[2 * k] and t.ndim_ == self.operands[2 * k + 1]:
            if t.storage is None and not meta:
                raise RuntimeError(
                    f"{who} is on the device meta; expected a tensor with data: all tensors must be on one device")
            if t.storage is not None and meta and t.ndim_ and not t.keys & KEY_META:
                # the operator that copies between devices: to a device without data there is nothing to copy
                if self.owner == "copy_":
                    return 0
                raise RuntimeError(
                    f"{who} is on the device {t.storage.device}; expected a tensor on the device meta, as others are: "
                    "all tensors must be on one device")
            if t.storage is not None and not lies_inside(t):
                raise RuntimeError(
                    f"{who} reaches outside of its storage of {t.storage.size_bytes} bytes ({place_of(t)}): the "
                    "storage was made smaller")
        expected = dtype_of(self.operands[2 * k])
        if t.code != self.operands[2 * k] or t.ndim_ != self.operands[2 * k + 1]:
            raise RuntimeError(
                f"{who} is {dtype_of(t.code)} of {t.ndim_} dimensions; expected {expected} of "
                f"{self.operands[2 * k + 1]}")
        sizes = list(t.shape)
        for i in range(self.n_checks):
            if self.checks[4 * i] == k:
                d = self.checks[4 * i + 2]
                sizes[self.checks[4 * i + 1]] = slots[d] if d >= 0 else self.checks[4 * i + 3]
        raise RuntimeError(f"{who} has the shape {list(t.shape)}; expected {sizes}")

    cdef void take_back(self, list outputs):
        """Take back the list `outputs` that `run` has returned, when the caller no longer needs it: the next call uses
        it again.
        """
        if self.n_out == 1:
            outputs[0] = None
            self.spare = outputs

    cdef object value_of(self, list outputs):
        """The number in the only output, given the list that `run` returned. Nobody else has seen the tensor, so the
        next call uses it again with the list. (Making a tensor and freeing it is a seventh of a small call.)
        """
        cdef Tensor made = <Tensor?>outputs[0]
        value = scalar_in(made)
        if self.direct and made.ndim_ == 0 and not self.changing and (<_Alloc>self.allocs[0]).same < 0:
            self.spare = outputs
        return value

    cdef list allocate(
            self, int64_t* slots, PyObject** ts, void** buffers, list dests, list outputs, bint meta, int64_t* lent):
        cdef _Alloc a
        cdef Tensor t, d
        cdef int i, k
        cdef int64_t n
        cdef int64_t sizes[MAX_DIMS]
        cdef list keep = outputs if self.direct else [None] * self.n_allocs
        cdef bint late, several = dests is not None and len(dests) > 1
        cdef bint apart = several and self.all_apart(ts, dests)
        if dests is not None:
            self.check_inside(slots, dests, meta)
        for i in range(self.n_allocs):
            a = <_Alloc>self.allocs[i]
            lent[i] = NONE
            for k in range(a.rank):
                sizes[k] = slots[a.sizes[k]]
            if a.lives:
                if meta:
                    continue
                if a.taken >= 0 and lies_so(<Tensor>ts[a.taken], a.order):
                    buffers[self.first_alloc + i], lent[i] = buffers[a.taken], TAKEN
                lay_in_rows(a, sizes, slots)
                continue
            if a.output >= 0 and dests is not None and a.output < len(dests):
                d = <Tensor>dests[a.output]
                if has_sizes(d, a.rank, sizes):
                    check_dest(d, a.code, a.rank, sizes, NULL, meta)
                else:                        # it becomes like a new tensor
                    t = empty_contiguous(a.code, a.rank, sizes, True)
                    self.lay(t, a, ts)
                    check_dest(d, a.code, a.rank, sizes, t.strides, meta)
                if not meta and (not lies_joined(d, a.n_joined, a.joined) or not apart and (
                        wanted(d, a.reads, ts, self.n_in) or (several and taken(d, dests, a.output)))):
                    # it is computed elsewhere and copied, see finish_outputs
                    t = empty_contiguous(a.code, a.rank, sizes, meta)
                else:
                    t = d
            else:
                if a.output < 0 and meta and not a.holds:
                    continue
                if a.pieces:                 # without memory, until all of it is needed
                    buffers[self.first_alloc + i] = NULL
                    lay_in_rows(a, sizes, slots)
                    continue
                if a.same >= 0 and has_sizes(<Tensor>ts[a.same], a.rank, sizes):
                    t = <Tensor>ts[a.same]
                else:
                    late = a.first > 0 and a.output >= 0 and not meta
                    t = empty_contiguous(a.code, a.rank, sizes, meta or late)
                    if late:
                        t.keys &= ~KEY_META
                        lent[i] = LATE
                self.lay(t, a, ts)
            keep[i] = t
            if lent[i] != LATE:
                buffers[self.first_alloc + i] = address(t)
            for k in range(a.rank):
                slots[a.strides[k]] = t.strides[k]
        return keep

    cdef int lay(self, Tensor t, object alloc, PyObject** ts) except -1:
        """Give a new, row-major tensor the order of dimensions that `alloc`, an _Alloc, says."""
        cdef _Alloc a = <_Alloc>alloc
        if a.same >= 0:
            if <PyObject*>t != ts[a.same]:
                # the source of a copy, and what reads the result, are visited in one order
                lay_as(t, <Tensor>ts[a.same])
        elif a.handed:
            if self.hands_channels_last(a.handed, a.rank, ts):
                by_channels_last(t)
        elif a.n_likes:
            lay_among(t, ts, a.likes, a.n_likes)
        elif a.columns:
            by_columns(t)
        if not lies_joined(t, a.n_joined, a.joined):
            by_rows(t)
        return 0

    cdef int check_inside(self, int64_t* slots, list dests, bint meta) except -1:
        """Check the destinations of outputs that are views of buffers: they are copied into these."""
        cdef _Out o
        cdef int i, k
        cdef int64_t sizes[MAX_DIMS]
        for i in range(min(self.n_out, <int>len(dests))):
            o = <_Out>self.outs[i]
            if o.inside:
                for k in range(o.rank):
                    sizes[k] = slots[o.sizes[k]]
                check_dest(<Tensor>dests[i], (<_Alloc>self.allocs[o.buffer]).code, o.rank, sizes, NULL, meta)
        return 0

    cdef bint hands_channels_last(self, int handed, int rank, PyObject** ts) noexcept:
        """Whether a result of so many dimensions lies channels_last, as Alloc.handed says: because the first input
        of its rank does, one of them, or all, or always.
        """
        cdef int i
        cdef bint found = handed == ALWAYS
        if found:
            return True
        for i in range(min(1, self.n_in) if handed == OF_FIRST else self.n_in):
            if (<Tensor>ts[i]).ndim_ != rank:
                continue
            if lies_channels_last(<Tensor>ts[i]):
                found = True
                if handed == OF_ANY:
                    return True
            elif handed == OF_ALL:
                return False
        return found

    cdef bint all_apart(self, PyObject** ts, list dests) noexcept:
        """Whether it is certain that no destination shares memory with another one, nor with an input other than the
        one that it may replace. It looks at storages only, which is quick for the many tensors of an optimizer's step:
        each storage is stamped with the number of its tensor.
        """
        cdef int64_t first = next_stamps(self.n_in + 1), k
        cdef int i, n = len(dests)
        cdef Tensor d
        cdef Storage s
        for i in range(self.n_in):
            s = (<Tensor>ts[i]).storage
            if s is None or not s.owned or s.stamp >= first:
                return False
            s.stamp = first + i
        for i in range(self.n_allocs):
            a = <_Alloc>self.allocs[i]
            if a.output < 0 or a.output >= n:
                continue
            d = <Tensor>dests[a.output]
            s = d.storage
            if s is None or not s.owned:
                return False
            k = s.stamp - first
            if k >= 0 and (k == self.n_in or ts[k] != <PyObject*>d or a.reads[k] > ALIGNED):
                return False
            s.stamp = first + self.n_in
        return True

    cdef void finish_outputs(self, int64_t* slots, PyObject** ts, list outputs, list keep, list dests) except *:
        cdef Tensor t, r, d
        cdef _Out o
        cdef int i, k
        for i in range(self.n_out):
            o = <_Out>self.outs[i]
            if not o.view:
                t = <Tensor>keep[o.buffer]
                if dests is not None and i < len(dests):
                    d = <Tensor>dests[i]
                    if t is not d and not t.keys & KEY_META:
                        UPCALLS.copy_raw(d, t if o.plain else out_view(o, t, slots))
                    outputs[i] = d
                elif o.plain:
                    outputs[i] = t
                else:
                    outputs[i] = out_view(o, t, slots)
            else:
                outputs[i] = tensor_view(<Tensor>ts[o.index], o.steps, o.n_steps, slots, o.copies)


include "recurrence.pxi"


cdef list of_steps(list numbers, int n_steps):
    """Pairs of a step and its index in `numbers`, in the order of the steps; then one with a step that is never
    reached.
    """
    cdef list pairs = sorted([(step, k) for k, step in enumerate(numbers) if step >= 0])
    return [x for pair in (*pairs, (n_steps, 0)) for x in pair]


cdef object step_of(object s):
    if hasattr(s, "kernel"):
        return Launch(s)
    if s.then is not None:
        return Fused(s)
    return _Recurrence(s) if s.name == "recurrence" else library_step(s)


cdef int64_t lay_in_rows(_Alloc a, int64_t* sizes, int64_t* slots) noexcept:
    """Write the contiguous strides of a buffer of these sizes into its slots; returns its number of elements."""
    cdef int64_t n = 1
    cdef int k
    for k in range(a.rank - 1, -1, -1):
        slots[a.strides[k]] = n
        n = times_most(n, max(sizes[k], 1))
    return n


@cython.final
cdef class _Timed:
    """A step that notes how long its runs take."""
    cdef object step
    cdef list took

    def __cinit__(self, step):
        self.step, self.took = step, []


cdef int run_timed(_Timed step, int64_t* slots, void** buffers, int64_t* room) except -1:
    cdef timespec begun, done
    clock_gettime(CLOCK_MONOTONIC, &begun)
    run_step(step.step, slots, buffers, room)
    clock_gettime(CLOCK_MONOTONIC, &done)
    step.took.append((done.tv_sec - begun.tv_sec) * <int64_t>1000000000 + done.tv_nsec - begun.tv_nsec)
    return 0


cdef inline int run_step(object step, int64_t* slots, void** buffers, int64_t* room) except -1:
    if type(step) is Launch:
        launch_in(<Launch>step, slots, buffers, room)
    elif type(step) is Fused:
        run_fused(<Fused>step, slots, buffers, room)
    elif type(step) is Lapack:
        run_lapack(<Lapack>step, slots, buffers)
    elif type(step) is Fourier:
        run_fourier(<Fourier>step, slots, buffers)
    elif type(step) is _Recurrence:
        run_recurrence(<_Recurrence>step, slots, buffers)
    elif type(step) is _Timed:
        run_timed(<_Timed>step, slots, buffers, room)
    else:
        run_library(<Library>step, slots, buffers)
    return 0


cdef Tensor out_view(_Out o, Tensor t, int64_t* slots):
    """A view of a buffer with the output's sizes and strides."""
    cdef Tensor r = new_tensor(t.storage, t.code, o.rank)
    cdef int k
    for k in range(o.rank):
        r.sizes[k] = slots[o.sizes[k]]
        r.strides[k] = slots[o.strides[k]]
    r.at = t.at + (slots[o.offset] * t.itemsize_ if o.offset >= 0 else 0)
    r.keys |= t.keys
    finish(r)
    return r


cdef list code_words(tuple code):
    """For each instruction its code and the slots that it reads."""
    return [x for op, a, b in code for x in ((OP_CONST, 0, 0) if op == "const" else (_CODES[op], a, b))]


cdef list code_constants(tuple code):
    """For each instruction its constant."""
    return [a if op == "const" else 0 for op, a, b in code]


cdef void run_code(int* code, int64_t* imm, int n, int64_t* slots, int at) noexcept:
    cdef int i, op
    cdef int64_t a, b, r
    for i in range(n):
        op = code[3 * i]
        if op == OP_CONST:
            slots[at + i] = imm[i]
            continue
        a, b = slots[code[3 * i + 1]], slots[code[3 * i + 2]]
        # A size that overflows must stay too large for an allocation, and not wrap around to a small one.
        if op == OP_ADD: r = plus_most(a, b)
        elif op == OP_SUB: r = minus_most(a, b)
        elif op == OP_MUL: r = times_most(a, b)
        elif op == OP_FLOORDIV or op == OP_MOD:
            if b == 0:
                r = 0
            elif b == -1:
                # the quotient of the smallest number by -1 overflows, which is a fault of the processor
                r = minus_most(0, a) if op == OP_FLOORDIV else 0
            else:
                r = a // b
                if a % b != 0 and (a < 0) != (b < 0):
                    r -= 1
                if op == OP_MOD:
                    r = a - r * b
        elif op == OP_MIN: r = a if a < b else b
        elif op == OP_MAX: r = a if a > b else b
        elif op == OP_EQ: r = a == b
        elif op == OP_LT: r = a < b
        else: r = a <= b
        slots[at + i] = r

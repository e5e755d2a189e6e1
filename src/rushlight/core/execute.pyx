"""Execution of compiled plans: sizes, guards and allocation; the steps are in launch.pyx and library.pyx."""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from rushlight.core.arrays cimport int_array
from rushlight.core.fused cimport Fused, launches_of, product_in, run_fused
from rushlight.core.launch cimport Launch, launch_in
from rushlight.core.library cimport (
    Lapack, Library, Operands, Panels, library_step, panels_of, run_lapack, run_library, run_panels)
from rushlight.core.base cimport UPCALLS, dtype_of, item_size, minus_most, plus_most, reach, times_most
from rushlight.core.storage cimport Storage, new_storage
from rushlight.core.tensor cimport (
    KEY_META, MAX_DIMS, Tensor, address, empty_contiguous, finish, lies_inside, new_tensor, place_of)
from rushlight.core.views cimport (
    by_channels_last, by_columns, keep_order, lay_as, lies_channels_last, rank_in_range, step_array, tensor_view)

cdef enum:
    # slots and buffers of a plan, and what its launches work with, that lie on the stack; more are allocated
    SLOTS = 1408

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


cdef enum Reads:             # compiler/plan.py, Alloc.reads
    FREE = 0
    ALIGNED = 1
    OF_FIRST = 1             # Alloc.handed
    OF_ANY = 2
    OF_ALL = 3
    COLUMNS = -2             # in the place of the input that an alloc is like: its matrices lie column by column


cdef class _Alloc:
    cdef int code, rank, output, like, handed, same
    cdef bint pieces
    cdef int* sizes
    cdef int* strides
    cdef int* reads          # of an output: a Reads for each tensor input
    def __init__(self, a):
        self.code, self.rank = a.dtype.code, rank_in_range(len(a.sizes))
        self.reads = int_array(a.reads)
        self.output = -1 if a.output is None else a.output
        self.like = COLUMNS if a.columns else -1 if a.like is None else a.like
        self.handed, self.same, self.pieces = a.handed, -1 if a.same is None else a.same, a.pieces
        self.sizes, self.strides = int_array(a.sizes), int_array(a.strides)
    def __dealloc__(self):
        free(self.sizes)
        free(self.strides)
        free(self.reads)


cdef class _Out:
    """An output of a plan: kind 0 a buffer, 1 a view of an input."""
    cdef int kind, buffer, offset, rank, index
    cdef bint plain              # the whole buffer as it was allocated
    cdef bint copies             # see tensor_view
    cdef int* sizes
    cdef int* strides
    cdef int* steps
    cdef int n_steps
    def __init__(self, o, int first_alloc, tuple allocs):
        self.kind = {"buffer": 0, "view": 1}[o.kind]
        self.buffer, self.offset, self.rank, self.index = o.buffer - first_alloc, o.offset, len(o.sizes), o.index
        self.copies = o.copies
        self.sizes, self.strides = int_array(o.sizes), int_array(o.strides)
        self.steps = step_array(o.steps, &self.n_steps)
        if self.kind == 0:
            a = allocs[self.buffer]
            self.plain = tuple(a.sizes) == tuple(o.sizes) and tuple(a.strides) == tuple(o.strides)
    def __dealloc__(self):
        free(self.sizes)
        free(self.strides)
        free(self.steps)


cdef class Executable:
    """A plan in the form that launches quickly."""

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
        self.sym_tensor = int_array([s[1] if s[0] == "size" else -1 for s in sym_sources])
        self.sym_dim = int_array([s[2] if s[0] == "size" else s[1] for s in sym_sources])
        self.stride_base = int_array(plan.in_strides[:n_tensors])
        self.scalar_base = int_array(plan.scalar_slots[-n_scalars:] if n_scalars else [])
        self.operands = int_array(
            [x for d, sizes in plan.inputs[:n_tensors] for x in (d.code, rank_in_range(len(sizes)))])
        # these sizes are whatever they are found to be
        own = {(s[1], s[2]): k for k, s in enumerate(sym_sources) if s[0] == "size"}
        checks = [
            (i, d, n, f)
            for i in range(n_tensors) for d, (n, f) in enumerate(plan.inputs[i][1]) if n < 0 or own.get((i, d)) != n]
        self.n_checks, self.checks = len(checks), int_array([x for c in checks for x in c])
        self.n_code, self.n_post, self.n_guards = len(plan.code), len(plan.post), len(plan.guards)
        code_array(plan.code, &self.code, &self.imm)
        code_array(plan.post, &self.post, &self.post_imm)
        self.guards = int_array([x for slot, want in plan.guards for x in (slot, 1 if want else 0)])
        self.allocs = [_Alloc(a) for a in plan.allocs]
        self.n_allocs = len(self.allocs)
        self.n_slots = plan.n_slots
        self.steps = [step_of(s) for s in plan.steps]
        self.scratch = max([(<Launch>s).scratch for s in launches_of(self.steps)] or [0])
        self.outs = [_Out(o, self.first_alloc, plan.allocs) for o in plan.outputs]
        self.n_out = len(self.outs)
        self.direct = self.n_allocs == 1 and self.n_out == 1 and (<_Out>self.outs[0]).plain

    def belongs_to(self, str operator):
        """The operator that errors of the plan and its kernels name."""
        self.owner = operator
        for launch in launches_of(self.steps):
            (<Launch>launch).owner = operator
        for step in self.steps:
            if isinstance(step, _Recurrence):
                (<_Recurrence>step).body.belongs_to(operator)

    def __dealloc__(self):
        free(self.sym_tensor)
        free(self.sym_dim)
        free(self.stride_base)
        free(self.scalar_base)
        free(self.operands)
        free(self.checks)
        free(self.code)
        free(self.imm)
        free(self.post)
        free(self.post_imm)
        free(self.guards)

    def launch(self, list tensors, ints=(), scalars=(), dests=None):
        """Execute on tensors, int arguments and Python numbers; the outputs, or None when a guard does not hold. For
        tests and tools.
        """
        cdef int i
        cdef PyObject** raw = <PyObject**>malloc((len(tensors) + 1) * sizeof(PyObject*))
        cdef int64_t* numbers = <int64_t*>malloc((len(ints) + 1) * sizeof(int64_t))
        cdef Scalar* values = <Scalar*>malloc((len(scalars) + 1) * sizeof(Scalar))
        cdef double d
        try:
            if raw == NULL or numbers == NULL or values == NULL:
                raise MemoryError("launch")
            for i in range(len(tensors)):
                raw[i] = <PyObject*><Tensor?>tensors[i]
            for i in range(len(ints)):
                numbers[i] = ints[i]
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
            return self.run(raw, len(tensors), numbers, values, dests, False, NULL)
        finally:
            free(raw)
            free(numbers)
            free(values)

    cdef list run(
            self, PyObject** ts, int n_ts, int64_t* ints, Scalar* scalars, list dests, bint meta, int64_t* syms_out):
        """Execute on `n_ts` tensors; None when a guard does not hold. dests: where outputs go, in order, or None."""
        cdef int64_t small[SLOTS]
        cdef int64_t* slots = small
        cdef int64_t need = self.n_slots + self.first_alloc + self.n_allocs + self.scratch      # see run_in
        if need > SLOTS:
            slots = <int64_t*>malloc(need * sizeof(int64_t))
            if slots == NULL:
                raise MemoryError("plan slots")
        try:
            return self.run_in(slots, ts, n_ts, ints, scalars, dests, meta, syms_out)
        finally:
            if slots != small:
                free(slots)

    cdef list run_in(
            self, int64_t* slots, PyObject** ts, int n_ts, int64_t* ints, Scalar* scalars, list dests, bint meta,
            int64_t* syms_out):
        cdef int i, j, k, at
        cdef Tensor t
        """The addresses of buffers lie behind the slots, and the room for launches behind these."""
        cdef void** buffers = <void**>(slots + self.n_slots)
        cdef int64_t* room = <int64_t*>(buffers + self.first_alloc + self.n_allocs)
        cdef int* operand = self.operands
        if n_ts != self.n_in:
            raise RuntimeError(f"{self.title()} takes {self.n_in} tensors; found {n_ts}")
        # The border: below this loop, nothing looks at what the tensors are. Whoever handed them over, they are what
        # the plan was made for.
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
        cdef list outputs = self.spare
        if outputs is None:
            outputs = [None] * self.n_out
        else:
            self.spare = None
        cdef list keep = self.allocate(slots, ts, buffers, dests, outputs, meta) if self.n_allocs else outputs
        if not meta and (self.steps or self.n_post):
            run_code(self.post, self.post_imm, self.n_post, slots, self.post_base)
            for step in self.steps:
                run_step(step, slots, buffers, room)
        elif self.n_post:
            run_code(self.post, self.post_imm, self.n_post, slots, self.post_base)
        if dests is not None or not self.direct:
            self.finish_outputs(slots, ts, outputs, keep, dests)
        return outputs

    cdef str title(self):
        return "the plan" if self.owner is None else self.owner + "()"

    cdef int refuse(self, int k, Tensor t, int64_t* slots, bint meta) except -1:
        """Raise the error that says how tensor `k` is not what the plan was made for."""
        cdef int d, i
        who = f"{self.title()}: operand {k}"
        if t.storage is None and not t.keys & KEY_META:
            raise RuntimeError(f"{who} has no data: a tensor that was never initialised, or stands for another value")
        if t.code == self.operands[2 * k] and t.ndim_ == self.operands[2 * k + 1]:
            if t.storage is None and not meta:
                raise RuntimeError(
                    f"{who} is on the device meta; expected a tensor with data: all tensors must be on one device")
            if t.storage is not None and meta and t.ndim_:
                # the operator between devices: to one without data there is nothing to copy
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
        """`outputs` is what `run` returned, and the caller is done with it: the next call takes the list."""
        if self.n_out == 1:
            outputs[0] = None
            self.spare = outputs

    cdef list allocate(self, int64_t* slots, PyObject** ts, void** buffers, list dests, list outputs, bint meta):
        cdef _Alloc a
        cdef Tensor t, d
        cdef int i, k
        cdef int64_t n
        cdef int64_t sizes[MAX_DIMS]
        cdef list keep = outputs if self.direct else [None] * self.n_allocs
        cdef bint several = dests is not None and len(dests) > 1
        cdef bint apart = several and self.all_apart(ts, dests)
        for i in range(self.n_allocs):
            a = <_Alloc>self.allocs[i]
            for k in range(a.rank):
                sizes[k] = slots[a.sizes[k]]
            if a.output >= 0 and dests is not None and a.output < len(dests):
                d = <Tensor>dests[a.output]
                check_dest(d, a, sizes, meta)
                if not meta and not apart and (wanted(d, a, ts, self.n_in) or (several and taken(d, dests, a.output))):
                    # computed aside and copied, see finish_outputs
                    t = empty_contiguous(a.code, a.rank, sizes, meta)
                else:
                    t = d
            else:
                if a.output < 0 and meta:
                    continue
                if a.pieces:                 # without memory, until it is asked for as a whole
                    buffers[self.first_alloc + i] = NULL
                    lay_in_rows(a, sizes, slots)
                    continue
                if a.same >= 0 and has_sizes(<Tensor>ts[a.same], a.rank, sizes):
                    t = <Tensor>ts[a.same]
                else:
                    t = empty_contiguous(a.code, a.rank, sizes, meta)
                if a.same >= 0:
                    if <PyObject*>t != ts[a.same]:
                        # what is copied, and what reads it, go through both in one order
                        lay_as(t, <Tensor>ts[a.same])
                elif a.handed:
                    if self.hands_channels_last(a.handed, a.rank, ts):
                        by_channels_last(t)
                elif a.like >= 0:
                    keep_order(t, <Tensor>ts[a.like])
                elif a.like == COLUMNS:
                    by_columns(t)
            keep[i] = t
            buffers[self.first_alloc + i] = address(t)
            for k in range(a.rank):
                slots[a.strides[k]] = t.strides[k]
        return keep

    cdef bint hands_channels_last(self, int handed, int rank, PyObject** ts) noexcept:
        """Whether the inputs of so many dimensions lie channels_last: the first input, one of them, or all, as
        Alloc.handed says.
        """
        cdef int i
        cdef bint found = False
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
        """Whether it is plain that no destination shares memory with another, nor with an input but the one that it may
        replace: a quick look at the storages of many tensors, as an optimizer's step has them. Each storage is stamped
        with the number of its tensor.
        """
        cdef int64_t first = STAMPS.next, k
        cdef int i, n = len(dests)
        cdef Tensor d
        cdef Storage s
        STAMPS.next += self.n_in + 1
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
            if o.kind == 0:
                t = <Tensor>keep[o.buffer]
                if dests is not None and i < len(dests):
                    d = <Tensor>dests[i]
                    if t is not d:
                        UPCALLS.copy_raw(d, t if o.plain else out_view(o, t, slots))
                    outputs[i] = d
                elif o.plain:
                    outputs[i] = t
                else:
                    outputs[i] = out_view(o, t, slots)
            else:
                outputs[i] = tensor_view(<Tensor>ts[o.index], o.steps, o.n_steps, slots, o.copies)


# ------------------------------------------------------------------------------------------------------- recurrences
cdef class _Recurrence(Operands):
    """A step of a plan that runs the plan of a body once for each row of some operands (prims/recurrence.py)."""
    cdef Executable body
    cdef int n_in, constants, carried
    cdef bint reverse
    cdef int* home           # which buffer of the body is each of its outputs
    def __init__(self, s):
        super().__init__(s)
        self.constants, n_rows = s.params["counts"]
        self.n_in, self.carried = s.n_in, s.n_in - self.constants - n_rows
        self.reverse = s.params["reverse"]
        body = s.params["body"]
        self.body = Executable(body, [("int", k) for k in range(body.n_sym)], s.n_in, 0)
        self.home = int_array(rows_of(self.body))
    def __dealloc__(self):
        free(self.home)


cdef object step_of(object s):
    if hasattr(s, "kernel"):
        return Launch(s)
    if s.then is not None:
        return Fused(s)
    return _Recurrence(s) if s.name == "recurrence" else library_step(s)


cdef int64_t lay_in_rows(_Alloc a, int64_t* sizes, int64_t* slots) noexcept:
    """Write contiguous strides of a buffer of these sizes into its slots; how many elements it has room for."""
    cdef int64_t n = 1
    cdef int k
    for k in range(a.rank - 1, -1, -1):
        slots[a.strides[k]] = n
        n = times_most(n, max(sizes[k], 1))
    return n


cdef list rows_of(Executable body):
    """Which buffer of a step's plan is each of its outputs: each has one of its own."""
    cdef int j
    cdef list found = [-1] * body.n_out
    for j in range(body.n_allocs):
        if (<_Alloc>body.allocs[j]).output >= 0:
            found[(<_Alloc>body.allocs[j]).output] = j
    for j in range(body.n_out):
        if found[j] < 0 or (<_Out>body.outs[j]).kind != 0 or not (<_Out>body.outs[j]).plain:
            raise AssertionError(f"result {j} of a step has no memory of its own in\n{body.plan}")
    if body.n_guards:
        raise AssertionError(f"a step of a recurrence has guards of its own in\n{body.plan}")
    return found


cdef int allocate_rows(_Recurrence s, int64_t* slots, int64_t* own, void** places, list keep) except -1:
    """The buffers of a step: rows of the outputs of `s`, and memory that all steps share."""
    cdef Executable body = s.body
    cdef int i, k, at
    cdef int64_t sizes[MAX_DIMS]
    cdef _Alloc a
    cdef Storage memory
    for i in range(body.n_allocs):
        a = <_Alloc>body.allocs[i]
        if a.output >= 0:
            at = (s.n_in + a.output) * MAX_DIMS + 1
            for k in range(a.rank):
                own[a.strides[k]] = slots[s.strides[at + k]]
            continue
        for k in range(a.rank):
            sizes[k] = own[a.sizes[k]]
        memory = new_storage(times_most(lay_in_rows(a, sizes, own), item_size(a.code)))
        keep.append(memory)
        places[body.first_alloc + i] = memory.ptr
    return 0


cdef inline int run_step(object step, int64_t* slots, void** buffers, int64_t* room) except -1:
    if type(step) is Launch:
        launch_in(<Launch>step, slots, buffers, room)
    elif type(step) is Fused:
        run_fused(<Fused>step, slots, buffers, room)
    elif type(step) is Lapack:
        run_lapack(<Lapack>step, slots, buffers)
    elif type(step) is _Recurrence:
        run_recurrence(<_Recurrence>step, slots, buffers)
    else:
        run_library(<Library>step, slots, buffers)
    return 0


cdef int run_recurrence(_Recurrence s, int64_t* slots, void** buffers) except -1:
    """Run the body for each row, in the plan's own memory: what a step needs besides is allocated once."""
    cdef Executable body = s.body
    cdef int64_t need = body.n_slots + body.first_alloc + body.n_allocs + body.scratch + 2 * s.n
    cdef int64_t* own = <int64_t*>malloc(need * sizeof(int64_t))
    if own == NULL:
        raise MemoryError("plan slots")
    try:
        run_rows(s, slots, buffers, own)
    finally:
        free(own)
    return 0


cdef int run_rows(_Recurrence s, int64_t* slots, void** buffers, int64_t* own) except -1:
    cdef Executable body = s.body
    cdef void** places = <void**>(own + body.n_slots)
    cdef int64_t* room = <int64_t*>(places + body.first_alloc + body.n_allocs)
    cdef char** first = <char**>(room + body.scratch)          # of each operand; of what has rows, that of row 0
    cdef int64_t* by = <int64_t*>(first + s.n)                 # bytes from row to row
    cdef int n_rows = s.n_in - s.carried - s.constants, i, j, k, d
    cdef int64_t length = slots[s.sizes[s.constants * MAX_DIMS]], t, row
    cdef list keep = [], panels = None
    for i in range(s.n):
        first[i] = <char*>buffers[s.buffers[i]]
        if s.offsets[i] >= 0:
            first[i] += slots[s.offsets[i]] * s.items[i]
        by[i] = slots[s.strides[i * MAX_DIMS]] * s.items[i] if s.ranks[i] else 0
    memcpy(own, slots, body.n_sym * sizeof(int64_t))
    for i in range(s.n_in):
        j = 1 if s.constants <= i < s.constants + n_rows else 0
        for d in range(s.ranks[i] - j):
            own[body.stride_base[i] + d] = slots[s.strides[i * MAX_DIMS + j + d]]
        places[i] = first[i]
    if length == 0:
        return 0
    run_code(body.code, body.imm, body.n_code, own, body.code_base)
    allocate_rows(s, slots, own, places, keep)
    run_code(body.post, body.post_imm, body.n_post, own, body.post_base)
    for t in range(length):
        row = length - 1 - t if s.reverse else t
        for i in range(s.constants, s.constants + n_rows):
            places[i] = first[i] + row * by[i]
        if t == 1:
            # what is carried lies as the first was given, then as the rows of the outputs do
            for k in range(s.carried):
                i, j = s.n_in - s.carried + k, s.n_in + k
                for d in range(s.ranks[i]):
                    own[body.stride_base[i] + d] = slots[s.strides[j * MAX_DIMS + 1 + d]]
            run_code(body.code, body.imm, body.n_code, own, body.code_base)
            run_code(body.post, body.post_imm, body.n_post, own, body.post_base)
        if t:
            for k in range(s.carried):
                places[s.n_in - s.carried + k] = places[body.first_alloc + s.home[k]]
        for k in range(s.n - s.n_in):
            places[body.first_alloc + s.home[k]] = first[s.n_in + k] + row * by[s.n_in + k]
        if t == 0 and length > 1:
            panels = [
                None if product_in(step) is None else panels_of(product_in(step), s.constants, own, places)
                for step in body.steps]
        for i in range(len(body.steps)):
            if panels is not None and panels[i] is not None:
                run_panels(product_in(body.steps[i]), <Panels>panels[i], own, places)
                if type(body.steps[i]) is Fused:
                    launch_in((<Fused>body.steps[i]).kernel, own, places, room)
            else:
                run_step(body.steps[i], own, places, room)
    return 0


cdef inline bint has_sizes(Tensor t, int rank, int64_t* sizes) noexcept:
    cdef int k
    if t.ndim_ != rank:
        return False
    for k in range(rank):
        if t.sizes[k] != sizes[k]:
            return False
    return True


cdef inline bint has_data(Tensor t, bint meta) noexcept:
    """Whether kernels may touch every element of `t`: it has memory, and lies inside of it. meta: none is touched.

    A tensor lies inside its storage when it is made (`place_at`), and stays there unless the storage is made smaller.
    """
    if t.storage is None:
        return meta and t.keys & KEY_META != 0
    if meta:
        return t.ndim_ == 0
    return not t.storage.shrunk or lies_inside(t)


cdef struct Stamps:
    int64_t next

cdef Stamps STAMPS = Stamps(1)          # Storage.stamp of a storage that no call has met is 0


cdef bint wanted(Tensor d, _Alloc a, PyObject** ts, int n) noexcept:
    """Whether the kernels may still want an input's old values when they write to `d`."""
    cdef int i
    cdef Tensor t
    for i in range(n):
        if a.reads[i] == FREE:
            continue
        t = <Tensor>ts[i]
        if t is d and a.reads[i] == ALIGNED:
            continue
        if may_share(t, d) and not (a.reads[i] == ALIGNED and same_places(t, d)) and overlap(t, d):
            return True
    return False


cdef bint taken(Tensor d, list dests, int k) noexcept:
    """Whether `d`, destination k, shares memory with one before it: the later one is written last."""
    cdef int i
    cdef Tensor t
    for i in range(k):
        t = <Tensor>dests[i]
        if may_share(t, d) and overlap(t, d):
            return True
    return False


def disjoint(list tensors not None):
    """Whether no two of the tensors share memory."""
    cdef int64_t first = STAMPS.next
    cdef Storage s
    cdef bint close_ = False
    cdef int i, n = len(tensors)
    STAMPS.next += 1
    for i in range(n):
        s = (<Tensor?>tensors[i]).storage
        if s is not None:
            close_ = close_ or not s.owned or s.stamp >= first
            s.stamp = first
    if close_:
        for i in range(1, n):
            if taken(<Tensor>tensors[i], tensors, i):
                return False
    return True


cdef inline bint may_share(Tensor t, Tensor d) noexcept:
    """Whether two tensors with elements may lie in the same memory. (Memory of others, a NumPy array's, may have
    several storages.)
    """
    if t.numel_ == 0 or d.numel_ == 0 or t.storage is None or d.storage is None:
        return False
    return t.storage is d.storage or not (t.storage.owned and d.storage.owned)


cdef bint same_places(Tensor t, Tensor d) noexcept:
    """Whether element i of one is element i of the other."""
    cdef int k
    if address(t) != address(d) or t.ndim_ != d.ndim_ or t.itemsize_ != d.itemsize_:
        return False
    for k in range(t.ndim_):
        if t.sizes[k] != d.sizes[k] or (t.strides[k] != d.strides[k] and t.sizes[k] != 1):
            return False
    return True


cdef Tensor out_view(_Out o, Tensor t, int64_t* slots):
    """A buffer seen with the output's sizes and strides."""
    cdef Tensor r = new_tensor(t.storage, t.code, o.rank)
    cdef int k
    for k in range(o.rank):
        r.sizes[k] = slots[o.sizes[k]]
        r.strides[k] = slots[o.strides[k]]
    r.at = t.at + (slots[o.offset] * t.itemsize_ if o.offset >= 0 else 0)
    r.keys |= t.keys
    finish(r)
    return r


cdef int code_array(tuple code, int** ops, int64_t** imms) except -1:
    cdef int n = len(code), i
    cdef int* p = <int*>malloc((3 * n + 1) * sizeof(int))
    cdef int64_t* q = <int64_t*>malloc((n + 1) * sizeof(int64_t))
    if p == NULL or q == NULL:
        raise MemoryError("plan")
    for i in range(n):
        op, a, b = code[i]
        p[3 * i] = _CODES[op]
        if op == "const":
            q[i] = a
            p[3 * i + 1] = p[3 * i + 2] = 0
        else:
            p[3 * i + 1], p[3 * i + 2] = a, b
            q[i] = 0
    ops[0], imms[0] = p, q
    return 0


cdef void run_code(int* code, int64_t* imm, int n, int64_t* slots, int at) noexcept:
    cdef int i, op
    cdef int64_t a, b, r
    for i in range(n):
        op = code[3 * i]
        if op == OP_CONST:
            slots[at + i] = imm[i]
            continue
        a, b = slots[code[3 * i + 1]], slots[code[3 * i + 2]]
        # A size that does not fit stays too large for an allocation; it must not come round to a small one.
        if op == OP_ADD: r = plus_most(a, b)
        elif op == OP_SUB: r = minus_most(a, b)
        elif op == OP_MUL: r = times_most(a, b)
        elif op == OP_FLOORDIV or op == OP_MOD:
            if b == 0:
                r = 0
            elif b == -1:
                # the least number has no quotient by -1, and the processor would stop
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


cdef bint overlap(Tensor a, Tensor b):
    """Whether two tensors may share bytes: their reaches do."""
    cdef int64_t alo, ahi, blo, bhi
    cdef int64_t p = <int64_t>address(a), q = <int64_t>address(b)
    if (reach(a.ndim_, a.sizes, a.strides, a.itemsize_, p, &alo, &ahi)
            or reach(b.ndim_, b.sizes, b.strides, b.itemsize_, q, &blo, &bhi)):
        return True
    return alo < bhi and blo < ahi


cdef int check_dest(Tensor d, _Alloc a, int64_t* sizes, bint meta) except -1:
    """The border for a destination: it becomes the size of the result where it may, has its dtype, and memory to write
    to.
    """
    cdef int k
    cdef bint ok = d.ndim_ == a.rank
    if d.code != a.code:
        raise RuntimeError(f"'out' is {dtype_of(d.code)}; expected {dtype_of(a.code)}")
    if meta != (d.storage is None) or d.storage is None and not d.keys & KEY_META:
        where = "without data" if d.storage is None and not d.keys & KEY_META else f"on the device {d.device}"
        raise RuntimeError(
            f"'out' is a tensor {where}; expected one on the device {'meta' if meta else 'cpu'}, where the operands "
            "are")
    if ok:
        for k in range(a.rank):
            if d.sizes[k] != sizes[k]:
                ok = False
    if not ok:
        UPCALLS.fit_dest(d, [sizes[k] for k in range(a.rank)])
        if d.ndim_ != a.rank:
            raise RuntimeError(f"'out' has {d.ndim_} dimensions; expected {a.rank}")
        for k in range(a.rank):
            if d.sizes[k] != sizes[k]:
                raise RuntimeError(f"'out' has the shape {list(d.shape)}; expected {[sizes[k] for k in range(a.rank)]}")
    if not meta and not has_data(d, False):
        raise RuntimeError(
            f"'out' reaches outside of its storage of {d.storage.size_bytes} bytes (size {list(d.shape)}, stride "
            f"{list(d.stride())}, offset {d.storage_offset()})")
    return 0

# Included by execute.pyx: steps that run the plan of a body once for each row of some operands.


cdef class _Recurrence(Operands):
    """A step of a plan that runs the plan of a body once for each row of some operands (prims/recurrence.py)."""
    cdef Executable body
    cdef int n_in, constants, carried
    cdef bint reverse
    cdef int* home           # the buffer of the body for each of its outputs
    def __init__(self, s):
        super().__init__(s)
        self.constants, n_rows = s.params["counts"]
        self.n_in, self.carried = s.n_in, s.n_in - self.constants - n_rows
        self.reverse = s.params["reverse"]
        body = s.params["body"]
        self.body = Executable(body, [("int", k) for k in range(body.n_sym)], s.n_in, 0)
        self.home = self.ints(rows_of(self.body))


cdef list rows_of(Executable body):
    """The buffer of a step's plan for each of its outputs, of which no two share one."""
    cdef int j
    cdef list found = [-1] * body.n_out
    for j in range(body.n_allocs):
        if (<_Alloc>body.allocs[j]).output >= 0:
            found[(<_Alloc>body.allocs[j]).output] = j
    for j in range(body.n_out):
        if found[j] < 0 or (<_Out>body.outs[j]).view or not (<_Out>body.outs[j]).plain:
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


cdef int run_recurrence(_Recurrence s, int64_t* slots, void** buffers) except -1:
    """Run the body for each row, in the plan's own memory: other memory that a step needs is allocated once."""
    cdef Executable body = s.body
    cdef Arrays memory = Arrays.__new__(Arrays)
    cdef int64_t need = body.n_slots + body.first_alloc + body.n_allocs + body.scratch + 2 * s.n
    cdef int64_t* own = <int64_t*>memory.room(need * sizeof(int64_t))
    cdef void** places = <void**>(own + body.n_slots)
    cdef int64_t* room = <int64_t*>(places + body.first_alloc + body.n_allocs)
    cdef char** first = <char**>(room + body.scratch)          # for each operand; for one with rows, that of row 0
    cdef int64_t* by = <int64_t*>(first + s.n)                 # bytes from row to row
    cdef int n_rows = s.n_in - s.carried - s.constants, i, j, k, d
    cdef int64_t length = slots[s.sizes[s.constants * MAX_DIMS]], t, row
    cdef list keep = [], panels = None
    for i in range(s.n):
        first[i] = operand_at(buffers, s.buffers[i], slots, s.offsets[i], s.items[i])
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
            # a carried value has the layout of the given one at first, and then that of the rows of the outputs
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
        if t == 2 and rl_tracing == NULL and run_apart(s, own, places, first, by, t, length, panels):
            return 0
        for i in range(len(body.steps)):
            if panels is not None and panels[i] is not None:
                run_panels(product_in(body.steps[i]), <Panels>panels[i], own, places)
                if type(body.steps[i]) is Fused:
                    launch_in((<Fused>body.steps[i]).kernel, own, places, room)
            else:
                run_step(body.steps[i], own, places, room)
    return 0


# ------------------------------------------------------------------------------- steps of which each row is by itself
@cython.final
cdef class _Apart(Arrays):
    """The remaining steps of a recurrence in which each row of the batch only reads what was made for that row: any
    thread may take some rows through all steps (native/recurrence.h).

    Buffers are those of the body. A buffer that steps write has rows that are a pitch apart, and every access to it
    stays inside its row; a buffer that no step writes may be read anywhere.
    """
    cdef rl_recurrence all
    cdef int written         # the first buffer that steps write
    cdef int* same           # for each buffer its number, or that of the output of which it is the previous row
    cdef rl_recurring* place
    cdef int64_t* pitch      # bytes; 0: no access yet
    cdef list kernels        # for each part its launch; None: it is a product

    cdef int make_room(self, int buffers, int parts) except -1:
        cdef int b
        self.same = <int*>self.room(buffers * sizeof(int))
        self.place = <rl_recurring*>self.room(buffers * sizeof(rl_recurring))
        self.pitch = <int64_t*>self.room(buffers * sizeof(int64_t))
        self.all.parts = <rl_recurring_part*>self.room(parts * sizeof(rl_recurring_part))
        self.all.n, self.all.rows, self.all.shared, self.kernels = 0, 0, 0, []
        for b in range(buffers):
            self.same[b], self.pitch[b] = b, 0
        return 0

    cdef bint stays_in_row(self, int buffer, int64_t begin, int64_t end, int64_t pitch) noexcept:
        """Whether the accesses at row 0 of a buffer, from byte `begin` to `end`, and at the other rows, a pitch apart,
        do not meet those of other rows.
        """
        cdef int b
        if buffer < 0:
            return False
        b = self.same[buffer]
        if b < self.written:
            return True
        if self.pitch[b] == 0:
            self.pitch[b] = pitch
        return 0 <= begin and end <= pitch and self.pitch[b] == pitch

    cdef rl_recurring* operands(self, rl_recurring_part* x, int n) except NULL:
        x.operands, x.n = <rl_recurring*>self.room(n * sizeof(rl_recurring)), n
        return x.operands

    cdef int of_buffer(self, rl_recurring* x, int buffer, int64_t offset) noexcept:
        x.at, x.by = self.place[buffer].at + offset, self.place[buffer].by
        return 0

    cdef bint add_product(self, Library s, Panels b, int64_t* slots, void** buffers) except -1:
        """A product by a matrix that all rows share, and another one for the columns beyond its panels."""
        cdef _Matrix of[2]
        cdef int64_t start[2]
        cdef int64_t first, last, whole, rest, each
        cdef int buffer[2]
        cdef int i
        cdef tuple view
        for i in range(2):
            view = s.views[2 * i]
            of[i] = matrix_of(view, slots, buffers)
            buffer[i] = view[0]
            start[i] = slots[<int>view[2]] * b.item if <int>view[2] >= 0 else 0
            first = (of[i].columns - 1) * of[i].column * b.item
            first, last = min(first, 0), max(first, 0)
            if of[i].row <= 0 or not self.stays_in_row(
                    buffer[i], start[i] + first, start[i] + last + b.item, of[i].row * b.item):
                return False
        if self.all.rows != of[0].rows:
            return False
        self.all.shared += of[0].columns * of[1].columns * b.item
        whole, rest, each = of[1].columns // b.columns, of[1].columns % b.columns, b.columns * b.item
        if whole:
            self.add_panels(b, of, buffer, start, whole, b.columns, 0)
        if rest:
            self.add_panels(b, of, buffer, start, 1, rest, whole * each)
        return True

    cdef int add_panels(
            self, Panels b, _Matrix* of, int* buffer, int64_t* start, int64_t batch, int64_t columns,
            int64_t done) except -1:
        cdef rl_recurring_part* x = &self.all.parts[self.all.n]
        cdef rl_recurring* at = self.operands(x, 3)
        cdef rl_product* p = &x.product
        x.kernel = NULL
        memset(p, 0, sizeof(rl_product))
        p.dtype, p.batch, p.m, p.n, p.k = b.blas, batch, of[0].rows, columns, of[0].columns
        p.a_rs, p.a_cs = of[0].row * b.item, of[0].column * b.item
        p.b_bs, p.b_rs, p.b_cs = of[0].columns * b.columns * b.item, b.columns * b.item, b.item
        p.c_bs, p.c_rs, p.c_cs = b.columns * of[1].column * b.item, of[1].row * b.item, of[1].column * b.item
        self.of_buffer(&at[0], buffer[0], start[0])
        at[1].at, at[1].by = <char*>b.memory.ptr + done * of[0].columns, 0
        self.of_buffer(&at[2], buffer[1], start[1] + done * of[1].column)
        self.all.n += 1
        self.kernels.append(None)
        return 0

    cdef bint add_kernel(self, Launch s, int64_t* slots) except -1:
        """A kernel as it was last launched, if that was with these sizes."""
        cdef rl_recurring_part* x = &self.all.parts[self.all.n]
        cdef rl_recurring* at
        cdef int64_t* params
        cdef int64_t first, last, start, d
        cdef int K = s.n_params // (1 + s.no), o, k
        if (s.mode != COL or s.nr or s.wide or s.n_places or s.in_sequence or s.gathers or s.unless >= 0
                or s.no > RL_RECURRING_OPERANDS or s.cost == 0 or not launched_so(s, slots)):
            return False
        if K < 2 or K * (1 + s.no) != s.n_params or s.last_params[0] != self.all.rows:
            return False
        params = <int64_t*>self.room((s.n_params + s.ns) * sizeof(int64_t))
        memcpy(params, s.last_params, s.n_params * sizeof(int64_t))
        for k in range(s.ns):
            params[s.n_params + k] = slots[s.scalars[k]]
        at = self.operands(x, s.no)
        for o in range(s.no):
            start = slots[s.offsets[o]] * s.itemsizes[o] if s.offsets[o] >= 0 else 0
            first = last = start
            for k in range(1, K):
                d = (params[k] - 1) * params[(1 + o) * K + k]
                first, last = first + min(d, 0), last + max(d, 0)
            if not self.stays_in_row(s.buffers[o], first, last + s.itemsizes[o], params[(1 + o) * K]):
                return False
            self.of_buffer(&at[o], s.buffers[o], start)
        x.kernel, x.params, x.items, x.cost = s.variant.fn, params, s.items // self.all.rows, s.cost
        self.all.n += 1
        self.kernels.append(s)
        return True

    cdef int run(self) except -1:
        cdef int rc
        with nogil:
            rc = rl_recurrence_run(&self.all)
        if rc == 1:
            raise_kernel_error(<Launch>self.kernels[self.all.failed], self.all.error)
        if rc != 0:
            raise MemoryError("a matrix product has no memory for its partial sums")
        return 0


cdef bint run_apart(
        _Recurrence s, int64_t* own, void** places, char** first, int64_t* by, int64_t step, int64_t length,
        list panels) except -1:
    """Run the steps from number `step` on, after two steps that were run before, if no row depends on another one; else
    False.
    """
    cdef Executable body = s.body
    cdef _Apart a = _Apart.__new__(_Apart)
    cdef int n_rows = s.n_in - s.carried - s.constants, i, k, b
    cdef int64_t sign = -1 if s.reverse else 1, row = length - 1 - step if s.reverse else step
    a.make_room(body.first_alloc + body.n_allocs, 3 * <int>len(body.steps))
    a.written, a.all.steps = body.first_alloc, length - step
    for b in range(body.first_alloc + body.n_allocs):
        a.place[b].at, a.place[b].by = <char*>places[b], 0
    for i in range(s.constants, s.constants + n_rows):
        a.place[i].at, a.place[i].by = first[i] + row * by[i], sign * by[i]
    for k in range(s.n - s.n_in):
        b = body.first_alloc + s.home[k]
        a.place[b].by = sign * by[s.n_in + k]
        a.place[b].at = first[s.n_in + k] + row * by[s.n_in + k]
    for k in range(s.carried):
        i, b = s.n_in - s.carried + k, body.first_alloc + s.home[k]
        a.same[i] = b
        a.place[i].at, a.place[i].by = a.place[b].at - a.place[b].by, a.place[b].by
    for i in range(len(body.steps)):
        if panels[i] is not None:
            a.all.rows = matrix_of(product_in(body.steps[i]).views[0], own, places).rows
    if a.all.rows == 0:
        return False
    for i in range(len(body.steps)):
        what = body.steps[i]
        if panels[i] is not None:
            if not a.add_product(product_in(what), <Panels>panels[i], own, places):
                return False
            if type(what) is Fused and not a.add_kernel((<Fused>what).kernel, own):
                return False
        elif type(what) is not Launch or not a.add_kernel(<Launch>what, own):
            return False
    a.run()
    return True

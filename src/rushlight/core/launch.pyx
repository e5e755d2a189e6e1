"""The launch of a kernel: its dimensions are ordered and merged, and its variant and parameters are chosen."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint64_t, uintptr_t
from libc.stdlib cimport llabs
from libc.string cimport memcmp, memcpy, memset

from rushlight.core._native cimport c_launch, c_launch_again, c_num_threads, kernel_t, rl_trace_launch, rl_tracing
from rushlight.core.arrays cimport Arrays, operand_at
from rushlight.core.base cimport UPCALLS, core_only, times_most
from rushlight.core.storage cimport Storage, new_storage
from rushlight.core.tensor cimport MAX_DIMS

cpdef enum:
    CHUNK = 65536            # reduced elements in a chunk of the fixed order of summation (program/loops.py)
    # chunks from which a variant of block 2 takes two at a time; with fewer the two would be too close in memory to
    # gain anything
    PAIRED_FROM = 64
    ROWS_TOGETHER = 8        # that have an operand in common, where integers are reduced along columns

cdef enum:
    TURNED_LEAST = 16        # rows from which operands that lie transposed along reduced dimensions are turned
    TURNED_TOGETHER = 4      # rows for which there must be room
    LEAST_COLUMNS = 32       # elements of an item of a reduction along columns
    TILE_FROM = 65536        # elements from which a transposed operand is worth a variant that transposes tiles
    AXIS_LEAST = 32          # elements of a dimension that is made the innermost one if that is short
    SHORT_REDUCED = 15       # reduced elements, too few for a vector: those of many kept elements side by side
    SHORT_ROWS_FROM = 512    # the same for short rows that are copied: their vectors are along another one

_MODES = ("row", "col", "part", "final", "colpart", "tile")


cdef class Variant:
    """The machine code of a kernel for one order and merging of its dimensions."""


cdef class Kernel(Arrays):
    """A kernel of the compiler, and the machine code of the variants that were needed so far."""
    def __init__(self, kernel):
        self.kernel, self.coalesce, self.gathered, self.variants = kernel, kernel.coalesce, kernel.gathered, {}
        self.any_order, self.turned_room = kernel.any_order, kernel.turned_room
        self.key_words = 1 + (<int>kernel.n_operands + 31) // 32
        self.last_key = self.longs([0] * self.key_words)


cdef dict _kernels = {}      # id(kernel) -> Kernel; a kernel is shared by all plans with the same loop nest

cdef Kernel kernel_of(object k):
    found = _kernels.get(id(k))
    if found is None:
        found = _kernels[id(k)] = Kernel(k)
    return found


cdef class Launch(Arrays):
    """A step of a plan that launches a kernel: which slots hold its sizes, strides, addresses and numbers."""

    def __init__(self, s):
        cdef int i
        self.kernel = kernel_of(s.kernel)
        self.nk, self.nr, self.no, self.ns = len(s.sizes), len(s.reduced), len(s.operands), len(s.scalars)
        self.nd, self.width = self.nk + self.nr, self.nk + self.nr + 2
        self.scratch = (self.nd + 2 * self.width) * (1 + self.no) + self.no + self.ns + self.nd + 4
        self.scratch += self.kernel.key_words
        self.sizes = self.ints(tuple(s.sizes) + tuple(s.reduced))
        self.buffers = self.ints([o.buffer for o in s.operands])
        self.offsets = self.ints([-1 if o.offset is None else o.offset for o in s.operands])
        self.strides = self.ints([x for o in s.operands for x in o.strides])
        self.itemsizes = self.ints([o.dtype.itemsize for o in s.operands])
        self.scalars = self.ints(s.scalars)
        self.places, self.n_places = self.ints([k for sizes in s.kernel.places for k in sizes]), len(s.kernel.places)
        self.writer = 0
        for i in range(self.no):
            if s.operands[i].write:
                self.writer = i
                break
        self.split, self.wide, self.col_block = s.split, s.kernel.wide, s.kernel.col_block
        self.tiles = self.nr == 0 and s.kernel.coalesce
        self.copies, self.moves = s.kernel.is_copy, s.kernel.moves
        self.fill_cost, self.cost_of_nodes = s.kernel.fill_cost, s.kernel.cost_of_nodes
        self.skip_empty = not s.kernel.has_reduction and self.fill_cost == 0
        self.reduces = s.kernel.has_reduction and not s.kernel.sequential
        self.in_sequence, self.gathers = s.kernel.in_sequence, s.kernel.gathers
        self.partial_bytes = s.kernel.partial_bytes if s.split else 0
        self.unless, self.unless_in = (-1, -1) if s.unless is None else s.unless
        self.tried = s.rarely
        self.soft, self.apart, self.by_step, self.jumps, self.prepared = 0, NULL, NULL, NULL, False
        if s.loose is not None:
            self.soft = s.loose.sizes
            self.apart, self.by_step = self.longs(s.loose.apart), self.longs(s.loose.steps)
            self.jumps = self.longs(s.loose.jumps)
        self.last_sizes = <int64_t*>self.room(self.nd * (1 + self.no) * sizeof(int64_t))
        self.last_params = <int64_t*>self.room(self.width * (1 + self.no) * sizeof(int64_t))


cdef int launch_in(Launch s, int64_t* slots, void** buffers, int64_t* room, bint idle=False) except -1:
    """Launch, with `room` as memory for the given sizes and strides, the addresses, the kernel's parameters, and the
    working memory of launch_kernel. idle: only make the variant.
    """
    cdef int nd = s.nd, o, d, n = nd
    cdef int64_t* size = room
    cdef int64_t* stride = room + nd
    cdef void** ptrs = <void**>(stride + nd * s.no)
    cdef int64_t* params = <int64_t*>(ptrs + s.no + 2)
    cdef int64_t x, differ = 0, kept = 1, reduced = 1
    if s.unless >= 0 and buffers[s.unless] == buffers[s.unless_in]:
        if s.tried:
            return 0
        idle = True
    for d in range(nd):
        x = size[d] = slots[s.sizes[d]]
        differ |= x ^ s.last_sizes[d]
    for o in range(s.no):
        for d in range(nd):
            x = size[n] = slots[s.strides[n - nd]]
            differ |= x ^ s.last_sizes[n]
            n += 1
        ptrs[o] = operand_at(buffers, s.buffers[o], slots, s.offsets[o], s.itemsizes[o])
    if s.copies and s.unless < 0 and ptrs[0] == ptrs[1] and memcmp(stride, stride + nd, nd * sizeof(int64_t)) == 0:
        return 0
    if differ == 0 and s.variant is not None and not idle:
        return launch_again(s, ptrs, params, slots)
    for d in range(nd):
        if d < s.nk:
            kept *= size[d]
        else:
            reduced *= size[d]
    if kept == 0:
        return 0
    if reduced == 0 and s.skip_empty:
        return 0
    return launch_kernel(s, size, stride, ptrs, params, slots, kept, reduced, idle)


cdef int make_variants(list steps, int64_t* slots, void** buffers, int64_t* room) except -1:
    """Make the machine code of launches among steps that have none. The compiler is Python, which an interrupt may end:
    it must not come between two steps, the first of which has written to a destination.
    """
    for step in steps:
        if type(step) is Launch and (<Launch>step).variant is None:
            launch_in(<Launch>step, slots, buffers, room, True)
    return 0


cdef bint launched_so(Launch s, int64_t* slots) noexcept:
    """Whether the last launch of `s` had the sizes and strides in these slots."""
    cdef int i
    cdef int64_t differ = 0
    for i in range(s.nd):
        differ |= slots[s.sizes[i]] ^ s.last_sizes[i]
    for i in range(s.no * s.nd):
        differ |= slots[s.strides[i]] ^ s.last_sizes[s.nd + i]
    return differ == 0 and s.variant is not None


cdef int launch_again(Launch s, void** ptrs, int64_t* params, int64_t* slots) except -1:
    """Repeat the last launch of `s`, on other data and numbers."""
    # another thread may launch `s` with other sizes while the kernel runs
    memcpy(params, s.last_params, s.n_params * sizeof(int64_t))
    return run_kernel(s, s.variant, ptrs, params, s.n_params, slots, s.items, s.cost)


cdef int run_kernel(
        Launch s, Variant v, void** ptrs, int64_t* params, int n, int64_t* slots, int64_t items, double cost) except -1:
    """Run a kernel on all items; `params` has n entries, behind which the numbers are put."""
    cdef int64_t err[4]
    cdef int64_t code
    cdef int i
    cdef kernel_t fn = v.fn
    for i in range(s.ns):
        params[n + i] = slots[s.scalars[i]]
    if rl_tracing != NULL:
        return trace_kernel(s, fn, s.no, ptrs, params, n + s.ns, slots, items, cost)
    err[0] = 0
    ptrs[s.no] = err
    if cost * items < 15000:         # is never shared (native/pool.h)
        code = fn(ptrs, params, 0, items)
    else:
        with nogil:
            code = c_launch(fn, ptrs, params, items, cost)
    if code != 0 or err[0] != 0:
        raise_kernel_error(s, err)
    return 0


cdef int trace_kernel(
        Launch s, kernel_t fn, int n, void** ptrs, int64_t* params, int n_params, int64_t* slots, int64_t items,
        double cost) except -1:
    """Record a kernel's run on the operands and, if n is larger than their number, on a workspace behind them."""
    cdef Arrays memory = Arrays.__new__(Arrays)
    cdef uintptr_t* bases = <uintptr_t*>memory.room(n * sizeof(uintptr_t))
    cdef int o
    for o in range(n):
        bases[o] = <uintptr_t>ptrs[o]
        if o < s.no:
            if s.buffers[o] < 0:
                bases[o] = 0
            elif s.offsets[o] >= 0:
                bases[o] -= <uintptr_t>(slots[s.offsets[o]] * s.itemsizes[o])
    rl_trace_launch(fn, n, ptrs, bases, n_params, params, items, cost)
    return 0


cdef int order_kept(Launch s, int64_t* size, int64_t* stride, int* order, int first) noexcept:
    """Order the kept dimensions by the strides of operand `first`, then of the others, largest outermost; sizes of 1
    are dropped.
    """
    cdef int n = 0, i, j, x, o, c
    for i in range(s.nk):
        if size[i] != 1 or s.soft >> i & 1:
            order[n] = i
            n += 1
    for i in range(1, n):
        x = order[i]
        j = i - 1
        while j >= 0 and before(s, size, stride, x, order[j], first):
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = x
    return n


cdef void order_reduced(Launch s, int64_t* stride, int* order, int main) noexcept:
    """Order the reduced dimensions as they are, or, where any order gives the same bits, by the strides of operand
    `main`, largest outermost.
    """
    cdef int i, j
    for i in range(s.nr):
        j = i
        while j > 0 and s.kernel.any_order and (
                llabs(stride[main * s.nd + order[j - 1]]) < llabs(stride[main * s.nd + s.nk + i])):
            order[j] = order[j - 1]
            j -= 1
        order[j] = s.nk + i


cdef bint before(Launch s, int64_t* size, int64_t* stride, int x, int y, int first) noexcept:
    """Whether dimension x must lie outside of y."""
    cdef int o
    cdef int64_t a, b
    a, b = llabs(stride[first * s.nd + x]), llabs(stride[first * s.nd + y])
    if a and b and not jumps(s, first, x, y):
        if a != b:
            return a > b
        # A size of the caller that is 1 now has the stride of the dimension around it: other sizes would be inside it.
        if (size[x] == 1) != (size[y] == 1):
            return size[y] == 1
    for o in range(s.no):
        if jumps(s, o, x, y):
            continue
        a, b = llabs(stride[o * s.nd + x]), llabs(stride[o * s.nd + y])
        if a != b and a and b:
            return a > b
    return False

cdef inline bint jumps(Launch s, int o, int x, int y) noexcept:
    """Whether an operand's strides along two dimensions do not decide their order."""
    return s.jumps != NULL and (s.jumps[o] >> x | s.jumps[o] >> y) & 1


cdef int launch_kernel(
        Launch s, int64_t* size, int64_t* stride, void** ptrs, int64_t* params, int64_t* slots, int64_t kept,
        int64_t reduced, bint idle) except -1:
    """Choose the variant and run it; `idle`: only make it, for other numbers of the caller."""
    # s.width numbers, the sizes of the launch; likewise `st` for each of its operands
    cdef int64_t* sz = params + s.width * (1 + s.no) + s.ns
    cdef int64_t* st = sz + s.width
    cdef int64_t* key = st + s.width * s.no
    cdef int* order = <int*>(key + s.kernel.key_words)
    cdef int* origin = order + s.nd         # for each of the kernel's dimensions the last one that is merged into it
    cdef int K = 0, R = 0, i, d, o, n
    cdef bint col = True
    cdef int swapped = -1                   # the dimension that changed places with the innermost one
    cdef int64_t items, block
    cdef bint turned_back = False           # along one dimension the pointers are at the other end
    if s.nr:
        col = s.in_sequence or s.nk > 0 and column_mode(s, size, stride, kept, main_operand(s, size, stride))
    if s.kernel.coalesce:
        n = order_kept(s, size, stride, order, main_operand(s, size, stride) if s.nr and col else s.writer)
    else:
        n = s.nk
        for i in range(n):
            order[i] = i
    # kept dimensions: merge neighbours where all operands allow
    for i in range(n):
        K = add_dim(s, 0, K, order[i], size, stride, sz, st, origin)
    if K == 0:
        K = add_placeholder(s, 0, sz, st, origin)
    # reduced dimensions keep their order, which is that of summation, where it can be told from another
    order_reduced(s, stride, order, main_operand(s, size, stride))
    for i in range(s.nr):
        d = order[i]
        if not s.kernel.coalesce or size[d] != 1 or s.soft >> d & 1:
            R = add_dim(s, K, K + R, d, size, stride, sz, st, origin) - K
    if s.nr and R == 0:
        R = add_placeholder(s, K, sz, st, origin) - K
    # (where a number of the caller may make rows long, they stay rows)
    if s.reduces and not (col or s.gathers) and s.kernel.coalesce and s.apart == NULL and (
            reduced <= SHORT_REDUCED and sz[K - 1] >= SHORT_ROWS_FROM):
        col = True
    cdef int mode = COL if col else ROW
    cdef bint soft = s.apart != NULL and varies(s, origin[K - 1])
    # a stride along a single column is never used: take the variant for contiguous operands
    if col and sz[K - 1] == 1 and not soft:
        for o in range(s.no):
            st[o * s.width + K - 1] = 1
    # few windows side by side: vectors along channels, or another dimension that is long enough
    if s.in_sequence and K > 1 and sz[K - 1] < 8 and s.kernel.coalesce:
        swapped = long_inside(s, K, sz, st, origin)
    elif s.tiles and K > 1:
        if kept >= TILE_FROM and transposed(s, K, sz, st, ptrs, &turned_back):
            mode = TILE
        # (This needs a separate variant, and pays for fewer elements only in copies, which follow the order of their
        # source.)
        elif sz[K - 1] <= (8 if lies_apart(s, K, st) else 3) and kept >= (
                SHORT_ROWS_FROM if s.no <= 2 or s.moves else TILE_FROM):
            long_inside(s, K, sz, st, origin)
    items = kept // sz[K - 1] * ((sz[K - 1] + s.col_block - 1) // s.col_block) if col else kept
    # Chunks of the reduced elements become items if there are too few kept elements for the threads.
    cdef bint split = (
        s.split and reduced > CHUNK and (not col or s.wide) and c_num_threads() > 1 and items < 4 * c_num_threads())
    if split:
        mode = COLPART if col else PART
    cdef int n_variants = len(s.kernel.variants)
    cdef Variant v = variant_of(s, K, R, mode, sz, st, key)
    # (Another launch may have made this variant, and not what this one would need beside it.)
    if s.apart != NULL and (len(s.kernel.variants) != n_variants or not s.prepared):
        s.prepared = True
        precompile_variants(s, K, R, mode, sz, st, origin, swapped, key)
    if idle:
        s.tried = True
        return 0
    if col and mode != TILE and s.apart != NULL and s.kernel.coalesce:
        fold_kept(s, K, sz, st)
        items = kept // sz[K - 1] * ((sz[K - 1] + s.col_block - 1) // s.col_block)
    n = 0
    for i in range(K + R):
        params[n] = sz[i]
        n += 1
    for o in range(s.no):
        for i in range(K + R):
            params[n] = st[o * s.width + i] * s.itemsizes[o]
            n += 1
    block = v.block
    cdef double fill = 0                 # a scatter first fills its places
    if s.fill_cost:
        fill = s.fill_cost * <double>kept * <double>slots[s.scalars[s.places[0]]]
    cdef double ns = v.cost
    cdef int64_t of_rows = 1             # for each row, or so many together
    if s.wide and mode == COL:           # a parameter says how many columns an item has
        of_rows = kept // sz[K - 1]
        if block > s.col_block:
            if in_common(s, K, st):      # and is read from the nearest cache
                of_rows = of_rows // sz[K - 2] * ((sz[K - 2] + ROWS_TOGETHER - 1) // ROWS_TOGETHER)
                ns = s.cost_of_nodes
            block = s.col_block
        items = of_rows * ((sz[K - 1] + block - 1) // block)
        while block > LEAST_COLUMNS and items < 2 * c_num_threads():
            block //= 2
            items = of_rows * ((sz[K - 1] + block - 1) // block)
        params[n] = block
        n += 1
    elif block == 0:                     # a parameter says into how many slices the places of a scatter are cut
        items = kept // sz[K - 1]
        params[n] = slices_of(s, K, sz, st, slots, items, v.cost * <double>kept * <double>reduced + fill)
        items *= params[n]
        n += 1
    if mode == TILE:
        items = kept // (sz[K - 1] * sz[K - 2])
        items *= ((sz[K - 1] + block - 1) // block) * ((sz[K - 2] + block - 1) // block)
    if split:
        for i in range(s.ns):
            params[n + i] = slots[s.scalars[i]]
        return launch_split(
            s, v, variant_of(s, K, R, FINAL, sz, st, key), ptrs, params, n + s.ns, slots, kept, items,
            (reduced + CHUNK - 1) // CHUNK)
    cdef double cost = (ns * (<double>kept * <double>(reduced if reduced > 0 else 1)) + fill) / <double>items
    if folded(K, sz, st + s.writer * s.width):
        cost = 0  # one thread does everything, in order: two threads might write to one place
    # (whether longer ones are split depends on the number of threads)
    if not turned_back and (not s.split or reduced <= CHUNK):
        i = 0
        for d in range(s.nk + s.nr):
            s.last_sizes[i] = size[d]
            i += 1
        for o in range(s.no):
            for d in range(s.nk + s.nr):
                s.last_sizes[i] = stride[o * s.nd + d]
                i += 1
        memcpy(s.last_params, params, n * sizeof(int64_t))
        s.n_params, s.variant, s.mode, s.items, s.cost = n, v, mode, items, cost
    return run_kernel(s, v, ptrs, params, n, slots, items, cost)


cdef int64_t slices_of(
        Launch s, int K, int64_t* sz, int64_t* st, int64_t* slots, int64_t rows, double cost) noexcept:
    """Into how many slices the places of a scatter of rows are cut; `rows`: the number of outer rows."""
    cdef int64_t threads = c_num_threads()
    cdef int64_t size[2 * MAX_DIMS]
    cdef int64_t stride[2 * MAX_DIMS]
    cdef int i
    if threads == 1 or rows >= 4 * threads or cost < 15000 or K + s.n_places > MAX_DIMS:
        return 1
    # one thread must do the places of overlapping windows
    memcpy(size, sz, K * sizeof(int64_t))
    memcpy(stride, st + s.writer * s.width, K * sizeof(int64_t))
    for i in range(s.n_places):
        size[K + i], stride[K + i] = slots[s.scalars[s.places[2 * i]]], slots[s.scalars[s.places[2 * i + 1]]]
    return 1 if folded(K + s.n_places, size, stride) else (2 * threads + rows - 1) // rows


cdef int add_dim(
        Launch s, int first, int n, int d, const int64_t* size, const int64_t* stride, int64_t* sz, int64_t* st,
        int* origin) noexcept:
    """Add dimension d to the `n` dimensions of a kernel: it is merged with the last one if all operands allow that,
    unless the last one is before `first`. Returns the new number of dimensions.
    """
    cdef int o
    cdef bint merge = n > first and s.kernel.coalesce and may_merge(s, origin[n - 1], d)
    for o in range(s.no):
        merge = merge and st[o * s.width + n - 1] == stride[o * s.nd + d] * max(size[d], 1)
    if merge:
        n -= 1
    sz[n], origin[n] = size[d] * (sz[n] if merge else 1), d
    for o in range(s.no):
        st[o * s.width + n] = stride[o * s.nd + d]
    return n + 1


cdef int add_placeholder(Launch s, int n, int64_t* sz, int64_t* st, int* origin) noexcept:
    """Add a dimension of size 1, because a kernel has at least one. Returns the new number of dimensions."""
    cdef int o
    sz[n], origin[n] = 1, -1
    for o in range(s.no):
        st[o * s.width + n] = 0
    return n + 1


cdef void fold_kept(Launch s, int K, int64_t* sz, int64_t* st) noexcept:
    """Merge kept dimensions that were not merged because their strides fit only by chance, and leave sizes of 1 in
    their places: rows become long, and the variant stays the same.
    """
    cdef int o, i, j = K - 1
    cdef bint fit
    for i in range(K - 2, -1, -1):
        if sz[i] == 1:
            continue
        fit = True
        for o in range(s.no):
            fit = fit and st[o * s.width + i] == st[o * s.width + j] * sz[j]
        if fit:
            sz[j] *= sz[i]
            sz[i] = 1
        else:
            j = i


cdef bint in_common(Launch s, int K, int64_t* st) noexcept:
    """Whether the rows of columns have an operand in common."""
    cdef int o
    for o in range(s.no):
        if st[o * s.width + K - 2] == 0:
            return True
    return False


cdef inline bint may_merge(Launch s, int outer, int d) noexcept:
    """Whether dimensions may be merged if their strides fit; a placeholder has the number -1."""
    return s.apart == NULL or outer < 0 or not s.apart[d] >> outer & 1


cdef int precompile_variants(
        Launch s, int K, int R, int mode, int64_t* sz, int64_t* st, int* origin, int swapped, int64_t* key) except -1:
    """Make the variants that other numbers of the caller would need, so that these do not wait for the compiler: for
    operands that are contiguous along the vector axis or not, and for short rows, whose vectors lie along another
    dimension. swapped: the dimension that has changed places with the innermost one; -1: none.
    """
    cdef int d, fixed
    if mode == TILE:
        return 0
    precompile_steps(s, K, R, mode, st, origin, key)
    if K == 1 or not s.kernel.coalesce or not (s.in_sequence or s.tiles and s.moves and not s.copies):
        return 0
    if swapped >= 0:
        swap_dims(s, K, sz, st, origin, swapped)
        variant_of(s, K, R, mode, sz, st, key)
        precompile_steps(s, K, R, mode, st, origin, key)
    if sz[K - 1] < 8 or varies(s, origin[K - 1]):
        fixed = settled(s, K, sz, origin)
        for d in range(K - 1):
            if d != swapped and (d == fixed if fixed >= 0 else varies(s, origin[d])):
                swap_dims(s, K, sz, st, origin, d)
                variant_of(s, K, R, mode, sz, st, key)
                precompile_steps(s, K, R, mode, st, origin, key)
                swap_dims(s, K, sz, st, origin, d)
    if swapped >= 0:
        swap_dims(s, K, sz, st, origin, swapped)
    return 0


cdef int precompile_steps(Launch s, int K, int R, int mode, int64_t* st, int* origin, int64_t* key) except -1:
    """Make the variants for operands that are contiguous along the vector axis, and for others, where that follows from
    numbers of the caller; key: of the variant for the strides at hand.
    """
    cdef int axis = K - 1 if mode == COL or mode == COLPART else K + R - 1
    cdef int o, c
    if origin[axis] < 0:
        return 0
    steps = []                              # equal ones stay equal
    for o in range(s.no):
        if s.by_step[o] >> origin[axis] & 1 and st[o * s.width + axis] not in steps:
            steps.append(st[o * s.width + axis])
    if not steps:
        return 0
    for c in range(1 << min(len(steps), 2)):
        classes = []
        for o in range(s.no):
            if s.by_step[o] >> origin[axis] & 1:
                classes.append(b"cs"[c >> min(steps.index(st[o * s.width + axis]), 1) & 1])
            else:
                classes.append((b"cbst" if s.nr else b"cbsr")[(key[1 + (o >> 5)] >> (2 * (o & 31))) & 3])
        s.kernel.kernel.variant(K, R, _MODES[mode], bytes(classes))
    return 0


cdef inline bint varies(Launch s, int d) noexcept:
    """Whether the size of a dimension depends on a number of the caller; a placeholder has the number -1."""
    return d >= 0 and s.soft >> d & 1


cdef bint folded(int n, int64_t* size, int64_t* stride) noexcept:
    """Whether dimensions of these strides may reach one place twice, as overlapping windows do."""
    cdef int order[MAX_DIMS]
    cdef int i, j, x
    cdef int64_t last = 0
    if n > MAX_DIMS:
        return True
    for i in range(n):
        x = i
        j = i - 1
        while j >= 0 and llabs(stride[order[j]]) > llabs(stride[x]):
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = x
    for i in range(n):
        x = order[i]
        if size[x] > 1:
            if llabs(stride[x]) <= last:
                return True
            last += (size[x] - 1) * llabs(stride[x])
    return False


cdef int launch_split(
        Launch s, Variant part, Variant final, void** ptrs, int64_t* params, int n_params, int64_t* slots,
        int64_t kept, int64_t items, int64_t chunks) except -1:
    """Do a long reduction in two steps: of chunks into a workspace, then of the chunks of each kept element."""
    cdef int64_t err[4]
    cdef Storage work = new_storage(times_most(times_most(kept, chunks), s.partial_bytes))
    cdef int64_t code
    cdef kernel_t fn = part.fn
    cdef double cost = part.cost * CHUNK * <double>kept / <double>items
    cdef int64_t per = chunks
    if part.block == 2 and chunks >= PAIRED_FROM:
        per, cost = (chunks + 1) // 2, 2 * cost
    ptrs[s.no] = work.ptr
    if rl_tracing != NULL:
        trace_kernel(s, fn, s.no + 1, ptrs, params, n_params, slots, items * per, cost)
        return trace_kernel(s, final.fn, s.no + 1, ptrs, params, n_params, slots, kept, 20 + 2.0 * chunks)
    err[0] = 0
    ptrs[s.no + 1] = err
    with nogil:                          # it writes to the workspace only
        code = c_launch_again(fn, ptrs, params, items * per, cost)
    if code == 0:
        fn = final.fn
        with nogil:
            code = c_launch(fn, ptrs, params, kept, 20 + 2.0 * chunks)
    if code != 0 or err[0] != 0:
        raise_kernel_error(s, err)
    return 0


cdef int raise_kernel_error(Launch s, int64_t* err) except -1:
    where = "" if s.owner is None else s.owner + "(): "
    if err[0] == 2:
        raise RuntimeError(f"{where}ZeroDivisionError: an integer is divided by zero")
    raise UPCALLS.index_error(
        s.owner, f"{where}index {err[1]} lies outside dimension {err[3]}, which has the size {err[2]}")


cdef int main_operand(Launch s, int64_t* size, int64_t* stride) noexcept:
    """The operand whose layout decides: one that is gathered from in contiguous rows, else the first of those that are
    written, beside reductions, or else of all, that has strides along kept and reduced dimensions, else along reduced
    ones.
    """
    cdef int o = s.kernel.gathered, d, found = -1
    if o >= 0:
        for d in range(s.nk):
            if (size[d] > 1 or s.soft >> d & 1) and stride[o * s.nd + d] == 1:
                return o
    # Where elements of a column that is written lie 4 KB apart, each of them pushes another one out of the cache.
    if s.reduces and extends(s, size, stride, s.writer, s.nk, s.nd) and extends(s, size, stride, s.writer, 0, s.nk):
        return s.writer
    for o in range(s.no):
        if s.buffers[o] >= 0 and extends(s, size, stride, o, s.nk, s.nd):  # (one that counts a dimension reads nothing)
            if extends(s, size, stride, o, 0, s.nk):
                return o
            found = o if found < 0 else found
    return max(found, 0)


cdef bint extends(Launch s, int64_t* size, int64_t* stride, int o, int first, int end) noexcept:
    """Whether operand o has a stride along one of these dimensions."""
    cdef int d
    for d in range(first, end):
        if (size[d] > 1 or s.soft >> d & 1) and stride[o * s.nd + d]:
            return True
    return False


cdef bint column_mode(Launch s, int64_t* size, int64_t* stride, int64_t kept, int main) noexcept:
    """Whether the vector axis is a kept dimension, because the operand that is read along both kinds has its smallest
    stride there.
    """
    cdef int d, inner_kept = -1, inner_reduced = -1
    cdef int64_t best = 0, red = 0, a
    if kept < 2 and not s.soft & ((<int64_t>1 << s.nk) - 1):
        return False
    # (without coalescing the innermost dimension stays where it is)
    for d in range(0 if s.kernel.coalesce else s.nk - 1, s.nk):
        a = llabs(stride[main * s.nd + d])
        if (size[d] > 1 or s.soft >> d & 1) and a and (inner_kept < 0 or a < best or a == best and size[d] == 1):
            best, inner_kept = a, d
    for d in range(s.nk, s.nk + s.nr):
        a = llabs(stride[main * s.nd + d])
        if (size[d] > 1 or s.soft >> d & 1) and a and (red == 0 or a < red):
            red, inner_reduced = a, d
    if inner_kept < 0:
        return False
    # A size of the caller that is 1 now has the stride of the next dimension: the variant for other sizes serves. (If
    # both are 1 the strides do not say which is inside; other sizes do.)
    if best == red and size[inner_kept] == 1 and size[inner_reduced] == 1:
        return s.columns
    s.columns = red == 0 or best < red or best == red and size[inner_kept] == 1
    return s.columns


cdef bint turned(Launch s, int K, int R, int64_t* sz, int64_t* st, int o) noexcept:
    """Whether an operand is contiguous along a reduced dimension but the innermost, and buffers may hold some rows of
    that one.
    """
    cdef int64_t row = 1
    cdef int d
    if s.itemsizes[o] > 8:
        return False
    for d in range(K + R - 2, K - 1, -1):
        row *= sz[d + 1]
        if st[o * s.width + d] == 1:
            return sz[d] >= TURNED_LEAST and row <= s.kernel.turned_room // TURNED_TOGETHER
    return False


cdef Variant variant_of(Launch s, int K, int R, int mode, int64_t* sz, int64_t* st, int64_t* key):
    """The machine code for these dimensions and strides. key: room for the kernel's key_words."""
    cdef int axis = K - 1 if mode == COL or mode == COLPART or mode == TILE else K + R - 1
    cdef int o, c
    cdef int64_t x
    cdef size_t address
    cdef Variant v
    cdef Kernel k = s.kernel
    cdef Py_ssize_t n = k.key_words * sizeof(int64_t)
    memset(key, 0, n)
    key[0] = K | R << 8 | mode << 16
    for o in range(s.no):
        x = st[o * s.width + axis]
        c = 0 if x == 1 else 1 if x == 0 else 2
        if c == 2 and (
                st[o * s.width + K - 2] == 1 and s.itemsizes[o] <= 8 if mode == TILE else
                turned(s, K, R, sz, st, o) if R > 1 and (mode == ROW or mode == PART) else x == -1 and s.nr == 0):
            c = 3
        key[1 + (o >> 5)] |= <int64_t>(<uint64_t>c << (2 * (o & 31)))
    if k.last is not None and memcmp(k.last_key, key, n) == 0:
        return k.last
    name = PyBytes_FromStringAndSize(<char*>key, n)
    v = <Variant>k.variants.get(name)
    if v is None:
        letters = b"cbst" if mode == TILE or s.nr else b"cbsr"
        classes = bytes([letters[(key[1 + (o >> 5)] >> (2 * (o & 31))) & 3] for o in range(s.no)])
        code = k.kernel.variant(K, R, _MODES[mode], classes)
        v = Variant.__new__(Variant)
        address = code.address
        v.fn = <kernel_t><void*>address
        v.block, v.cost = code.block, code.cost
        k.variants[name] = v
    memcpy(k.last_key, PyBytes_AS_STRING(name), n)
    k.last = v
    return v


# ---------------------------------------- which dimension is the vector axis, where the innermost one would not do
cdef bint transposed(Launch s, int K, int64_t* sz, int64_t* st, void** ptrs, bint* turned_back) noexcept:
    """Whether an operand is contiguous along another dimension than the innermost; if so, that dimension is moved next
    to it. One along which it lies in reverse order is walked from its end, by all operands. (But not where launches
    are recorded: a record says where the operands begin.)
    """
    cdef int o, i, d = -1
    cdef int64_t x
    if sz[K - 1] < 8:
        return False
    for o in range(s.no):
        x = st[o * s.width + K - 1]
        if x == 0 or x == 1 or s.itemsizes[o] > 8 or s.buffers[o] < 0:
            continue
        for i in range(K - 1):
            if (st[o * s.width + i] == 1 or st[o * s.width + i] == -1 and rl_tracing == NULL) and sz[i] >= 8:
                d = i
                break
        if d >= 0:
            break
    if d < 0:
        return False
    if st[o * s.width + d] == -1:
        turned_back[0] = True
        for i in range(s.no):
            ptrs[i] = <char*>ptrs[i] + (sz[d] - 1) * st[i * s.width + d] * s.itemsizes[i]
            st[i * s.width + d] = -st[i * s.width + d]
    x = sz[d]
    for i in range(d, K - 2):
        sz[i] = sz[i + 1]
    sz[K - 2] = x
    for o in range(s.no):
        x = st[o * s.width + d]
        for i in range(d, K - 2):
            st[o * s.width + i] = st[o * s.width + i + 1]
        st[o * s.width + K - 2] = x
    return True


cdef bint lies_apart(Launch s, int K, int64_t* st) noexcept:
    """Whether the elements of a row are not contiguous in an operand."""
    cdef int o
    for o in range(s.no):
        if llabs(st[o * s.width + K - 1]) > 1:
            return True
    return False


cdef int settled(Launch s, int K, int64_t* sz, int* origin) noexcept:
    """Find the first dimension outside the innermost one that is long enough for a vector axis, whatever the numbers of
    the caller are; -1: there is none.
    """
    cdef int i
    for i in range(K - 2, -1, -1):
        if sz[i] >= AXIS_LEAST and not varies(s, origin[i]):
            return i
    return -1


cdef int long_inside(Launch s, int K, int64_t* sz, int64_t* st, int* origin) noexcept:
    """Rows of a few elements cost more to begin than to compute: make a longer dimension the vector axis: the first one
    that is long enough, for elements of outer dimensions are further apart. Other numbers of the caller find the same
    one where that is possible: it is compiled beforehand. Returns that dimension, or -1.
    """
    cdef int i, d = settled(s, K, sz, origin)
    for i in range(K - 2, -1, -1):
        if d < 0 and sz[i] >= AXIS_LEAST:
            d = i
    if d >= 0:
        swap_dims(s, K, sz, st, origin, d)
    return d


cdef void swap_dims(Launch s, int K, int64_t* sz, int64_t* st, int* origin, int d) noexcept:
    """Exchange dimension d and the innermost."""
    cdef int o
    cdef int64_t x
    sz[d], sz[K - 1] = sz[K - 1], sz[d]
    origin[d], origin[K - 1] = origin[K - 1], origin[d]
    for o in range(s.no):
        x = st[o * s.width + d]
        st[o * s.width + d] = st[o * s.width + K - 1]
        st[o * s.width + K - 1] = x


core_only(Variant)

"""A matrix product or convolution fused with the kernel that follows it: the kernel runs on pieces of the product while
they are in a cache (native/product.c, conv_planes.c). Where other code makes the product, or the kernel's dimensions
are not rows and columns of it, they run one after the other, with the same bits.
"""
from libc.stdint cimport int64_t, uintptr_t

from rushlight.core._native cimport (
    RL_MOST_DIMS, RL_MOST_OPERANDS, c_product_pays_then, rl_epilogue, rl_product, rl_trace_bases, rl_tracing)
from rushlight.core.arrays cimport operand_at
from rushlight.core.base cimport item_size, times_most
from rushlight.core.launch cimport COL, Launch, Variant, folded, launch_in, variant_of
from rushlight.core.library cimport (
    Conv, Convolution, Dot, Library, convolve, library_step, open_products, read_dot, read_result, run_dot, run_library)
from rushlight.core.storage cimport Storage, new_storage
from rushlight.core.tensor cimport MAX_DIMS


cdef class Fused:
    """A step of a plan that is a product followed by a kernel (plan.Library.then)."""
    def __init__(self, s):
        self.product, self.kernel, self.buffer = library_step(s), Launch(s.then), s.args[2].buffer
        (self.at,) = [i for i, o in enumerate(s.then.operands) if o.buffer == self.buffer]


cdef Library product_in(object step):
    """The routine that a step calls, if it calls one that has no class of its own."""
    routine = (<Fused>step).product if type(step) is Fused else step
    return routine if type(routine) is Library else None


cdef list launches_of(list steps):
    """The launches among steps, those fused with products included."""
    cdef list found = []
    for step in steps:
        if type(step) is Launch:
            found.append(step)
        elif type(step) is Fused:
            found.append((<Fused>step).kernel)
    return found


cdef int run_fused(Fused s, int64_t* slots, void** buffers, int64_t* room) except -1:
    cdef Dot d
    cdef rl_epilogue e
    cdef rl_product p
    cdef int64_t n
    cdef int k
    if type(s.product) is Conv:
        return run_fused_conv(s, <Conv>s.product, slots, buffers, room)
    read_dot(s.product, slots, buffers, &d)
    n = times_most(d.m, d.n)
    p.batch = 1
    for k in range(d.nb):
        p.batch = times_most(p.batch, d.size[k])
    n = times_most(n, p.batch)
    if d.dtype >= 0:
        open_products(d.dtype)
        p.dtype, p.m, p.n, p.k, p.gather = d.dtype, d.m, d.n, d.k, NULL
        p.c, p.c_rs, p.c_cs = d.p[2], d.row[2] * d.c_item, d.column[2] * d.c_item
        p.wide = d.c_item != d.item
        # A size that is an argument of the caller must not lead to a separate variant when it is 1 (plan.Loose).
        if (s.kernel.apart == NULL and not s.kernel.soft and n and c_product_pays_then(&p)
                and prepare(s, &d, slots, buffers, room, &e)):
            return run_dot(&d, &e)
    return one_by_one(s, slots, buffers, room)


cdef int run_fused_conv(Fused s, Conv step, int64_t* slots, void** buffers, int64_t* room) except -1:
    cdef Convolution c
    cdef Dot d
    cdef rl_epilogue e
    if read_result(step, slots, buffers, &c, &d) and prepare(s, &d, slots, buffers, room, &e):
        return convolve(step, &c, &e)
    return one_by_one(s, slots, buffers, room)


cdef int one_by_one(Fused s, int64_t* slots, void** buffers, int64_t* room) except -1:
    """Run the whole product, then the kernel."""
    cdef Storage memory
    cdef bint own = buffers[s.buffer] == NULL
    cdef int64_t size
    if own:
        view = s.product.views[2]
        size = item_size(view[1])
        for n in view[3]:
            size = times_most(size, slots[<int>n])
        memory = new_storage(size)
        buffers[s.buffer] = memory.ptr
    try:
        run_library(s.product, slots, buffers)
        return launch_in(s.kernel, slots, buffers, room)
    finally:
        if own:
            buffers[s.buffer] = NULL


cdef bint prepare(Fused s, Dot* d, int64_t* slots, void** buffers, int64_t* room, rl_epilogue* e) except -1:
    """Express the kernel by rows and columns of the product; False if that is impossible.

    The product is row-major, matrix after matrix, and the stride of each of the kernel's dimensions in it says whether
    the dimension is a part of the columns, of the rows or of the batch.
    """
    cdef Launch k = s.kernel
    cdef int order[MAX_DIMS]
    cdef int64_t kept[RL_MOST_DIMS + 2]
    cdef int64_t along[RL_MOST_DIMS + 2]
    cdef int64_t stride, size, matrix = d.m * d.n
    cdef int64_t* st = room                  # for rows and columns, as in launch_kernel
    cdef int64_t* key = room + k.width * k.no
    cdef int* at = k.strides + s.at * k.nd   # slots of the product's strides
    cdef int i, j, o, part, n = 0
    cdef int64_t[2] sizes
    cdef uintptr_t bases[RL_MOST_OPERANDS]
    cdef Variant v
    if k.nk > MAX_DIMS or not row_by_row(d):
        return False
    for i in range(k.nk):                    # from the outermost dimension of the product to the innermost
        if slots[k.sizes[i]] == 1:
            continue
        j = n
        while j > 0 and slots[at[order[j - 1]]] < slots[at[i]]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
        n += 1
    e.nd, sizes[0], sizes[1] = 0, 1, 1
    for o in range(k.no):
        st[o * k.width], st[o * k.width + 1] = 0, 0
    for j in range(n):
        i = order[j]
        size, stride = slots[k.sizes[i]], slots[at[i]]
        if stride >= matrix:
            if e.nd == RL_MOST_DIMS:
                return False
            e.sizes[e.nd] = size
            for o in range(k.no):
                e.steps[e.nd * k.no + o] = slots[k.strides[o * k.nd + i]] * k.itemsizes[o]
            e.nd += 1
            continue
        part = 0 if stride >= d.n else 1
        for o in range(k.no):
            stride = slots[k.strides[o * k.nd + i]]
            if sizes[part] > 1 and st[o * k.width + part] != stride * size:
                return False
            st[o * k.width + part] = stride
        sizes[part] *= size
    if sizes[0] != d.m or sizes[1] != d.n:
        return False
    if d.n == 1 and k.nk:                    # take the variant for more columns
        for o in range(k.no):
            st[o * k.width + 1] = slots[k.strides[o * k.nd + k.nk - 1]]
    for o in range(k.no):                    # along columns an operand is contiguous, or has stride 0
        if st[o * k.width + 1] != 1 and st[o * k.width + 1] != 0:
            return False
    for i in range(e.nd):
        kept[i], along[i] = e.sizes[i], e.steps[i * k.no + k.writer] // k.itemsizes[k.writer]
    for i in range(2):
        kept[e.nd + i], along[e.nd + i] = sizes[i], st[k.writer * k.width + i]
    if folded(e.nd + 2, kept, along):        # two threads would write to one place
        return False
    v = variant_of(k, 2, 0, COL, sizes, st, key)
    e.kernel, e.n, e.at, e.block, e.ns = v.fn, k.no, s.at, v.block, v.cost
    e.params[0], e.params[1], n = d.m, d.n, 2
    for o in range(k.no):
        for i in range(2):
            e.params[n] = st[o * k.width + i] * k.itemsizes[o]
            n += 1
        e.pointers[o] = operand_at(buffers, k.buffers[o], slots, k.offsets[o], k.itemsizes[o])
    for i in range(k.ns):
        e.params[n] = slots[k.scalars[i]]
        n += 1
    e.n_params = n
    if rl_tracing != NULL:
        for o in range(k.no):
            bases[o] = <uintptr_t>buffers[k.buffers[o]] if k.buffers[o] >= 0 else 0
        rl_trace_bases(k.no, bases)
    return True


cdef bint row_by_row(Dot* d) noexcept:
    """Whether the product is contiguous."""
    cdef int64_t n = d.m * d.n
    cdef int k
    if d.row[2] != d.n or d.column[2] != 1:
        return False
    for k in range(d.nb - 1, -1, -1):
        if d.size[k] != 1 and d.stride[2][k] != n:
            return False
        n *= d.size[k]
    return True

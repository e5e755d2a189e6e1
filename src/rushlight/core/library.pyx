"""The steps of a plan that are library routines."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from rushlight.core._native cimport (
    NO_MEMORY, c_attention, c_attention_ready, c_conv, c_conv_ready, c_conv_takes_then, c_lapack, c_multiply,
    c_least, c_least_serves, c_order, c_order_serves,
    c_product_columns, c_product_panels, c_product_ready, c_product_run, c_product_serves, convolved, enough,
    rl_attention, rl_epilogue, rl_lapack_call, rl_matrices, rl_product, rl_tracing)
from rushlight.core._native import blas_ready, lapack_error
from rushlight.core.arrays cimport Arrays, operand_at
from rushlight.core.errors import linear_algebra_error
from rushlight.core.base cimport (
    C_BF16, C_BOOL, C_C64, C_C128, C_F16, C_F32, C_F64, C_I8, C_I64, C_U8, C_U64, UPCALLS, core_only, dtype_of,
    item_size, times_most)
from rushlight.core.storage cimport Storage, new_storage
from rushlight.core.tensor cimport MAX_DIMS, Tensor, finish, new_tensor
from rushlight.core.views cimport rank_in_range

cdef extern from "product_batches.h":
    ctypedef struct rl_products:
        rl_product first
        int (*multiply)(const rl_product*) noexcept nogil
        int64_t nd
        int64_t item[3]
        const int64_t* size
        const int64_t* stride[3]
    int rl_multiply_all(const rl_products* all, int shares) noexcept nogil

# The routines of primitives, by the names of these: function(inputs: list of Tensor, outputs: list of Tensor, params:
# dict). Results are written in place.
LIBRARY = {}


cdef enum Routine:           # the routines that the core does itself where it can
    OTHER = 0
    DOT = 1
    ORDER = 2
    CONV = 3
    ATTENTION = 4


cdef class Library:
    """A step of a plan that calls a routine."""

    def __init__(self, s):
        self.name = s.name
        self.views = [
            (v.buffer, v.dtype.code, -1 if v.offset is None else v.offset, tuple(v.sizes), tuple(v.strides))
            for v in s.args]
        self.n_in, self.params, self.ints = s.n_in, dict(s.params), tuple(s.ints)
        self.routine = DOT if s.name == "dot" else ORDER if s.name in ("sort", "sort_keys") else OTHER
        self.sized = [
            (k, v[1]) for k, v in self.params.items() if isinstance(v, tuple) and len(v) == 2 and v[0] == "slot"]
        self.sized_lists = [
            (k, v) for k, v in self.params.items() if isinstance(v, tuple) and v[:1] != ("slot",) and holds_slot(v)]


cdef bint holds_slot(object v):
    """Whether a parameter has a slot in it, at any depth."""
    if not isinstance(v, tuple):
        return False
    if v[:1] == ("slot",):
        return True
    for x in v:
        if holds_slot(x):
            return True
    return False


cdef Tensor wrap_buffer(void* p, int code, tuple sizes, tuple strides, int64_t* slots):
    cdef Storage storage = Storage.__new__(Storage)
    cdef Tensor t
    cdef int i
    storage.ptr = p
    t = new_tensor(storage, code, len(sizes))
    for i in range(len(sizes)):
        t.sizes[i] = slots[<int>sizes[i]]
        t.strides[i] = slots[<int>strides[i]]
    finish(t)
    return t


cdef int blas_code(int code) noexcept:
    """OpenBLAS's number for a dtype, -1 for a dtype that it does not know."""
    return 0 if code == C_F32 else 1 if code == C_F64 else 2 if code == C_C64 else 3 if code == C_C128 else -1


cdef int product_code(int code) noexcept:
    """The number of a dtype in native/blas.h; -1 for a dtype in which the core does not multiply."""
    return (
        4 if code == C_BF16 else 5 if code == C_F16 else 6 if code == C_I8 or code == C_U8 else blas_code(code))


cdef int open_products(int dtype) except -1:
    """Make the kernels for products in a dtype, by its number."""
    if not c_product_ready(dtype):
        UPCALLS.open_products(dtype)
    return 0


cdef int read_dot(Library s, int64_t* slots, void** buffers, Dot* d) except -1:
    """What a step multiplies."""
    cdef int i, k, buffer, code = 0, offset
    cdef tuple sizes, strides
    for i in range(3):
        buffer, code, offset, sizes, strides = s.views[i]
        d.nb = len(sizes) - 2
        d.p[i] = <char*>buffers[buffer]
        if offset >= 0 and d.p[i] != NULL:
            d.p[i] += slots[offset] * item_size(code)
        d.row[i], d.column[i] = slots[<int>strides[d.nb]], slots[<int>strides[d.nb + 1]]
        for k in range(d.nb):
            d.size[k], d.stride[i][k] = slots[<int>sizes[k]], slots[<int>strides[k]]
        if i == 0:
            d.m, d.k = slots[<int>sizes[d.nb]], slots[<int>sizes[d.nb + 1]]
            d.dtype, d.item = product_code(code), item_size(code)
        elif i == 1:
            d.n = slots[<int>sizes[d.nb + 1]]
    d.c_item = item_size(code)
    return 0


cdef int run_dot(Dot* d, const rl_epilogue* then) except -1:
    """Do a batched matrix product directly by BLAS or, if a kernel is fused with it, by our own kernels; 0 if done, 1
    if the general routine must do it.
    """
    cdef int64_t bs[3]
    cdef int64_t rows, columns, batch = 1
    cdef int i, rc
    cdef bint ours
    cdef rl_product p
    cdef rl_products every
    if d.dtype < 0:
        return 1
    if d.m == 0 or d.n == 0:
        return 0
    p.wide = d.c_item != d.item
    ours = then != NULL or p.wide
    if p.wide and (not c_product_serves(d.dtype) or d.column[2] != 1 and d.n > 1):
        return 1
    for i in range(3):       # BLAS needs a unit stride in each matrix, our own kernels do not
        if (d.m > 1 and d.n > 1 or d.dtype > 3) and c_product_serves(d.dtype):
            break
        # Complex products are made by the kernels of their parts' dtype.
        if d.m > 1 and d.n > 1 and 2 <= d.dtype <= 3 and c_product_serves(d.dtype - 2) and (
                d.row[2] == 1 or d.column[2] == 1):
            break
        rows, columns = d.k if i == 1 else d.m, d.k if i == 0 else d.n
        if d.row[i] != 1 and d.column[i] != 1 and rows > 1 and columns > 1:
            return 1
        if d.row[i] < 0 or d.column[i] < 0:
            return 1
    d.nb = merge_batch(d.nb, d.size, d.stride)
    for i in range(3):
        bs[i] = d.stride[i][d.nb - 1] if d.nb else 0
    if d.nb:
        batch = d.size[d.nb - 1]
    if batch == 0:
        return 0
    p.dtype, p.add, p.batch, p.m, p.n, p.k = d.dtype, 0, batch, d.m, d.n, d.k
    p.a_bs, p.a_rs, p.a_cs = bs[0] * d.item, d.row[0] * d.item, d.column[0] * d.item
    p.b_bs, p.b_rs, p.b_cs = bs[1] * d.item, d.row[1] * d.item, d.column[1] * d.item
    p.c_bs, p.c_rs, p.c_cs = bs[2] * d.c_item, d.row[2] * d.c_item, d.column[2] * d.c_item
    p.gather, p.then = NULL, then
    p.a, p.b, p.c, p.first = d.p[0], d.p[1], d.p[2], 0
    every.first, every.multiply = p, c_multiply
    if ours:
        every.multiply = c_product_run
    every.nd, every.size = d.nb - 1 if d.nb else 0, d.size
    for i in range(3):
        every.stride[i], every.item[i] = d.stride[i], d.c_item if i == 2 else d.item
    with nogil:
        rc = rl_multiply_all(&every, rl_tracing == NULL)
    if rc == NO_MEMORY or rc != 0 and ours:
        raise MemoryError("a matrix product has no memory for its partial sums")
    return rc != 0


# -------------------------------------------------------------------- products that have their second operand in common
cdef _Matrix matrix_of(tuple view, int64_t* slots, void** buffers) noexcept:
    cdef _Matrix m
    cdef int buffer = view[0], code = view[1], offset = view[2]
    cdef tuple sizes = view[3], strides = view[4]
    m.data = operand_at(buffers, buffer, slots, offset, item_size(code))
    m.rows, m.columns = slots[<int>sizes[0]], slots[<int>sizes[1]]
    m.row, m.column = slots[<int>strides[0]], slots[<int>strides[1]]
    return m


cdef class Panels:
    """The second operand of a product, packed as tiles read it: in contiguous panels of some columns."""


cdef Panels panels_of(Library s, int constants, int64_t* slots, void** buffers):
    """The panels of a product of two matrices whose second is one of the first `constants` buffers, which are the same
    for all steps; None if the product takes that matrix unpacked.
    """
    cdef Panels p
    cdef _Matrix a, b
    cdef int buffer, code
    if s.routine != DOT or len(<tuple>s.views[0][3]) != 2:
        return None
    buffer, code = s.views[1][0], s.views[1][1]
    if buffer >= constants or code != C_F32 and code != C_F64:
        return None
    open_products(blas_code(code))
    p = Panels.__new__(Panels)
    p.blas, p.item, p.columns = blas_code(code), item_size(code), c_product_columns(blas_code(code))
    a, b = matrix_of(s.views[0], slots, buffers), matrix_of(s.views[1], slots, buffers)
    if p.columns == 0 or b.columns <= p.columns or b.rows == 0:
        return None
    if a.rows < 2 or b.columns % p.columns == 1:       # a product by a vector is summed in another order
        return None
    p.memory = new_storage(times_most(times_most(b.rows, b.columns + p.columns), p.item))
    c_product_panels(p.blas, b.columns, b.rows, b.data, b.row * p.item, b.column * p.item, p.memory.ptr)
    return p


cdef int run_panels(Library s, Panels b, int64_t* slots, void** buffers) except -1:
    """A product whose second operand is packed in panels."""
    cdef _Matrix a = matrix_of(s.views[0], slots, buffers), c = matrix_of(s.views[2], slots, buffers)
    cdef int64_t whole = c.columns // b.columns, rest = c.columns % b.columns, each = a.columns * b.columns
    cdef rl_product p
    cdef int rc = 0
    memset(&p, 0, sizeof(p))
    p.dtype, p.batch, p.m, p.n, p.k = b.blas, whole, a.rows, b.columns, a.columns
    p.a, p.a_rs, p.a_cs = a.data, a.row * b.item, a.column * b.item
    p.b, p.b_bs, p.b_rs, p.b_cs = <char*>b.memory.ptr, each * b.item, b.columns * b.item, b.item
    p.c, p.c_bs, p.c_rs, p.c_cs = c.data, b.columns * c.column * b.item, c.row * b.item, c.column * b.item
    with nogil:
        if whole:
            rc = c_multiply(&p)
        if rest and rc == 0:
            p.batch, p.n = 1, rest
            p.b += whole * p.b_bs
            p.c += whole * p.c_bs
            rc = c_multiply(&p)
    if rc != 0:
        raise MemoryError("a matrix product has no memory for its partial sums")
    return 0


cdef int merge_batch(int n, int64_t* size, int64_t (*stride)[MAX_DIMS]) noexcept:
    """Drop dimensions of size 1, whose strides do not matter, and merge neighbours where all three operands allow it;
    returns the number of dimensions left.
    """
    cdef int d, i, left = 0
    cdef bint merge
    for d in range(n):
        if size[d] == 0:
            size[0] = 0
            return 1
        if size[d] == 1:
            continue
        merge = left > 0
        for i in range(3):
            if merge and stride[i][left - 1] != stride[i][d] * size[d]:
                merge = False
        if merge:
            size[left - 1] *= size[d]
        else:
            size[left] = size[d]
            left += 1
        for i in range(3):
            stride[i][left - 1] = stride[i][d]
    return left


# ------------------------------------------------------------------------------------ routines on row-major operands
cdef bint row_major(tuple view, int64_t* slots, void** buffers, Block* b) except -1:
    """Read an operand of a library step; returns whether it has elements, in row-major order without gaps.
    """
    cdef int buffer, code, offset, d
    cdef int64_t n = 1, size
    buffer, code, offset, sizes, strides = view
    b.data = operand_at(buffers, buffer, slots, offset, item_size(code))
    b.code, b.rank = code, len(<tuple>sizes)
    for d in range(b.rank - 1, -1, -1):
        size = b.sizes[d] = slots[<int>(<tuple>sizes)[d]]
        if size != 1 and slots[<int>(<tuple>strides)[d]] != n:
            return False
        n *= size
    return n > 0


cdef int run_order(Library s, int64_t* slots, void** buffers) except -1:
    """Do a short sort, or find the first of rows; 0 if done, 1 if the general routine must do it."""
    cdef Block x, values, at
    cdef int d, dim = s.params["dim"], type
    cdef int64_t rows = 1, inner = 1, n, count
    cdef bint descending = False
    if (not row_major(s.views[0], slots, buffers, &x) or not row_major(s.views[1], slots, buffers, &values)
            or x.rank == 0):
        return 1
    at.data = NULL
    if s.n_in + 1 < len(s.views):      # a sort; the keys of sort_keys contain their positions
        descending = s.params["descending"]
        if not row_major(s.views[2], slots, buffers, &at):
            return 1
    type = 0 if x.code == C_I64 else 1 if x.code == C_U64 else 2 if x.code == C_F64 else -1       # see native/order.h
    n = x.sizes[dim]
    for d in range(x.rank):
        if d != dim:
            rows *= x.sizes[d]
        if d > dim:
            inner *= x.sizes[d]
    if type < 0:
        return 1
    count = values.sizes[dim]
    if at.data == NULL and not c_order_serves(rows, n, n):
        if not c_least_serves(n, count):
            return 1
        with nogil:
            c_least(rows // inner, n, inner, count, <const int64_t*>x.data, <int64_t*>values.data)
        return 0
    if not c_order_serves(rows, n, count):
        return 1
    with nogil:
        c_order(type, descending, rows, n, inner, count, x.data, values.data, <int64_t*>at.data)
    return 0


# mode, and the numbers of the operands x, w and y
_CONVOLUTIONS = {"conv": (0, (0, 1, 2)), "conv_dx": (1, (2, 1, 0)), "conv_dw": (2, (0, 2, 1))}


cdef class Conv(Library):
    """A convolution: its parameters as numbers, or as the slots that hold them."""
    def __init__(self, s):
        super().__init__(s)
        cdef int k
        self.mode, (self.place[0], self.place[1], self.place[2]) = _CONVOLUTIONS[s.name]
        if len(self.params["stride"]) > 3:
            return
        self.routine = CONV
        for k in range(10):
            self.slot[k], self.fixed[k] = -1, 1
        for k, x in enumerate(self.params["stride"]):
            self.know(k, x)
        for k, x in enumerate(self.params["padding"]):
            self.know(3 + k, x[0] if isinstance(x, tuple) and x[0] != "slot" else x)
        for k, x in enumerate(self.params["dilation"]):
            self.know(6 + k, x)
        self.know(9, self.params["groups"])

    cdef int know(self, int k, object x) except -1:
        if isinstance(x, tuple):
            self.slot[k] = self.ints[x[1]]
        else:
            self.fixed[k] = x
        return 0


# 2**40: sums of three products of these and of sizes in memory fit into 64 bits
cdef int64_t FARTHEST = 1099511627776


cdef bint read_conv(Conv s, int64_t* slots, void** buffers, Convolution* c) except -1:
    """Read what a step convolves; returns whether that is a real convolution of row-major operands with elements."""
    cdef int i, k
    for i in range(3):
        if not row_major(s.views[s.place[i]], slots, buffers, &c.b[i]) or c.b[i].code != c.b[0].code:
            return False
    c.dtype = blas_code(c.b[0].code)
    if c.dtype != 0 and c.dtype != 1:
        return False
    if not c_conv_ready(c.dtype):
        UPCALLS.open_convolutions(c.dtype)
    for k in range(10):
        c.v[k] = s.fixed[k] if s.slot[k] < 0 else slots[s.slot[k]]
        if not -FARTHEST <= c.v[k] <= FARTHEST:
            raise RuntimeError(f"a convolution's strides, paddings and dilations must be below 2**40; found {c.v[k]}")
    return True


cdef int convolve(Conv s, Convolution* c, const rl_epilogue* then) except -1:
    cdef int rc
    cdef Block* x = &c.b[0]
    cdef Block* w = &c.b[1]
    cdef Block* y = &c.b[2]
    with nogil:
        rc = c_conv(
            s.mode, c.dtype, x.rank - 2, x.sizes[0], x.sizes[1], w.sizes[0], c.v[9], x.sizes + 2, y.sizes + 2,
            w.sizes + 2, c.v, c.v + 3, c.v + 6, x.data, w.data, y.data, then)
    return convolved(rc)


cdef bint read_result(Conv s, int64_t* slots, void** buffers, Convolution* c, Dot* d) except -1:
    """Describe the result of a convolution as that of a product, whose rows are channels, whose columns are positions,
    and whose batch are samples; False if no kernel follows on its pieces.
    """
    cdef Block* y
    cdef int k
    if s.routine != CONV or not read_conv(s, slots, buffers, c):
        return False
    # With other strides the kernel would run after the convolution, as a separate variant (plan.Loose).
    for k in range(3):
        if s.mode != 0 and s.slot[k] >= 0:
            return False
    y = &c.b[2] if s.mode == 0 else &c.b[0]
    open_products(c.dtype)
    if not c_conv_takes_then(s.mode, c.dtype, y.rank - 2, c.v):
        return False
    d.nb, d.size[0], d.m, d.n = 1, y.sizes[0], y.sizes[1], 1
    for k in range(2, y.rank):
        d.n *= y.sizes[k]
    d.p[2], d.row[2], d.column[2], d.stride[2][0] = y.data, d.n, 1, d.m * d.n
    return True


cdef int run_conv(Conv s, int64_t* slots, void** buffers) except -1:
    """Do a real convolution of row-major operands; 0 if done, 1 if the general routine must do it."""
    cdef Convolution c
    return convolve(s, &c, NULL) if read_conv(s, slots, buffers, &c) else 1


# The inputs and outputs by their number in native/attention.h: -1 is the scale, 3 the mask, which is the last input.
_ATTENTION = {"attention": ([0, 1, 2, -1], [4, 5]), "attention_grad": ([0, 1, 2, -1, 4, 5, 6], [7, 8, 9])}


cdef class _Attention(Library):
    """Attention or its gradients."""
    cdef int place[12]
    cdef bint backward, causal
    def __init__(self, s):
        super().__init__(s)
        cdef int k
        inputs, outputs = _ATTENTION[s.name]
        self.routine, self.backward, self.causal = ATTENTION, s.name == "attention_grad", self.params["causal"]
        for k, x in enumerate(inputs + ([3] if self.n_in > len(inputs) else []) + outputs):
            self.place[k] = x


cdef int run_attention(_Attention s, int64_t* slots, void** buffers) except -1:
    cdef rl_attention c
    cdef rl_matrices* x
    cdef int i, d, buffer, code, offset, item, rank, rc
    cdef char* data
    c.backward, c.causal, c.mask = s.backward, s.causal, 0
    for i in range(len(s.views)):
        buffer, code, offset, sizes, strides = s.views[i]
        item, rank = item_size(code), len(<tuple>sizes)
        data = operand_at(buffers, buffer, slots, offset, item)
        if s.place[i] < 0:
            c.scale = data
            continue
        if i == 0:
            c.dtype, c.nd = product_code(code), rank - 2
            for d in range(c.nd):
                c.size[d] = slots[<int>(<tuple>sizes)[d]]
            c.m, c.e = slots[<int>(<tuple>sizes)[c.nd]], slots[<int>(<tuple>sizes)[c.nd + 1]]
        elif i == 2:
            c.n, c.v = slots[<int>(<tuple>sizes)[c.nd]], slots[<int>(<tuple>sizes)[c.nd + 1]]
        elif s.place[i] == 3:
            c.mask = 1 if code == C_BOOL else 2 if product_code(code) == c.dtype else 3
        x = &c.of[s.place[i]]
        x.data, x.column = data, 0
        for d in range(c.nd):
            x.step[d] = slots[<int>(<tuple>strides)[d]] * item
        x.row = slots[<int>(<tuple>strides)[c.nd]] * item
        if rank > c.nd + 1:
            x.column = slots[<int>(<tuple>strides)[c.nd + 1]] * item
    if not c_product_serves(c.dtype):
        raise RuntimeError("attention: there are no kernels of products for its dtype")
    if not c_attention_ready(&c):
        UPCALLS.open_attention(c.dtype, s.backward, c.mask)
    with nogil:
        rc = c_attention(&c)
    return enough(rc, "for the workspace of attention")


cdef object in_numbers(object v, tuple ints, int64_t* slots):
    """A parameter, with the slots in it replaced by their numbers."""
    if not isinstance(v, tuple):
        return v
    if v and v[0] == "slot":
        return slots[<int>ints[v[1]]]
    return tuple([in_numbers(x, ints, slots) for x in v])


cdef int refuse_to_trace(str name, object dtype) except -1:
    raise NotImplementedError(f"{name} of {dtype}, as its operands lie, has Python between its native parts")


cdef int run_library(Library s, int64_t* slots, void** buffers) except -1:
    cdef list views = []
    cdef int buffer, code, offset, blas
    cdef char* place
    cdef Dot d
    if s.routine == ORDER:
        if run_order(s, slots, buffers) == 0:
            return 0
    elif s.routine != OTHER:
        blas = product_code((<tuple>s.views[0])[1])
        if blas >= 0:
            open_products(blas)
        if s.routine == ATTENTION:
            return run_attention(<_Attention>s, slots, buffers)
        if s.routine == DOT:
            read_dot(s, slots, buffers, &d)
        if (run_dot(&d, NULL) if s.routine == DOT else run_conv(<Conv>s, slots, buffers)) == 0:
            return 0
    if rl_tracing != NULL:
        refuse_to_trace(s.name, dtype_of((<tuple>s.views[0])[1]))
    for buffer, code, offset, sizes, strides in s.views:
        place = operand_at(buffers, buffer, slots, offset, item_size(code))
        views.append(wrap_buffer(place, code, <tuple>sizes, <tuple>strides, slots))
    if s.function is None:
        s.function = LIBRARY[s.name]
    params = s.params
    if s.sized or s.sized_lists:
        params = dict(params)
        for k, i in s.sized:
            params[k] = slots[<int>s.ints[i]]
        for k, v in s.sized_lists:
            params[k] = in_numbers(v, s.ints, slots)
    s.function(views[:s.n_in], views[s.n_in:], params)
    return 0


# -------------------------------------------------------------------------------------------------------- linear
# algebra
# The routines by the name of their primitive: their number in native/lapack.h, and the matrix dimensions of the first
# operand.
_ROUTINES = {
    "cholesky": (0, 2), "triangular_solve": (1, 2), "lu": (2, 2), "lu_solve": (3, 2), "qr": (4, 2), "geqrf": (5, 2),
    "eigh": (6, 2), "svd": (7, 2), "eig": (8, 2), "lstsq": (9, 2), "ldl": (10, 2), "ldl_solve": (11, 2),
    "pivots_to_permutation": (12, 1), "matrix_exp": (13, 2), "matrix_exp_change": (14, 2)}
# The routines that multiply, where the matrix has more elements than this (native/lapack_solve.h, lapack_hermitian.h).
_MULTIPLY_FROM = {"lu": 256, "lu_solve": 256, "triangular_solve": 256, "eigh": 1024}
_FLAGS = {"upper": 1, "unit": 2, "adjoint": 4, "hermitian": 8}


cdef class Operands(Arrays):
    """The base of steps that make views of their buffers at each run: the slots of the operands, in C arrays."""
    def __init__(self, s):
        self.n = len(s.args)
        self.buffers = self.ints([a.buffer for a in s.args])
        self.offsets = self.ints([-1 if a.offset is None else a.offset for a in s.args])
        self.ranks = self.ints([rank_in_range(len(a.sizes)) for a in s.args])
        self.items = self.ints([a.dtype.itemsize for a in s.args])
        self.sizes = self.ints([x for a in s.args for x in (*a.sizes, *[0] * (MAX_DIMS - len(a.sizes)))])
        self.strides = self.ints([x for a in s.args for x in (*a.strides, *[0] * (MAX_DIMS - len(a.strides)))])


cdef class Lapack(Operands):
    """A call of a LAPACK routine."""
    def __init__(self, s):
        cdef int d
        super().__init__(s)
        params = dict(s.params)
        self.name, self.check = s.name, params.pop("check", "")
        self.routine, d = _ROUTINES[s.name]
        self.nb, self.flags = len(s.args[0].sizes) - d, params.pop("driver", 0)
        for k, v in params.items():
            if k in _FLAGS and v:
                self.flags |= <int64_t>_FLAGS[k]
        self.dtype = max(blas_code(s.args[0].dtype.code), 0)
        self.multiply_from = _MULTIPLY_FROM.get(s.name, -1) if self.dtype < 2 else -1


cdef int run_lapack(Lapack s, int64_t* slots, void** buffers) except -1:
    cdef rl_lapack_call c
    cdef int i, d, at
    cdef int64_t rc
    if not blas_ready():
        UPCALLS.open_blas()
    c.routine, c.dtype, c.batch_dims, c.n_args, c.flags = s.routine, s.dtype, s.nb, s.n, s.flags
    for d in range(s.nb):
        c.batch_size[d] = slots[s.sizes[d]]
    for i in range(s.n):
        at = i * MAX_DIMS
        c.args[i].item = s.items[i]
        c.args[i].data = NULL
        if s.buffers[i] >= 0:
            c.args[i].data = operand_at(buffers, s.buffers[i], slots, s.offsets[i], s.items[i])
        for d in range(s.nb):
            c.args[i].batch_stride[d] = slots[s.strides[at + d]]
        for d in range(2):
            c.args[i].size[d], c.args[i].stride[d] = 1, 0
        for d in range(s.nb, s.ranks[i]):
            c.args[i].size[d - s.nb], c.args[i].stride[d - s.nb] = slots[s.sizes[at + d]], slots[s.strides[at + d]]
        if i and c.args[i].size[0] * c.args[i].size[1] == 0:
            c.args[i].data = NULL           # vectors that are not wanted (prims/lapack_base.py)
    if s.multiply_from >= 0 and c.args[0].size[0] * c.args[0].size[1] > s.multiply_from:
        open_products(s.dtype)
    with nogil:
        rc = c_lapack(&c)
    if rc == -2:
        raise MemoryError(f"{s.name}: no memory for a workspace")
    if rc < 0:
        raise RuntimeError(f"{s.name}: {lapack_error()}")
    if c.failed >= 0 and s.check:
        raise linear_algebra_error(s.check, s.name, c.failed, c.info, [c.batch_size[d] for d in range(s.nb)])
    return 0


# ------------------------------------------------------------------------------------------------ Fourier transforms
_TRANSFORMS = ("fft", "rfft", "irfft", "trig")


cdef class Transform:
    """A transform of operands of some sizes. It never changes, because another thread may be calling it."""


cdef Transform made_transform(tuple given):
    """Make a transform from the fields of `Transform` in compiler/routines/fourier.py, in their order."""
    cdef tuple sizes = given[6], axes = given[7], plans = given[8]
    cdef Transform t = Transform.__new__(Transform)
    cdef rl_fourier_call* c = &t.call
    cdef size_t address
    cdef int k
    kind, item, inverse, trig, scale, real_size = given[:6]
    c.kind, c.item, c.inverse, c.trig, c.scale, c.real_size = kind, item, inverse, trig, scale, real_size
    c.nd, c.n_axes, t.plans = len(sizes), len(axes), plans
    for k in range(len(sizes)):
        c.size[k] = sizes[k]
    for k in range(len(axes)):
        address = plans[k].address
        c.axis[k], c.plan[k] = axes[k], <const rl_fourier_plan*>address
    return t


cdef class Fourier(Operands):
    """A Fourier, cosine or sine transform. What it needs in addition to the operands follows from their sizes."""
    def __init__(self, s):
        super().__init__(s)
        self.name, self.dtype, self.params = s.name, s.args[0].dtype, dict(s.params)
        self.real = self.dtype.kind != "c"


cdef Transform transform_of(Fourier s, int64_t* slots):
    """The transform of operands of these sizes: the last one again, if the sizes were the same."""
    cdef Transform t = s.last
    cdef int i, d
    cdef int64_t x
    cdef bint known = t is not None
    if known:
        for i in range(2):
            for d in range(s.ranks[i]):
                if t.sizes[i * MAX_DIMS + d] != slots[s.sizes[i * MAX_DIMS + d]]:
                    known = False
    if known:
        return t
    sizes = [tuple([slots[s.sizes[i * MAX_DIMS + d]] for d in range(s.ranks[i])]) for i in range(2)]
    t = made_transform(UPCALLS.transform(s.name, s.real, max(s.items[0], s.items[1]), sizes[0], sizes[1], s.params))
    for i in range(2):
        for d in range(s.ranks[i]):
            t.sizes[i * MAX_DIMS + d] = sizes[i][d]
    if sum([p.bytes for p in t.plans]) <= HELD:     # larger tables stay in the cache only, which may drop them
        s.last = t
    return t


cdef int64_t HELD = 1 << 20


cdef int run_fourier(Fourier s, int64_t* slots, void** buffers) except -1:
    cdef rl_fourier_call c
    cdef rl_fourier_call* known
    cdef Transform t
    cdef int64_t rc
    cdef int d
    if rl_tracing != NULL:
        refuse_to_trace(s.name, s.dtype)
    for d in range(s.ranks[1]):
        if slots[s.sizes[MAX_DIMS + d]] == 0:
            return 0
    t = transform_of(s, slots)
    known = &t.call
    c.nd, c.n_axes, c.kind, c.item, c.inverse, c.trig = (
        known.nd, known.n_axes, known.kind, known.item, known.inverse, known.trig)
    c.real_size, c.scale = known.real_size, known.scale
    c.in_ = operand_at(buffers, s.buffers[0], slots, s.offsets[0], s.items[0])
    c.out = operand_at(buffers, s.buffers[1], slots, s.offsets[1], s.items[1])
    for d in range(c.nd):
        c.size[d] = known.size[d]
        c.in_step[d] = slots[s.strides[d]] * s.items[0]
        c.out_step[d] = slots[s.strides[MAX_DIMS + d]] * s.items[1]
    for d in range(c.n_axes):
        c.axis[d], c.plan[d] = known.axis[d], known.plan[d]
    while True:
        with nogil:
            rc = rl_fourier(&c)
        if rc == 0:
            return 0
        enough(rc, "for the workspace of a Fourier transform")
        UPCALLS.make_codelet(rc)          # and nothing has been written


cdef object library_step(object s):
    if s.name in _ROUTINES:
        return Lapack(s)
    if s.name in _TRANSFORMS:
        return Fourier(s)
    return (Conv if s.name in _CONVOLUTIONS else _Attention if s.name in _ATTENTION else Library)(s)

core_only(Panels)
core_only(Transform)

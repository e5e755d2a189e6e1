"""Joining tensors into one: any number of them, of any strides. A program joins only as many tensors as it was made
for.
"""
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from rushlight.core import dtypes as _dtypes
from rushlight.core._native cimport c_launch
from rushlight.core.base cimport BUILTIN_DTYPES, UPCALLS, plus_most, times_overflows
from rushlight.core.raw cimport part_of
from rushlight.core.tensor cimport KEY_META, Tensor, address, empty_contiguous, memory, tls, wants_grad
from rushlight.core.views cimport by_channels_last, lies_channels_last

cdef enum:
    FEW_JOINED = 4                 # kernels fill a result, unless all tensors are packed: of up to so many tensors
    FEW_BYTES = 1 << 20            # from so many bytes on,
    MANY_BYTES = 1 << 22           # of more tensors from so many on,
    PIECE_BYTES = 1 << 13          # and from so many bytes per tensor on
    SHORT_BYTES = 256              # they also fill many rows of shorter pieces than this
    STRIDED_BYTES = 1 << 16        # up to so many bytes one thread copies all tensors at once, whatever their strides
    ITEM_BYTES = 4096              # of a result of packed tensors: an item of the pool
    ITEM_NS = 200


cdef struct _Order:
    # The dimensions of a result from the outermost to the innermost in memory, with their steps in bytes.
    int rank
    int dims[13]
    int64_t steps[13]


cdef bint packed(Tensor t, _Order* order, int skipped) noexcept:
    """Whether the memory of `t` has no gaps, and the order of dimensions of a result, whose dimension `skipped` it
    lacks.
    """
    cdef int i, d
    cdef int64_t expected = 1
    for i in range(order.rank - 1, -1, -1):
        d = order.dims[i]
        if d == skipped:
            continue
        d -= 0 <= skipped < d
        if t.sizes[d] != 1:
            if t.strides[d] != expected:
                return False
            expected *= t.sizes[d]
    return True


cdef void put_row(char* to, int64_t step, const char* source, int64_t stride, int64_t n, int item) noexcept nogil:
    """Copy n items that are `stride` bytes apart to places that are `step` bytes apart."""
    cdef int64_t i
    if stride == item and step == item:
        memcpy(to, source, n * item)
    elif item == 4:
        for i in range(n):
            (<int*>(to + i * step))[0] = (<const int*>(source + i * stride))[0]
    elif item == 8:
        for i in range(n):
            (<int64_t*>(to + i * step))[0] = (<const int64_t*>(source + i * stride))[0]
    elif item == 1:
        for i in range(n):
            to[i * step] = source[i * stride]
    elif item == 2:
        for i in range(n):
            (<short*>(to + i * step))[0] = (<const short*>(source + i * stride))[0]
    else:
        for i in range(n):
            memcpy(to + i * step, source + i * stride, item)


cdef void put_strided(char* to, _Order* order, Tensor t, int skipped) noexcept:
    """Copy the elements of `t`, of any strides, to their places in a result."""
    cdef int i, d, k = 0
    cdef int64_t sizes[13]
    cdef int64_t steps[13]
    cdef int64_t strides[13]
    cdef int64_t at[13]
    cdef const char* source = address(t)
    for i in range(order.rank):
        d = order.dims[i]
        if d == skipped:
            continue
        d -= 0 <= skipped < d
        if t.sizes[d] != 1:
            sizes[k], steps[k], strides[k], at[k] = t.sizes[d], order.steps[i], t.strides[d] * t.itemsize_, 0
            k += 1
    if k == 0:
        memcpy(to, source, t.itemsize_)
        return
    while True:
        put_row(to, steps[k - 1], source, strides[k - 1], sizes[k - 1], t.itemsize_)
        i = k - 2
        while i >= 0:
            at[i] += 1
            to += steps[i]
            source += strides[i]
            if at[i] < sizes[i]:
                break
            to -= at[i] * steps[i]
            source -= at[i] * strides[i]
            at[i] = 0
            i -= 1
        if i < 0:
            return


cdef int64_t copy_rows(void** ptrs, const int64_t* params, int64_t begin, int64_t end) noexcept nogil:
    """Fill a range of a result whose rows hold a piece of each tensor. ptrs: the result, then the tensors; params: the
    bytes of the result, those of a row, the number of tensors, and the bytes of each one's piece.
    """
    cdef int64_t total = params[0], row = params[1], tensors = params[2], at = begin * ITEM_BYTES, n, i = 0
    cdef int64_t stop = min(end * ITEM_BYTES, total), r = at // row, within = at - r * row
    cdef const int64_t* steps = params + 3
    while within >= steps[i]:
        within -= steps[i]
        i += 1
    while at < stop:
        n = min(steps[i] - within, stop - at)
        if n:
            memcpy(<char*>ptrs[0] + at, <char*>ptrs[1 + i] + r * steps[i] + within, n)
        at += n
        within = 0
        i += 1
        if i == tensors:
            i = 0
            r += 1
    return 0


cdef int join_packed(Tensor out, tuple tensors, int64_t rows, int64_t row, int64_t inner, int dim) except -1:
    """Copy tensors without gaps, on all threads. In a row, each tensor has `inner` bytes for each element of its size
    along `dim`, unless that is negative.
    """
    cdef Tensor t
    cdef int64_t n = len(tensors), i, items = (row * rows + ITEM_BYTES - 1) // ITEM_BYTES
    cdef int64_t* params = <int64_t*>malloc((3 + n) * sizeof(int64_t))
    cdef void** ptrs = <void**>malloc((1 + n) * sizeof(void*))
    try:
        if params == NULL or ptrs == NULL:
            raise MemoryError("join")
        params[0], params[1], params[2], ptrs[0] = row * rows, row, n, address(out)
        for i in range(n):
            t = <Tensor>tensors[i]
            params[3 + i] = inner if dim < 0 else inner * t.sizes[dim]
            ptrs[1 + i] = memory(t) if t.numel_ else NULL
        with nogil:
            c_launch(copy_rows, ptrs, params, items, ITEM_NS)
    finally:
        free(params)
        free(ptrs)
    return 0


def join(tensors, int64_t dim, bint stacked):
    """Concatenate plain tensors along `dim`, or stack them along a new one if `stacked`, promoted and without history;
    None for other tensors, and for shapes that do not fit.
    """
    tensors = tuple(tensors)        # the caller's list may change while memory is taken
    cdef Py_ssize_t i, n = len(tensors)
    cdef Tensor t, first, out
    cdef int d, rank, place, code
    cdef int64_t sizes[13]
    cdef _Order order
    cdef int64_t rows = 1, inner = 1, total = 0, row, r, step
    cdef char* to
    cdef char* source
    cdef bint few = n <= FEW_JOINED, plain = True, last = not stacked, every, meta
    if n < 1 or tls().building or tls().inference or tls().modes:
        return None
    for x in tensors:
        if not isinstance(x, Tensor):
            return None
        t = <Tensor>x
        if (t.keys & ~KEY_META or t.keys != (<Tensor>tensors[0]).keys or t.code >= BUILTIN_DTYPES
                or (t.storage is None and not t.keys) or t.inference_):
            return None
    first = <Tensor>tensors[0]
    meta = first.keys != 0
    rank, code = first.ndim_, first.code
    if rank > 11 or rank == 0 and not stacked:
        return None
    if dim < 0:
        dim += rank + stacked
    if not 0 <= dim < rank + stacked:
        return None
    for x in tensors:
        t = <Tensor>x
        if t.ndim_ != rank:
            return None
        for d in range(rank):
            if t.sizes[d] != first.sizes[d] and (stacked or d != dim):
                return None
        plain = plain and t.code == code
        last = last and lies_channels_last(t)
        total = plus_most(total, 1 if stacked else t.sizes[dim])       # expanded tensors have more elements than memory
    if not plain:
        code = promoted(tensors)
    order.rank = rank + stacked
    for d in range(order.rank):
        sizes[d] = total if d == dim else first.sizes[d - (stacked and d > dim)]
        order.dims[d] = d
    out = empty_contiguous(code, order.rank, sizes, meta)
    if last:
        by_channels_last(out)
        for d in range(1, order.rank - 1):
            order.dims[d] = d + 1
        order.dims[order.rank - 1] = 1
    if meta:
        return out
    place = -1
    for d in range(order.rank):
        order.steps[d] = out.strides[order.dims[d]] * out.itemsize_
        if order.dims[d] == dim:
            place = d
        elif place < 0:
            rows *= sizes[order.dims[d]]
        else:
            inner *= sizes[order.dims[d]]
    inner *= out.itemsize_
    row = total * inner
    if not plain or times_overflows(row, rows, &r) or rows * n > 65536 and row < n * SHORT_BYTES:
        return filled_by_kernels(out, tensors, dim, stacked)
    if r > STRIDED_BYTES:
        every = True
        for x in tensors:
            every = every and packed(<Tensor>x, &order, dim if stacked else -1)
        if every:
            join_packed(out, tensors, rows, row, inner, -1 if stacked else dim)
            return out
        if r > (FEW_BYTES if few else MANY_BYTES) or r > n * PIECE_BYTES or rows * n > 65536:
            return filled_by_kernels(out, tensors, dim, stacked)
    to = address(out)
    for x in tensors:
        t = <Tensor>x
        step = inner if stacked else inner * t.sizes[dim]
        if t.numel_ == 0:
            continue
        source = memory(t)
        if packed(t, &order, dim if stacked else -1):
            for r in range(rows):
                memcpy(to + r * row, source + r * step, step)
        else:
            put_strided(to, &order, t, dim if stacked else -1)
        to += step
    return out


cdef int promoted(tuple tensors) except -1:
    """The dtype that tensors of several dtypes are promoted to."""
    cdef Tensor t = <Tensor>tensors[0]
    found = t.dtype
    for t in tensors:
        found = _dtypes.promote_types(found, t.dtype)
    return found.code


cdef Tensor filled_by_kernels(Tensor out, tuple tensors, int dim, bint stacked):
    """Convert and copy the tensors' elements to `out`, by several threads."""
    cdef int64_t at = 0, n
    cdef Tensor t
    for t in tensors:
        n = 1 if stacked else t.sizes[dim]
        if t.numel_:
            UPCALLS.copy_raw(part_of(out, dim, at, -1 if stacked else n, True), t)
        at += n
    return out


cpdef bint needs_history(tensors) except -1:
    """Whether a result of these plain tensors is recorded."""
    if not tls().grad_enabled:
        return False
    for x in tensors:
        if wants_grad(<Tensor?>x):
            return True
    return False


def part(Tensor whole not None, int dim, list ends, bint stacked):
    """Views of the pieces that `join` made a tensor from; None if that is no plain tensor, or is to be recorded."""
    cdef int64_t start = 0, end
    cdef list out = []
    if (type(whole) is not Tensor or whole.keys & ~KEY_META or (whole.storage is None and not whole.keys)
            or tls().grad_enabled or tls().building):
        return None
    if not 0 <= dim < whole.ndim_:
        raise IndexError(f"part(): 'dim' must be in [0, {whole.ndim_}); found {dim}")
    for x in ends:
        end = x
        if end > whole.sizes[dim] or end < start or (stacked and end != start + 1):
            raise ValueError(
                f"part(): 'ends' must rise up to the size, {whole.sizes[dim]}{', one by one,' if stacked else ''} of "
                f"dimension {dim}; found {ends}")
        out.append(part_of(whole, dim, start, -1 if stacked else end - start, True))
        start = end
    return out

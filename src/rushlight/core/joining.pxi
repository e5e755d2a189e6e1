# Included by dispatch.pyx: tensors joined into one, however many. A program joins as many tensors as it was made for.
cdef enum:
    FEW_JOINED = 4                 # of so many tensors each is a piece that several threads copy sooner
    FEW_BYTES = 1 << 20
    MANY_BYTES = 1 << 22           # what one thread copies of more


def join(tensors, int64_t dim, bint stacked):
    """Plain row-major tensors of one dtype, one after the other along `dim`, or `stacked` along a new one; without history.

    None for what needs a closer look (other tensors, shapes that do not fit), 0 for what is much to copy.
    """
    tensors = tuple(tensors)        # the caller's list may change while memory is taken
    cdef Py_ssize_t i, n = len(tensors)
    cdef Tensor t, first, out
    cdef int d, rank
    cdef int64_t sizes[12]
    cdef int64_t rows = 1, inner = 1, total = 0, row, piece, r
    cdef char* to
    cdef char* source
    cdef bint few = n <= FEW_JOINED
    if n < 1 or tls().building or tls().inference or tls().modes:
        return None
    for x in tensors:
        if type(x) is not Tensor:
            return None
        t = <Tensor>x
        if t.keys or t.code >= BUILTIN_DTYPES or not t.contiguous_ or t.storage is None or t.inference_ or t.numel_ == 0:
            return None
    first = <Tensor>tensors[0]
    rank = first.ndim_
    if rank > 11 or rank == 0 and not stacked:
        return None
    if dim < 0:
        dim += rank + stacked
    if not 0 <= dim < rank + stacked:
        return None
    for d in range(rank):
        if d < dim:
            rows *= first.sizes[d]
        elif d > dim or stacked:
            inner *= first.sizes[d]
    inner *= first.itemsize_
    for x in tensors:
        t = <Tensor>x
        if t.code != first.code or t.ndim_ != rank:
            return None
        for d in range(rank):
            if t.sizes[d] != first.sizes[d] and (stacked or d != dim):
                return None
        # Of these row-major is channels_last as well: which of the two the result is, the general road finds out.
        if rank >= 4 and not stacked and (t.sizes[1] == 1 or t.numel_ == t.sizes[0] * t.sizes[1]):
            return None
        total += 1 if stacked else t.sizes[dim]
    row = total * inner
    if times_overflows(row, rows, &r) or r > (FEW_BYTES if few else MANY_BYTES) or rows * n > 65536:
        return 0
    for d in range(rank + stacked):
        sizes[d] = total if d == dim else first.sizes[d - (stacked and d > dim)]
    out = empty_contiguous(first.code, rank + stacked, sizes, False)
    to = memory(out)
    for x in tensors:
        t = <Tensor>x
        source = memory(t)
        piece = inner if stacked else inner * t.sizes[dim]
        for r in range(rows):
            memcpy(to + r * row, source + r * piece, piece)
        to += piece
    return out


cpdef bint needs_history(tensors) except -1:
    """Whether what is made of these plain tensors is recorded."""
    if not tls().grad_enabled:
        return False
    for x in tensors:
        if wants_grad(<Tensor?>x):
            return True
    return False


def part(Tensor whole not None, int dim, list ends, bint stacked):
    """The pieces that `join` made a tensor of, with memory of their own; None where that is not a plain row-major tensor, or is to be recorded."""
    cdef int64_t sizes[12]
    cdef int64_t rows = 1, inner = whole.itemsize_, start = 0, end, row, piece, r
    cdef int d, k = 0, rank = whole.ndim_
    cdef Tensor t
    cdef char* source
    cdef list out = []
    if (type(whole) is not Tensor or whole.keys or whole.code >= BUILTIN_DTYPES or not whole.contiguous_ or whole.storage is None or whole.numel_ == 0 or rank > 12
            or tls().grad_enabled or tls().building or tls().inference):
        return None
    if not 0 <= dim < rank:
        raise IndexError(f"part(): 'dim' must be in [0, {rank}); found {dim}")
    for x in ends:
        end = x
        if end > whole.sizes[dim] or end < start or (stacked and end != start + 1):
            raise ValueError(f"part(): 'ends' must rise up to the size, {whole.sizes[dim]}{', one by one,' if stacked else ''} of dimension {dim}; found {ends}")
        start = end
    start = 0
    for d in range(rank):
        if d < dim:
            rows *= whole.sizes[d]
        elif d > dim:
            inner *= whole.sizes[d]
        if d != dim or not stacked:
            sizes[k] = whole.sizes[d]
            k += 1
    row = inner * whole.sizes[dim]
    if rows * len(ends) > 65536 or row * rows > MANY_BYTES:
        return None
    source = memory(whole)
    for x in ends:
        end = x
        if not stacked:
            sizes[dim] = end - start
        t = empty_contiguous(whole.code, k, sizes, False)
        piece = (end - start) * inner
        for r in range(rows):
            memcpy(memory(t) + r * piece, source + start * inner + r * row, piece)
        out.append(t)
        start = end
    return out

"""View steps, applied to sizes, strides and offset; and the order of dimensions of new results."""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, llabs, malloc
from libc.string cimport memcmp, memcpy, memset

from rushlight.core.base cimport UPCALLS, minus_most, plus_most, strides_in_order, strides_in_rows, times_most
from rushlight.core.tensor cimport (
    INLINE_DIMS, KEY_DEVICE, KEY_META, MAX_DIMS, Tensor, counts_with, empty_contiguous, finish, mark_view, new_tensor,
    settle)


cdef int64_t rank_in_range(int64_t n) except -1:
    """A number of dimensions; RuntimeError if it is more than a tensor, and the arrays here, can have."""
    if n > MAX_DIMS:
        raise RuntimeError(f"a tensor has at most {MAX_DIMS} dimensions; found {n}")
    return n


cdef enum Step:
    V_RESHAPE = 0
    V_PERMUTE = 1
    V_SLICE = 2
    V_BROADCAST = 3
    V_DIAGONAL = 4
    V_WINDOWS = 5

_STEPS = ("reshape", "permute", "slice", "broadcast", "diagonal", "windows")


cdef list view_steps(steps):
    """View steps as ints: for each step its kind, the length of its first list (0 if it has none), and all its numbers
    in order.
    """
    out = []
    for kind, *args in steps:
        if kind not in _STEPS:
            raise RuntimeError(f"a plan has a view step of a kind that is not known: {kind}")
        rows = [x if isinstance(x, (tuple, list)) else (x,) for x in args]
        out += [_STEPS.index(kind), rank_in_range(len(rows[0])), *[x for row in rows for x in row]]
    return out


cdef Tensor tensor_view(Tensor t, int* steps, int n_steps, int64_t* slots, bint copies):
    """Apply view steps to the metadata of `t`; `steps` has n_steps ints, see `view_steps`. With `copies`, a reshape
    that strides cannot express is that of a contiguous copy, and for autograd the result is no view.
    """
    cdef int64_t size[MAX_DIMS]
    cdef int64_t stride[MAX_DIMS]
    cdef int64_t size2[MAX_DIMS]
    cdef int64_t stride2[MAX_DIMS]
    cdef bint fresh[MAX_DIMS]
    cdef int64_t offset = 0, length, s, st
    cdef int nd = t.ndim_, i, j, k, kind, n, d1, d2
    cdef int* end = steps + n_steps
    settle(t)
    memcpy(size, t.sizes, nd * sizeof(int64_t))
    memcpy(stride, t.strides, nd * sizeof(int64_t))
    while steps < end:
        kind, n = steps[0], steps[1]
        steps += 2
        if kind == V_PERMUTE:
            for i in range(nd):
                size2[i], stride2[i] = size[steps[i]], stride[steps[i]]
            memcpy(size, size2, nd * sizeof(int64_t))
            memcpy(stride, stride2, nd * sizeof(int64_t))
            steps += n
        elif kind == V_SLICE:
            for i in range(nd):
                offset = plus_most(offset, times_most(slots[steps[i]], stride[i]))
                size[i] = slots[steps[n + i]]
                stride[i] = times_most(stride[i], slots[steps[2 * n + i]])
            steps += 3 * n
        elif kind == V_BROADCAST:
            for i in range(n):
                size2[i] = slots[steps[i]]
                stride2[i], fresh[i] = 0, True
            for i in range(nd):
                j = steps[n + i]
                fresh[j] = False
                if size[i] == size2[j]:
                    stride2[j] = stride[i]
                elif size[i] != 1:
                    raise RuntimeError(f"a dimension of size {size[i]} cannot be expanded to the size {size2[j]}")
            # as in PyTorch, the stride of a new dimension of size 1 spans the dimensions inside it
            for i in range(n - 1, -1, -1):
                if fresh[i] and size2[i] == 1:
                    stride2[i] = 1 if i == n - 1 else size2[i + 1] * stride2[i + 1]
            steps += n + nd
            nd = n
            memcpy(size, size2, nd * sizeof(int64_t))
            memcpy(stride, stride2, nd * sizeof(int64_t))
        elif kind == V_RESHAPE:
            for i in range(n):
                size2[i] = slots[steps[i]]
            if not reshape_strides(nd, size, stride, n, size2, stride2):
                if not copies:
                    raise RuntimeError(UPCALLS.view_message(t, [size2[i] for i in range(n)]))
                t = contiguous_copy(placed(t, nd, size, stride, offset))
                offset = 0
                strides_in_rows(n, size2, stride2)
            steps += n
            nd = n
            memcpy(size, size2, nd * sizeof(int64_t))
            memcpy(stride, stride2, nd * sizeof(int64_t))
        elif kind == V_DIAGONAL:
            st = slots[steps[0]]
            d1, d2 = steps[1], steps[2]
            steps += 3
            length = minus_most(size[d2], st) if st >= 0 else plus_most(size[d1], st)
            length = min(length, size[d1] if st >= 0 else size[d2])
            if length < 0:
                length = 0
            if length:
                offset = plus_most(offset, times_most(st, stride[d2]) if st >= 0 else times_most(-st, stride[d1]))
            s = plus_most(stride[d1], stride[d2])
            j = 0
            for i in range(nd):
                if i != d1 and i != d2:
                    size[j], stride[j] = size[i], stride[i]
                    j += 1
            size[j], stride[j] = length, s
            nd -= 1
        else:
            rank_in_range(nd + n)
            k = nd
            for i in range(n):
                d1 = steps[i]
                length, s, st = slots[steps[n + i]], slots[steps[2 * n + i]], slots[steps[3 * n + i]]
                size[k], stride[k] = length, times_most(stride[d1], st)
                size[d1] = minus_most(size[d1], plus_most(times_most(st, length - 1), 1)) // s + 1
                stride[d1] = times_most(stride[d1], s)
                k += 1
            steps += 4 * n
            nd = k
    cdef Tensor r = placed(t, nd, size, stride, offset)
    if not copies:
        mark_view(r, t)
    return r


cdef Tensor placed(Tensor t, int nd, int64_t* size, int64_t* stride, int64_t offset):
    """A view of the memory of `t` with other sizes and strides, which begins `offset` elements later."""
    cdef Tensor r = new_tensor(t.storage, t.code, 0)
    if nd > INLINE_DIMS:
        r.set_ndim(nd)
    else:
        r.ndim_ = nd
    memcpy(r.sizes, size, nd * sizeof(int64_t))
    memcpy(r.strides, stride, nd * sizeof(int64_t))
    r.at = plus_most(t.at, times_most(offset, t.itemsize_))
    r.keys |= t.keys & (KEY_META | KEY_DEVICE)
    counts_with(r, t)
    finish(r)
    return r


cdef Tensor contiguous_copy(Tensor t):
    cdef Tensor r = empty_contiguous(t.code, t.ndim_, t.sizes, t.keys & KEY_META != 0)
    if not t.keys & KEY_META:
        UPCALLS.copy_raw(r, t)
    return r


def mark_as_view(Tensor r not None, Tensor t not None):
    """Record that `r` is a view of `t` (or of t's base), for in-place autograd."""
    settle(t)
    mark_view(r, t)


def mark_as_custom_view(Tensor r not None, Tensor t not None):
    """Record that `r` is a view of `t` whose derivative a custom Function has defined: a write to it cannot be
    recorded.
    """
    mark_view(r, t)
    if r.meta is not None:
        r.meta.why_no_inplace = "custom"


cdef bint reshape_strides(int nd, int64_t* size, int64_t* stride, int nd2, int64_t* size2, int64_t* stride2):
    """Find strides that view (size, stride) as size2, if there are any.

    The old dimensions are joined into runs of evenly spaced elements, innermost first; then the runs are cut into the
    new sizes.
    """
    cdef int64_t count[MAX_DIMS]
    cdef int64_t gap[MAX_DIMS]
    cdef int64_t taken = 1
    cdef int d, last = -1, r = 0
    cdef bint empty = False
    for d in range(nd - 1, -1, -1):
        empty = empty or size[d] == 0
        if last >= 0 and (size[d] == 1 or stride[d] == times_most(count[last], gap[last])):
            count[last] = times_most(count[last], size[d])
        else:
            last += 1
            count[last], gap[last] = size[d], stride[d]
    if last < 0:                        # a 0-d tensor
        last = 0
        count[0] = gap[0] = 1
    for d in range(nd2 - 1, -1, -1):
        if empty:                       # without elements any strides will do: take row-major ones
            stride2[d] = taken
            taken = times_most(taken, max(size2[d], 1))
            continue
        if size2[d] != 1 and taken == count[r]:
            if r == last:
                return False
            r, taken = r + 1, 1
        stride2[d] = times_most(taken, gap[r])
        taken = times_most(taken, size2[d])
        if taken == 0 or count[r] % taken != 0:
            return False
    return empty or (r == last and taken == count[r])


def view_strides(sizes, strides, new_sizes):
    """The strides that view memory of (sizes, strides) as new_sizes, or None if that needs a copy."""
    cdef int64_t a[MAX_DIMS]
    cdef int64_t b[MAX_DIMS]
    cdef int64_t c[MAX_DIMS]
    cdef int64_t d[MAX_DIMS]
    cdef int i
    rank_in_range(len(sizes))
    rank_in_range(len(new_sizes))
    for i in range(len(sizes)):
        a[i], b[i] = sizes[i], strides[i]
    for i in range(len(new_sizes)):
        c[i] = new_sizes[i]
    if not reshape_strides(len(sizes), a, b, len(new_sizes), c, d):
        return None
    return tuple([d[i] for i in range(len(new_sizes))])


cdef bint kept_strides(Tensor t, int64_t* strides) noexcept:
    """The strides of a copy without gaps that keeps t's order of dimensions in memory; False where elements share
    memory or lie backwards: a row-major copy is made then.
    """
    cdef int order[MAX_DIMS]
    cdef int64_t own
    cdef int i, j, d
    for d in range(t.ndim_):
        if t.strides[d] <= 0 and t.sizes[d] > 1:
            return False
    for i in range(t.ndim_):                 # by strides, from the last dimension on; those of size 1 come first
        d = t.ndim_ - 1 - i
        own, j = 0 if t.sizes[d] == 1 else t.strides[d], i
        while j > 0 and own < (0 if t.sizes[order[j - 1]] == 1 else t.strides[order[j - 1]]):
            order[j] = order[j - 1]
            j -= 1
        order[j] = d
    strides_in_order(t.ndim_, order, t.sizes, strides)
    return True


def preserved_strides(Tensor t not None):
    """The strides of a copy that keeps t's order of dimensions in memory; None for row-major."""
    cdef int64_t strides[MAX_DIMS]
    cdef int i
    if t.contiguous_ or not kept_strides(t, strides):
        return None
    return tuple([strides[i] for i in range(t.ndim_)])


cdef void by_columns(Tensor t):
    """Give a new tensor of two or more dimensions the strides of column-major matrices, as LAPACK has them."""
    cdef int n = t.ndim_
    t.strides[n - 1] = t.sizes[n - 2] if t.sizes[n - 2] > 1 else 1
    t.strides[n - 2] = 1
    finish(t)


cdef bint lies_channels_last(Tensor t) noexcept:
    """Whether the memory of a tensor of 4 or 5 dimensions has its channels innermost, then the last dimension, and so
    on to the first.
    """
    cdef int k, d, n = t.ndim_
    cdef int64_t reach = 0
    if n < 4 or n > 5 or t.strides[1] == 0 or t.strides[1] > t.strides[n - 1]:
        return False
    for k in range(n):
        d = 1 if k == 0 else 0 if k == n - 1 else n - k
        if t.sizes[d] == 0 or t.strides[d] < reach or (d == 0 and reach == t.strides[1]):
            return False       # the last: one channel of one element, for which any order will do
        reach = times_most(t.strides[d], t.sizes[d] if t.sizes[d] > 1 else 1)
    return True


def lies_by_channels(Tensor t not None):
    """Whether PyTorch would call a tensor's memory format channels_last, or channels_last_3d: `lies_channels_last`."""
    return lies_channels_last(t)


cdef void by_channels_last(Tensor t):
    """Give a new tensor of 4 or 5 dimensions the strides of channels_last."""
    cdef int d, n = t.ndim_
    cdef int64_t stride = t.sizes[1] if t.sizes[1] > 1 else 1
    t.strides[1] = 1
    for d in range(n - 1, -1, -1):
        if d != 1:
            t.strides[d] = stride
            stride = times_most(stride, t.sizes[d] if t.sizes[d] > 1 else 1)
    finish(t)


cdef void by_rows(Tensor t):
    """Give a new tensor row-major strides."""
    strides_in_rows(t.ndim_, t.sizes, t.strides)
    finish(t)


cdef enum:                   # what the core reads from a Like (compiler/plan.py)
    PLAIN = 1                # its dimensions are those of the result, in order
    RISING = 2               # the dimensions that it has are in order
    SIZED = 4
    DENSE = 8
    FEW = 8                  # how many operands have their strides on the stack; those of more are allocated


cdef list likes_as_ints(likes, int rank):
    """For each Like of a result its input, its marks, and its dimensions, -1 where it has none."""
    out = []
    for x in likes:
        if len(x.dims) != rank:
            raise RuntimeError(f"a result of {rank} dimensions cannot lie like one of {len(x.dims)}")
        dims = [-1 if d is None else rank_in_range(d) for d in x.dims]
        own = [d for d in dims if d >= 0]
        out += [x.input, (
            PLAIN * (dims == list(range(rank))) | RISING * (own == sorted(own)) | SIZED * x.sized | DENSE * x.dense)]
        out += dims
    return out


cdef int lay_among(Tensor t, PyObject** ts, int* likes, int n) except -1:
    """Give a new, row-major result the order of dimensions that n operands decide (by PyTorch's rule)."""
    cdef int rank = t.ndim_, width = rank + 2, i, k, at
    cdef int* x
    cdef Tensor like = <Tensor>ts[likes[0]]
    if like.contiguous_ and likes[1] & (PLAIN | SIZED) == PLAIN:
        return 0
    for i in range(n):
        like = <Tensor>ts[likes[i * width]]
        if not like.contiguous_ or not likes[i * width + 1] & RISING:
            break
    else:
        return 0
    cdef int64_t near[FEW * MAX_DIMS]
    cdef int64_t own[MAX_DIMS]
    cdef int64_t* strides = near
    if n > FEW:
        strides = <int64_t*>malloc(n * MAX_DIMS * sizeof(int64_t))
        if strides == NULL:
            raise MemoryError
    for i in range(n):
        x = likes + i * width
        like = <Tensor>ts[x[0]]
        for k in range(like.ndim_):
            own[k] = llabs(like.strides[k])
        if x[1] & DENSE:
            make_dense(like, own)
        for k in range(rank):
            at = x[2 + k]
            strides[i * rank + k] = own[at] if 0 <= at < like.ndim_ else 0
        if x[1] & SIZED and not sizes_equal(like, t):
            memset(strides + i * rank, 0, rank * sizeof(int64_t))
    lay_by(t, strides, n)
    if strides != near:
        free(strides)
    return 0


cdef bint sizes_equal(Tensor a, Tensor b) noexcept:
    return a.ndim_ == b.ndim_ and memcmp(a.sizes, b.sizes, a.ndim_ * sizeof(int64_t)) == 0


cdef void make_dense(Tensor t, int64_t* strides) noexcept:
    """Turn strides, some of which are 0, into those of a copy, which has the same order of dimensions, and each element
    once.
    """
    cdef int order[MAX_DIMS]
    cdef int i
    for i in range(t.ndim_):
        if strides[i] == 0 and t.sizes[i] > 1:
            break
    else:
        return
    in_order(order, t, strides, 1)
    strides_in_order(t.ndim_, order, t.sizes, strides)


cdef void in_order(int* order, Tensor t, int64_t* strides, int n) noexcept:
    """Sort the dimensions of t from the innermost to the outermost, by n rows of strides, one for each operand.

    It is an insertion sort, because the order of two dimensions may stay undecided: the first row in which both have a
        stride decides; if the strides are equal, the larger size is outside; if no row decides, they stay as they are.
    """
    cdef int i, j, at, k, x, rank = t.ndim_
    cdef int64_t a, b
    for i in range(rank):
        order[i] = rank - 1 - i
    for i in range(1, rank):
        at = i
        for j in range(i - 1, -1, -1):
            x = 0
            for k in range(n):
                a, b = strides[k * rank + order[j]], strides[k * rank + order[at]]
                if a and b and (a != b or t.sizes[order[j]] > t.sizes[order[at]]):
                    x = 1 if a >= b else -1
                    break
            if x < 0:
                break
            if x > 0:
                order[j], order[at] = order[at], order[j]
                at = j


cdef void lay_by(Tensor t, int64_t* strides, int n):
    """Give a new tensor the order of dimensions that n rows of strides decide."""
    cdef int order[MAX_DIMS]
    in_order(order, t, strides, n)
    strides_in_order(t.ndim_, order, t.sizes, t.strides)
    finish(t)


cdef void lay_as(Tensor t, Tensor like):
    """Give a new tensor the order of dimensions of another one of the same rank."""
    cdef int64_t strides[MAX_DIMS]
    cdef int i
    if like.contiguous_ or like.ndim_ != t.ndim_:
        return
    for i in range(t.ndim_):
        strides[i] = llabs(like.strides[i])
    lay_by(t, strides, 1)

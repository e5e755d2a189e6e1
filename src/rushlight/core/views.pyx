"""View steps applied to sizes, strides and offset, and the order of dimensions of fresh results."""
from libc.stdint cimport int64_t
from libc.stdlib cimport llabs
from libc.string cimport memcpy

from rushlight.core.base cimport UPCALLS, minus_most, plus_most, times_most
from rushlight.core.tensor cimport (
    INLINE_DIMS, KEY_DEVICE, KEY_META, MAX_DIMS, Tensor, counts_with, empty_contiguous, finish, mark_view, new_tensor,
    settle)


cdef int64_t rank_in_range(int64_t n) except -1:
    """n, a number of dimensions; RuntimeError for more than a tensor has, and the arrays here hold."""
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
    """View steps as ints: of each its kind, the length of its first list (0 where it is no list) and all its numbers in
    order.
    """
    out = []
    for kind, *args in steps:
        if kind not in _STEPS:
            raise RuntimeError(f"a plan has a view step of a kind that is not known: {kind}")
        rows = [x if isinstance(x, (tuple, list)) else (x,) for x in args]
        out += [_STEPS.index(kind), rank_in_range(len(rows[0])), *[x for row in rows for x in row]]
    return out


cdef Tensor tensor_view(Tensor t, int* steps, int n_steps, int64_t* slots, bint copies):
    """Apply view steps to the metadata of `t`; `steps` has n_steps ints, see `view_steps`. With `copies` a reshape that
    strides do not express is one of a contiguous copy, and to autograd the result is no view.
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
            # a new dimension of one element spans what is inside of it, as PyTorch's does
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
                offset, s = 0, 1
                for i in range(n - 1, -1, -1):
                    stride2[i] = s
                    s = times_most(s, size2[i])
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
    """The memory of `t` with other sizes and strides, `offset` elements on."""
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
    """Strides that view (size, stride) as size2, if there are such.

    The old dimensions are joined into runs of evenly spaced elements, innermost first; then the runs are cut up into
    the new sizes.
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
        if empty:                       # no element, so any strides do: those of row-major order
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
    """The strides that view memory of (sizes, strides) as new_sizes, or None when it takes a copy."""
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


cdef void by_columns(Tensor t):
    """Lay the matrices of a new tensor of two dimensions or more column by column, as LAPACK does."""
    cdef int n = t.ndim_
    t.strides[n - 1] = t.sizes[n - 2] if t.sizes[n - 2] > 1 else 1
    t.strides[n - 2] = 1
    finish(t)


cdef bint lies_channels_last(Tensor t) noexcept:
    """Whether a tensor of 4 or 5 dimensions lies with its channels innermost, then the last dimension, and so on to the
    first, each outside of what is before it.
    """
    cdef int k, d, n = t.ndim_
    cdef int64_t reach = 0
    if n < 4 or n > 5 or t.strides[1] == 0 or t.strides[1] > t.strides[n - 1]:
        return False
    for k in range(n):
        d = 1 if k == 0 else 0 if k == n - 1 else n - k
        if t.sizes[d] == 0 or t.strides[d] < reach or (d == 0 and reach == t.strides[1]):
            return False       # the last: one channel of one element, which lies in any order
        reach = times_most(t.strides[d], t.sizes[d] if t.sizes[d] > 1 else 1)
    return True


cdef void by_channels_last(Tensor t):
    """Lay a new tensor of 4 or 5 dimensions channels_last."""
    cdef int d, n = t.ndim_
    cdef int64_t stride = t.sizes[1] if t.sizes[1] > 1 else 1
    t.strides[1] = 1
    for d in range(n - 1, -1, -1):
        if d != 1:
            t.strides[d] = stride
            stride = times_most(stride, t.sizes[d] if t.sizes[d] > 1 else 1)
    finish(t)


cdef void by_rows(Tensor t):
    """Lay a new tensor row by row."""
    cdef int d
    cdef int64_t stride = 1
    for d in range(t.ndim_ - 1, -1, -1):
        t.strides[d] = stride
        stride = times_most(stride, t.sizes[d] if t.sizes[d] > 1 else 1)
    finish(t)


cdef void keep_order(Tensor t, Tensor like):
    """Give a fresh result the order of dimensions of an operand of its sizes (PyTorch's preserve_format)."""
    cdef int i
    if like.contiguous_ or like.numel_ != t.numel_ or like.ndim_ != t.ndim_:
        return
    for i in range(t.ndim_):
        if like.sizes[i] != t.sizes[i]:
            return
    lay_as(t, like)


cdef void lay_as(Tensor t, Tensor like):
    """Give a fresh tensor the order of dimensions of one of as many."""
    cdef int i, j, at, x
    cdef int order[MAX_DIMS]
    cdef int64_t a, b, expected = 1
    if like.contiguous_ or like.ndim_ != t.ndim_:
        return
    for i in range(t.ndim_):
        order[i] = t.ndim_ - 1 - i
    # Insertion sort by stride, smallest first; a dimension of stride 0 stays where it is among the others, and of equal
    # strides the larger size is outside.
    for i in range(1, t.ndim_):
        at = i
        for j in range(i - 1, -1, -1):
            a, b = llabs(like.strides[order[j]]), llabs(like.strides[order[at]])
            if a == 0 or b == 0:
                continue
            if a < b:
                break
            if a > b or like.sizes[order[j]] > like.sizes[order[at]]:
                x = order[j]
                order[j] = order[at]
                order[at] = x
                at = j
    for i in range(t.ndim_):
        x = order[i]
        t.strides[x] = expected
        expected *= t.sizes[x] if t.sizes[x] > 1 else 1
    finish(t)

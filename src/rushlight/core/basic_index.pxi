# Included by tensor.pyx: x[...] with ints, slices, None and Ellipsis, which is nearly all indexing.
cdef Tensor basic_view(Tensor t, object index):
    """The view for ints, slices, None and Ellipsis on a plain tensor; None for all else (and for what must raise)."""
    cdef State* state = tls()
    cdef tuple items
    cdef Py_ssize_t start, stop, step
    cdef int64_t n, i, offset = 0
    cdef int d = 0, out = 0, used = 0, k
    cdef int64_t size[INLINE_DIMS]
    cdef int64_t stride[INLINE_DIMS]
    cdef bint dots = False
    if t.keys & KEY_SPECIAL or state.modes or t.ndim_ > INLINE_DIMS or (state.grad_enabled and not t.inference_ and wants_grad(t)):
        return None
    items = <tuple>index if type(index) is tuple else (index,)
    for x in items:
        if type(x) is slice or type(x) is int:
            used += 1
        elif x is Ellipsis:
            if dots:
                return None
            dots = True
        elif x is not None:
            return None
    if used > t.ndim_:
        return None
    for x in items:
        if type(x) is int:
            n = t.sizes[d]
            if not -n <= x < n:
                return None
            i = x
            offset += (i + n if i < 0 else i) * t.strides[d]
            d += 1
        elif type(x) is slice:
            if not (_plain(x.start) and _plain(x.stop) and _plain(x.step)) or out >= INLINE_DIMS:
                return None
            if PySlice_Unpack(x, &start, &stop, &step) < 0:
                return None
            n = PySlice_AdjustIndices(t.sizes[d], &start, &stop, step)
            if n:
                offset += start * t.strides[d]
            size[out], stride[out] = n, times_most(t.strides[d], step)
            out += 1
            d += 1
        else:
            for k in range(t.ndim_ - used if x is Ellipsis else 0):
                if out >= INLINE_DIMS:
                    return None
                size[out], stride[out] = t.sizes[d], t.strides[d]
                out += 1
                d += 1
            if x is None:
                if out >= INLINE_DIMS:
                    return None
                size[out], stride[out] = 1, times_most(t.sizes[d], t.strides[d]) if d < t.ndim_ else 1
                out += 1
    while d < t.ndim_:
        if out >= INLINE_DIMS:
            return None
        size[out], stride[out] = t.sizes[d], t.strides[d]
        out += 1
        d += 1
    cdef Tensor r = new_tensor(t.storage, t.code, out)
    memcpy(r.sizes, size, out * sizeof(int64_t))
    memcpy(r.strides, stride, out * sizeof(int64_t))
    r.at = t.at + offset * t.itemsize_
    r.keys |= t.keys & KEY_META
    counts_with(r, t)
    finish(r)
    mark_view(r, t)
    return r


cdef inline bint _plain(object x):
    return x is None or type(x) is int

# Included by tensor.pyx: x[...] with one index tensor or mask, and the places of a mask's true elements.
cdef tuple _FIRST_DIMS = tuple([tuple(range(n)) for n in range(MAX_DIMS + 1)])

cdef enum:
    SHORT_ITEM = 64           # bytes of an item that is copied at little more than the cost of finding it
    FEW_BYTES = 1 << 20       # of a result that is not worth sharing out by its own size


cdef class _Found:
    """The true elements of a mask, counted."""
    cdef Tensor mask
    cdef int64_t* starts
    cdef int64_t few[2]
    cdef int64_t count
    def __dealloc__(self):
        if self.starts != self.few:
            free(self.starts)


cdef _Found count_mask(Tensor mask):
    """Count the true elements of a mask with data: bool, or another type of one byte."""
    cdef _Found f = _Found.__new__(_Found)
    cdef int64_t chunks
    if mask.keys & ((KEY_SPECIAL | KEY_META) & ~KEY_SUBCLASS) or mask.itemsize_ != 1:
        raise TypeError(f"internal: a mask with data is expected; found one of dtype {DTYPES[mask.code]} and keys {mask.keys}")
    f.mask = mask if mask.contiguous_ else mask.contiguous()
    f.starts = f.few
    chunks = c_mask_chunks(mask.numel_)
    if chunks == 1:
        f.count = c_mask_count(<uint8_t*>f.mask.data_, mask.numel_, f.starts)
        return f
    f.starts = <int64_t*>malloc((chunks + 1) * sizeof(int64_t))
    if f.starts == NULL:
        raise MemoryError("mask")
    with nogil:
        f.count = c_mask_count(<uint8_t*>f.mask.data_, f.mask.numel_, f.starts)
    return f


def places(Tensor mask not None):
    """The indices of a mask's true elements: int64, shape (found, ndim), in row-major order."""
    cdef _Found f = count_mask(mask)
    cdef int64_t sizes[2]
    cdef int64_t* columns[MAX_DIMS]
    cdef int d
    sizes[0], sizes[1] = f.count, mask.ndim_
    cdef Tensor out = empty_contiguous(C_I64, 2, sizes, False)
    for d in range(mask.ndim_):
        columns[d] = <int64_t*>out.data_ + d
    write_places(f, columns, mask.ndim_)
    return out


def place_columns(Tensor mask not None):
    """The indices of a mask's true elements, a vector for each dimension of the mask."""
    return columns_of(count_mask(mask))


cdef list columns_of(_Found f):
    cdef int64_t* columns[MAX_DIMS]
    cdef Tensor column
    cdef int d
    cdef list found = [None] * f.mask.ndim_
    for d in range(f.mask.ndim_):
        column = empty_contiguous(C_I64, 1, &f.count, False)
        columns[d] = <int64_t*>column.data_
        found[d] = column
    write_places(f, columns, 1)
    return found


cdef void write_places(_Found f, int64_t** columns, int64_t step) noexcept:
    cdef Tensor mask = f.mask
    if mask.ndim_ == 0:
        return
    if mask.numel_ <= FEW_BYTES // 16:
        c_mask_places(<uint8_t*>mask.data_, mask.numel_, f.starts, mask.ndim_, mask.sizes, columns, step)
    else:
        with nogil:
            c_mask_places(<uint8_t*>mask.data_, mask.numel_, f.starts, mask.ndim_, mask.sizes, columns, step)


cdef Tensor chosen(Tensor t, Tensor index):
    """t[index] for a plain tensor and a plain index tensor or mask; None for all else (and for what must raise)."""
    cdef State* state = tls()
    if t.keys & KEY_SPECIAL or index.keys or state.modes or t.code > C_C128 or index.ndim_ == 0 or t.ndim_ == 0:
        return None
    if index.code == C_I64 or index.code == C_I32:
        return HOOKS["index"](t, _FIRST_DIMS[1], (index,))
    if not (index.code == C_BOOL or index.code == C_U8) or not begins_with(t, index):
        return None
    cdef _Found f = count_mask(index)
    if not t.keys and not (state.grad_enabled and (t.rg or (t.meta is not None and t.requires_grad))):
        found = taken(t, f)
        if found is not None:
            return found
    return HOOKS["index"](t, _FIRST_DIMS[index.ndim_], columns_of(f))


cdef bint begins_with(Tensor t, Tensor mask) noexcept:
    """Whether the first sizes of `t` are those of the mask."""
    cdef int d
    if mask.ndim_ > t.ndim_:
        return False
    for d in range(mask.ndim_):
        if mask.sizes[d] != t.sizes[d]:
            return False
    return True


cdef Tensor taken(Tensor t, _Found f):
    """t[mask] by copying items; None where t's items are no blocks of memory, or so much that a kernel is to copy them."""
    cdef Tensor mask = f.mask, out
    cdef int d, k = mask.ndim_
    cdef int64_t item = t.itemsize_
    cdef int64_t sizes[MAX_DIMS]
    cdef int64_t stride[MAX_DIMS]
    for d in range(t.ndim_ - 1, k - 1, -1):
        if t.sizes[d] != 1 and t.strides[d] * t.itemsize_ != item:
            return None
        item *= t.sizes[d]
        sizes[d - k + 1] = t.sizes[d]
    if item > SHORT_ITEM and item * f.count > FEW_BYTES:
        return None
    sizes[0] = f.count
    out = empty_contiguous(t.code, t.ndim_ - k + 1, sizes, False)
    if t.contiguous_:                  # all dimensions of the mask are one
        k, sizes[0], stride[0] = 1, mask.numel_, item
    else:
        for d in range(k):
            sizes[d], stride[d] = t.sizes[d], t.strides[d] * t.itemsize_
    if mask.numel_ * item <= FEW_BYTES:
        c_mask_take(<uint8_t*>mask.data_, mask.numel_, f.starts, k, sizes, t.data_, stride, item, out.data_)
    else:
        with nogil:
            c_mask_take(<uint8_t*>mask.data_, mask.numel_, f.starts, k, sizes, t.data_, stride, item, out.data_)
    return out


cdef bint fills(Tensor t, Tensor index, object value) except -1:
    """Whether t[index] = value is one call of masked_fill_: plain tensors, a mask of t's sizes and a number."""
    if t.keys & KEY_SPECIAL or index.keys & KEY_SPECIAL or index.code != C_BOOL or tls().modes or t.code > C_C128:
        return False
    if type(value) is not float and type(value) is not int and type(value) is not bool:
        return False
    return index.ndim_ == t.ndim_ and t.ndim_ > 0 and begins_with(t, index)

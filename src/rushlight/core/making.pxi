# Included by tensor.pyx: new tensors, and views of others.
cdef int _wrap(object dim, int n, str name) except -1:
    cdef int d = dim
    cdef int m = n if n else 1
    if d < -m or d >= m:
        raise IndexError(f"{name}(): 'dim' must be in [{-m}, {m - 1}] for a {n}-d tensor; found {d}")
    if n == 0:
        raise IndexError(f"{name}(): 'dim' must name a dimension, and a 0-d tensor has none; found {d}")
    return d + n if d < 0 else d


cdef int finish(Tensor t) except -1:
    """Derive numel and contiguity from sizes and strides; RuntimeError for more elements than 63 bits count."""
    cdef int64_t n = 1, signs = 0
    cdef bint contiguous = True, over = False
    cdef int i
    for i in range(t.ndim_ - 1, -1, -1):
        if t.sizes[i] != 1:
            if t.strides[i] != n:
                contiguous = False
            signs |= t.sizes[i]
            over |= times_overflows(n, t.sizes[i], &n)
    if over or signs < 0:
        raise_too_large(t.code, t.ndim_, t.sizes)
        n = 0
    t.numel_ = n
    t.contiguous_ = contiguous or n == 0
    return 0


cdef Tensor unmade():
    """A tensor that has neither memory nor sizes yet; Python's Tensor.__new__ makes a complete one (patched.pyx)."""
    return Tensor.__new__(Tensor)


cdef Tensor new_tensor(Storage storage, int code, int ndim):
    cdef Tensor t = Tensor.__new__(Tensor)
    t.storage = storage
    t.code = code
    t.itemsize_ = ITEMSIZE[code]
    if ndim > INLINE_DIMS:
        t.set_ndim(ndim)
    else:
        t.ndim_ = ndim
    mark_inference(t)
    return t


cdef Tensor empty_contiguous(int code, int ndim, const int64_t* sizes, bint meta):
    cdef int64_t n = 1, nbytes, signs = 0
    cdef int i
    cdef bint over = False
    for i in range(ndim):
        signs |= sizes[i]
        over |= times_overflows(n, sizes[i], &n)
    over |= times_overflows(n, ITEMSIZE[code], &nbytes)
    if over or signs < 0:
        raise_too_large(code, ndim, sizes)
        n = nbytes = 0
    cdef Tensor t = new_tensor(None if meta else new_storage(nbytes), code, ndim)
    cdef int64_t s = 1
    for i in range(ndim - 1, -1, -1):
        t.sizes[i] = sizes[i]
        t.strides[i] = s
        s = times_most(s, sizes[i] if sizes[i] > 1 else 1)
    t.numel_ = n
    t.contiguous_ = True
    if meta:
        t.keys, t.storage = KEY_META, meta_storage(nbytes) if tls().marking else None
    return t


cdef list sizes_of(Tensor t):
    return [t.sizes[i] for i in range(t.ndim_)]


cdef list strides_of(Tensor t):
    return [t.strides[i] for i in range(t.ndim_)]


cdef str place_of(Tensor t):
    """The sizes, strides and offset of a tensor in its storage, for errors."""
    return f"size {sizes_of(t)}, stride {strides_of(t)}, offset {t.offset_()}, {DTYPES[t.code]}"


cdef int raise_too_large(int code, int ndim, const int64_t* sizes) except -1:
    cdef int i
    if any([sizes[i] < 0 for i in range(ndim)]):
        raise RuntimeError(f"'size' must be at least 0 in each dimension; found {[sizes[i] for i in range(ndim)]}")
    if any([sizes[i] == 0 for i in range(ndim)]):
        return 0                 # no elements, however large the others are
    raise RuntimeError(
        f"a tensor of size {[sizes[i] for i in range(ndim)]} and {ITEMSIZE[code]} bytes an element has more than "
        "2**63 bytes: overflow")


cdef int run_pending(Tensor t) except -1:
    UPCALLS.settle(t)
    if t.keys & KEY_PENDING:
        raise RuntimeError("a recorded call has not run: the tensor has no values")
    return 0


cdef inline bint class_says(Tensor t) noexcept:
    """Whether its class knows the sizes of `t`: values of traces and transforms, and layouts from outside, which have
    no `parts`.
    """
    return (t.keys & (KEY_TRACE | KEY_TRANSFORM | KEY_LAYOUT) != 0
        and (t.keys & (KEY_TRACE | KEY_TRANSFORM) != 0 or t.meta is None or t.meta.parts is None))


cdef Tensor alias(Tensor t):
    """A tensor on the same memory with the same metadata and no history."""
    settle(t)
    cdef Tensor r = new_tensor(t.storage, t.code, t.ndim_)
    r.at = t.at
    memcpy(r.sizes, t.sizes, t.ndim_ * sizeof(int64_t))
    memcpy(r.strides, t.strides, t.ndim_ * sizeof(int64_t))
    r.numel_ = t.numel_
    r.contiguous_ = t.contiguous_
    r.keys |= t.keys & (KEY_META | KEY_DEVICE | KEY_LAYOUT)
    if t.keys & KEY_LAYOUT and t.meta is not None:
        get_meta(r).parts = t.meta.parts
    counts_with(r, t)
    return r


cdef void mark_view(Tensor r, Tensor t) noexcept:
    cdef AutogradMeta m
    cdef State* state = tls()
    if t.inference_:
        return
    m = get_meta(r)
    m.base = t if t.meta is None or t.meta.base is None else t.meta.base
    m.view_fn = True if state.grad_enabled and not state.inference else None
    if t.meta is not None and t.meta.base is not None:  # inherits the reason of a view that must not be written to
        m.why_no_inplace = t.meta.why_no_inplace
        if t.meta.view_fn is None:
            m.view_fn = None
    m.view_version = version_of(r)


cdef char* memory(Tensor t) except NULL:
    """The address of the first element, for code that reads or writes all elements without a kernel; RuntimeError if
    they are not all inside memory.
    """
    settle(t)
    if t.storage is None or t.keys & KEY_META:
        raise NotImplementedError(f"a tensor on {t.device} has no data to read or write")
    if t.storage.shrunk and not lies_inside(t):
        raise RuntimeError(
            f"the tensor must lie within its storage, which was made smaller, to {t.storage.size_bytes} bytes "
            f"({place_of(t)})")
    return &_nothing if t.storage.ptr == NULL else <char*>t.storage.ptr + t.at

cdef char _nothing                     # the address of tensors without elements whose storage has no memory


cdef Storage _meta_storage_of(Tensor t):
    """The storage that a meta tensor would have: as large as it reaches."""
    cdef int64_t low, high
    if reach(t.ndim_, t.sizes, t.strides, t.itemsize_, t.at, &low, &high) == RL_WRAPS:
        raise RuntimeError("Storage size calculation overflowed: the tensor reaches beyond 63 bits")
    return meta_storage(max(high, 0))


cdef object scalar_in(Tensor t):
    """The value in the memory of a one-element tensor, without dispatch."""
    if t.numel_ != 1:
        raise RuntimeError(f"item(): a Tensor with {t.numel_} elements cannot be converted to Scalar; expected 1")
    if t.keys & KEY_META:
        raise RuntimeError("item(): a tensor on the device 'meta' has no data")
    return read_scalar(memory(t), t.code)


cdef object _to_list(Tensor t, int d, char* p):
    if d == t.ndim_:
        return read_scalar(p, t.code)
    cdef int64_t i
    return [_to_list(t, d + 1, p + i * t.strides[d] * t.itemsize_) for i in range(t.sizes[d])]

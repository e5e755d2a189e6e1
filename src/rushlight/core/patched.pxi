# Included by tensor.pyx: what the types do that Cython has no syntax for, and what Python gets from their __new__.
cdef void storage_dealloc(PyObject* o) noexcept:
    if (<Storage>o).owned:
        c_free((<Storage>o).ptr, (<Storage>o).size_bytes)
    rl_next_dealloc(o)

cdef int complete(PyObject* o) noexcept:
    """Make a tensor that Python gets from Tensor.__new__ an empty one; what stands for another value has no memory."""
    cdef Tensor t = <Tensor>o
    try:
        if not t.keys & KEY_SPECIAL & ~KEY_SUBCLASS:
            t.storage = Storage.__new__(Storage)
            t.code = DEFAULT_DTYPE[0].code
            t.itemsize_ = ITEMSIZE[t.code]
            t.ndim_, t.sizes[0], t.strides[0] = 1, 0, 1
            t.contiguous_ = t.bare = True
            t.inference_ = tls().inference != 0
    except MemoryError:
        return -1
    return 0

for _class in (AutogradMeta, _Found, _Parts, _Window):
    core_only(_class)

cdef void _patch_types() except *:
    cdef Tensor probe = Tensor.__new__(Tensor)
    rl_patch_storage(<PyObject*>Storage, storage_dealloc)
    rl_patch_size(<PyObject*>Size)
    rl_patch_tensor(<PyObject*>Tensor, <char*>&probe.attributes - <char*><PyObject*>probe, complete)

_patch_types()

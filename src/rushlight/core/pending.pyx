"""Pending tensors: they have metadata, and neither memory nor history."""
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from rushlight.core.tensor cimport KEY_META, KEY_PENDING, Tensor, lies_inside, new_tensor, place_of, wants_grad


cdef Tensor metadata_of(Tensor t, unsigned int keys):
    """A tensor with the metadata of `t` and neither memory nor history."""
    cdef Tensor r = new_tensor(None, t.code, t.ndim_)
    memcpy(r.sizes, t.sizes, t.ndim_ * sizeof(int64_t))
    memcpy(r.strides, t.strides, t.ndim_ * sizeof(int64_t))
    r.numel_, r.contiguous_, r.inference_ = t.numel_, t.contiguous_, t.inference_
    r.keys = keys
    return r


cdef Tensor shadow(Tensor t):
    """A meta tensor without history that has the layout of `t`, and requires grad if `t` does."""
    cdef Tensor r = metadata_of(t, KEY_META)
    r.rg = wants_grad(t)
    return r


def lies_alike(Tensor a not None, Tensor b not None):
    """Whether two tensors have the same dtype, sizes and strides, and both or none require grad."""
    return alike(a, b)


cdef bint alike(Tensor a, Tensor b):
    return wants_grad(a) == wants_grad(b) and lie_alike(a, b)


cdef bint lie_alike(Tensor a, Tensor b):
    """Whether two tensors have the same dtype, sizes and strides."""
    cdef int i
    if a.code != b.code or a.ndim_ != b.ndim_:
        return False
    for i in range(a.ndim_):
        if a.sizes[i] != b.sizes[i] or (a.strides[i] != b.strides[i] and a.sizes[i] != 1 and a.numel_):
            return False
    return True


cdef int lie_as(Tensor t, Tensor like) except -1:
    """Give a program's result the strides that single calls give it, where they reach nothing: of sizes of 1, or where
    there is no element.
    """
    if not alike(t, like):
        raise RuntimeError(f"lie_as(): expected {place_of(like)}; found {place_of(t)}")
    memcpy(t.strides, like.strides, t.ndim_ * sizeof(int64_t))
    t.contiguous_ = like.contiguous_
    return 0


cdef int fulfil(Tensor t, Tensor o) except -1:
    """Give a pending tensor the memory and the history of `o`, to which nobody else refers, and whose layout is the
    expected one.
    """
    if not t.keys & KEY_PENDING or o.keys:
        raise RuntimeError("fulfil(): expected a pending tensor and one in memory")
    if not alike(t, o):
        raise RuntimeError(f"fulfil(): expected {place_of(t)}; found {place_of(o)}")
    memcpy(t.strides, o.strides, o.ndim_ * sizeof(int64_t))
    t.storage, t.at, t.contiguous_ = o.storage, o.at, o.contiguous_
    t.counter, t.inference_, t.meta = o.counter, o.inference_, o.meta
    t.grad_fn_, t.output_nr, t.rg = o.grad_fn_, o.output_nr, o.rg
    t.keys = 0
    return 0


cdef bint shared_outside(Tensor t) noexcept:
    return (t.storage is None or t.storage.fixed or not t.storage.owned or t.storage.windows != 0
        or (t.storage.shrunk and not lies_inside(t)))


def is_shared_outside(Tensor t not None):
    """Whether other objects than tensors may write to t's memory (an array, a buffer, code that has asked for its
    address), or `t` reaches beyond it.
    """
    return shared_outside(t)

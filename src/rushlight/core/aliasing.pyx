"""Whether tensors share memory, and whether a destination may be written to while operands are still needed."""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rushlight.core.base cimport UPCALLS, dtype_of, reach
from rushlight.core.storage cimport Storage, new_storage
from rushlight.core.tensor cimport KEY_META, Tensor, address, lies_inside


cdef void* given_memory(Tensor t) except NULL:
    """Give a tensor memory; its address."""
    t.storage = new_storage(t.numel_ * t.itemsize_)
    return address(t)


cdef int64_t STAMPS = 1          # a storage that no call has stamped has 0

cdef int64_t next_stamps(int n) noexcept:
    """The first of `n` consecutive numbers that are on no storage's stamp."""
    global STAMPS
    STAMPS += n
    return STAMPS - n


cdef bint wanted(Tensor d, int* reads, PyObject** ts, int n) noexcept:
    """Whether kernels may still read an input's old values after they have written to `d`."""
    cdef int i
    cdef Tensor t
    for i in range(n):
        if reads[i] == FREE:
            continue
        t = <Tensor>ts[i]
        if t is d and reads[i] == ALIGNED:
            continue
        if may_share(t, d) and not (reads[i] == ALIGNED and same_places(t, d)) and overlap(t, d):
            return True
    return False


cdef bint taken(Tensor d, list dests, int k) noexcept:
    """Whether `d`, destination k, shares memory with one before it: the later one is written last."""
    cdef int i
    cdef Tensor t
    for i in range(k):
        t = <Tensor>dests[i]
        if may_share(t, d) and overlap(t, d):
            return True
    return False


def disjoint(list tensors not None):
    """Whether no two of the tensors share memory."""
    cdef int64_t first = next_stamps(1)
    cdef Storage s
    cdef bint close_ = False
    cdef int i, n = len(tensors)
    for i in range(n):
        s = (<Tensor?>tensors[i]).storage
        if s is not None:
            close_ = close_ or not s.owned or s.stamp >= first
            s.stamp = first
    if close_:
        for i in range(1, n):
            if taken(<Tensor>tensors[i], tensors, i):
                return False
    return True


cdef inline bint may_share(Tensor t, Tensor d) noexcept:
    """Whether two tensors with elements may lie in the same memory. (Memory of others, a NumPy array's, may have
    several storages.)
    """
    if t.numel_ == 0 or d.numel_ == 0 or t.storage is None or d.storage is None:
        return False
    return t.storage is d.storage or not (t.storage.owned and d.storage.owned)


cdef bint same_places(Tensor t, Tensor d) noexcept:
    """Whether element i of one is element i of the other."""
    cdef int k
    if address(t) != address(d) or t.ndim_ != d.ndim_ or t.itemsize_ != d.itemsize_:
        return False
    for k in range(t.ndim_):
        if t.sizes[k] != d.sizes[k] or (t.strides[k] != d.strides[k] and t.sizes[k] != 1):
            return False
    return True


cdef bint overlap(Tensor a, Tensor b):
    """Whether two tensors may share bytes, because the ranges from their first to their last bytes overlap."""
    cdef int64_t alo, ahi, blo, bhi
    cdef int64_t p = <int64_t>address(a), q = <int64_t>address(b)
    if (reach(a.ndim_, a.sizes, a.strides, a.itemsize_, p, &alo, &ahi)
            or reach(b.ndim_, b.sizes, b.strides, b.itemsize_, q, &blo, &bhi)):
        return True
    return alo < bhi and blo < ahi


cdef int check_dest(
        Tensor d, int code, int rank, int64_t* sizes, int64_t* strides, bint meta) except -1:
    """Check a destination: it must have the result's dtype, and memory to write to; it is resized to the result's size
    if it may be (and then gets `strides`, NULL for row-major ones).
    """
    cdef int k
    cdef bint ok = d.ndim_ == rank
    if d.code != code:
        raise RuntimeError(f"'out' is {dtype_of(d.code)}; expected {dtype_of(code)}")
    if meta != (d.storage is None or d.keys & KEY_META != 0) or d.storage is None and not d.keys & KEY_META:
        where = "without data" if d.storage is None and not d.keys & KEY_META else f"on the device {d.device}"
        raise RuntimeError(
            f"'out' is a tensor {where}; expected one on the device {'meta' if meta else 'cpu'}, where the operands "
            "are")
    if ok:
        for k in range(rank):
            if d.sizes[k] != sizes[k]:
                ok = False
    if not ok:
        UPCALLS.fit_dest(
            d, [sizes[k] for k in range(rank)], None if strides == NULL else [strides[k] for k in range(rank)])
        if d.ndim_ != rank:
            raise RuntimeError(f"'out' has {d.ndim_} dimensions; expected {rank}")
        for k in range(rank):
            if d.sizes[k] != sizes[k]:
                raise RuntimeError(f"'out' has the shape {list(d.shape)}; expected {[sizes[k] for k in range(rank)]}")
    if not meta and not has_data(d, False):
        raise RuntimeError(
            f"'out' reaches outside of its storage of {d.storage.size_bytes} bytes (size {list(d.shape)}, stride "
            f"{list(d.stride())}, offset {d.storage_offset()})")
    return 0

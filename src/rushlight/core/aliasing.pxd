from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from rushlight.core.base cimport times_most
from rushlight.core.tensor cimport KEY_META, KEY_PENDING, Tensor, lies_inside

cdef enum Reads:             # compiler/plan.py, Alloc.reads
    FREE = 0
    ALIGNED = 1

cdef int64_t next_stamps(int n) noexcept
cdef void* given_memory(Tensor t) except NULL
cdef bint wanted(Tensor d, int* reads, PyObject** ts, int n) noexcept
cdef bint taken(Tensor d, list dests, int k) noexcept
cdef int check_dest(
        Tensor d, int code, int rank, int64_t* sizes, int64_t* strides, bint meta) except -1

cdef inline bint has_data(Tensor t, bint meta) noexcept:
    """Whether kernels may access every element of `t`: it has memory, and is inside it. meta: no element is accessed.

    A tensor is inside its storage when it is made (`place_at`), and remains so unless the storage shrinks.
    """
    if t.storage is None:
        return meta and t.keys & KEY_META != 0
    if t.keys & KEY_PENDING:                 # a call that waits will write to it
        return False
    if meta:
        return t.ndim_ == 0 or t.keys & KEY_META != 0
    return not t.storage.shrunk or lies_inside(t)

cdef inline bint has_sizes(Tensor t, int rank, int64_t* sizes) noexcept:
    cdef int k
    if t.ndim_ != rank:
        return False
    for k in range(rank):
        if t.sizes[k] != sizes[k]:
            return False
    return True

cdef inline bint lies_joined(Tensor t, int n, int* dims) noexcept:
    """Whether the strides of two dimensions allow them to be merged."""
    cdef int i, d
    for i in range(n):
        d = dims[i]
        if t.sizes[d] != 1 and t.strides[d] != times_most(t.strides[d + 1], t.sizes[d + 1]):
            return False
    return True

cdef inline bint lies_so(Tensor t, int* order) noexcept:
    """Whether a tensor's elements are contiguous in this order of its dimensions."""
    cdef int64_t n = 1
    cdef int k, d
    for k in range(t.ndim_ - 1, -1, -1):
        d = order[k]
        if t.sizes[d] != 1:
            if t.strides[d] != n:
                return False
            n *= t.sizes[d]
    return True

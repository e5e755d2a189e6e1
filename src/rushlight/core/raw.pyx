"""Tensors from memory and metadata, without autograd; the factories are built on these functions."""
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from weakref import ref as weakref_ref

from rushlight.core import dtypes as _dtypes
from rushlight.core.base cimport (
    BUILTIN_DTYPES, ITEMSIZE, RL_FITS, RL_WRAPS, reach, strides_in_rows, times_most, times_overflows, write_scalar)
from rushlight.core.devices import META
from rushlight.core.python cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from rushlight.core.storage import storage_from_external
from rushlight.core.storage cimport Storage, meta_storage, new_storage
from rushlight.core.tensor cimport (
    ABOVE, INLINE_DIMS, KEY_DEVICE, KEY_LAYOUT, KEY_META, KEY_PENDING, KEY_SPECIAL, KEY_TRACE, KEY_TRANSFORM,
    Tensor, address, alias, bump_version, count_apart, counts_with, expose, empty_contiguous, finish, get_meta,
    is_plain, mark_inference, mark_view, memory, new_tensor, place_of, recorded, scalar_in, settle, sizes_of,
    strides_of, tls, unmade, version_of, wants_grad, writes_to)


# id of a tensor -> a weak reference to it, and its former storages that others have seen through it
cdef dict _lent = {}

cdef int keep_lent(Tensor t) except -1:
    """Keep t's storage as long as `t` lives: whoever has seen the storage may hold a reference to `t` only."""
    key = id(t)
    if key not in _lent:
        _lent[key] = (weakref_ref(t, lambda _, key=key: _lent.pop(key, None)), [])
    _lent[key][1].append(t.storage)
    return 0


cdef void become(Tensor t, Tensor o) except *:
    """Make `t` view the memory of `o` with o's metadata; its autograd state stays."""
    expose(t)
    settle(o)
    t.set_ndim(o.ndim_)
    if t.storage is not None and t.storage.lent and t.storage is not o.storage:
        keep_lent(t)
    t.storage = o.storage
    t.at = o.at
    t.code, t.itemsize_, t.numel_, t.contiguous_ = o.code, o.itemsize_, o.numel_, o.contiguous_
    memcpy(t.sizes, o.sizes, o.ndim_ * sizeof(int64_t))
    memcpy(t.strides, o.strides, o.ndim_ * sizeof(int64_t))
    if (t.keys | o.keys) & KEY_LAYOUT:
        get_meta(t).parts = None if o.meta is None else o.meta.parts
    t.keys = (t.keys & ~(KEY_META | KEY_DEVICE | KEY_LAYOUT)) | (o.keys & (KEY_META | KEY_DEVICE | KEY_LAYOUT))


cdef int64_t int64_of(object x) except? -1:
    """A size, stride or offset as an int64; RuntimeError if it does not fit."""
    cdef int over = 0
    cdef int64_t n
    if not PyLong_CheckExact(x) and not hasattr(type(x), "__index__"):
        raise TypeError(f"a size, stride or offset must be int, not {type(x).__name__}")
    n = PyLong_AsLongLongAndOverflow(x, &over)
    if over:
        raise RuntimeError(f"a size, stride or offset must be a number of 64 bits; found {x}: overflow")
    return n


cdef void move_to(Tensor t, Tensor o, int64_t more) except *:
    """Make `t` view other memory, and count its own writes from now on, to which this adds `more`: it no longer shares
    its count with other tensors.
    """
    settle(t)
    count_apart(t, version_of(t) + more)
    become(t, o)


cdef void set_meta(Tensor t, int code, tuple sizes, tuple strides) except *:
    cdef int i
    cdef int64_t s = 1
    if strides is not None and len(strides) != len(sizes):
        raise RuntimeError(
            f"'size' and 'stride' must be of one length; found {list(sizes)} and {list(strides)}")
    t.code, t.itemsize_ = code, ITEMSIZE[code]
    t.set_ndim(len(sizes))
    for i in range(t.ndim_ - 1, -1, -1):
        t.sizes[i] = int64_of(sizes[i])
        t.strides[i] = s if strides is None else int64_of(strides[i])
        s = times_most(s, t.sizes[i] if t.sizes[i] > 1 else 1)
    finish(t)


ABOVE.move = move_to


cdef int64_t span(Tensor t) except -1:
    """The bytes of a storage for a tensor with t's sizes and strides at its start; RuntimeError if 63 bits cannot count
    them.
    """
    cdef int64_t low, high
    if reach(t.ndim_, t.sizes, t.strides, t.itemsize_, 0, &low, &high) != RL_FITS:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={sizes_of(t)} and strides={strides_of(t)}")
    if low < 0:
        raise RuntimeError(f"'stride' must be at least 0 in each dimension; found {strides_of(t)}")
    return high


def tensor_from_storage(Storage storage not None, dtype, offset, size, stride):
    """A tensor on `storage`, by dtype, offset, size and stride (in elements); every element must be inside the storage.
    """
    if storage.device is META:
        return empty_meta(dtype, size, stride)
    cdef Tensor t = unmade()
    t.storage = storage
    mark_inference(t)
    set_meta(t, dtype.code, tuple(size), tuple(stride))
    place_at(t, int64_of(offset))
    if storage.device.type not in ("cpu",):
        t.keys |= KEY_DEVICE
    return t


cdef int place_at(Tensor t, int64_t first) except -1:
    """Let `t` begin `first` elements after the start of its storage; RuntimeError unless every element is inside it."""
    cdef int64_t low, high
    if (times_overflows(first, t.itemsize_, &t.at)
            or reach(t.ndim_, t.sizes, t.strides, t.itemsize_, t.at, &low, &high) == RL_WRAPS):
        raise RuntimeError(
            f"Storage size calculation overflowed: sizes {sizes_of(t)} with strides {strides_of(t)} and offset {first} "
            "reach beyond 63 bits")
    if first < 0:
        raise RuntimeError(f"'storage_offset' must be at least 0; found {first}")
    if low < high and (low < 0 or high > t.storage.size_bytes):
        raise RuntimeError(
            f"the view must lie within its storage of {t.storage.size_bytes} bytes; found bytes {low} to {high} "
            f"(size {sizes_of(t)}, stride {strides_of(t)}, offset {first})")
    return 0


cdef tuple ints_of(str name, object x):
    if PyLong_CheckExact(x):
        return (x,)
    if x is None or isinstance(x, str):
        raise TypeError(f"argument '{name}' must be tuple of ints, not {type(x).__name__}")
    return tuple(x)


def view_of(Tensor t not None, size, stride, offset, bint ahead=False):
    """A view of t's storage, checked; no autograd.

    Args:
        t: the tensor.
        size: ints, or one.
        stride: as many, in elements; ahead: not negative.
        offset: elements from the start of the storage, None: t's own.
    """
    cdef Tensor r = unmade()
    cdef int64_t signs = 0
    cdef int i
    settle(t)
    r.storage = t.storage
    counts_with(r, t)
    set_meta(r, t.code, ints_of("size", size), ints_of("stride", stride))
    if ahead:
        for i in range(r.ndim_):
            signs |= r.strides[i]
        if signs < 0:
            raise RuntimeError(f"'stride' must be at least 0 in each dimension; found {strides_of(r)}")
    r.keys |= t.keys & (KEY_META | KEY_DEVICE)
    if t.storage is not None:
        place_at(r, t.offset_() if offset is None else int64_of(offset))
    return r


cdef Tensor part_of(Tensor t, int dim, int64_t at, int64_t n, bint alone=False):
    """The view of n elements of dimension `dim` from `at` on, which counts as one of several results unless `alone`; n
    < 0: of the element at `at`, without the dimension.
    """
    settle(t)
    cdef int i, k = 0
    cdef Tensor r = new_tensor(t.storage, t.code, t.ndim_ - (n < 0))
    for i in range(t.ndim_):
        if i == dim and n < 0:
            continue
        r.sizes[k], r.strides[k] = n if i == dim else t.sizes[i], t.strides[i]
        k += 1
    r.at = t.at + (at * t.strides[dim] * t.itemsize_ if n or alone else 0)
    r.keys |= t.keys & KEY_META
    counts_with(r, t)
    finish(r)
    mark_view(r, t)
    if not alone and r.meta is not None and tls().grad_enabled:
        r.meta.why_no_inplace = "many"
    return r


def parts_of(Tensor t not None, int dim, list lengths=None):
    """Views of consecutive parts of the existing dimension `dim`: of these lengths, or of one element each without the
    dimension.
    """
    cdef int64_t i, n, at = 0
    if lengths is None:
        return [part_of(t, dim, i, -1) for i in range(t.sizes[dim])]
    cdef list out = []
    for n in lengths:
        if n < 0 or at + n > t.sizes[dim]:
            raise RuntimeError(f"parts {lengths} of dimension {dim} of size {t.sizes[dim]}")
        out.append(part_of(t, dim, at, n))
        at += n
    return out


def ranges_of(Tensor t not None, int dim, list starts, list lengths):
    """Views of existing ranges of dimension `dim`, each of which counts as the only result of its call; None if the
    call needs dispatch or is recorded.
    """
    cdef int64_t at, n
    cdef list out = []
    if not is_plain(t) or recorded(t):
        return None
    for at, n in zip(starts, lengths):
        if at < 0 or n < 0 or at + n > t.sizes[dim]:
            raise RuntimeError(f"parts {lengths} from {starts} on of dimension {dim} of size {t.sizes[dim]}")
        out.append(part_of(t, dim, at, n, True))
    return out


def layout_tensor(dtype, size, parts not None):
    """A tensor of another layout than strided, without history, made of `parts`, an object with a `layout`.
    """
    cdef Tensor t = unmade()
    mark_inference(t)
    set_parts(t, dtype, size, parts)
    return t


def set_parts(Tensor t not None, dtype, size, parts not None):
    """Make `t` a tensor of `size` made of `parts`, in place; its history stays. It has sizes, but no memory that a
    kernel could read.
    """
    if t.keys & (KEY_TRACE | KEY_TRANSFORM):
        raise RuntimeError("set_parts(): a traced or transformed value is not made of parts")
    if t.storage is not None:
        raise RuntimeError(
            "set_parts(): 't' must have no memory of its own, which others may have seen; found a tensor with a "
            "storage")
    if not isinstance(dtype, _dtypes.dtype):
        raise TypeError(f"set_parts(): 'dtype' must be a dtype; found {type(dtype).__name__}")
    # (A tensor has a layout, too, which would be read from its own parts.)
    if isinstance(parts, Tensor) or not isinstance(getattr(parts, "layout", None), _dtypes.layout):
        raise TypeError(
            f"set_parts(): 'parts' must be an object with a layout, and no tensor; found {type(parts).__name__}")
    set_meta(unmade(), dtype.code, tuple(size), (0,) * len(size))  # (If the size is refused, `t` is unchanged.)
    set_meta(t, dtype.code, tuple(size), (0,) * len(size))
    t.storage, t.at, t.contiguous_ = None, 0, False
    get_meta(t).parts = parts
    t.keys = (t.keys & ~(KEY_META | KEY_DEVICE)) | KEY_LAYOUT


def empty_strided_raw(dtype, size, stride):
    """Uninitialised memory with the given size and stride (elements, not negative)."""
    cdef Tensor t = unmade()
    set_meta(t, dtype.code, tuple(size), None if stride is None else tuple(stride))
    t.storage = new_storage(span(t))
    mark_inference(t)
    return t


def empty_meta(dtype, size, stride=None):
    """A tensor on the meta device: metadata only."""
    cdef Tensor t = unmade()
    set_meta(t, dtype.code, tuple(size), None if stride is None else tuple(stride))
    mark_inference(t)
    t.keys |= KEY_META
    return t


def marked(Tensor t not None):
    """A meta tensor that lies as the meta tensor `t` does, without history, on a storage of its own: what is a view of
    it lies on the same.
    """
    cdef Tensor r = alias(t)
    if not t.keys & KEY_META:
        raise ValueError(f"marked(): 't' must be on the device meta; found {t.device}")
    r.storage, r.at = meta_storage(span(t)), 0
    return r


def alias_of(Tensor t not None):
    """A tensor on the same memory without history, as detach() makes it."""
    return alias(t)


def set_storage(Tensor t not None, Tensor other not None):
    """Let `t`, which is new or becomes a view of itself, view other's memory with other's metadata."""
    become(t, other)


def set_keys(Tensor t not None, unsigned int keys, dtype):
    """Mark an instance of an internal subclass (a tracer, a batched or dual tensor) with its dispatch keys and dtype.
    """
    t.keys = keys
    t.storage, t.ndim_ = None, 0
    t.code = dtype.code
    t.itemsize_ = ITEMSIZE[t.code]


def bump(Tensor t not None):
    """Note a write to t's memory."""
    settle(t)
    bump_version(t)


def version(Tensor t not None):
    """How often t's memory was written to, as far as that is counted: `_version`, also for inference tensors."""
    settle(t)
    return version_of(t)


def ordinary(Tensor t not None):
    """A tensor on the same memory without history that may take part in a graph, even if `t` may not."""
    cdef Tensor r = alias(t)
    r.inference_ = 0
    return r


def uncounted(Tensor t not None):
    """A tensor on the same memory, writes to which are not counted: for the work of a call that counts itself.
    """
    cdef Tensor r = alias(t)
    count_apart(r, 0)
    r.inference_ = 0
    return r


def set_memory(Tensor t not None, Tensor other not None):
    """Do the work of set_() and resize_(): `t` views other's memory with other's metadata, which counts as a write to
    it.
    """
    move_to(t, other, 1)


def initialised(Tensor t not None):
    """Whether `t` has memory, or needs none (on the meta device, or as a stand-in for another value)."""
    return t.storage is not None or t.keys & (KEY_SPECIAL | KEY_META) != 0


def same_memory(Tensor a not None, Tensor b not None):
    """Whether two tensors share a storage."""
    settle(a)
    settle(b)
    return a.storage is not None and a.storage is b.storage


def has_own_memory(Tensor t not None, unsigned int keys=0):
    """Whether `t`, a tensor in memory, is the only one that refers to it, and nothing else may read or write it. keys:
    those that it may have.
    """
    return (t.keys & ~keys == 0 and t.storage is not None and (<PyObject*>t.storage).ob_refcnt == 1 and t.storage.owned
        and not t.storage.fixed and t.storage.windows == 0 and (t.meta is None or t.meta.base is None))


cpdef Tensor flat_of(Tensor t):
    """A row-major tensor as one dimension, on the same memory and without history."""
    cdef Tensor r = alias(t)
    set_row_major(r, 1, &t.numel_)
    return r


def lies_at(Tensor t not None):
    """The layout of a tensor with memory: (its storage, the byte at which it begins, the bytes from one element to the
    next in each dimension, or None if row-major); the storage is None if there are no elements.
    """
    if t.numel_ == 0:
        return None, 0, None
    settle(t)
    if t.storage is None:
        raise RuntimeError("lies_at(): expected a tensor with memory; found one that stands for another value")
    memory(t)
    return t.storage, t.at, None if t.contiguous_ else tuple([t.strides[i] * t.itemsize_ for i in range(t.ndim_)])


def read_bytes(Tensor t not None):
    """The bytes of a contiguous tensor."""
    if not t.contiguous_:
        raise RuntimeError(f"bytes are read of a contiguous tensor; found strides {t.stride()}")
    return memory(t)[:t.numel_ * t.itemsize_]


def copy_bytes(Tensor t not None, data):
    """Overwrite a contiguous tensor with bytes of the same length."""
    if not t.contiguous_:
        raise RuntimeError(f"bytes are written to a contiguous tensor; found strides {t.stride()}")
    cdef const unsigned char[::1] view = data
    if view.shape[0] != t.numel_ * t.itemsize_:
        raise ValueError(f"expected {t.numel_ * t.itemsize_} bytes; found {view.shape[0]}")
    if view.shape[0]:
        memcpy(memory(t), &view[0], view.shape[0])


cdef struct ArrayStruct:     # what __array_struct__ of a NumPy array points to
    int two
    int ndim
    char kind
    int itemsize
    int flags
    Py_ssize_t* sizes
    Py_ssize_t* strides
    char* data

cdef enum:
    ROWS = 1                 # among these flags: the array is row-major

cdef ArrayStruct* struct_of(object capsule) except NULL:
    cdef ArrayStruct* s = <ArrayStruct*>PyCapsule_GetPointer(capsule, NULL)
    if s.two != 2 or s.ndim < 0:
        raise TypeError("__array_struct__ is not what NumPy's arrays have")
    return s


def on_array(a not None, dtype not None):
    """A tensor on the memory of a NumPy array of the dtype; None for one of many dimensions or not row-major."""
    cdef object capsule = a.__array_struct__
    cdef ArrayStruct* s = struct_of(capsule)
    cdef int code = dtype.code
    cdef int64_t nbytes
    if not s.flags & ROWS or s.ndim > INLINE_DIMS or code >= BUILTIN_DTYPES or s.itemsize != ITEMSIZE[code]:
        return None
    cdef Tensor t = new_tensor(None, code, s.ndim)
    memcpy(t.sizes, s.sizes, s.ndim * sizeof(int64_t))
    strides_in_rows(s.ndim, t.sizes, t.strides)
    finish(t)
    if times_overflows(t.numel_, t.itemsize_, &nbytes):
        return None
    t.storage = storage_from_external(<size_t>s.data, nbytes, a)
    return t


def copy_array(Tensor t not None, a not None):
    """Overwrite a contiguous tensor with the elements of a row-major NumPy array of as many bytes."""
    cdef object capsule = a.__array_struct__
    cdef ArrayStruct* s = struct_of(capsule)
    cdef int64_t nbytes = s.itemsize
    cdef int i
    for i in range(s.ndim):
        nbytes = times_most(nbytes, s.sizes[i])
    if not t.contiguous_ or not s.flags & ROWS or nbytes != t.numel_ * t.itemsize_:
        raise ValueError(
            f"{t.numel_ * t.itemsize_} bytes are written from a row-major array of as many; found {nbytes}")
    if nbytes:
        memcpy(memory(t), s.data, nbytes)


def one_like(Tensor t not None):
    """A tensor of ones in the shape of `t`, a plain or pending CPU tensor of one element; None if it needs dispatch.
    """
    if t.keys & ~KEY_PENDING or t.code >= BUILTIN_DTYPES or tls().modes != (1 if t.keys else 0):
        return None
    cdef Tensor r = empty_contiguous(t.code, t.ndim_, t.sizes, False)
    write_scalar(address(r), t.code, 1)
    return r


def unwritten(Tensor t not None):
    """Set the number of writes to a tensor's memory to 0."""
    if t.storage is not None:
        t.storage.version = 0


def set_version(Tensor t not None, int64_t n):
    """Set the number of writes to a tensor's memory: later ones have been undone."""
    cdef int64_t* found = writes_to(t)
    if found == NULL or n < 0:
        raise ValueError(f"set_version(): expected a tensor in memory and a count of at least 0; found {n}")
    found[0] = n


def no_storage(Tensor t not None):
    """Whether a tensor has only metadata: on meta, or as a wrapper of others."""
    settle(t)
    return t.storage is None


def mark_as_wrapped_view(Tensor r not None, Tensor t not None, view_fn):
    """Record that `r` is a view of `t`, both without memory: they share a count of writes, and view_fn makes r from t's
    base.
    """
    if t.counter is None:
        count_apart(t, version_of(t))
    counts_with(r, t)
    mark_view(r, t)
    if r.meta is not None:
        r.meta.view_fn = view_fn


def scalar_of(Tensor t not None):
    """The value in a tensor's memory, without dispatch to modes or classes."""
    return scalar_in(t)


cdef void set_row_major(Tensor t, int ndim, const int64_t* sizes) noexcept:
    """Change the sizes of a new row-major tensor to others (at most INLINE_DIMS) with as many elements."""
    t.ndim_ = ndim
    memcpy(t.sizes, sizes, ndim * sizeof(int64_t))
    strides_in_rows(ndim, sizes, t.strides)

"""x[...] and x[...] = value: views by ints, slices, None and Ellipsis; index tensors and masks among the entries; and
the indices of a mask's true elements.
"""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t

from rushlight.core._native cimport c_mask_chunks, c_mask_count, c_mask_places, c_mask_take
from rushlight.core.arrays cimport Arrays
from rushlight.core.base cimport (
    BUILTIN_DTYPES, C_BF16, C_BOOL, C_F16, C_F32, C_I32, C_I64, C_U8, DTYPES, STORED_DTYPES, UPCALLS, core_only,
    read_scalar, times_most, write_scalar)
from rushlight.core.python cimport PyLong_AsLongLongAndOverflow
from rushlight.core.tensor cimport (
    ABOVE, KEY_META, KEY_SPECIAL, KEY_SUBCLASS, MAX_DIMS, Tensor, address, counts_with, empty_contiguous, finish,
    is_plain, mark_view, memory, new_tensor, recorded, settle, tls)

cdef extern from "Python.h":
    ctypedef struct PySliceObject:
        PyObject* start
        PyObject* stop
        PyObject* step
    PyObject** PySequence_Fast_ITEMS(PyObject*)
    int PySlice_Unpack(object, Py_ssize_t*, Py_ssize_t*, Py_ssize_t*) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t, Py_ssize_t*, Py_ssize_t*, Py_ssize_t)


# ------------------------------------------------------------------------------------------------------ an index apart
# Kinds of entries, as the operator `_slice_view` takes them (operators/indexing/getitem.py).
cdef enum:
    WHOLE = 58       # :
    ONE = 105        # i
    RANGE = 91       # [
    STEPS = 43       # +
    BACK = 45        # -
    NEW = 110        # n
    MOST_ENTRIES = 2 * MAX_DIMS


cdef struct Apart:
    # A parsed index; dimensions after the last entry are taken whole.
    int n
    int ndim                       # of the view
    bint whole                     # the view is the whole tensor
    char kind[MOST_ENTRIES]
    int64_t start[MOST_ENTRIES]
    int64_t size[MOST_ENTRIES]
    int64_t step[MOST_ENTRIES]


cdef class _Chosen:
    """The tensors among the entries of an index: they select from the view that the other entries make."""
    cdef list tensors, at     # index tensors and masks, and the dimension of the view at which each begins


cdef bint take_apart(Tensor t, object index, Apart* a, _Chosen c) except -1:
    """Parse an index of ints, slices, None and Ellipsis, and with `c` also of index tensors and masks (see
    `with_tensors`). False for all others, and where an error must be raised.
    """
    cdef PyObject* alone = <PyObject*>index
    cdef PyObject** items = &alone
    cdef Py_ssize_t n = 1, k
    cdef int used = 0, d = 0
    cdef bint dots = False
    cdef Tensor x
    if type(index) is tuple:
        items, n = PySequence_Fast_ITEMS(<PyObject*>index), len(<tuple>index)
    for k in range(n):
        e = <object>items[k]
        if type(e) is slice or type(e) is int:
            used += 1
        elif e is Ellipsis:
            if dots:
                return False
            dots = True
        elif type(e) is Tensor and c is not None:
            x = <Tensor>e
            if x.keys or x.ndim_ == 0 or not (x.code == C_I64 or x.code == C_I32 or is_mask(x)):
                return False
            used += taken_by(x)
        elif e is not None:
            return False
    if used > t.ndim_ or n + t.ndim_ > MOST_ENTRIES:
        return False
    a.n, a.ndim, a.whole = 0, t.ndim_, True
    for k in range(n):
        e = <object>items[k]
        if type(e) is int:
            if not take_int(a, e, t.sizes[d]):
                return False
            d += 1
        elif type(e) is slice:
            if not take_slice(a, e, t.sizes[d]):
                return False
            d += 1
        elif e is None:
            a.ndim += 1
            put(a, NEW, 0, 1, 1)
        elif e is Ellipsis:
            d += take_whole(a, t.ndim_ - used)
        else:
            x = <Tensor>e
            if is_mask(x) and not begins_with(t, x, d):
                return False
            c.tensors.append(x)
            c.at.append(d + a.ndim - t.ndim_)
            d += take_whole(a, taken_by(x))
    return a.ndim <= MAX_DIMS


cdef inline void put(Apart* a, char kind, int64_t start, int64_t size, int64_t step) noexcept:
    a.kind[a.n], a.start[a.n], a.size[a.n], a.step[a.n] = kind, start, size, step
    a.n += 1
    a.whole &= kind == WHOLE


cdef inline int take_whole(Apart* a, int n) noexcept:
    for _ in range(n):
        put(a, WHOLE, 0, 0, 1)
    return n


cdef inline bint take_int(Apart* a, object e, int64_t n) except -1:
    cdef int over = 0
    cdef int64_t i = PyLong_AsLongLongAndOverflow(e, &over)
    if over or not -n <= i < n:
        return False
    a.ndim -= 1
    put(a, ONE, i + n if i < 0 else i, 1, 1)
    return True


cdef inline bint take_slice(Apart* a, object e, int64_t n) except -1:
    cdef Py_ssize_t start, stop, step, size
    cdef PySliceObject* ends = <PySliceObject*>e
    if not (_plain(<object>ends.start) and _plain(<object>ends.stop) and _plain(<object>ends.step)):
        return False
    PySlice_Unpack(e, &start, &stop, &step)
    size = PySlice_AdjustIndices(n, &start, &stop, step)
    if size == n and step == 1:
        take_whole(a, 1)
    else:
        put(a, RANGE if step == 1 else STEPS if step > 0 else BACK, start if size else 0, size, step)
    return True


cdef inline bint _plain(object x):
    return x is None or type(x) is int


cdef Tensor basic_view(Tensor t, Apart* a):
    """The view that the entries other than tensors make, with a graph node if `t` is recorded."""
    cdef int d = 0, out = 0, k
    cdef int64_t offset = 0
    cdef Tensor r
    cdef list ints
    settle(t)
    if not t.inference_ and recorded(t):
        ints = []
        for k in range(a.n):
            if a.kind[k] != WHOLE and a.kind[k] != NEW:
                ints.append(a.start[k])
                if a.kind[k] != ONE:
                    ints.append(a.size[k])
                if a.kind[k] == STEPS or a.kind[k] == BACK:      # the sign of a step is static, its size is not
                    ints.append(abs(a.step[k]))
        return UPCALLS.slice_view(t, a.kind[:a.n].decode("ascii"), tuple(ints))
    r = new_tensor(t.storage, t.code, a.ndim)
    for k in range(a.n):
        if a.kind[k] == NEW:
            r.sizes[out], r.strides[out] = 1, times_most(t.sizes[d], t.strides[d]) if d < t.ndim_ else 1
            out += 1
            continue
        if a.kind[k] != ONE:
            r.sizes[out] = t.sizes[d] if a.kind[k] == WHOLE else a.size[k]
            r.strides[out] = times_most(t.strides[d], a.step[k])
            out += 1
        offset += a.start[k] * t.strides[d]
        d += 1
    while out < a.ndim:
        r.sizes[out], r.strides[out] = t.sizes[d], t.strides[d]
        out += 1
        d += 1
    r.at = t.at + offset * t.itemsize_
    r.keys |= t.keys & KEY_META
    counts_with(r, t)
    finish(r)
    mark_view(r, t)
    return r


# -------------------------------------------------------------------------------------------------------------- masks
cdef tuple _FIRST_DIMS = tuple([tuple(range(n)) for n in range(MAX_DIMS + 1)])

cdef enum:
    SHORT_ITEM = 64           # the bytes of an item whose copy costs little more than finding it
    FEW_BYTES = 1 << 20       # bytes of a result that is not worth sharing among threads


cdef class _Found(Arrays):
    """A mask, with the number of its true elements."""
    cdef Tensor mask
    cdef int64_t* starts
    cdef int64_t few[2]
    cdef int64_t count


cdef _Found count_mask(Tensor mask):
    """Count the true elements of a mask with memory: of bool, or another type of one byte."""
    cdef _Found f = _Found.__new__(_Found)
    cdef int64_t chunks
    settle(mask)
    if mask.keys & ((KEY_SPECIAL | KEY_META) & ~KEY_SUBCLASS) or mask.itemsize_ != 1:
        raise TypeError(f"a mask with data is expected; found one of dtype {DTYPES[mask.code]} and keys {mask.keys}")
    f.mask = mask if mask.contiguous_ else mask.contiguous()
    f.starts = f.few
    chunks = c_mask_chunks(mask.numel_)
    if chunks == 1:
        f.count = c_mask_count(<uint8_t*>memory(f.mask), mask.numel_, f.starts)
        return f
    f.starts = <int64_t*>f.room((chunks + 1) * sizeof(int64_t))
    cdef uint8_t* p = <uint8_t*>memory(f.mask)
    with nogil:
        f.count = c_mask_count(p, f.mask.numel_, f.starts)
    return f


def places(Tensor mask not None):
    """The indices of a mask's true elements: int64, shape (found, ndim), in row-major order; the indices along one
    dimension are contiguous.
    """
    cdef _Found f = count_mask(mask)
    cdef int64_t sizes[2]
    cdef int64_t* columns[MAX_DIMS]
    cdef int d
    sizes[0], sizes[1] = mask.ndim_, f.count
    cdef Tensor out = empty_contiguous(C_I64, 2, sizes, False)
    for d in range(mask.ndim_):
        columns[d] = <int64_t*>address(out) + d * f.count
    write_places(f, columns, 1)
    out.sizes[0], out.sizes[1], out.strides[0], out.strides[1] = f.count, mask.ndim_, 1, f.count
    finish(out)
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
        columns[d] = <int64_t*>address(column)
        found[d] = column
    write_places(f, columns, 1)
    return found


cdef void write_places(_Found f, int64_t** columns, int64_t step) noexcept:
    cdef Tensor mask = f.mask
    cdef uint8_t* p
    if mask.ndim_ == 0:
        return
    if f.starts == f.few:              # one chunk, which cannot be shared
        c_mask_places(<uint8_t*>address(mask), mask.numel_, f.starts, mask.ndim_, mask.sizes, columns, step)
    else:
        p = <uint8_t*>address(mask)
        with nogil:
            c_mask_places(p, mask.numel_, f.starts, mask.ndim_, mask.sizes, columns, step)


# ----------------------------------------------------------------------------------------------------------- x[tensor]
cdef Tensor chosen(Tensor t, Tensor index):
    """t[index] for an index tensor or mask with memory; None for all others (and where an error must be raised)."""
    cdef _Found f
    if index.keys or index.ndim_ == 0 or t.ndim_ == 0:
        return None
    if index.code == C_I64 or index.code == C_I32:
        return UPCALLS.index(t, _FIRST_DIMS[1], (index,))
    if not is_mask(index) or not begins_with(t, index, 0):
        return None
    if index.code == C_U8:
        old_mask()
    f = count_mask(index)
    if not t.keys and not recorded(t):
        found = taken(t, f)
        if found is not None:
            return found
    return UPCALLS.index(t, _FIRST_DIMS[index.ndim_], columns_of(f))


cdef inline bint is_mask(Tensor t) noexcept:
    return t.code == C_BOOL or t.code == C_U8


cdef int old_mask() except -1:
    UPCALLS.warn("an index of dtype uint8 is taken for a mask, which is deprecated; make it bool")
    return 0


cdef bint begins_with(Tensor t, Tensor mask, int at) noexcept:
    """Whether the sizes of `t` from dimension `at` on are those of the mask."""
    cdef int d
    if at + mask.ndim_ > t.ndim_:
        return False
    for d in range(mask.ndim_):
        if mask.sizes[d] != t.sizes[at + d]:
            return False
    return True


cdef Tensor taken(Tensor t, _Found f):
    """t[mask] by copying items; None if the items of t are not blocks of memory, or so many bytes that a kernel should
    copy them.
    """
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
    if item == 0 or (item > SHORT_ITEM and f.count > FEW_BYTES // item):
        return None
    sizes[0] = f.count
    out = empty_contiguous(t.code, t.ndim_ - k + 1, sizes, False)
    cdef char* source = memory(t)
    cdef uint8_t* p
    cdef char* q
    if t.contiguous_:                  # all dimensions of the mask count as one
        k, sizes[0], stride[0] = 1, mask.numel_, item
    else:
        for d in range(k):
            sizes[d], stride[d] = t.sizes[d], t.strides[d] * t.itemsize_
    if mask.numel_ <= FEW_BYTES // item:
        c_mask_take(<uint8_t*>address(mask), mask.numel_, f.starts, k, sizes, source, stride, item, address(out))
    else:
        p, q = <uint8_t*>address(mask), address(out)
        with nogil:
            c_mask_take(p, mask.numel_, f.starts, k, sizes, source, stride, item, q)
    return out


# -------------------------------------------------------------------------------------------------- x[1:, tensor, ...]
cdef inline int taken_by(Tensor x) noexcept:
    """How many dimensions an index tensor or mask indexes."""
    return x.ndim_ if is_mask(x) else 1


cdef tuple with_tensors(object index):
    """The entries of an index, with lists of ints as index tensors, and index tensors of one element as ints."""
    cdef list entries = list(<tuple>index) if type(index) is tuple else [index]
    cdef Tensor x
    cdef int k
    for k in range(len(entries)):
        e = entries[k]
        if type(e) is list:
            entries[k] = of_ints(<list>e)
        elif type(e) is Tensor:
            x = <Tensor>e
            if x.ndim_ == 0 and not x.keys and (x.code == C_I64 or x.code == C_I32):
                entries[k] = read_scalar(memory(x), x.code)
    return tuple(entries)


cdef object of_ints(list values):
    """A list of ints as an index tensor; the list itself if it holds anything else."""
    cdef int64_t n = len(values)
    cdef Tensor t
    for v in values:
        if type(v) is not int or not _LEAST <= v <= _GREATEST:
            return values
    t = empty_contiguous(C_I64, 1, &n, False)
    for n in range(len(values)):
        (<int64_t*>address(t))[n] = values[n]
    return t

cdef object _LEAST = -(1 << 62), _GREATEST = 1 << 62          # ints that fit into 64 bits for certain
cdef object _BITS_64 = 1 << 64


cdef tuple places_of(_Chosen c):
    """The indexed dimensions of the view and an integer index tensor for each."""
    cdef list dims = [], tensors = []
    cdef Tensor x
    for x, at in zip(c.tensors, c.at):
        if x.code == C_U8:
            old_mask()
        columns = columns_of(count_mask(x)) if is_mask(x) else (x,)
        dims += range(at, at + len(columns))
        tensors += columns
    return tuple(dims), tensors


cdef Tensor by_tensors(Tensor t, object index):
    """t[index] for a plain tensor and an index with tensors in memory, or lists of ints; None for all others (and where
    an error must be raised).
    """
    cdef Apart a
    cdef _Chosen c
    cdef Tensor view
    if not is_plain(t) or t.keys & KEY_META:       # an index tensor of the CPU must go to the device first
        return None
    if type(index) is Tensor:
        view = chosen(t, <Tensor>index)
        if view is not None:
            return view
    c = _Chosen.__new__(_Chosen)
    c.tensors, c.at = [], []
    if not take_apart(t, with_tensors(index), &a, c):
        return None
    if not c.tensors:
        return basic_view(t, &a)
    view = t if a.whole else basic_view(t, &a)
    if len(c.tensors) == 1 and c.at[0] == 0:
        return chosen(view, <Tensor>c.tensors[0])
    return UPCALLS.index(view, *places_of(c))


# ------------------------------------------------------------------------------------------------------ x[...] = value
cdef object nearest(int code, object value):
    """The number of a float dtype of 16 bits or fewer that is nearest to `value`, which may be infinity: assignment
    rounds to it, while fill_() refuses numbers out of range. For other dtypes, the number itself.
    """
    cdef int64_t room = 0           # aligned for all of these dtypes
    cdef char* at = <char*>&room
    if type(value) is int and not -_BITS_64 < value < _BITS_64:
        return value
    if code == C_F16 or code == C_BF16 or STORED_DTYPES <= code < BUILTIN_DTYPES:
        write_scalar(at, code, value)
        return read_scalar(at, code)
    return value


def nearest_number(Tensor t not None, value):
    """The number that is written when `value`, a real one, is assigned to elements of a tensor; see `nearest`."""
    return nearest(t.code, value)


cdef bint assigned(Tensor t, object index, object value) except -1:
    """Do t[index] = value for a plain tensor, an index as above or a basic one, and a number or plain tensor; False if
    it is not done.
    """
    cdef bint number = type(value) is float or type(value) is int or type(value) is bool
    cdef Apart a
    cdef _Chosen c = None
    cdef Tensor view, x
    if t.keys or not is_plain(t) or not (number or (type(value) is Tensor and not (<Tensor>value).keys)):
        return False
    if type(value) is int and not _LEAST <= value <= _GREATEST:
        return False                       # refused there, or accepted by a dtype that can hold it
    if number:
        value = nearest(t.code, value)
    if (type(index) is Tensor and number and t.ndim_ and (<Tensor>index).code == C_BOOL
            and same_sizes(t, <Tensor>index)):
        UPCALLS.masked_fill_(t, index, value)
        return True
    if type(index) is Tensor or not take_apart(t, index, &a, None):
        c = _Chosen.__new__(_Chosen)
        c.tensors, c.at = [], []
        if recorded(t) or not take_apart(t, with_tensors(index), &a, c):
            return False
    if c is None or not c.tensors:
        if not number and (<Tensor>value).ndim_ > a.ndim:
            return False
        view = t if a.whole else basic_view(t, &a)
        if number:
            UPCALLS.fill_(view, value)
        else:
            UPCALLS.copy_(view, value)
        return True
    view = t if a.whole else basic_view(t, &a)
    x = c.tensors[0]
    if not number and (<Tensor>value).code != view.code and (<Tensor>value).numel_ == 1:
        return False            # only with a single mask may the value be of another dtype
    if len(c.tensors) == 1 and x.code == C_BOOL and (number or (<Tensor>value).ndim_ == 0):
        UPCALLS.masked_fill_(view, followed_by_ones(x, view.ndim_ - <int>c.at[0] - x.ndim_), value)
        return True
    if number:
        if type(value) is float and not (C_F32 <= view.code <= C_BF16 and (view.code != C_F32 or -1e38 < value < 1e38)):
            return False
        x = empty_contiguous(view.code, 0, NULL, False)
        write_scalar(address(x), x.code, value)
        value = x
    dims, tensors = places_of(c)
    try:
        UPCALLS._index_put_(view, dims, tensors, value)
    except Exception as error:
        # An error of the operator's body would not name the operator that users know.
        better = UPCALLS.eager_error(UPCALLS.index_put_, [view, tensors, value, False], error)
        if better is error:
            raise
        raise better from error
    return True


cdef inline bint same_sizes(Tensor t, Tensor mask) noexcept:
    return not mask.keys and mask.ndim_ == t.ndim_ and begins_with(t, mask, 0)


cdef Tensor followed_by_ones(Tensor t, int n):
    """A view of `t` with n dimensions of size 1 after its own."""
    cdef Tensor r
    cdef int d
    if n == 0:
        return t
    settle(t)
    r = new_tensor(t.storage, t.code, t.ndim_ + n)
    for d in range(r.ndim_):
        r.sizes[d] = t.sizes[d] if d < t.ndim_ else 1
        r.strides[d] = t.strides[d] if d < t.ndim_ else 1
    r.at = t.at
    finish(r)
    return r


# --------------------------------------------------------------------------------------------------- what Tensor calls
cdef object item_of(Tensor t, object index):
    cdef Apart a
    found = None
    if not t.keys & KEY_SPECIAL and not tls().modes:
        if type(index) is not Tensor and take_apart(t, index, &a, None):
            return basic_view(t, &a)
        found = by_tensors(t, index)
    return UPCALLS.getitem(t, index) if found is None else found


cdef int assign(Tensor t, object index, object value) except -1:
    if not assigned(t, index, value):
        UPCALLS.setitem(t, index, value)
    return 0


ABOVE.get, ABOVE.set = item_of, assign
for _class in (_Found, _Chosen):
    core_only(_class)

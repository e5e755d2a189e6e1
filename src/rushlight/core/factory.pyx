"""The usual call of a factory, done here.

What is unusual about a call makes the result None, and the path in operators/creation takes it: a trace in progress,
another default device, sizes that
are no plain ints, memory that several threads fill.
"""
from libc.math cimport ceil
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from rushlight.core import dtypes as _dtypes
from rushlight.core import places as _places
from rushlight.core.base cimport (
    BUILTIN_DTYPES, C_BOOL, C_C64, C_C128, C_F32, C_F64, C_I64, C_U8, C_U16, C_U32, C_U64, DEFAULT_DTYPE, ITEMSIZE,
    KINDS, times_overflows, write_scalar)
from rushlight.core.places import CPU
from rushlight.core.raw cimport place_at, span
from rushlight.core.storage cimport new_storage
from rushlight.core.tensor cimport (
    INLINE_DIMS, Tensor, address, counts_with, empty_contiguous, finish, mark_view, memory, new_tensor, recorded,
    set_requires_grad, tls)

cdef extern from "Python.h":
    bint PyBool_Check(object)
    bint PyLong_CheckExact(object)
    bint PyFloat_CheckExact(object)
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1

cdef list CHOSEN = _places.chosen
cdef object _dtype = _dtypes.dtype

cdef enum:
    SERIAL_BYTES = 65536     # up to here one thread fills memory in the time that starting another one takes


cdef bint default_is_cpu():
    """Whether a factory that is told no device makes plain CPU tensors: no trace is in progress."""
    return tls().building == 0 and CHOSEN[len(CHOSEN) - 1] is CPU


cdef bint names_cpu(object device):
    """Whether a `device` argument is the CPU, written as it usually is."""
    return device is CPU or (type(device) is str and <str>device == "cpu")


cdef bint makes_plain(object device):
    """Whether a factory that is told this device, None for the default one, makes plain CPU tensors: no trace is in
    progress.
    """
    return default_is_cpu() if device is None else tls().building == 0 and names_cpu(device)


cdef int code_of(object dtype, int default) except -2:
    """The code of a `dtype` argument, `default` for None; -1 for what is no built-in dtype."""
    cdef int code
    if dtype is None:
        return default
    if type(dtype) is not _dtype:
        return -1
    code = dtype.code
    return code if code < BUILTIN_DTYPES else -1


cdef int plain_sizes(object size, int64_t* sizes, int64_t* total) except -2:
    """The rank of a `size` argument whose sizes are put into `sizes` (INLINE_DIMS), `total` multiplied by them; -1 for
    one that needs a closer look.
    """
    cdef Py_ssize_t i, n
    cdef int over = 0
    if isinstance(size, tuple):
        n = len(<tuple>size)
    elif isinstance(size, list):
        n = len(<list>size)
    else:
        return -1
    if n > INLINE_DIMS:
        return -1
    for i in range(n):
        x = (<tuple>size)[i] if isinstance(size, tuple) else (<list>size)[i]
        if not PyLong_CheckExact(x):
            return -1
        sizes[i] = PyLong_AsLongLongAndOverflow(x, &over)
        if over or sizes[i] < 0 or times_overflows(total[0], sizes[i], total):
            return -1
    return n


cdef Tensor serial_empty(object size, int code, bint filled):
    """Row-major memory of `size` on the CPU; None for sizes that need a closer look, and for more memory than one
    thread should fill.
    """
    cdef int64_t sizes[INLINE_DIMS]
    cdef int64_t nbytes = ITEMSIZE[code]
    cdef int ndim = plain_sizes(size, sizes, &nbytes)
    if ndim < 0 or (filled and nbytes > SERIAL_BYTES):
        return None
    return empty_contiguous(code, ndim, sizes, False)


cdef bint fill_serially(Tensor t, object value) except -1:
    """Write a number everywhere in a new row-major tensor; False, and nothing is written, for a number that the dtype
    may not hold exactly.
    """
    cdef int64_t n = t.numel_, i
    cdef int over = 0
    cdef long long k
    cdef uint32_t u
    cdef uint64_t w
    cdef char* p = address(t)
    if PyFloat_CheckExact(value):
        if t.code != C_F32 and t.code != C_F64:
            return False
    elif PyBool_Check(value) or PyLong_CheckExact(value):
        k = PyLong_AsLongLongAndOverflow(value, &over)
        if over or k > 127 or k < -127 or (k < 0 and t.code in (C_U8, C_U16, C_U32, C_U64)):
            return False
        if k == 0:
            memset(p, 0, n * t.itemsize_)
            return True
    else:
        return False
    if n == 0:
        return True
    write_scalar(p, t.code, value)
    if t.itemsize_ == 4:
        u = (<uint32_t*>p)[0]
        for i in range(1, n):
            (<uint32_t*>p)[i] = u
    elif t.itemsize_ == 8:
        w = (<uint64_t*>p)[0]
        for i in range(1, n):
            (<uint64_t*>p)[i] = w
    else:
        for i in range(1, n):
            memcpy(p + i * t.itemsize_, p, t.itemsize_)
    return True


cdef Tensor finished(Tensor t, object value, bint requires_grad):
    if t is None or (value is not None and not fill_serially(t, value)):
        return None
    if requires_grad:
        set_requires_grad(t, True)
    return t


def plain_full(size, value, dtype, device, bint requires_grad):
    """What full(size, value, dtype=dtype, device=device) makes in a usual call, else None; a value of None leaves the
    memory as it is, a dtype of None is the default one.
    """
    cdef int code = code_of(dtype, DEFAULT_DTYPE[0].code)
    if code < 0 or not makes_plain(device):
        return None
    return finished(serial_empty(size, code, value is not None), value, requires_grad)


def plain_like(Tensor t not None, size, value, dtype, device, bint requires_grad):
    """What full_like(t, value) and t.new_full(size, value) make in a usual call, else None; a size of None is that of a
    row-major `t`, a value of None as above.
    """
    cdef Tensor r = None
    cdef int code = code_of(dtype, t.code)
    if code < 0 or t.keys or t.code >= BUILTIN_DTYPES or tls().building or not (device is None or names_cpu(device)):
        return None
    if size is not None:
        r = serial_empty(size, code, value is not None)
    elif t.contiguous_ and (value is None or t.numel_ <= SERIAL_BYTES // ITEMSIZE[code]):
        r = empty_contiguous(code, t.ndim_, t.sizes, False)
    return finished(r, value, requires_grad)


cdef bint exact_double(object number, double* value) except -1:
    """Whether `number` is a float or a small enough int, as a float64."""
    cdef int over = 0
    cdef long long k
    if PyFloat_CheckExact(number):
        value[0] = number
        return True
    if not PyLong_CheckExact(number):
        return False
    k = PyLong_AsLongLongAndOverflow(number, &over)
    value[0] = k
    return not over and -(<long long>1 << 52) <= k <= <long long>1 << 52


def plain_arange(start, end, step, dtype, device, bint requires_grad):
    """What arange(start, end, step, dtype=dtype, device=device) makes in a usual call, else None; a dtype of None is
    int64 for ints, else the default one.
    """
    cdef double first, last, by, span
    cdef int64_t i, n, k, d
    cdef Tensor t
    cdef bint ints = PyLong_CheckExact(start) and PyLong_CheckExact(end) and PyLong_CheckExact(step)
    cdef int code = code_of(dtype, C_I64 if ints else DEFAULT_DTYPE[0].code)
    if not makes_plain(device) or not (code == C_F32 or code == C_F64 or (ints and code == C_I64)):
        return None
    if not (exact_double(start, &first) and exact_double(end, &last) and exact_double(step, &by)) or by == 0:
        return None
    span = ceil((last - first) / by)
    if not 0 <= span <= SERIAL_BYTES // 8 or (last - first) * by < 0:
        return None
    n = <int64_t>span
    t = empty_contiguous(code, 1, &n, False)
    if code == C_I64:
        k, d = <int64_t>first, <int64_t>by
        for i in range(n):
            (<int64_t*>address(t))[i] = k + i * d
    elif code == C_F64:
        for i in range(n):
            (<double*>address(t))[i] = i * by + first
    else:
        for i in range(n):
            # computed in float64 and rounded once, as by the kernels
            (<float*>address(t))[i] = <float>(i * by + first)
    if requires_grad:
        set_requires_grad(t, True)
    return t


cdef Tensor strided_empty(int code, int ndim, const int64_t* sizes, const int64_t* strides, bint requires_grad):
    """Uninitialised memory of these sizes and strides."""
    cdef Tensor t = new_tensor(None, code, ndim)
    memcpy(t.sizes, sizes, ndim * sizeof(int64_t))
    memcpy(t.strides, strides, ndim * sizeof(int64_t))
    finish(t)
    t.storage = new_storage(span(t))
    if requires_grad:
        set_requires_grad(t, True)
    return t


def plain_strided(size, stride, dtype, device, bint requires_grad):
    """What empty_strided(size, stride, dtype=dtype, device=device) makes in a usual call, else None; a dtype of None is
    the default one.
    """
    cdef int64_t sizes[INLINE_DIMS]
    cdef int64_t strides[INLINE_DIMS]
    cdef int64_t total = 1
    cdef int code = code_of(dtype, DEFAULT_DTYPE[0].code), ndim = plain_sizes(size, sizes, &total)
    total = 1
    if code < 0 or ndim < 0 or plain_sizes(stride, strides, &total) != ndim or not makes_plain(device):
        return None
    return strided_empty(code, ndim, sizes, strides, requires_grad)


def plain_permuted(size, order, dtype, device, bint requires_grad):
    """What empty_permuted(size, order, dtype=dtype, device=device) makes in a usual call, else None; a dtype of None is
    the default one.
    """
    cdef int64_t sizes[INLINE_DIMS]
    cdef int64_t places[INLINE_DIMS]
    cdef int64_t strides[INLINE_DIMS]
    cdef int64_t total = 1, step = 1
    cdef int code = code_of(dtype, DEFAULT_DTYPE[0].code), ndim = plain_sizes(size, sizes, &total), i, seen = 0
    total = 1
    if code < 0 or ndim < 0 or plain_sizes(order, places, &total) != ndim or not makes_plain(device):
        return None
    for i in range(ndim - 1, -1, -1):
        if places[i] >= ndim or seen >> places[i] & 1:
            return None
        seen |= 1 << places[i]
        strides[places[i]] = step
        if sizes[places[i]] > 1 and times_overflows(step, sizes[places[i]], &step):
            return None
    return strided_empty(code, ndim, sizes, strides, requires_grad)


cdef inline int64_t clamped(int64_t x, int64_t most) noexcept:
    return 0 if x < 0 else most if x > most else x


def plain_triangle(row, col, offset, bint lower, dtype, device):
    """What tril_indices(row, col, offset), or triu_indices, makes in a usual call, else None."""
    cdef double height, width, shift
    cdef int64_t sizes[2]
    cdef int64_t rows, cols, first, i, j, k = 0, n = 0
    cdef int64_t* at
    cdef Tensor t
    if (code_of(dtype, C_I64) != C_I64 or not makes_plain(device)
            or not (PyLong_CheckExact(row) and PyLong_CheckExact(col) and PyLong_CheckExact(offset))):
        return None
    if (not (exact_double(row, &height) and exact_double(col, &width) and exact_double(offset, &shift)) or height < 0
            or width < 0):
        return None
    if height * width > SERIAL_BYTES // 8 or height > SERIAL_BYTES // 8:
        return None
    rows, cols, first = <int64_t>height, <int64_t>width, <int64_t>shift
    for i in range(rows):
        n += clamped(i + first + 1, cols) if lower else cols - clamped(i + first, cols)
    sizes[0], sizes[1] = 2, n
    t = empty_contiguous(C_I64, 2, sizes, False)
    at = <int64_t*>address(t)
    for i in range(rows):
        for j in range(0 if lower else clamped(i + first, cols), clamped(i + first + 1, cols) if lower else cols):
            at[k], at[n + k] = i, j
            k += 1
    return t


cdef int scan_numbers(object data, int depth, int ndim, const int64_t* sizes, int* kind) except -1:
    """Whether nested lists have the given sizes and hold plain Python numbers of 64 bits; `kind` is raised to 1 by an
    int and to 2 by a float.
    """
    cdef int over = 0
    cdef int64_t i, n
    if depth < ndim:
        if not (type(data) is list or type(data) is tuple):
            return 0
        n = len(data)
        if n != sizes[depth]:
            return 0
        for i in range(n):
            if not scan_numbers(
                    (<list>data)[i] if type(data) is list else (<tuple>data)[i], depth + 1, ndim, sizes, kind):
                return 0
        return 1
    if PyFloat_CheckExact(data):
        kind[0] = 2
    elif PyLong_CheckExact(data):
        PyLong_AsLongLongAndOverflow(data, &over)
        kind[0] = max(kind[0], 1)
    else:
        return PyBool_Check(data)
    return not over


def plain_tensor(data, dtype, device, bint requires_grad):
    """What tensor(data, dtype=dtype) makes of Python's numbers and nested lists of them in a usual call, else None."""
    cdef int64_t sizes[INLINE_DIMS]
    cdef int ndim = 0, kind = 0, code
    cdef Tensor t
    cdef char* p
    first = data
    while type(first) is list or type(first) is tuple:
        if ndim == INLINE_DIMS or not first:
            return None
        sizes[ndim] = len(first)
        ndim += 1
        first = first[0]
    if not makes_plain(device) or not scan_numbers(data, 0, ndim, sizes, &kind):
        return None
    code = code_of(dtype, DEFAULT_DTYPE[0].code if kind == 2 else C_I64 if kind == 1 else C_BOOL)
    if not (code == C_F32 or code == C_F64 or code == C_BOOL or (code == C_I64 and kind < 2)):
        return None
    t = empty_contiguous(code, ndim, sizes, False)
    p = address(t)
    _fill(t, 0, data, &p)
    if requires_grad:
        set_requires_grad(t, True)
    return t


def fill_from_nested(Tensor t not None, data):
    """Write nested sequences of numbers into a contiguous tensor of fitting shape."""
    cdef char* p = memory(t)
    _fill(t, 0, data, &p)


cdef int _fill(Tensor t, int d, object data, char** p) except -1:
    if d == t.ndim_:
        write_scalar(
            p[0], t.code,
            data if PyFloat_CheckExact(data) or PyLong_CheckExact(data) or not hasattr(data, "item") else data.item())
        p[0] += t.itemsize_
        return 0
    cdef int64_t n = 0
    if len(data) != t.sizes[d]:
        raise ValueError(f"the sequences at depth {d} must be of one length, {t.sizes[d]}; found one of {len(data)}")
    for v in data:                     # what a sequence says of its length, and what it has now, need not agree
        if n == t.sizes[d]:
            raise ValueError(
                f"expected sequence of length {t.sizes[d]} at dim {d}: it has more items than its length says")
        _fill(t, d + 1, v, p)
        n += 1
    if n != t.sizes[d]:
        raise ValueError(f"expected sequence of length {t.sizes[d]} at dim {d} (got {n} items)")
    return 0


def plain_as_strided(Tensor t not None, size, stride, offset):
    """What as_strided() makes of a tensor that is not recorded in a usual call of it, else None; an offset of None is
    the tensor's own.
    """
    cdef int64_t sizes[INLINE_DIMS]
    cdef int64_t strides[INLINE_DIMS]
    cdef int64_t n = 1, at, product = 1
    cdef int over = 0, ndim = plain_sizes(size, sizes, &n)
    if (ndim < 0 or plain_sizes(stride, strides, &product) != ndim or t.keys or recorded(t)
            or not (offset is None or PyLong_CheckExact(offset))):
        return None
    at = t.offset_() if offset is None else PyLong_AsLongLongAndOverflow(offset, &over)
    if over:
        return None
    cdef Tensor r = new_tensor(t.storage, t.code, ndim)
    memcpy(r.sizes, sizes, ndim * sizeof(int64_t))
    memcpy(r.strides, strides, ndim * sizeof(int64_t))
    counts_with(r, t)
    finish(r)
    place_at(r, at)
    mark_view(r, t)
    return r


def plain_equal(Tensor a not None, Tensor b not None):
    """Whether two plain tensors of few elements and one dtype have equal shapes and elements; None where it takes
    kernels to tell.
    """
    cdef int64_t i, n = a.numel_
    if a.keys or b.keys or a.code != b.code:
        return None
    if a.ndim_ != b.ndim_ or memcmp(a.sizes, b.sizes, a.ndim_ * sizeof(int64_t)) != 0:
        return False
    if not a.contiguous_ or not b.contiguous_ or n > SERIAL_BYTES // a.itemsize_:
        return None
    cdef char* p = memory(a)
    cdef char* q = memory(b)
    if a.code == C_C64 or a.code == C_C128:
        n *= 2
    if a.code == C_F32 or a.code == C_C64:
        for i in range(n):
            if (<float*>p)[i] != (<float*>q)[i]:
                return False
        return True
    if a.code == C_F64 or a.code == C_C128:
        for i in range(n):
            if (<double*>p)[i] != (<double*>q)[i]:
                return False
        return True
    if a.code == C_BOOL:
        for i in range(n):
            if (p[i] != 0) != (q[i] != 0):
                return False
        return True
    if a.code > C_C128 or KINDS[a.code] == c"f":
        return None
    return memcmp(p, q, n * a.itemsize_) == 0

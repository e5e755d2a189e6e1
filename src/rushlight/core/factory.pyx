"""The usual calls of factories, made here.

What is unusual about a call makes the result None, and the body in operators/creation takes it: a trace in progress,
another default device, sizes that are no plain ints, memory that several threads fill.
"""
from cpython.object cimport PyObject
from libc.float cimport FLT_MAX
from libc.math cimport INFINITY, ceil, fabs
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
cimport cython

from rushlight.core import dtypes as _dtypes
from rushlight.core import places as _places
from rushlight.core.base cimport (
    BUILTIN_DTYPES, C_BOOL, C_C64, C_C128, C_F32, C_F64, C_I64, C_U8, C_U16, C_U32, C_U64, DEFAULT_DTYPE, ITEMSIZE,
    KINDS, times_overflows, write_scalar)
from rushlight.core.dispatch cimport Operator, Usual
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


cdef bint holds(int code, object value) except -1:
    """Whether a number is one that a dtype holds exactly, for sure."""
    cdef int over = 0
    cdef long long k
    if PyFloat_CheckExact(value):
        return code == C_F64 or (code == C_F32 and not FLT_MAX < fabs(<double>value) < INFINITY)
    if not PyBool_Check(value) and not PyLong_CheckExact(value):
        return False
    k = PyLong_AsLongLongAndOverflow(value, &over)
    return not over and -127 <= k <= 127 and not (k < 0 and code in (C_U8, C_U16, C_U32, C_U64))


cdef class Factory(Usual):
    """The usual calls of a factory: CPU tensors of sizes that are plain ints, while no operator is traced.

    op: its parameters are found by their names: `input` (whose sizes, dtype and device the result has unless others are
    given), `size`, `fill_value`, `dtype`, `device`, `requires_grad`; others must be left out.
    value: the number that the memory is filled with, unless `fill_value` is; None leaves it as it is. More memory than
    one thread should fill is the body's.
    """
    def __init__(self, Operator op not None, value=None):
        self.made_for(op)
        self.value, self.left_out = value, ~<uint64_t>0
        self.like, self.size, self.number = self.place("input"), self.place("size"), self.place("fill_value")
        self.dtype, self.device, self.grad = self.place("dtype"), self.place("device"), self.place("requires_grad")
        if min(self.dtype, self.device, self.grad) < 0 or max(self.like, self.size) < 0 or self.like > 0:
            self.op = None           # no operator has what is unfinished
            raise TypeError(f"{op.name}() must take dtype, device, requires_grad, and sizes or a tensor")

    cdef int place(self, str name) except -2:
        cdef int at = self.op.index.get(name, -1)
        if at >= self.op.n:              # `index` is a dictionary, which anybody may write to
            raise RuntimeError(f"{self.op.name}(): '{name}' must be one of {self.op.n} parameters; found number {at}")
        if at >= 0:
            self.left_out &= ~(<uint64_t>1 << at)
        return at

    cdef object make(self, PyObject** vals):
        cdef int64_t sizes[INLINE_DIMS]
        cdef int64_t nbytes
        cdef int i, ndim, code = DEFAULT_DTYPE[0].code
        cdef Tensor t = None
        for i in range(self.op.n):
            if self.left_out >> i & 1 and vals[i] != self.op.defaults[i]:
                return None
        where = <object>vals[self.device]
        value = self.value if self.number < 0 else <object>vals[self.number]
        if self.like == 0:
            if not isinstance(<object>vals[0], Tensor):
                return None
            t = <Tensor>vals[0]
            code = t.code
            if t.keys or code >= BUILTIN_DTYPES or tls().building or not (where is None or names_cpu(where)):
                return None
        elif not makes_plain(where):
            return None
        elif self.number >= 0 and not PyFloat_CheckExact(value):
            code = C_BOOL if PyBool_Check(value) else C_I64
        code = code_of(<object>vals[self.dtype], code)
        if code < 0:
            return None
        nbytes = ITEMSIZE[code]
        if self.size >= 0:
            ndim = plain_sizes(<object>vals[self.size], sizes, &nbytes)
        elif t.contiguous_ and t.ndim_ <= INLINE_DIMS:
            ndim = t.ndim_
            memcpy(sizes, t.sizes, ndim * sizeof(int64_t))
            nbytes *= t.numel_
        else:
            return None
        grad = <object>vals[self.grad]
        if ndim < 0 or (grad is not False and (grad is not True or KINDS[code] not in (c"f", c"c"))):
            return None
        t = self.new(vals, code, ndim, sizes, nbytes // ITEMSIZE[code], value)
        if t is not None and grad is True:
            set_requires_grad(t, True)
        return t

    cdef Tensor new(self, PyObject** vals, int code, int ndim, const int64_t* sizes, int64_t n, object value):
        """The tensor, of n elements; None as above."""
        cdef int64_t done = ITEMSIZE[code], nbytes = n * done, piece
        cdef Tensor t
        if self.number < 0 and value is None:
            return empty_contiguous(code, ndim, sizes, False)
        if nbytes > SERIAL_BYTES or not holds(code, value):
            return None
        t = empty_contiguous(code, ndim, sizes, False)
        if value is False or (PyLong_CheckExact(value) and not value):
            memset(address(t), 0, nbytes)        # in every dtype, also in those that are read by no number
            return t
        if n:
            write_scalar(address(t), code, value)
        while done < nbytes:
            piece = min(done, nbytes - done)
            memcpy(address(t) + done, address(t), piece)
            done += piece
        return t


@cython.final
cdef class Strided(Factory):
    """The usual calls of a factory of uninitialised memory with strides, the parameter `stride`, or with dimensions in
    an order, `physical_layout`.
    """
    cdef int stride, order

    def __init__(self, Operator op not None):
        Factory.__init__(self, op)
        self.stride, self.order = self.place("stride"), self.place("physical_layout")
        if self.size < 0 or max(self.stride, self.order) < 0:
            self.op = None
            raise TypeError(f"{op.name}() must take sizes, and strides or an order")

    cdef Tensor new(self, PyObject** vals, int code, int ndim, const int64_t* sizes, int64_t n, object value):
        cdef int64_t strides[INLINE_DIMS]
        cdef int64_t places[INLINE_DIMS]
        cdef int64_t step = 1
        cdef int i, seen = 0
        if self.stride >= 0:
            if plain_sizes(<object>vals[self.stride], strides, &step) != ndim:
                return None
        else:
            if plain_sizes(<object>vals[self.order], places, &step) != ndim:
                return None
            step = 1
            for i in range(ndim - 1, -1, -1):
                if places[i] >= ndim or seen >> places[i] & 1:
                    return None
                seen |= 1 << places[i]
                strides[places[i]] = step
                if sizes[places[i]] > 1 and times_overflows(step, sizes[places[i]], &step):
                    return None
        cdef Tensor t = new_tensor(None, code, ndim)
        memcpy(t.sizes, sizes, ndim * sizeof(int64_t))
        memcpy(t.strides, strides, ndim * sizeof(int64_t))
        finish(t)
        t.storage = new_storage(span(t))
        return t


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

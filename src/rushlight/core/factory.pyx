"""The usual calls of factories, and tensors that no program makes: of Python numbers, and of the indices of triangles.

For an unusual call the result is None, and the body in operators/creation makes it: during a trace, with another
default device, with sizes that are not plain ints, or where several threads should fill the memory.
"""
from cpython.object cimport PyObject
from libc.float cimport FLT_MAX
from libc.math cimport INFINITY, ceil, fabs
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset
cimport cython

from rushlight.core import dtypes as _dtypes
from rushlight.core import devices as _devices
from rushlight.core.base cimport (
    BUILTIN_DTYPES, C_BOOL, C_F32, C_F64, C_I64, C_U8, C_U16, C_U32, C_U64, DEFAULT_DTYPE, ITEMSIZE, KINDS,
    STORED_DTYPES, dtype_of, minus_most, plus_most, times_overflows, write_scalar)
from rushlight.core.dispatch cimport Operator, Usual, plain_here
from rushlight.core.execute cimport FLOAT, INT
from rushlight.core.flatten cimport (
    KEY_START, P_SCALAR, P_SIZES, Flat, begin_flat, bits_of, put_number, put_object, put_size)
from rushlight.core.devices import CPU
from rushlight.core.raw cimport span
from rushlight.core.storage cimport new_storage
from rushlight.core.tensor cimport (
    INLINE_DIMS, KEY_PENDING, MAX_DIMS, Tensor, address, empty_contiguous, finish, memory, new_tensor,
    set_requires_grad, tls)
from rushlight.core.views cimport kept_strides

cdef extern from "Python.h":
    bint PyBool_Check(object)
    bint PyLong_CheckExact(object)
    bint PyFloat_CheckExact(object)
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1

cdef list DEFAULTS = _devices.defaults
cdef object _dtype = _dtypes.dtype
cdef object _ZERO = 0
cdef object _TEN = 10.0      # the base of powers where none is asked for

cdef enum:
    SERIAL_BYTES = 65536     # up to this size one thread fills memory in the time that it takes to start another one
    MOST_COUNTED = 1 << 30   # of more elements than this the body checks that their number is exact


cdef bint names_cpu(object device):
    """Whether a `device` argument is the CPU, in a usual form."""
    return device is CPU or (type(device) is str and <str>device == "cpu")


cdef bint means_cpu(object device):
    """Whether a `device` argument, None for the default one, is the CPU, in a usual form."""
    return DEFAULTS[len(DEFAULTS) - 1] is CPU if device is None else names_cpu(device)


cdef bint makes_plain(object device):
    """Whether a factory with this `device` argument, None for the default one, makes plain CPU tensors, because no
    trace is in progress.
    """
    return tls().building == 0 and means_cpu(device)


cdef int code_of(object dtype, int default) except -2:
    """The code of a `dtype` argument, `default` for None; -1 if it is no built-in dtype."""
    cdef int code
    if dtype is None:
        return default
    if type(dtype) is not _dtype:
        return -1
    code = dtype.code
    return code if code < BUILTIN_DTYPES else -1


cdef int plain_sizes(object size, int64_t* sizes, int64_t* total) except -2:
    """The rank of a `size` argument whose sizes are put into `sizes` (INLINE_DIMS), `total` multiplied by them; -1 if
    it is not of a usual form.
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
    """Whether it is certain that a dtype can hold a number exactly."""
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

    Args:
        op: its parameters are found by their names: `input` (whose sizes, dtype and device the result has unless others
            are given), `size`, `fill_value`, `dtype`, `device`, `requires_grad`; others must be left out.
        value: the number that the memory is filled with, unless `fill_value` is; None leaves it as it is. The body
            makes tensors that several threads should fill.
        noted: the operator of a program that makes such a tensor, of sizes, a number (for `value`: whether it is not 0)
            and a dtype; None where no program does.
    """
    def __init__(self, Operator op not None, value=None, Operator noted=None):
        self.made_for(op)
        self.value, self.noted, self.left_out = value, noted, ~<uint64_t>0
        self.like, self.size, self.number = self.place("input"), self.place("size"), self.place("fill_value")
        self.dtype, self.device, self.grad = self.place("dtype"), self.place("device"), self.place("requires_grad")
        if (min(self.dtype, self.device, self.grad) < 0 or self.like > 0 or not self.knows_sizes()
                or noted is not None and noted.n != 3):
            self.op = None           # no operator has what is unfinished
            raise TypeError(
                f"{op.name}() must take dtype, device, requires_grad, and what its sizes follow from; 'noted' three "
                "arguments")

    cdef bint knows_sizes(self):
        return self.like == 0 or self.size >= 0

    cdef int place(self, str name) except -2:
        cdef int at = self.op.index.get(name, -1)
        if at >= self.op.n:              # `index` is a dictionary, which anybody may write to
            raise RuntimeError(f"{self.op.name}(): '{name}' must be one of {self.op.n} parameters; found number {at}")
        if at >= 0:
            self.left_out &= ~(<uint64_t>1 << at)
        return at

    cdef int known(self, PyObject** vals, unsigned int keys, int* code, int64_t* sizes, int64_t* n) except -2:
        """The rank of the result of a usual call, -1 for another call; also its sizes, its number of elements, and its
        dtype. keys: those that `input` may have.
        """
        cdef int i, ndim
        cdef Tensor t = None
        for i in range(self.op.n):
            if vals[i] != self.op.defaults[i] and self.left_out >> i & 1:
                return -1
        where = <object>vals[self.device]
        code[0] = KEY_START[0]
        if self.like == 0:
            if not isinstance(<object>vals[0], Tensor):
                return -1
            t = <Tensor>vals[0]
            code[0] = t.code
            if (t.keys & ~keys or t.code >= BUILTIN_DTYPES or tls().building
                    or not (where is None or names_cpu(where))):
                return -1
        elif not makes_plain(where):
            return -1
        ndim = self.lay(vals, t, code, sizes, n)
        code[0] = code_of(<object>vals[self.dtype], code[0])
        grad = <object>vals[self.grad]
        if code[0] < 0 or (grad is not False and (grad is not True or KINDS[code[0]] not in (c"f", c"c"))):
            return -1
        return ndim

    cdef object make(self, PyObject** vals):
        cdef int64_t sizes[INLINE_DIMS]
        cdef int64_t kept[MAX_DIMS]
        cdef int64_t* strides = NULL
        cdef int64_t n = 1
        cdef int code = 0, ndim = self.known(vals, 0, &code, sizes, &n)
        cdef Tensor t
        if ndim < 0:
            return None
        if (self.like == 0 and self.size < 0 and not (<Tensor>vals[0]).contiguous_
                and kept_strides(<Tensor>vals[0], kept)):
            strides = kept
        t = self.new(vals, code, ndim, sizes, n, strides)
        if t is None:
            return None
        if strides != NULL:
            memcpy(t.strides, strides, ndim * sizeof(int64_t))
            finish(t)
        if <object>vals[self.grad] is True:
            set_requires_grad(t, True)
        return t

    cdef tuple as_program(self, PyObject** vals):
        cdef int64_t sizes[INLINE_DIMS]
        cdef int64_t n = 1
        cdef int i, code = 0, ndim
        if self.noted is None or <object>vals[self.grad] is not False:
            return None
        ndim = self.known(vals, KEY_PENDING, &code, sizes, &n)
        # (Integers are indices and masks, by whose values calls may be refused.)
        if ndim < 0 or KINDS[code] in (c"i", c"u") or (
                self.like == 0 and self.size < 0 and not (<Tensor>vals[0]).contiguous_):
            return None
        value = self.value if self.number < 0 else <object>vals[self.number]
        if self.number < 0:
            value = True if value else False
        elif not holds(code, value):
            return None
        if self.size >= 0 and type(<object>vals[self.size]) is tuple:
            return self.noted, (<object>vals[self.size], value, dtype_of(code))
        return self.noted, (tuple([sizes[i] for i in range(ndim)]), value, dtype_of(code))

    cdef int lay(self, PyObject** vals, Tensor like, int* code, int64_t* sizes, int64_t* n) except -2:
        """The rank of the result, -1 for a call that the body makes; also its sizes, its number of elements, and its
        dtype if none is given.
        """
        if self.number >= 0 and like is None and not PyFloat_CheckExact(<object>vals[self.number]):
            code[0] = C_BOOL if PyBool_Check(<object>vals[self.number]) else C_I64
        if self.size >= 0:
            return plain_sizes(<object>vals[self.size], sizes, n)
        if like.ndim_ > INLINE_DIMS:
            return -1
        memcpy(sizes, like.sizes, like.ndim_ * sizeof(int64_t))
        n[0] = like.numel_
        return like.ndim_

    cdef Tensor new(
            self, PyObject** vals, int code, int ndim, const int64_t* sizes, int64_t n, const int64_t* strides):
        """The tensor, of n elements, row-major; None as above.

        Args:
            strides: those that it gets, without gaps between elements; NULL: it stays row-major.
        """
        cdef int64_t done = ITEMSIZE[code], nbytes, piece
        cdef Tensor t
        value = self.value if self.number < 0 else <object>vals[self.number]
        if self.number < 0 and value is None:
            return empty_contiguous(code, ndim, sizes, False)
        if times_overflows(n, done, &nbytes) or nbytes > SERIAL_BYTES or not holds(code, value):
            return None
        t = empty_contiguous(code, ndim, sizes, False)
        if value is False or (PyLong_CheckExact(value) and not value):
            memset(address(t), 0, nbytes)        # zero bytes are 0 in every dtype, storage dtypes too
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
    """The usual calls of a factory of uninitialised memory with the strides `stride`, or with the order of dimensions
    `physical_layout`.
    """
    cdef int stride, order

    def __init__(self, Operator op not None):
        Factory.__init__(self, op)
        self.stride, self.order = self.place("stride"), self.place("physical_layout")
        if self.size < 0 or max(self.stride, self.order) < 0:
            self.op = None
            raise TypeError(f"{op.name}() must take sizes, and strides or an order")

    cdef Tensor new(
            self, PyObject** vals, int code, int ndim, const int64_t* sizes, int64_t n, const int64_t* kept):
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
    """Whether `number` is a float or an int that float64 holds exactly, and its value as a float64."""
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


@cython.final
cdef class Counted(Factory):
    """The usual calls of a factory of the numbers from `start` to `end` by `step`, which a program makes.

    Args:
        op: the factory.
        direct: the operator of the program; it takes the count, the first number, the step and a dtype.
    """
    cdef Operator direct
    cdef int start, end, step

    def __init__(self, Operator op not None, Operator direct not None):
        self.start, self.end, self.step = op.index.get("start", -1), op.index.get("end", -1), op.index.get("step", -1)
        Factory.__init__(self, op)
        self.place("start"), self.place("end"), self.place("step")
        if (direct.n != 4 or direct.eager is not None or direct.kinds[0] != P_SIZES or direct.kinds[1] != P_SCALAR
                or direct.kinds[2] != P_SCALAR or direct.dtype_at != 3):
            self.op = None           # no operator has what is unfinished
            raise TypeError(f"{direct.name}() must be a program of a count, a start, a step and a dtype")
        self.direct = direct

    cdef bint knows_sizes(self):
        return self.like < 0 and self.size < 0 and self.number < 0 and min(self.start, self.end, self.step) >= 0

    cdef int lay(self, PyObject** vals, Tensor like, int* code, int64_t* sizes, int64_t* n) except -2:
        cdef double first = 0.0, last, by
        cdef PyObject* end = vals[self.end]
        cdef bint ints = PyLong_CheckExact(<object>vals[self.step])
        cdef int i
        if <object>end is None:                      # arange(end)
            end = vals[self.start]
        else:
            if not exact_double(<object>vals[self.start], &first):
                return -1
            ints = ints and PyLong_CheckExact(<object>vals[self.start])
        if not (exact_double(<object>end, &last) and exact_double(<object>vals[self.step], &by)) or by == 0:
            return -1
        if ints and PyLong_CheckExact(<object>end):
            code[0] = C_I64
        else:
            i = code_of(<object>vals[self.dtype], code[0])
            if i < 0 or i >= STORED_DTYPES or KINDS[i] != c"f":
                return -1
        last = ceil((last - first) / by)
        if not 0 < last < MOST_COUNTED:
            return -1
        sizes[0] = n[0] = <int64_t>last
        return 1

    cdef Tensor new(
            self, PyObject** vals, int code, int ndim, const int64_t* sizes, int64_t n, const int64_t* strides):
        cdef PyObject* given[4]
        cdef Flat f                                  # as `flatten` represents them
        cdef object count = n, dtype = dtype_of(code), start, step
        if code >= STORED_DTYPES or KINDS[code] not in (c"f", c"i", c"u"):
            return None
        begin_flat(&f)
        put_size(&f, n)
        start = <object>vals[self.start] if <object>vals[self.end] is not None else _ZERO
        step = <object>vals[self.step]
        if KINDS[code] != c"f":
            put_number(&f, INT, start, 0)
            put_number(&f, INT, step, 0)
        else:                                        # one program for ints and floats
            start, step = float(start), float(step)
            put_number(&f, FLOAT, bits_of(start), 0)
            put_number(&f, FLOAT, bits_of(step), 0)
        put_object(&f, dtype)
        given[0], given[1], given[2], given[3] = <PyObject*>count, <PyObject*>start, <PyObject*>step, <PyObject*>dtype
        return self.direct.launch(&f, given, None)


@cython.final
cdef class Spaced(Factory):
    """The usual calls of a factory of `steps` numbers from `start` to `end`, floats that a program makes.

    Args:
        op: the factory; it may have a parameter `base`.
        direct: the operator of the program; it takes the number of steps, the start, the end, the base, a dtype and
            `log`.
        log: what that is.
    """
    cdef Operator direct
    cdef int start, end, steps, base
    cdef bint log

    def __init__(self, Operator op not None, Operator direct not None, bint log):
        self.start, self.end, self.steps = op.index.get("start", -1), op.index.get("end", -1), op.index.get("steps", -1)
        Factory.__init__(self, op)
        self.place("start"), self.place("end"), self.place("steps")
        self.base, self.direct, self.log = self.place("base"), direct, log
        if direct.index.get("n", -1) != 0 or direct.n != 6 or direct.dtype_at != 4:
            self.op = None           # no operator has what is unfinished
            raise TypeError(f"{direct.name}() must be a program of a count, a start, an end, a base, a dtype and 'log'")

    cdef bint knows_sizes(self):
        return self.like < 0 and self.size < 0 and self.number < 0 and min(self.start, self.end, self.steps) >= 0

    cdef int lay(self, PyObject** vals, Tensor like, int* code, int64_t* sizes, int64_t* n) except -2:
        cdef double number
        cdef int i, at, over = 0
        cdef int kind = code_of(<object>vals[self.dtype], code[0])
        if kind != C_F32 and kind != C_F64 or not PyLong_CheckExact(<object>vals[self.steps]):
            return -1
        for i in range(2):
            at = self.end if i else self.start
            if not exact_double(<object>vals[at], &number) or kind == C_F32 and FLT_MAX < fabs(number) < INFINITY:
                return -1
        if self.base >= 0 and not PyFloat_CheckExact(<object>vals[self.base]):
            return -1
        sizes[0] = n[0] = PyLong_AsLongLongAndOverflow(<object>vals[self.steps], &over)
        return 1 if 0 < n[0] < MOST_COUNTED and not over else -1

    cdef Tensor new(
            self, PyObject** vals, int code, int ndim, const int64_t* sizes, int64_t n, const int64_t* strides):
        cdef PyObject* given[6]
        cdef object dtype = dtype_of(code), log = self.log
        given[0], given[1], given[2] = vals[self.steps], vals[self.start], vals[self.end]
        given[3] = vals[self.base] if self.base >= 0 else <PyObject*>_TEN
        given[4], given[5] = <PyObject*>dtype, <PyObject*>log
        return self.direct.call_plain(given, self.op, False)


@cython.final
cdef class Converted(Usual):
    """The usual calls of `to`: a CPU tensor stays what it is, or gets another dtype.

    Args:
        op: it takes the tensor, `target`, `dtype`, `non_blocking` and `device`; others must be left out.
        direct: the operator that makes a tensor of another dtype.
    """
    cdef Operator direct
    cdef int target, dtype, blocking, device

    def __init__(self, Operator op not None, Operator direct not None):
        self.target, self.dtype = op.index.get("target", -1), op.index.get("dtype", -1)
        self.blocking, self.device = op.index.get("non_blocking", -1), op.index.get("device", -1)
        if min(self.target, self.dtype, self.blocking, self.device) < 1 or max(self.device, self.dtype) >= op.n:
            raise TypeError(f"{op.name}() must take a tensor, target, dtype, non_blocking and device")
        if direct.n != 2 or direct.dtype_at != 1:
            raise TypeError(f"{direct.name}() must take a tensor and a dtype")
        self.made_for(op)
        self.direct = direct

    cdef object make(self, PyObject** vals):
        cdef PyObject* given[2]
        cdef int i, code
        if not plain_here(<object>vals[0]):
            return None
        target, dtype, where = <object>vals[self.target], <object>vals[self.dtype], <object>vals[self.device]
        for i in range(1, self.op.n):
            if i == self.target or i == self.dtype or i == self.device:
                continue
            if vals[i] != self.op.defaults[i] and (i != self.blocking or not PyBool_Check(<object>vals[i])):
                return None
        if type(target) is _dtype:
            if dtype is not None or vals[self.blocking] != self.op.defaults[self.blocking]:
                return None                     # x.to(dtype, non_blocking, copy): each is one place further left
            dtype = target
        elif target is not None:
            if where is not None:
                return None
            where = target
        if where is not None and not names_cpu(where):
            return None
        code = code_of(dtype, (<Tensor>vals[0]).code)
        if code < 0:
            return None
        if code == (<Tensor>vals[0]).code:
            return <Tensor>vals[0]
        given[0], given[1] = vals[0], <PyObject*>dtype
        return self.direct.call_plain(given, self.op, False)


# ------------------------------------------------------------------------------------------- what no program makes
cdef int64_t lower_count(int64_t rows, int64_t cols, int64_t shift) noexcept:
    """How many (i, j) there are with j <= i + shift in a matrix of fewer than 2**63 elements."""
    cdef int64_t first = clamped(minus_most(0, shift), rows)    # the first row that has any of them
    cdef int64_t full = max(first, clamped(minus_most(minus_most(cols, shift), 1), rows))  # the first row that has all
    cdef int64_t n = full - first
    return (n * (first + shift + 1) + n * (n - 1) // 2 if n else 0) + (rows - full) * cols


cdef inline int64_t clamped(int64_t x, int64_t most) noexcept:
    return 0 if x < 0 else most if x > most else x


def triangle(int64_t rows, int64_t cols, int64_t shift, bint lower):
    """The indices (i, j) of the elements of a matrix with j <= i + shift (or, if `lower` is False, j >= i + shift), row
    by row: int64, shape (2, found). A program would have to solve a quadratic equation for the row of each element.

    Args:
        rows: not negative.
        cols: not negative.
        shift: of the diagonal.
        lower: which side.
    """
    cdef int64_t sizes[2]
    cdef int64_t i, j, k = 0, n, end
    cdef int64_t* at
    if rows < 0 or cols < 0:
        raise RuntimeError(f"a matrix must have at least 0 rows and columns; found {rows} and {cols}")
    if times_overflows(rows, cols, &n):
        raise RuntimeError(f"a matrix of {rows} rows and {cols} columns has more than 2**63 elements: overflow")
    if not lower:
        shift = minus_most(shift, 1)         # the elements above the diagonal are those that are not below it
    n = lower_count(rows, cols, shift)
    sizes[0], sizes[1] = 2, n if lower else rows * cols - n
    cdef Tensor t = empty_contiguous(C_I64, 2, sizes, False)
    at, n = <int64_t*>address(t), sizes[1]
    i = clamped(minus_most(0, shift), rows) if lower else 0
    while k < n:
        end = clamped(plus_most(plus_most(i, shift), 1), cols)
        for j in range(0 if lower else end, end if lower else cols):
            at[k], at[n + k] = i, j
            k += 1
        i += 1
    return t


cdef int find_kind(object data, int depth, int ndim, const int64_t* sizes, int* kind) except -1:
    """Raise `kind` to that of the Python numbers in nested lists; stops and returns 0 at anything that is no list,
    tuple or number.
    """
    cdef int64_t i, n
    cdef bint is_list = type(data) is list
    if depth == ndim:
        if PyFloat_CheckExact(data):
            kind[0] = max(kind[0], 3)
        elif PyLong_CheckExact(data):
            kind[0] = max(kind[0], 2)
        elif PyBool_Check(data):
            kind[0] = max(kind[0], 1)
        elif type(data) is complex:
            kind[0] = 4
        elif is_list or type(data) is tuple:
            raise TypeError(f"tensor(): the items at depth {ndim} must all be numbers; found a {type(data).__name__}")
        else:
            return 0
        return 1
    if not is_list and type(data) is not tuple:
        if PyFloat_CheckExact(data) or PyLong_CheckExact(data) or PyBool_Check(data):
            raise TypeError(
                f"tensor(): the items at depth {depth} must all be sequences of length {sizes[depth]}; found a "
                f"{type(data).__name__}")
        return 0
    n = len(data)
    if n != sizes[depth]:
        raise ValueError(
            f"tensor(): the sequences at depth {depth} must be of one length, {sizes[depth]}; found one of {n}")
    for i in range(n):
        if not find_kind((<list>data)[i] if is_list else (<tuple>data)[i], depth + 1, ndim, sizes, kind):
            return 0
    return 1


cpdef object from_nested(data, dtype, device):
    """A CPU tensor from Python numbers, and lists and tuples of them; None if an entry is something else, or for
    another device.

    Args:
        data: the numbers.
        dtype: None for bool, int64, the default dtype or the complex dtype of its parts, by the kind of the numbers.
        device: None for the default one.
    """
    cdef int64_t sizes[MAX_DIMS]
    cdef int ndim = 0, kind = 0
    cdef Tensor t
    cdef char* p
    first = data
    while type(first) is list or type(first) is tuple:
        if ndim == MAX_DIMS:
            raise ValueError(
                f"tensor(): 'data' must have at most {MAX_DIMS} dimensions; found more, or a sequence that contains "
                "itself")
        sizes[ndim] = len(first)
        ndim += 1
        if not first:
            break
        first = first[0]
    if not means_cpu(device) or not find_kind(data, 0, ndim, sizes, &kind):
        return None
    if dtype is None:
        dtype = DEFAULT_DTYPE[0]
        if kind == 1 or kind == 2:
            dtype = dtype_of(C_BOOL if kind == 1 else C_I64)
        elif kind == 4:
            dtype = dtype.to_complex()
    elif not isinstance(dtype, _dtype):
        raise TypeError(f"tensor(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")
    elif kind == 4 and dtype.kind != "c":
        raise TypeError("tensor(): complex numbers need a complex dtype; found a real one")
    t = empty_contiguous(dtype.code, ndim, sizes, False)
    p = address(t)
    try:
        _fill(t, 0, data, &p)
    except OverflowError as error:
        raise ValueError(f"tensor(): an int does not fit into 64 bits: {error}") from None
    except RuntimeError as error:
        if kind == 2 and t.code == C_I64:
            raise ValueError(f"tensor(): an int does not fit into 64 bits: {error}") from None
        raise
    return t


@cython.final
cdef class Nested(Usual):
    """The usual calls of `tensor` and `as_tensor`: with Python numbers and lists of them, on the CPU. An operator
    without `requires_grad` gives a tensor back that is what is asked for.
    """
    cdef int data, dtype, device, grad

    def __init__(self, Operator op not None):
        self.data, self.dtype = op.index.get("data", -1), op.index.get("dtype", -1)
        self.device, self.grad = op.index.get("device", -1), op.index.get("requires_grad", -1)
        if {self.data, self.dtype, self.device, self.grad} not in ({0, 1, 2, 3}, {0, 1, 2, -1}):
            raise TypeError(f"{op.name}() must take first of all data, dtype, device, and requires_grad if it has it")
        self.made_for(op)

    cdef object make(self, PyObject** vals):
        cdef int i
        data, dtype, grad = <object>vals[self.data], <object>vals[self.dtype], False
        if self.grad >= 0:
            grad = <object>vals[self.grad]
        for i in range(3 + (self.grad >= 0), self.op.n):
            if vals[i] != self.op.defaults[i]:
                return None
        if code_of(dtype, 0) < 0 or (grad is not False and grad is not True):
            return None
        if isinstance(data, Tensor):
            if (self.grad < 0 and plain_here(data) and code_of(dtype, (<Tensor>data).code) == (<Tensor>data).code
                    and (<object>vals[self.device] is None or names_cpu(<object>vals[self.device]))):
                return data
            return None
        made = from_nested(data, dtype, <object>vals[self.device])
        if made is not None and grad is True:
            set_requires_grad(<Tensor>made, True)
        return made


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
    for v in data:                     # the length that a sequence reports need not be its length now
        if n == t.sizes[d]:
            raise ValueError(
                f"expected sequence of length {t.sizes[d]} at dim {d}: it has more items than its length says")
        _fill(t, d + 1, v, p)
        n += 1
    if n != t.sizes[d]:
        raise ValueError(f"expected sequence of length {t.sizes[d]} at dim {d} (got {n} items)")
    return 0

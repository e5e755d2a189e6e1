"""Random numbers: operators make them from the words of a stream; numbers that must be drawn one by one come from C
(native/mt19937.h).
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
cimport cython

from rushlight.core import dtypes as _dtypes
from rushlight.core._native cimport (
    c_mt_bernoulli, c_mt_binomial, c_mt_choose, c_mt_gamma, c_mt_normal, c_mt_permutation, c_mt_poisson, c_mt_seed,
    c_mt_weave, c_mt_words, rl_mt19937)
from rushlight.core.base cimport C_BOOL, C_F32, C_F64, C_I32, C_I64, C_U32, C_U64, KINDS, STORED_DTYPES, dtype_of
from rushlight.core.dispatch cimport Operator
from rushlight.core.factory cimport Factory, code_of, exact_double, plain_sizes
from rushlight.core.flatten cimport MAX_PARAMS
from rushlight.core.python cimport PyLong_CheckExact
from rushlight.core.raw cimport flat_of, part_of, set_row_major
from rushlight.core.raw import uncounted
from rushlight.core.tensor cimport (
    INLINE_DIMS, MAX_DIMS, Tensor, address, bump_version, empty_contiguous, memory, settle, tls, wants_grad)

cdef object _refuse = None          # is called before numbers are drawn
cdef object _counter_words = None   # (n, seed, offset) -> n words of a counter

cdef enum:
    PIECE = 1 << 17          # how many numbers are made at a time, so that their words stay in the cache
    MOST_BOUND = 1 << 24     # of integers that are drawn: float32 holds all up to this one
    BLOCK = 16               # normal numbers that are made together, from the words of 8 radii and then of 8 angles


def refuse_drawing(function):
    """Set a function that is called before numbers are drawn (None: none is); returns the one before. vmap forbids
    drawing unless `randomness` says what it should mean.
    """
    global _refuse
    old = _refuse
    _refuse = function
    return old


def set_counter_words(function):
    """Let streams of a counter take their words from `function`: (n, seed, offset) -> n words, uint32."""
    global _counter_words
    _counter_words = function


cdef int check_drawn(Tensor t, int code, int64_t n, str what) except -1:
    """Check the result of an operator, whose memory is read directly: it must have the dtype and size that were asked
    for.
    """
    if t is not None:
        settle(t)
    if t is None or t.code != code or t.numel_ != n or t.keys or not t.contiguous_:
        raise RuntimeError(
            f"{what} must be a row-major tensor of {n} elements of dtype {dtype_of(code)} on the CPU; found "
            f"{None if t is None else f'{t.numel_} of {dtype_of(t.code)}, strides {t.stride()}'}")
    return 0


cdef int check_probability(double p) except -1:
    if not 0 <= p <= 1:
        raise RuntimeError(f"a probability must be in [0, 1]; found {p}")
    return 0


cdef Tensor flat_empty(int code, int64_t n):
    return empty_contiguous(code, 1, &n, False)


cdef class Stream:
    """A stream of random words of 32 bits: of the Mersenne Twister, or of a counter."""
    cdef rl_mt19937 twister
    cdef public bint counter
    cdef public uint64_t _seed, _offset

    def __cinit__(self, *args, **kwargs):
        c_mt_seed(&self.twister, 0)

    def restart(self, uint64_t seed):
        """Go to the beginning of the stream of a seed."""
        self._seed, self._offset = seed, 0
        c_mt_seed(&self.twister, <uint32_t>seed)

    def twister_state(self):
        """(The 624 words of the twister's state as bytes, how many of them have been taken, whether nothing has been
        drawn yet, the second of two normal numbers or None).
        """
        cdef rl_mt19937* g = &self.twister
        words = PyBytes_FromStringAndSize(<char*>g.state, sizeof(g.state))
        return words, g.used, g.fresh != 0, g.normal if g.has_normal else None

    def set_twister_state(self, bytes words not None, int used, bint fresh, kept):
        """Go to what twister_state() returned."""
        cdef rl_mt19937* g = &self.twister
        cdef double normal = 0.0 if kept is None else kept
        if PyBytes_GET_SIZE(words) != sizeof(g.state) or not 0 <= used <= 624:
            raise ValueError(
                f"a twister's state has {sizeof(g.state)} bytes, of whose 624 words 0 to 624 are used; found "
                f"{len(words)} bytes, {used} used")
        memcpy(g.state, PyBytes_AS_STRING(words), sizeof(g.state))
        g.used, g.fresh, g.has_normal, g.normal = used, fresh, kept is not None, normal

    cdef Tensor words(self, int64_t n, bint wide):
        """The next n words as uint32, or 2 n of them as n of uint64, the first one low."""
        cdef Tensor t = flat_empty(C_U64 if wide else C_U32, n), counted
        cdef int64_t m = n << wide
        if not self.counter:
            c_mt_words(&self.twister, m, <uint32_t*>address(t))
            return t
        counted = _counter_words(m, <int64_t>self._seed, self._offset)
        check_drawn(counted, C_U32, m, "the words of a counter")
        self._offset = (self._offset + <uint64_t>m) & ((<uint64_t>1 << 62) - 1)
        memcpy(address(t), memory(counted), m * sizeof(uint32_t))
        return t

    cdef rl_mt19937* one_by_one(self, rl_mt19937* own) except NULL:
        """The twister for functions that draw one by one; a counter's stream makes a new one, seeded by its next word.
        """
        if _refuse is not None:
            _refuse()
        if not self.counter:
            return &self.twister
        cdef Tensor seed = self.words(1, False)
        c_mt_seed(own, (<uint32_t*>address(seed))[0])
        return own


cdef dict DRAWS = {"unit": 0, "word": 1, "pair": 2, "normal": 3}

cdef class Draw:
    """How numbers of a distribution are made.

    Args:
        op: (source, numbers ..., dtype=) -> as many numbers as the source has elements.
        source: "word", one word a number (uint32); "pair", two (uint64, the first one low); "unit", two words for
            float64 and one for other dtypes; "normal": a normal number (float64).
        blocks: normal numbers of 16 and more elements, (radii, angles, numbers ..., dtype=) -> two results, the words
            of a block of 16 being 8 for radii and 8 for angles, and so its numbers.
    """
    cdef readonly Operator op, blocks
    cdef int source

    def __init__(self, Operator op not None, str source not None, Operator blocks=None):
        self.op, self.source, self.blocks = op, DRAWS[source], blocks
        if op.dtype_at < 1 or op.n > MAX_PARAMS:
            raise TypeError(f"Draw: {op.name}() must take a source, numbers and a dtype")

    cdef object call(self, Operator op, Tensor x, Tensor y, tuple numbers, object dtype, object out):
        cdef PyObject* vals[MAX_PARAMS + 1]
        cdef int i, k = 0, first = 1 if y is None else 2
        if len(numbers) != op.n - 1 - first or op.dtype_at < first:
            raise RuntimeError(f"{op.name}() is no operator that draws with {len(numbers)} numbers")
        vals[0], vals[1] = <PyObject*>x, <PyObject*>y
        for i in range(first, op.n):
            if i == op.dtype_at:
                vals[i] = <PyObject*>dtype
            else:
                vals[i] = <PyObject*>numbers[k]
                k += 1
        return op.call_bound(vals, out, op, NULL)

    cdef Tensor piece(self, Stream stream, int64_t n, object dtype, tuple numbers, object out):
        cdef Tensor source
        cdef rl_mt19937 own
        if self.source == 3:
            source = flat_empty(C_F64, n)
            c_mt_normal(stream.one_by_one(&own), n, <double*>address(source))
        else:
            source = stream.words(n, self.source == 2 or self.source == 0 and dtype is _dtypes.float64)
        return self.call(self.op, source, None, numbers, dtype, out)

    cdef int blocks_at(self, Stream stream, int64_t n, Tensor out, int64_t at, object dtype, tuple numbers) except -1:
        """Normal numbers at `at`, a multiple of 16 of them."""
        cdef bint wide = dtype is _dtypes.float64
        cdef Tensor words = stream.words(n, wide)
        cdef Tensor radii = flat_empty(words.code, n // 2), angles = flat_empty(words.code, n // 2)
        cdef int half = BLOCK // 2
        c_mt_weave(n // BLOCK, half * words.itemsize_, True, address(radii), address(angles), address(words))
        cdef object found = self.call(self.blocks, radii, angles, numbers, dtype, None)
        cdef Tensor cosines = found[0], sines = found[1]
        check_drawn(cosines, out.code, n // 2, f"what {self.blocks.name}() draws")
        check_drawn(sines, out.code, n // 2, f"what {self.blocks.name}() draws")
        c_mt_weave(
            n // BLOCK, half * out.itemsize_, False, memory(cosines), memory(sines), memory(out) + at * out.itemsize_)
        return 0

    cdef Tensor draw(self, Stream stream, int64_t n, object dtype, tuple numbers, Tensor out, bint blocks):
        """The next n numbers; in `out`, a row-major vector of them, if given. blocks: normal numbers may be made so."""
        cdef int64_t at = 0, now, whole
        cdef bint made
        if code_of(dtype, -1) < 0:
            raise TypeError(f"random numbers are drawn in a dtype of PyTorch's; found {dtype!r}")
        if code_of(dtype, -1) >= STORED_DTYPES:
            raise NotImplementedError(
                f"random numbers are not drawn in a dtype for storage; found {dtype}: draw floats, and convert them "
                "with .to(dtype)")
        if _refuse is not None:
            _refuse()
        blocks &= self.blocks is not None and n >= BLOCK
        if n <= PIECE and not blocks:
            return self.piece(stream, n, dtype, numbers, out)
        made = out is None
        if made:
            out = flat_empty(code_of(dtype, -1), n)
        whole = n - n % BLOCK if blocks else n
        while at < whole:
            now = min(whole - at, <int64_t>PIECE)
            if blocks:
                self.blocks_at(stream, now, out, at, dtype, numbers)
            else:
                self.piece(stream, now, dtype, numbers, part_of(out, 0, at, now, True))
            at += now
        # The last block overlaps the one before. As in PyTorch, words are taken for all of it, except in the half
        # types.
        if whole < n:
            if out.itemsize_ > 2:
                stream.words(n - whole, dtype is _dtypes.float64)
            self.blocks_at(stream, BLOCK, out, n - BLOCK, dtype, numbers)
        if made:
            out.storage.version = 0          # how it was filled is nobody's matter
        return out


cdef class Drawn(Factory):
    """The usual calls of a factory of random floating point numbers that has a parameter `generator`.

    Args:
        op: the factory.
        draw: how its numbers are made.
        default: the generator of calls that name none.
        numbers: those of the distribution.
    """
    cdef Draw how
    cdef Stream default
    cdef tuple numbers
    cdef int generator

    def __init__(self, Operator op not None, Draw draw not None, Stream default not None, tuple numbers not None):
        Factory.__init__(self, op)
        self.how, self.default, self.numbers = draw, default, numbers
        self.generator = self.place("generator")
        if self.generator < 0:
            self.op = None           # no operator uses an unfinished object
            raise TypeError(f"{op.name}() must take a generator")

    cdef int pair(self, int* first, int* second, str of, str and_of, str what) except -1:
        """Where the two numbers of a distribution stand among the arguments."""
        first[0], second[0] = self.place(of), self.place(and_of)
        if min(first[0], second[0]) < 0:
            name, self.op = self.op.name, None       # no operator uses an unfinished object
            raise TypeError(f"{name}() must take {what}")
        return 0

    cdef bint draws(self, int code):
        """Whether numbers of a dtype are drawn here; no storage dtype is."""
        return KINDS[code] == c"f"

    cdef tuple numbers_of(self, PyObject** vals):
        """The numbers of the distribution; None if the body makes the call."""
        return self.numbers

    cdef Tensor new(
            self, PyObject** vals, int code, int ndim, const int64_t* sizes, int64_t n, const int64_t* strides):
        cdef tuple numbers
        stream = <object>vals[self.generator]
        if stream is None:
            stream = self.default
        if type(stream) is not type(self.default) or n == 0 or code >= STORED_DTYPES or not self.draws(code):
            return None
        numbers = self.numbers_of(vals)
        if numbers is None:
            return None
        # in the order of memory, and by blocks where that is the order of the elements
        cdef Tensor t = self.how.draw(<Stream>stream, n, dtype_of(code), numbers, None, in_rows(ndim, sizes, strides))
        settle(t)
        set_row_major(t, ndim, sizes)
        return t


cdef bint in_rows(int ndim, const int64_t* sizes, const int64_t* strides) noexcept:
    """Whether memory of some strides, NULL for row-major ones, is row-major."""
    cdef int64_t step = 1
    cdef int d
    if strides == NULL:
        return True
    for d in range(ndim - 1, -1, -1):
        if sizes[d] != 1:
            if strides[d] != step:
                return False
            step *= sizes[d]
    return True


@cython.final
cdef class DrawnAround(Drawn):
    """The usual calls of a factory of numbers with the mean `mean` and the standard deviation `std`, Python's numbers.
    """
    cdef int mean, std

    def __init__(self, Operator op not None, Draw draw not None, Stream default not None):
        Drawn.__init__(self, op, draw, default, ())
        self.pair(&self.mean, &self.std, "mean", "std", "a mean and a standard deviation")

    cdef tuple numbers_of(self, PyObject** vals):
        cdef double value
        mean, std = <object>vals[self.mean], <object>vals[self.std]
        if not exact_double(mean, &value) or not exact_double(std, &value) or not value >= 0:
            return None
        return mean, std


@cython.final
cdef class DrawnBetween(Drawn):
    """The usual calls of a factory of integers in [low, high), both so small that a word is enough and that each dtype
    of 4 or 8 bytes holds them exactly.

    Args:
        op: it takes `low`, `high`, and `size` or `input`; with one number less, the first is `high`.
        draw: how such integers are made of `low` and their count.
        default: as for Drawn.
    """
    cdef int low, high

    def __init__(self, Operator op not None, Draw draw not None, Stream default not None):
        Drawn.__init__(self, op, draw, default, ())
        self.pair(&self.low, &self.high, "low", "high", "the bounds of its numbers")

    cdef bint draws(self, int code):
        return code == C_I64 or code == C_I32 or code == C_F32 or code == C_F64

    cdef int lay(self, PyObject** vals, Tensor like, int* code, int64_t* sizes, int64_t* n) except -2:
        if like is not None:
            return Factory.lay(self, vals, like, code, sizes, n)
        code[0] = C_I64
        size = <object>vals[self.size]
        return plain_sizes(<object>vals[self.high] if size is None else size, sizes, n)    # randint(high, size)

    cdef tuple numbers_of(self, PyObject** vals):
        cdef double first, last
        low, high = <object>vals[self.low], <object>vals[self.high]
        if high is None or self.size >= 0 and <object>vals[self.size] is None:
            low, high = 0, low
        elif low is None:
            low = 0
        if not (PyLong_CheckExact(low) and PyLong_CheckExact(high)):
            return None
        if not (exact_double(low, &first) and exact_double(high, &last)):
            return None
        return (low, high - low) if -MOST_BOUND <= first < last <= MOST_BOUND else None


def redraw(Draw draw not None, Stream stream not None, Tensor t not None, tuple numbers not None):
    """Fill a row-major CPU tensor in place; for other tensors, and for calls that autograd records, it does nothing and
    returns False.
    """
    if t.keys or not t.contiguous_ or t.numel_ == 0 or wants_grad(t) and tls().grad_enabled:
        return False
    draw.draw(stream, t.numel_, dtype_of(t.code), numbers, uncounted(flat_of(t)), True)
    bump_version(t)
    return True


def draw_vector(
        Draw draw not None, Stream stream not None, int64_t n, dtype not None, tuple numbers not None,
        bint blocks=True, tuple size=None):
    """n > 0 numbers as a vector, or in the shape `size`, if that is a few plain ints whose product is n. blocks:
    whether normal numbers may be made by blocks, as PyTorch makes those of contiguous tensors.
    """
    cdef int64_t sizes[INLINE_DIMS]
    cdef int64_t total = 1
    cdef Tensor t = draw.draw(stream, n, dtype, numbers, None, blocks)
    cdef int ndim = plain_sizes(size, sizes, &total)
    if ndim >= 0 and total == n:
        settle(t)
        set_row_major(t, ndim, sizes)
    return t


# --------------------------------------------------------------------------------------------------------- one by one
cdef double* doubles(Tensor t) except NULL:
    settle(t)
    if t.code != C_F64 or not t.contiguous_ or t.keys:
        raise TypeError("parameters of distributions must be row-major tensors of float64 on the CPU")
    return <double*>memory(t)


def draw_bernoulli(Stream stream not None, size, double p):
    """Bools of a size, True with probability p."""
    cdef rl_mt19937 own
    cdef int64_t sizes[MAX_DIMS]
    size = tuple(size)
    cdef int i, n = min(len(size), MAX_DIMS + 1)
    check_probability(p)
    if n > MAX_DIMS:
        raise RuntimeError(f"a tensor has at most {MAX_DIMS} dimensions; found {len(size)}")
    for i in range(n):
        sizes[i] = size[i]
    cdef Tensor t = empty_contiguous(C_BOOL, n, sizes, False)
    c_mt_bernoulli(stream.one_by_one(&own), t.numel_, p, <uint8_t*>address(t))
    return t


def draw_permutation(Stream stream not None, int64_t n):
    """The numbers 0 ... n - 1 in a random order, int64."""
    cdef rl_mt19937 own
    cdef Tensor t = flat_empty(C_I64, n)
    c_mt_permutation(stream.one_by_one(&own), n, <int64_t*>address(t))
    return t


def draw_poisson(Stream stream not None, Tensor rate not None):
    """Poisson numbers (float64) of rates >= 0."""
    cdef rl_mt19937 own
    cdef Tensor t = empty_like_row(rate)
    cdef double* p = doubles(rate)
    c_mt_poisson(stream.one_by_one(&own), rate.numel_, p, <double*>address(t))
    return t


def draw_binomial(Stream stream not None, Tensor count not None, Tensor p not None):
    """Numbers of successes (float64) in `count` trials of probability p, tensors of one shape."""
    cdef rl_mt19937 own
    cdef Tensor t = empty_like_row(count)
    if p.numel_ != count.numel_:
        raise RuntimeError(
            f"binomial(): counts and probabilities must be equally many; found {count.numel_} and {p.numel_}")
    cdef double* n = doubles(count)
    cdef double* q = doubles(p)
    c_mt_binomial(stream.one_by_one(&own), count.numel_, n, q, <double*>address(t))
    return t


def draw_gamma(Stream stream not None, Tensor shape not None, bint logarithm):
    """Gamma numbers of rate 1 (float64), or their logarithms; NaN for negative shapes."""
    cdef rl_mt19937 own
    cdef Tensor t = empty_like_row(shape)
    cdef double* p = doubles(shape)
    c_mt_gamma(stream.one_by_one(&own), shape.numel_, logarithm, p, <double*>address(t))
    return t


def draw_places(Stream stream not None, Tensor weights not None, int64_t count, bint single):
    """`count` indices a row, drawn with replacement by the weights in each row of a matrix; single: in float32."""
    cdef rl_mt19937 own
    cdef int64_t sizes[2]
    cdef double* p = doubles(weights)
    if weights.ndim_ != 2 or weights.sizes[1] < 1 or count < 0:
        raise RuntimeError("multinomial(): weights must be a matrix with elements in its rows")
    sizes[0], sizes[1] = weights.sizes[0], count
    cdef Tensor t = empty_contiguous(C_I64, 2, sizes, False), sums = flat_empty(C_F64, weights.sizes[1])
    c_mt_choose(
        stream.one_by_one(&own), sizes[0], weights.sizes[1], count, single, p, <double*>address(sums),
        <int64_t*>address(t))
    return t


cdef Tensor empty_like_row(Tensor t):
    return empty_contiguous(C_F64, t.ndim_, t.sizes, False)

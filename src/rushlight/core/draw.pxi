# Included by dispatch.pyx: random numbers. What draws them is an operator of (n, seed, offset, numbers ..., dtype=).
cdef object _refuse = None          # called before numbers are drawn

def refuse_drawing(function):
    """Let `function` be called before numbers are drawn (None: nothing is); returns the one before. vmap forbids drawing unless told what it should mean."""
    global _refuse
    old = _refuse
    _refuse = function
    return old


cdef class Stream:
    """A stream of random numbers: a seed, and how many numbers have been taken."""
    cdef public uint64_t _seed, _offset

    cdef uint64_t take(self, int64_t n) except? 0:
        cdef uint64_t offset
        if _refuse is not None:
            _refuse()
        offset = self._offset
        self._offset = (offset + <uint64_t>n) & ((<uint64_t>1 << 62) - 1)
        return offset

    def advance(self, int64_t n):
        """Take the next n numbers of the stream: returns (seed, offset) for a program that draws them."""
        offset = self.take(n)
        return <int64_t>self._seed, offset


cdef object drawn(Operator op, Stream stream, int64_t n, object dtype, tuple numbers, object out):
    """The next n numbers of the stream as `op` makes them."""
    cdef PyObject* vals[MAX_PARAMS + 1]
    cdef int i, k = 0
    if len(numbers) != op.n - 4 or op.dtype_at < 3:
        raise RuntimeError(f"{op.name}() is no operator that draws with {len(numbers)} numbers")
    cdef object at = stream.take(n)
    cdef object count = n
    cdef object seed = <int64_t>stream._seed
    vals[0], vals[1], vals[2] = <PyObject*>count, <PyObject*>seed, <PyObject*>at
    for i in range(3, op.n):
        if i == op.dtype_at:
            vals[i] = <PyObject*>dtype
        else:
            vals[i] = <PyObject*>numbers[k]
            k += 1
    return op.call_bound(vals, out, op, NULL)


def plain_draw(Operator op not None, Stream stream not None, size, dtype, tuple numbers not None, bint requires_grad):
    """A new tensor that `op` draws for a usual call of a factory, else None (see factory.pxi); a dtype of None is the default one."""
    cdef int64_t sizes[INLINE_DIMS]
    cdef int64_t n = 1
    cdef int ndim
    if dtype is None:
        dtype = DEFAULT_DTYPE[0]
    if code_of(dtype, -1) < 0 or not default_is_cpu():
        return None
    ndim = plain_sizes(size, sizes, &n)
    if ndim < 0 or n == 0:
        return None
    cdef Tensor t = drawn(op, stream, n, dtype, numbers, None)
    if ndim != 1:
        set_row_major(t, ndim, sizes)
    if requires_grad:
        set_requires_grad(t, True)
    return t


def plain_redraw(Operator op not None, Stream stream not None, Tensor t not None, tuple numbers not None):
    """Fill a row-major CPU tensor in place with what `op` draws; False, and nothing is done, for others and for what autograd records."""
    if t.keys or not t.contiguous_ or t.numel_ == 0 or (t.rg or t.meta is not None and t.requires_grad) and tls().grad_enabled:
        return False
    drawn(op, stream, t.numel_, dtype_of(t.code), numbers, flat_of(t))
    return True

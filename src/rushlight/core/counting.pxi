# Included by tensor.pyx: the distinct elements of short tensors, and how many of them are where. What is unusual about a call makes the
# result None, and the road in ops/sorting.py takes it.
cdef enum:
    FEW = 128                # elements that a short sort takes, see native/order.c


cdef bint readable(Tensor t) noexcept:
    """Whether the elements of `t` lie in the CPU's memory in row-major order."""
    return t.keys == 0 and t.contiguous_ and not tls().building


cdef bint is_integer(int code) noexcept:
    return code == C_I64 or code == C_I32 or code == C_U8 or code == C_I8 or code == C_I16


cdef int64_t integer_at(Tensor t, int64_t i) noexcept:
    """Element i of a row-major tensor of integers that is_integer knows, or of truth values."""
    if t.code == C_I64:
        return (<int64_t*>t.data_)[i]
    if t.code == C_I32:
        return (<int32_t*>t.data_)[i]
    if t.code == C_I16:
        return (<int16_t*>t.data_)[i]
    if t.code == C_I8:
        return (<int8_t*>t.data_)[i]
    if t.code == C_BOOL:
        return t.data_[i] != 0
    return (<uint8_t*>t.data_)[i]


cdef double float_at(Tensor t, int64_t i) noexcept:
    return (<float*>t.data_)[i] if t.code == C_F32 else (<double*>t.data_)[i]


def plain_unique(Tensor t not None, bint in_order, bint inverse, bint counts):
    """What unique(t, True, inverse, counts) makes of few elements, or without `in_order` unique_consecutive(t, inverse, counts), else None."""
    cdef int64_t whole[FEW]
    cdef double real[FEW]
    cdef int64_t at[FEW]
    cdef int64_t first[FEW]
    cdef int64_t i, n = t.numel_, found = 0
    cdef bint floats = t.code == C_F32 or t.code == C_F64, same
    cdef Tensor values, places = None, times = None
    if not readable(t) or not 0 < n <= FEW or not (floats or is_integer(t.code) or t.code == C_BOOL):
        return None
    for i in range(n):
        at[i] = i
        if floats:
            real[i] = float_at(t, i)
        else:
            whole[i] = integer_at(t, i)
    if in_order and floats:
        c_order(2, False, 1, n, 1, n, real, NULL, at)
    elif in_order:
        c_order(0, False, 1, n, 1, n, whole, NULL, at)
    if inverse:
        places = empty_contiguous(C_I64, t.ndim_, t.sizes, False)
    for i in range(n):
        same = i > 0 and (real[at[i]] == real[at[i - 1]] if floats else whole[at[i]] == whole[at[i - 1]])
        if not same:
            first[found] = i
            found += 1
        if inverse:
            (<int64_t*>places.data_)[at[i]] = found - 1
    values = empty_contiguous(t.code, 1, &found, False)
    for i in range(found):
        memcpy(values.data_ + i * t.itemsize_, t.data_ + at[first[i]] * t.itemsize_, t.itemsize_)
    if counts:
        times = empty_contiguous(C_I64, 1, &found, False)
        for i in range(found):
            (<int64_t*>times.data_)[i] = (first[i + 1] if i + 1 < found else n) - first[i]
    if inverse:
        return (values, places, times) if counts else (values, places)
    return (values, times) if counts else values


def plain_bincount(Tensor t not None, minlength):
    """What bincount(t, None, minlength) makes of few elements that are small, else None."""
    cdef int64_t most = SERIAL_BYTES // 8, size = 0, i, x
    cdef Tensor r
    if not readable(t) or t.ndim_ != 1 or t.numel_ > most or not is_integer(t.code) or not PyLong_CheckExact(minlength) or not 0 <= minlength <= most:
        return None
    size = minlength
    for i in range(t.numel_):
        x = integer_at(t, i)
        if not 0 <= x < most:
            return None
        if x >= size:
            size = x + 1
    r = empty_contiguous(C_I64, 1, &size, False)
    memset(r.data_, 0, size * 8)
    for i in range(t.numel_):
        (<int64_t*>r.data_)[integer_at(t, i)] += 1
    return r


cdef void put_float(Tensor t, int64_t i, double x) noexcept:
    if t.code == C_F32:
        (<float*>t.data_)[i] = <float>x
    else:
        (<double*>t.data_)[i] = x


cdef Tensor equal_edges(Tensor t, object bins, object between):
    """The edges of equal bins over the range `between`, that of the elements when it is None; None for what needs a closer look."""
    cdef double low, high, step
    cdef int64_t i, n = 0
    cdef Tensor edges
    if not PyLong_CheckExact(bins) or not 0 < bins <= FEW or t.numel_ == 0:
        return None
    if between is None:
        low = high = float_at(t, 0)
        for i in range(t.numel_):
            low, high = min(low, float_at(t, i)), max(high, float_at(t, i))
    elif type(between) is not tuple or len(<tuple>between) != 2 or not exact_double(between[0], &low) or not exact_double(between[1], &high):
        return None
    if low == high:
        low, high = low - 0.5, high + 0.5
    n = bins
    step = (high - low) / n
    if not (low < high and step > 0 and high - low < 1e300):
        return None
    n += 1
    edges = empty_contiguous(t.code, 1, &n, False)
    for i in range(n - 1):
        put_float(edges, i, i * step + low)
    put_float(edges, n - 1, high)
    return edges


def plain_histogram(Tensor t not None, bins, between, bint density):
    """What histogram(t, bins, range=between, density=density) makes of few elements and bins, a pair, else None."""
    cdef double counts[FEW]
    cdef double x, width, total = 0
    cdef int64_t i, j, k, last, n
    cdef Tensor edges, hist
    if not readable(t) or not (t.code == C_F32 or t.code == C_F64) or t.numel_ > SERIAL_BYTES // 8:
        return None
    for i in range(t.numel_):
        x = float_at(t, i)
        if x != x:
            return None
    if type(bins) is Tensor:
        edges = <Tensor>bins
        if edges.code != t.code or edges.ndim_ != 1 or not readable(edges) or not 1 < edges.numel_ <= FEW:
            return None
        edges = empty_contiguous(t.code, 1, edges.sizes, False)
        memcpy(edges.data_, (<Tensor>bins).data_, edges.numel_ * edges.itemsize_)
    else:
        edges = equal_edges(t, bins, between)
        if edges is None:
            return None
    n = edges.numel_ - 1
    for i in range(n):
        counts[i] = 0
        if not float_at(edges, i) <= float_at(edges, i + 1):
            return None
    for i in range(t.numel_):
        x = float_at(t, i)
        if x < float_at(edges, 0) or x > float_at(edges, n):
            continue
        j, last = 0, n
        while last - j > 1:               # the last bin that begins at x or below
            k = (j + last) // 2
            if float_at(edges, k) <= x:
                j = k
            else:
                last = k
        counts[j] += 1
        total += 1
    if density and total == 0:
        return None
    hist = empty_contiguous(t.code, 1, &n, False)
    for i in range(n):
        if density:
            width = float_at(edges, i + 1) - float_at(edges, i)
            if t.code == C_F32:
                width = <float>width          # the difference of two float32 in float64 is rounded as that in float32
            if width == 0:
                return None
            counts[i] = counts[i] / width / total
        put_float(hist, i, counts[i])
    return hist, edges

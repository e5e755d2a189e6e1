# Included by execute.pyx: which dimension a launch takes as the vector axis, where the innermost one would not do.


cdef bint transposed(_Launch s, int K, int64_t* sz, int64_t* st) noexcept:
    """Whether an operand lies with another dimension contiguous than the innermost; if so that dimension is moved next to it."""
    cdef int o, i, d = -1
    cdef int64_t x
    if sz[K - 1] < 8:
        return False
    for o in range(s.no):
        x = st[o * s.width + K - 1]
        if x == 0 or x == 1 or s.itemsizes[o] > 8 or s.buffers[o] < 0:
            continue
        for i in range(K - 1):
            if st[o * s.width + i] == 1 and sz[i] >= 8:
                d = i
                break
        if d >= 0:
            break
    if d < 0:
        return False
    x = sz[d]
    for i in range(d, K - 2):
        sz[i] = sz[i + 1]
    sz[K - 2] = x
    for o in range(s.no):
        x = st[o * s.width + d]
        for i in range(d, K - 2):
            st[o * s.width + i] = st[o * s.width + i + 1]
        st[o * s.width + K - 2] = x
    return True


cdef int longest(int K, int64_t* sz) noexcept:
    """The longest dimension, the innermost of equal ones to the vector axis."""
    cdef int i, d = K - 1
    for i in range(K - 1):
        if sz[i] > sz[d]:
            d = i
    return d


cdef int longest_inside(_Launch s, int K, int64_t* sz, int64_t* st, int* origin) noexcept:
    """Rows of a few elements cost more to begin than to compute: make the longest dimension the vector axis. The dimension that it was, or -1."""
    cdef int d = longest(K, sz)
    if sz[d] < 64:
        return -1
    swap_dims(s, K, sz, st, origin, d)
    return d


cdef void swap_dims(_Launch s, int K, int64_t* sz, int64_t* st, int* origin, int d) noexcept:
    """Exchange dimension d and the innermost."""
    cdef int o
    cdef int64_t x
    sz[d], sz[K - 1] = sz[K - 1], sz[d]
    origin[d], origin[K - 1] = origin[K - 1], origin[d]
    for o in range(s.no):
        x = st[o * s.width + d]
        st[o * s.width + d] = st[o * s.width + K - 1]
        st[o * s.width + K - 1] = x

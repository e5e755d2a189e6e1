# Included by execute.pyx: the steps of a plan that are library routines.
cdef Tensor wrap_buffer(void* p, int code, tuple sizes, tuple strides, int64_t* slots):
    cdef Storage storage = Storage.__new__(Storage)
    cdef Tensor t
    cdef int i
    storage.ptr = p
    t = new_tensor(storage, code, len(sizes))
    for i in range(len(sizes)):
        t.sizes[i] = slots[<int>sizes[i]]
        t.strides[i] = slots[<int>strides[i]]
    finish(t)
    return t


cdef int blas_code(int code) noexcept:
    """OpenBLAS's number for a dtype, -1 for a dtype that it does not know."""
    return 0 if code == 9 else 1 if code == 10 else 2 if code == 13 else 3 if code == 14 else -1


cdef int run_dot(_Library s, int64_t* slots, void** buffers) except -1:
    """A batched matrix product straight through BLAS; 0 when done, 1 when the general routine must do it."""
    cdef int64_t size[3][MAX_SPACE]
    cdef int64_t stride[3][MAX_SPACE]
    cdef int64_t index[MAX_SPACE]
    cdef char* p[3]
    cdef int i, d, nd = 0, nb, rc, blas = -1, buffer, code, offset
    cdef int64_t m, n, k, batch = 1, outer = 1, x
    cdef int64_t bs[3]
    cdef bint collapsible
    for i in range(3):
        buffer, code, offset, sizes, strides = s.views[i]
        blas = blas_code(code)
        if blas < 0:
            return 1
        nd = len(<tuple>sizes)
        p[i] = <char*>buffers[buffer] + (slots[offset] * item_size(code) if offset >= 0 else 0)
        for d in range(nd):
            size[i][d] = slots[<int>(<tuple>sizes)[d]]
            stride[i][d] = slots[<int>(<tuple>strides)[d]]
        bs[i] = 0
    nb = nd - 2
    m, k, n = size[0][nb], size[0][nb + 1], size[1][nb + 1]
    if nd > MAX_SPACE or m == 0 or n == 0:
        return 0
    for d in range(nb):
        batch *= size[2][d]
    if batch == 0:
        return 0
    for i in range(3):       # BLAS wants a unit stride in each matrix
        if stride[i][nb] != 1 and stride[i][nb + 1] != 1 and size[i][nb] > 1 and size[i][nb + 1] > 1:
            return 1
        if stride[i][nb] < 0 or stride[i][nb + 1] < 0:
            return 1
    cdef int item = item_size(code)
    collapsible = True
    for i in range(3):
        for d in range(nb - 1):
            if size[2][d] != 1 and size[2][d + 1] != 1 and stride[i][d] != stride[i][d + 1] * size[2][d + 1]:
                collapsible = False
        for d in range(nb - 1, -1, -1):
            if size[2][d] != 1:
                bs[i] = stride[i][d]
                break
    if nb > 1 and not collapsible:
        outer = batch // size[2][nb - 1]
        batch = size[2][nb - 1]
        for i in range(3):
            bs[i] = stride[i][nb - 1]
    for d in range(nb):
        index[d] = 0
    for x in range(outer):
        with nogil:
            rc = c_gemm_batched(blas, batch, m, n, k, p[0], bs[0], stride[0][nb], stride[0][nb + 1], p[1], bs[1], stride[1][nb], stride[1][nb + 1],
                                p[2], bs[2], stride[2][nb], stride[2][nb + 1])
        if rc != 0:
            if x == 0:
                return 1
            raise RuntimeError(f"internal: BLAS refused a matrix product with code {rc}")
        for d in range(nb - 2, -1, -1):
            index[d] += 1
            for i in range(3):
                p[i] += stride[i][d] * item
            if index[d] < size[2][d]:
                break
            for i in range(3):
                p[i] -= stride[i][d] * item * size[2][d]
            index[d] = 0
    return 0


cdef int run_library(_Library s, int64_t* slots, void** buffers) except -1:
    cdef list views = []
    cdef int buffer, code, offset
    if s.is_dot:
        if not blas_ready():
            LIBRARY["open_blas"]()
        if run_dot(s, slots, buffers) == 0:
            return 0
    for buffer, code, offset, sizes, strides in s.views:
        views.append(wrap_buffer(<char*>buffers[buffer] + (slots[offset] * item_size(code) if offset >= 0 else 0), code, <tuple>sizes, <tuple>strides, slots))
    if s.function is None:
        s.function = LIBRARY[s.name]
    params = s.params
    if s.sized or s.sized_lists:
        params = dict(params)
        for k, i in s.sized:
            params[k] = slots[<int>s.ints[i]]
        for k, v in s.sized_lists:
            params[k] = tuple([slots[<int>s.ints[x[1]]] if isinstance(x, tuple) else x for x in v])
    s.function(views[:s.n_in], views[s.n_in:], params)
    return 0


cdef object make_step(object s):
    return _Launch(s) if hasattr(s, "kernel") else _Library(s)

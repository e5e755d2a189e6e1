from libc.stdint cimport int64_t

# Dtypes by their codes: those built in, in the order of registration in dtypes.py.
cdef enum:
    C_BOOL = 0
    C_U8 = 1
    C_I8 = 2
    C_I16 = 3
    C_I32 = 4
    C_I64 = 5
    C_U16 = 6
    C_U32 = 7
    C_U64 = 8
    C_F32 = 9
    C_F64 = 10
    C_F16 = 11
    C_BF16 = 12
    C_C64 = 13
    C_C128 = 14
    C_C32 = 15
    STORED_DTYPES = 16       # codes from here on, among those built in, are of storage dtypes, with formats of 8 bits
    BUILTIN_DTYPES = 22      # codes from here on, and their operators, were registered from outside

cdef object UPCALLS
cdef int[256] ITEMSIZE       # by code, as are the next two
cdef list DTYPES
cdef list DEFAULT_DTYPE
cdef bytes KINDS             # "f", "c", "i", "u" or "b"
cdef int item_size(int code) noexcept
cdef object dtype_of(int code)
cdef object read_scalar(char* p, int code)
cdef int write_scalar(char* p, int code, object value) except -1

cdef extern from "types.h":
    void core_only "rl_core_only" (object)
    int rl_attach(object, object, object) except -1
    int rl_withdraw(object, object) except -1

cdef extern from "checked.h":
    enum: RL_FITS
    enum: RL_WRAPS
    enum: RL_NEGATIVE
    bint times_overflows "rl_times" (int64_t, int64_t, int64_t*) noexcept nogil
    bint plus_overflows "rl_plus" (int64_t, int64_t, int64_t*) noexcept nogil
    int64_t times_most "rl_times_most" (int64_t, int64_t) noexcept nogil
    int64_t plus_most "rl_plus_most" (int64_t, int64_t) noexcept nogil
    int64_t minus_most "rl_minus_most" (int64_t, int64_t) noexcept nogil
    int count_elements "rl_count" (int, const int64_t*, int64_t*) noexcept nogil
    int reach "rl_reach" (int, const int64_t*, const int64_t*, int64_t, int64_t, int64_t*, int64_t*) noexcept nogil

cdef inline void strides_in_rows(int n, const int64_t* sizes, int64_t* strides) noexcept:
    """Row-major strides; as in PyTorch, a dimension without elements counts as one of size 1."""
    cdef int64_t step = 1
    cdef int d
    for d in range(n - 1, -1, -1):
        strides[d] = step
        step = times_most(step, sizes[d] if sizes[d] > 1 else 1)

cdef inline void strides_in_order(int n, const int* order, const int64_t* sizes, int64_t* strides) noexcept:
    """The same for dimensions of which `order` lists the innermost first."""
    cdef int64_t step = 1
    cdef int i, d
    for i in range(n):
        d = order[i]
        strides[d] = step
        step = times_most(step, sizes[d] if sizes[d] > 1 else 1)

cdef class NodeWatch:
    # is called for each node that the engine runs (engine.set_node_watch)
    cdef int node_begins(self, object node, list grads) except -1
    cdef int node_ends(self, list grads, list out) except -1

cdef class OperatorBase:
    cdef object call1(self, object a)
    cdef object call2(self, object a, object b)

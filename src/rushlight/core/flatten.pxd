from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy
from rushlight.core.execute cimport Scalar
from rushlight.core.tensor cimport Tensor

cdef enum:
    MAX_PARAMS = 24
    FEW_KEY = 512            # how much of a call is on the stack
    FEW_TENSORS = 32
    FEW_INTS = 64
    MOST_ENTRIES = 1 << 24   # the most of anything in one call: more is a mistake
    MAX_SCALARS = MAX_PARAMS

cpdef enum Kind:
    """Kinds of parameters."""
    P_TENSOR = 0          # a tensor (None where optional)
    P_TENSORS = 1         # a sequence of tensors (None among them where optional)
    P_SCALAR = 2          # a number, given to the kernels at launch
    P_INT = 3             # an int that may differ from call to call without recompilation
    P_INTS = 4            # a sequence of such ints, or one int
    P_STATIC = 5          # anything hashable: part of the key
    P_OPERAND = 6         # a tensor or a number
    P_REAL = 7            # a real number, given at launch; any other value is static
    # an int, or a sequence of ints and None: ints are given at launch, also -1, 0 and 1; any other value is static
    P_SIZES = 8

# The first bytes of the entries of a key, which tell what follows.
cdef enum Tag:
    TAG_TENSOR = 0xA0         # + 1: it needs a gradient, + 2: it is on meta; dtype, rank and the sizes of 1
    TAG_SMALL_INT = 0xB1      # + the int, -1, 0 or 1
    TAG_POSITIVE = 0xB4       # a program traced for a positive int assumes that it is positive
    TAG_NEGATIVE = 0xB5
    TAG_SIZE = 0xB6           # an int given at launch, of any value
    TAG_NUMBER = 0xC0         # + its kind (execute.pxd)
    TAG_NONE = 0xD0
    TAG_FALSE = 0xD1
    TAG_TRUE = 0xD2
    TAG_INT = 0xD3
    TAG_FLOAT = 0xD4
    TAG_SEQUENCE = 0xD5
    TAG_STR = 0xD6
    TAG_OBJECT = 0xD7
    TAG_SLICE = 0xD8
    TAG_COMPLEX = 0xD9
    TAG_BIG_INT = 0xDA
    TAG_SPECIAL = 0xDE        # a number that a specialising parameter takes as static
    TAG_DEFAULT = 0xDF
    TAG_INTS = 0xE0
    TAG_ONE_INT = 0xE1
    TAG_TENSORS = 0xE2
    TAG_TUPLE_OF_SIZES = 0xE3
    TAG_LIST_OF_SIZES = 0xE4
    TAG_OUTS = 0xEC
    TAG_IN_PLACE = 0xEE
    TAG_OUT = 0xEF

cdef class Param:
    """One parameter of an operator's signature."""
    cdef readonly str name
    cdef readonly int kind
    cdef readonly object default
    cdef readonly bint required
    cdef readonly bint optional        # None is accepted
    cdef readonly bint keyword_only
    cdef readonly bint varargs         # x.view(2, 3) for x.view((2, 3))
    cdef readonly frozenset specialize # numbers that have a formula of their own are static: x ** 2 is not x ** 2.7
    cdef readonly bint by_sign         # whether an int is negative is part of the key
    cdef readonly int like             # if not given, it has the value of this parameter (-1: of none)
    cdef readonly bint fixed           # the default is static: it is no number, or one with a formula of its own

cdef struct Flat:
    # The flattened arguments of a call: the tensors, ints and numbers in order of appearance. A few of them are stored
    # here, more are allocated.
    int n_tensors
    int n_ints
    int n_scalars
    int key_len
    int most_tensors
    int most_ints
    int most_key
    int most_syms
    int depth                # of nested sequences among the static arguments
    unsigned int keys
    bint needs_grad
    bint of_inference            # whether a tensor that was made in inference mode requires grad
    bint any_meta
    bint of_value                # the caller wants the number in the result, see Executable.value_of
    PyObject** tensors
    int64_t* ints
    int64_t* syms            # of the compiled call, see execute
    unsigned char* key
    Scalar scalars[MAX_SCALARS]
    PyObject* few_tensors[FEW_TENSORS]
    int64_t few_ints[FEW_INTS]
    int64_t few_syms[FEW_INTS]
    unsigned char few_key[FEW_KEY]

cdef unsigned char[1] KEY_START        # the code of the default dtype, see default_dtype_is

cdef inline void begin_flat(Flat* f) noexcept:
    f.n_tensors = f.n_ints = f.n_scalars = f.depth = 0
    f.few_key[0], f.key_len = KEY_START[0], 1
    f.keys = 0
    f.needs_grad = f.any_meta = f.of_inference = f.of_value = False
    f.tensors, f.ints, f.syms, f.key = f.few_tensors, f.few_ints, f.few_syms, f.few_key
    f.most_tensors, f.most_ints, f.most_syms, f.most_key = FEW_TENSORS, FEW_INTS, FEW_INTS, FEW_KEY


cdef inline void end_flat(Flat* f) noexcept:
    if f.tensors != f.few_tensors:
        free(f.tensors)
    if f.ints != f.few_ints:
        free(f.ints)
    if f.syms != f.few_syms:
        free(f.syms)
    if f.key != f.few_key:
        free(f.key)

cdef int grown(void** p, void* few, int* most, int need, int item) except -1

cdef inline int put_bytes(Flat* f, const void* p, int n) except -1:
    if n > MOST_ENTRIES:
        raise RuntimeError(f"an argument is too long: more than {MOST_ENTRIES} bytes")
    if f.key_len + n > f.most_key:
        grown(<void**>&f.key, f.few_key, &f.most_key, f.key_len + n, 1)
    memcpy(f.key + f.key_len, p, n)
    f.key_len += n
    return 0

cdef inline int put(Flat* f, unsigned char c) except -1:
    if f.key_len >= f.most_key:
        grown(<void**>&f.key, f.few_key, &f.most_key, f.key_len + 1, 1)
    f.key[f.key_len] = c
    f.key_len += 1
    return 0

cdef inline int add_int(Flat* f, int64_t v) except -1:
    if f.n_ints >= f.most_ints:
        grown(<void**>&f.ints, f.few_ints, &f.most_ints, f.n_ints + 1, sizeof(int64_t))
    f.ints[f.n_ints] = v
    f.n_ints += 1
    return 0

cdef inline bint put_size(Flat* f, int64_t v) except -1:
    """Append an int given at launch, of any value."""
    add_int(f, v)
    put(f, TAG_SIZE)
    return True

cdef inline int64_t bits_of(double x) noexcept:
    cdef int64_t n
    memcpy(&n, &x, 8)
    return n

cdef inline int put_number(Flat* f, int kind, int64_t lo, int64_t hi) except -1:
    """Append a number given at launch; there is room for one per parameter."""
    f.scalars[f.n_scalars] = Scalar(lo, hi, kind)
    f.n_scalars += 1
    return put(f, TAG_NUMBER + kind)

cdef inline int put_object(Flat* f, object v) except -1:
    """Append an object that is compared by identity."""
    cdef void* p = <void*>v
    put(f, TAG_OBJECT)
    return put_bytes(f, &p, sizeof(void*))

cdef int flatten(object op, Flat* f, Param p, object v, bint grad) except -1
cdef int put_tensor(Flat* f, Tensor t, bint grad) except -1
cdef int flatten_out(object op, Flat* f, object out) except -1
cdef int overrides(object op, Flat* f, Param p, object v, object x) except -1
cdef object held(object v)
cdef uint64_t hash_bytes(const unsigned char* p, int n) noexcept nogil
cdef bint is_int(object v)
cdef bint is_complex(object v)
cdef object bad(object op, Param p, object v)
cdef bint is_sym(object v)
cdef str shown_signature(str name, tuple params, bint takes_out)

# Included by dispatch.pyx: a call's arguments as tensors, ints, numbers and the bytes of the cache key.
cdef struct Flat:
    # What a call's arguments come to: the tensors, ints and numbers in order of appearance. Few of them lie here, more
    # are allocated.
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
    bint of_inference            # a tensor that was made in inference mode requires grad
    bint any_meta
    PyObject** tensors
    int64_t* ints
    int64_t* syms            # of the compiled call, see execute
    unsigned char* key
    Scalar scalars[MAX_SCALARS]
    PyObject* few_tensors[FEW_TENSORS]
    int64_t few_ints[FEW_INTS]
    int64_t few_syms[FEW_INTS]
    unsigned char few_key[FEW_KEY]


cdef unsigned char _default_code = DEFAULT_DTYPE[0].code

def default_dtype_is(d):
    """Take note of the default dtype, which what a call computes may depend on: it is the first byte of the key."""
    global _default_code
    _default_code = d.code


cdef inline void begin_flat(Flat* f) noexcept:
    f.n_tensors = f.n_ints = f.n_scalars = f.depth = 0
    f.few_key[0], f.key_len = _default_code, 1
    f.keys = 0
    f.needs_grad = f.any_meta = f.of_inference = False
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


cdef int grown(void** p, void* few, int* most, int need, int item) except -1:
    """Room for twice as many entries of `item` bytes, and for `need` at least; what is there stays."""
    cdef int n = max(2 * most[0], need)
    cdef void* q
    if need > MOST_ENTRIES:
        raise RuntimeError(f"too many arguments in one call: more than {MOST_ENTRIES} entries")
    q = malloc(<size_t>n * item)
    if q == NULL:
        raise MemoryError("no memory for a call's arguments")
    memcpy(q, p[0], <size_t>most[0] * item)
    if p[0] != few:
        free(p[0])
    p[0], most[0] = q, n
    return 0


# ------------------------------------------------------------------------------------------------------- the user's
# lines
# An error about a value that an in-place call overwrote names the line that recorded it and the line that wrote. What
# is
# kept per call is the code object and the instruction of the nearest frame outside this package; lines are found when
# asked for.
cdef extern from *:
    """
    #define RL_FRAME(f) ((PyFrameObject*)(f))
    #define PyFrame_GetBack_(f) ((PyObject*)PyFrame_GetBack(RL_FRAME(f)))
    #define PyFrame_GetCode_(f) ((PyObject*)PyFrame_GetCode(RL_FRAME(f)))
    #define PyFrame_GetLasti_(f) PyFrame_GetLasti(RL_FRAME(f))
    """
    PyObject* PyFrame_GetBack_(PyObject*)
    PyObject* PyFrame_GetCode_(PyObject*)
    int PyFrame_GetLasti_(PyObject*)

cdef struct _Known:
    PyObject* code
    bint library

cdef struct _Write:
    int64_t* counter
    int64_t version
    PyObject* code
    int lasti

cdef enum:
    KNOWN = 1024
    WRITES = 1024

cdef _Known[KNOWN] _known        # code objects looked at lately: whether they belong to this package
cdef _Write[WRITES] _writes      # the latest in-place calls
cdef int64_t _n_writes = 0
cdef str _PACKAGE = _dtypes.__file__.rpartition("core")[0]


cdef bint in_library(PyObject* code) except -1:
    # the upper 10 bits: of KNOWN
    cdef int i = <int>((<uint64_t><size_t>code * <uint64_t>0x9E3779B97F4A7C15ULL) >> 54)
    if _known[i].code != code:
        library = (<object>code).co_filename.startswith(_PACKAGE)
        Py_XDECREF(_known[i].code)
        Py_INCREF(<object>code)
        _known[i].code, _known[i].library = code, library
    return _known[i].library


cdef PyObject* user_line(int* lasti) except? NULL:
    """The code object (a new reference, or NULL) and the instruction of the nearest frame outside the package."""
    cdef PyObject* frame = <PyObject*>PyEval_GetFrame()
    cdef PyObject* code
    cdef PyObject* back
    cdef bint owned = False
    while frame != NULL:
        code = PyFrame_GetCode_(frame)
        if not in_library(code):
            lasti[0] = PyFrame_GetLasti_(frame)
            if owned:
                Py_XDECREF(frame)
            return code
        Py_XDECREF(code)
        back = PyFrame_GetBack_(frame)
        if owned:
            Py_XDECREF(frame)
        frame, owned = back, True
    return NULL


cdef void note_write(Tensor t) except *:
    """Remember which line wrote to a storage."""
    global _n_writes
    cdef _Write* w = &_writes[_n_writes & (WRITES - 1)]
    _n_writes += 1
    Py_XDECREF(w.code)
    w.code = NULL
    w.code = user_line(&w.lasti)
    w.counter, w.version = writes_to(t), version_of(t)


def line_of(code, int lasti):
    """'file:line' of an instruction."""
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= lasti < end and number is not None:
            line = number
    return f"{code.co_filename}:{line} (in {code.co_name})"


def writer_of(Tensor t not None, int64_t version):
    """Where the storage of `t` was first written after `version`; None when that call is no longer remembered."""
    cdef int64_t i
    cdef _Write* w
    # newest first: an address may have belonged to an older storage
    for i in range(_n_writes - 1, max(_n_writes - WRITES, 0) - 1, -1):
        w = &_writes[i & (WRITES - 1)]
        if w.counter == writes_to(t) and w.version == version + 1:
            return None if w.code == NULL else line_of(<object>w.code, w.lasti)
    return None


SAVED_HOOKS = []         # (pack, unpack) of saved_tensors_hooks in force, innermost last


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


cdef int put_tensor(Flat* f, Tensor t, bint grad) except -1:
    cdef unsigned char flags = 0
    cdef unsigned char ones = 0
    cdef int i
    if f.n_tensors >= f.most_tensors:
        grown(<void**>&f.tensors, f.few_tensors, &f.most_tensors, f.n_tensors + 1, sizeof(PyObject*))
    f.keys |= t.keys
    if t.code >= BUILTIN_DTYPES:
        f.keys |= KEY_DTYPE
    if grad and wants_grad(t):
        flags |= 1
        f.needs_grad = True
        if t.inference_:
            f.of_inference = True
    if t.keys & KEY_META:
        flags |= 2
        f.any_meta = True
    put(f, 0xA0 | flags)
    put(f, t.code)
    put(f, t.ndim_)
    for i in range(t.ndim_):
        if t.sizes[i] == 1:
            ones |= 1 << (i & 7)
        if i & 7 == 7:
            put(f, ones)
            ones = 0
    put(f, ones)
    f.tensors[f.n_tensors] = <PyObject*>t
    f.n_tensors += 1
    return 0


cdef int put_int(Flat* f, int64_t v) except -1:
    # -1, 0 and 1 are static: programs treat them specially (infer this size, empty, broadcast)
    if f.n_ints >= f.most_ints:
        grown(<void**>&f.ints, f.few_ints, &f.most_ints, f.n_ints + 1, sizeof(int64_t))
    if -1 <= v <= 1:
        put(f, 0xB1 + v)
    else:
        put(f, 0xB4 if v > 0 else 0xB5)      # a program traced for a positive int takes it to be positive
    f.ints[f.n_ints] = v
    f.n_ints += 1
    return 0


cdef int put_scalar(Flat* f, object v, str name) except -1:
    cdef double d
    cdef Scalar* s
    if f.n_scalars >= MAX_SCALARS:
        raise RuntimeError(f"{name}(): too many numbers in one call")
    s = &f.scalars[f.n_scalars]
    s.hi = 0
    if PyFloat_CheckExact(v):
        d = v
        memcpy(&s.lo, &d, 8)
        s.kind = 2
    elif PyBool_Check(v):
        s.lo = 1 if v else 0
        s.kind = 0
    elif PyLong_CheckExact(v):
        try:
            s.lo = v
        except OverflowError:
            if not 0 <= v < 1 << 64:
                raise RuntimeError(f"{name}(): the number {v} does not fit into 64 bits: overflow") from None
            s.lo = <int64_t><uint64_t>v
        s.kind = 1
    elif isinstance(v, float):
        d = v
        memcpy(&s.lo, &d, 8)
        s.kind = 2
    elif isinstance(v, complex):
        d = v.real
        memcpy(&s.lo, &d, 8)
        d = v.imag
        memcpy(&s.hi, &d, 8)
        s.kind = 3
    else:
        return put_scalar(f, UPCALLS.number(v), name)
    put(f, 0xC0 + s.kind)
    f.n_scalars += 1
    return 0


cdef bint put_real(Flat* f, object v, str name) except -1:
    """Take a real number as one given at launch; False for anything else, which is static."""
    cdef double d
    cdef Scalar* s
    if PyFloat_CheckExact(v) or isinstance(v, float):
        d = v
    elif PyLong_CheckExact(v):
        if not -(1 << 53) <= v <= 1 << 53:       # as a float it would be another number
            return False
        d = v
    elif isinstance(v, Tensor):
        return (<Tensor>v).numel_ == 1 and not (<Tensor>v).keys & KEY_META and put_real(f, v.item(), name)
    elif not PyBool_Check(v) and hasattr(v, "item") and UPCALLS.is_number(v):
        return put_real(f, UPCALLS.number(v), name)
    elif isinstance(v, int) and not PyBool_Check(v):     # of a class of the program's own
        return put_real(f, UPCALLS.number(v), name)
    else:
        return False
    if f.n_scalars >= MAX_SCALARS:
        raise RuntimeError(f"{name}(): too many numbers in one call")
    s = &f.scalars[f.n_scalars]
    s.kind, s.hi = 2, 0
    memcpy(&s.lo, &d, 8)
    put(f, 0xC2)
    f.n_scalars += 1
    return True


cdef bint put_sizes(Flat* f, object v) except -1:
    """Take an int, or a sequence of ints and None, as ints given at launch, whatever they are; False for anything else,
    which is static.
    """
    cdef Py_ssize_t i, n
    cdef int overflow
    cdef long long size
    if PyLong_CheckExact(v):
        size = PyLong_AsLongLongAndOverflow(v, &overflow)
        return not overflow and -(<int64_t>1 << 62) < size < (<int64_t>1 << 62) and put_size(f, size)
    if not isinstance(v, (tuple, list)):
        return fits_size(v) and put_size(f, v.__index__())
    n = len(v)
    for i in range(n):
        x = v[i]
        if x is not None and not fits_size(x) or len(v) != n:
            return False
    put(f, 0xE3 if isinstance(v, tuple) else 0xE4)
    put_bytes(f, &n, 4)
    for i in range(n):
        if v[i] is None:
            put(f, 0xD0)
        else:
            put_size(f, v[i].__index__())
    return True


cdef bint fits_size(object v) except -1:
    return is_int(v) and -(1 << 62) < v.__index__() < 1 << 62


cdef bint put_size(Flat* f, int64_t v) except -1:
    if f.n_ints >= f.most_ints:
        grown(<void**>&f.ints, f.few_ints, &f.most_ints, f.n_ints + 1, sizeof(int64_t))
    f.ints[f.n_ints] = v
    f.n_ints += 1
    put(f, 0xB6)
    return True


cdef enum:
    LONGEST_KEY = 1 << 24


cdef int put_static(Flat* f, object v) except -1:
    """Append the value of a static argument to the key; 1 where it holds a tensor that is no number. Objects other than
    plain values are told apart by identity (see `held`).
    """
    cdef int64_t n, left
    cdef double d
    cdef void* p
    if v is None:
        return put(f, 0xD0)
    if PyBool_Check(v):
        return put(f, 0xD2 if v else 0xD1)
    if PyLong_CheckExact(v):
        if not -(1 << 62) < v < 1 << 62:
            put(f, 0xD9)             # by its digits: the hash of 2**62 is that of 2
            return put_static(f, str(v))
        put(f, 0xD3)
        n = v
        return put_bytes(f, &n, 8)
    if PyFloat_CheckExact(v):
        put(f, 0xD4)
        d = v
        return put_bytes(f, &d, 8)
    if isinstance(v, (tuple, list)):
        put(f, 0xD5)
        n = left = len(v)
        put_bytes(f, &n, 8)
        f.depth += 1
        if f.depth > MAX_DIMS or f.key_len > LONGEST_KEY:
            raise TypeError(f"a sequence must be nested at most {MAX_DIMS} deep and of {LONGEST_KEY // 10} items; found more, or one that contains itself")
        for x in v:
            left -= 1
            # an iteration that yields more than the length says never ends, perhaps
            if left < 0 or put_static(f, x) == 1:
                return 1
        f.depth -= 1
        return 0
    if isinstance(v, str):
        b = v.encode()
        put(f, 0xD6)
        n = len(b)
        put_bytes(f, &n, 8)
        return put_bytes(f, PyBytes_AS_STRING(b), n)
    if isinstance(v, slice):
        put(f, 0xD8)
        return put_static(f, v.start) == 1 or put_static(f, v.stop) == 1 or put_static(f, v.step) == 1
    # By value, not identity: a fresh np.int64(0) a call would be a fresh compilation a call.
    if isinstance(v, int):
        return put_static(f, int(v))
    if isinstance(v, float):
        return put_static(f, float(v))
    if isinstance(v, complex):
        put(f, 0xD9)
        d = v.real
        put_bytes(f, &d, 8)
        d = v.imag
        return put_bytes(f, &d, 8)
    if isinstance(v, Tensor):
        return 1 if (<Tensor>v).numel_ != 1 or (<Tensor>v).keys & KEY_META else put_static(f, v.item())
    if PyNumber_Check(<PyObject*>v) and hasattr(v, "item") and UPCALLS.is_number(v):
        return put_static(f, UPCALLS.number(v))
    if _PyType_Lookup(type(v), "__torch_function__") != NULL and not tls().no_subclass:
        # a dim, a number or a flag that a foreign class stands for: its class does the call
        f.keys |= KEY_SUBCLASS
    put(f, 0xD7)
    p = <void*>v
    return put_bytes(f, &p, sizeof(void*))


cdef object held(object v):
    """A static argument in a form that keeps the objects in it alive, whatever becomes of the caller's list."""
    if isinstance(v, (tuple, list)):
        return tuple([held(x) for x in v])
    return None if isinstance(v, Tensor) else v          # a tensor is told apart by its value, and may hold a graph


cdef uint64_t hash_bytes(const unsigned char* p, int n) noexcept nogil:
    cdef uint64_t h = <uint64_t>0x9E3779B97F4A7C15ULL ^ <uint64_t>n, w
    while n >= 8:
        memcpy(&w, p, 8)
        h = (h ^ w) * <uint64_t>0xff51afd7ed558ccdULL
        h ^= h >> 32
        p += 8
        n -= 8
    w = 0
    memcpy(&w, p, n)
    h = (h ^ w) * <uint64_t>0xff51afd7ed558ccdULL
    return h ^ (h >> 29)


cdef bint is_int(object v):
    if PyBool_Check(v):
        return False
    if PyLong_CheckExact(v):
        return True
    return UPCALLS.is_int(v)

cpdef bint is_special_number(Param p, object v):
    """Whether a parameter takes this number as static, since it has a formula of its own."""
    return (PyLong_CheckExact(v) or PyFloat_CheckExact(v)) and v in p.specialize

cdef bint is_sym(object v):
    return UPCALLS.is_sym(v)

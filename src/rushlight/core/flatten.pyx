"""The arguments of a call as tensors, ints, numbers and the bytes of the cache key."""
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from rushlight.core import dtypes as _dtypes
from rushlight.core.base cimport BUILTIN_DTYPES, DEFAULT_DTYPE, KINDS, UPCALLS
from rushlight.core.execute cimport BOOL, COMPLEX, FLOAT, INT, UINT, Scalar
from rushlight.core.python cimport (
    PyBool_Check, PyComplex_Check, PyFloat_CheckExact, PyLong_AsLongLongAndOverflow, PyLong_CheckExact, PyNumber_Check,
    _PyType_Lookup, is_tensor_like)
from rushlight.core.tensor cimport (
    KEY_DTYPE, KEY_META, KEY_SPECIAL, KEY_SUBCLASS, KEY_TRACE, MAX_DIMS, Tensor, tls, wants_grad)

cdef object _dtype = _dtypes.dtype
cdef dict WHAT = {
    P_TENSOR: "Tensor", P_TENSORS: "tuple of Tensors", P_SCALAR: "Number", P_INT: "int", P_INTS: "tuple of ints",
    P_OPERAND: "Tensor or Number", P_STATIC: "value", P_REAL: "float", P_SIZES: "tuple of ints"}


cdef class Param:
    """One parameter of an operator's signature."""

    def __init__(
            self, str name, Kind kind, default=None, required=True, optional=False, keyword_only=False, varargs=False,
            frozenset specialize=frozenset(), bint by_sign=False, int like=-1):
        self.specialize, self.by_sign, self.like = specialize, by_sign, like
        self.fixed = not required and kind != P_STATIC and (type(default) not in (int, float) or default in specialize)
        self.name, self.kind, self.default = name, kind, default
        self.required, self.optional, self.keyword_only, self.varargs = required, optional, keyword_only, varargs


cdef dict ALIKE = {}                   # parameters by everything that defines them

def shared_parameters(
        tuple names not None, dict notes not None, dict defaults not None, int n_positional, set own, make):
    """The parameters of a signature. Signatures share those that are alike.

    Args:
        names: of the parameters, in order.
        notes: their annotations, by name; "Any" for one without.
        defaults: by name, for those that have one.
        n_positional: how many come before those that are given by keyword only.
        own: names of parameters that are not shared, because they get further properties.
        make: makes one of (name, annotation, default, whether it is required, whether it is given by keyword only).
    """
    cdef list out = []
    cdef int i = 0
    cdef bint required, shared
    for name in names:
        note, required = notes.get(name, "Any"), name not in defaults
        default = None if required else defaults[name]
        kind = type(default)
        # (A float is not: 0.0 equals -0.0.)
        shared = (default is None or kind is bool or kind is int or kind is str) and name not in own
        key = (name, note, required, i >= n_positional, kind, default) if shared else None
        p = ALIKE.get(key) if shared else None
        if p is None:
            p = make(name, note, default, required, i >= n_positional)
            if shared:
                ALIKE[key] = p
        out.append(p)
        i += 1
    return out


cdef str shown_signature(str name, tuple params, bint takes_out):
    parts = []
    star = False
    for p in params:
        if p.keyword_only and not star:
            parts.append("*")
            star = True
        what = WHAT[p.kind] if p.kind != P_STATIC else ""
        parts.append((what + " " + p.name).strip() + ("" if p.required else f"={p.default!r}"))
    if takes_out:
        parts.append("out=None" if star else "*, out=None")
    return f"{name}({', '.join(parts)})"


KEY_START[0] = DEFAULT_DTYPE[0].code

def default_dtype_is(d):
    """Read the default dtype, on which the result of a call may depend: it is the first byte of the key."""
    KEY_START[0] = d.code


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
    put(f, TAG_TENSOR | flags)
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
    add_int(f, v)
    return put(f, TAG_SMALL_INT + v if -1 <= v <= 1 else TAG_POSITIVE if v > 0 else TAG_NEGATIVE)


cdef int put_scalar(object op, Flat* f, object v) except -1:
    cdef int over
    cdef int64_t n
    if PyLong_CheckExact(v):
        n = PyLong_AsLongLongAndOverflow(v, &over)
        if over and not 0 <= v < 1 << 64:
            raise OverflowError(f"{op.name}(): the number {v} does not fit into 64 bits")
        put_number(f, UINT if over else INT, <int64_t><uint64_t>v if over else n, 0)
    elif PyFloat_CheckExact(v) or isinstance(v, float):
        put_number(f, FLOAT, bits_of(v), 0)
    elif PyBool_Check(v):
        put_number(f, BOOL, v is True, 0)
    elif isinstance(v, complex):
        put_number(f, COMPLEX, bits_of(v.real), bits_of(v.imag))
    else:
        put_scalar(op, f, UPCALLS.number(v))
    return 0


cdef bint is_complex(object v):
    """Whether an argument is a complex number, or a tensor of complex numbers, whatever the imaginary part is."""
    return PyComplex_Check(v) or isinstance(v, Tensor) and KINDS[(<Tensor>v).code] == c"c"


cdef bint put_real(object op, Flat* f, object v) except -1:
    """Take a real number as one given at launch; False for anything else, which is static."""
    if PyFloat_CheckExact(v) or isinstance(v, float):
        put_number(f, FLOAT, bits_of(v), 0)
    elif PyLong_CheckExact(v):
        if not -(1 << 53) <= v <= 1 << 53:       # as a float it would be another number
            return False
        put_number(f, FLOAT, bits_of(v), 0)
    elif isinstance(v, Tensor):
        return (<Tensor>v).numel_ == 1 and not (<Tensor>v).keys & KEY_META and put_real(op, f, v.item())
    elif not PyBool_Check(v) and hasattr(v, "item") and UPCALLS.is_plain_number(v):
        return put_real(op, f, UPCALLS.number(v))
    elif isinstance(v, int) and not PyBool_Check(v):     # of a class of the program's own
        return put_real(op, f, UPCALLS.number(v))
    else:
        return False
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
    put(f, TAG_TUPLE_OF_SIZES if isinstance(v, tuple) else TAG_LIST_OF_SIZES)
    put_bytes(f, &n, 4)
    for i in range(n):
        if v[i] is None:
            put(f, TAG_NONE)
        else:
            put_size(f, v[i].__index__())
    return True


cdef bint fits_size(object v) except -1:
    return is_int(v) and -(1 << 62) < v.__index__() < 1 << 62


cdef enum:
    LONGEST_KEY = 1 << 24


cdef int put_static(Flat* f, object v) except -1:
    """Append the value of a static argument to the key; 1 if it holds a tensor that is not a single number. Objects
    other than plain values are compared by identity (see `held`).
    """
    cdef int64_t n, left
    if v is None:
        return put(f, TAG_NONE)
    if PyBool_Check(v):
        return put(f, TAG_TRUE if v else TAG_FALSE)
    if PyLong_CheckExact(v):
        if not -(1 << 62) < v < 1 << 62:
            put(f, TAG_BIG_INT)      # by its digits, because 2**62 and 2 have the same hash
            return put_static(f, str(v))
        put(f, TAG_INT)
        n = v
        return put_bytes(f, &n, 8)
    if PyFloat_CheckExact(v):
        put(f, TAG_FLOAT)
        n = bits_of(v)
        return put_bytes(f, &n, 8)
    if type(v) is _dtype:                # (Each is one object, which is never freed.)
        return put_object(f, v)
    if isinstance(v, (tuple, list)):
        put(f, TAG_SEQUENCE)
        n = left = len(v)
        put_bytes(f, &n, 8)
        f.depth += 1
        if f.depth > MAX_DIMS or f.key_len > LONGEST_KEY:
            raise TypeError(
                f"a sequence must be nested at most {MAX_DIMS} deep and of {LONGEST_KEY // 10} items; found more, or "
                "one that contains itself")
        for x in v:
            left -= 1
            # an iteration that yields more than the reported length may never end
            if left < 0 or put_static(f, x) == 1:
                return 1
        f.depth -= 1
        return 0
    if isinstance(v, str):
        b = v.encode()
        put(f, TAG_STR)
        n = len(b)
        put_bytes(f, &n, 8)
        return put_bytes(f, PyBytes_AS_STRING(b), n)
    if isinstance(v, slice):
        put(f, TAG_SLICE)
        return put_static(f, v.start) == 1 or put_static(f, v.stop) == 1 or put_static(f, v.step) == 1
    # By value, not identity: otherwise a new np.int64(0) in each call would mean a new compilation in each call.
    if isinstance(v, int):
        return put_static(f, int(v))
    if isinstance(v, float):
        return put_static(f, float(v))
    if isinstance(v, complex):
        put(f, TAG_COMPLEX)
        put_static(f, <double>v.real)
        return put_static(f, <double>v.imag)
    if isinstance(v, Tensor):
        return 1 if (<Tensor>v).numel_ != 1 or (<Tensor>v).keys & KEY_META else put_static(f, v.item())
    if PyNumber_Check(v) and hasattr(v, "item") and UPCALLS.is_plain_number(v):
        return put_static(f, UPCALLS.number(v))
    if _PyType_Lookup(type(v), "__torch_function__") != NULL and not tls().no_subclass:
        # a foreign class in the place of a dim, a number or a flag: its class handles the call
        f.keys |= KEY_SUBCLASS
    return put_object(f, v)


cdef object held(object v):
    """A static argument in a form that keeps its objects alive, whatever happens to the caller's list."""
    if isinstance(v, (tuple, list)):
        return tuple([held(x) for x in v])
    return None if isinstance(v, Tensor) else v          # a tensor is compared by its value, and may refer to a graph


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
    """Whether a parameter takes this number as static, because it has a formula of its own."""
    return (PyLong_CheckExact(v) or PyFloat_CheckExact(v)) and v in p.specialize

cdef bint is_sym(object v):
    return UPCALLS.is_sym(v)


cdef object bad(object op, Param p, object v):
    """The error for a value of a kind that the parameter does not take."""
    what = type(v).__name__
    if isinstance(v, (list, tuple)):
        what += " of (" + ", ".join([type(x).__name__ for x in v][:8]) + ")"
    pos = op.index[p.name] + 1
    return TypeError(f"{op.name}(): argument '{p.name}' (position {pos}) must be {WHAT[p.kind]}, not {what}")


cdef int64_t to_int64(object op, Param p, object v) except? -1:
    cdef int over = 0
    cdef int64_t n = PyLong_AsLongLongAndOverflow(v, &over)
    if over:
        raise (TypeError if p.kind == P_INTS else ValueError)(
            f"{op.name}(): argument '{p.name}' must fit into 64 bits; found {v}")
    return n

cdef int overrides(object op, Flat* f, Param p, object v, object x) except -1:
    """Accept `x`, which is argument v or an element of it, if its class has `__torch_function__`, which then handles
    the call; otherwise raise TypeError.
    """
    if tls().no_subclass or not is_tensor_like(x):
        raise bad(op, p, v)
    f.keys |= KEY_SUBCLASS
    return 0

cdef int put_odd_int(object op, Flat* f, Param p, object v, object x, bint bools) except -1:
    """Append `x`, which is argument v or an element of it, and no exact int; `bools`: whether it may be one."""
    if is_sym(x):
        f.keys |= KEY_TRACE
        return 0
    if is_int(x) or bools and PyBool_Check(x):
        return put_int(f, to_int64(op, p, x.__index__()))
    return overrides(op, f, p, v, x)

cdef int flatten(object op, Flat* f, Param p, object v, bint grad) except -1:
    """Flatten argument `v` of operator `op`, which is for errors; grad: whether the call may be recorded."""
    cdef int kind = p.kind
    cdef Py_ssize_t i, n
    if p.specialize and is_special_number(p, v):
        put(f, TAG_SPECIAL)
        return put_static(f, v)
    if p.by_sign and PyLong_CheckExact(v):
        put(f, TAG_NEGATIVE if v < 0 else TAG_POSITIVE)
    if kind == P_TENSOR or kind == P_OPERAND:
        if isinstance(v, Tensor):
            return put_tensor(f, <Tensor>v, grad)
        if v is None and p.optional:
            return put(f, TAG_NONE)
        if kind == P_OPERAND and (PyFloat_CheckExact(v) or PyLong_CheckExact(v) or UPCALLS.is_plain_number(v)):
            return put_scalar(op, f, v)
        return overrides(op, f, p, v, v)
    elif kind == P_SCALAR:
        if v is None and p.optional:
            return put(f, TAG_NONE)
        if PyFloat_CheckExact(v) or PyLong_CheckExact(v) or UPCALLS.is_plain_number(v):
            return put_scalar(op, f, v)
        if isinstance(v, Tensor) and (<Tensor>v).keys & KEY_SPECIAL:
            f.keys |= (<Tensor>v).keys
            return 0
        if isinstance(v, Tensor) and (<Tensor>v).numel_ == 1:
            return put_scalar(op, f, v.item())
        return overrides(op, f, p, v, v)
    elif kind == P_INT:
        if v is None and p.optional:
            return put(f, TAG_NONE)
        if PyLong_CheckExact(v):
            return put_int(f, to_int64(op, p, v))
        return put_odd_int(op, f, p, v, v, False)
    elif kind == P_INTS:
        if v is None and p.optional:
            return put(f, TAG_NONE)
        if isinstance(v, (tuple, list)):
            n = len(v)
            put(f, TAG_INTS)
            put_bytes(f, &n, 4)
            for i in range(n):
                x = v[i]
                if PyLong_CheckExact(x):
                    put_int(f, to_int64(op, p, x))
                    continue
                put_odd_int(op, f, p, v, x, i > 0)        # PyTorch checks the first element only
                if len(v) != n:              # code of an element may have changed the list
                    raise ValueError(
                        f"{op.name}(): argument '{p.name}' must keep its length while it is read, {n}; it has {len(v)}")
            return 0
        if is_int(v):
            put(f, TAG_ONE_INT)
            return put_int(f, to_int64(op, p, v.__index__()))
        if is_sym(v):
            f.keys |= KEY_TRACE
            return 0
        return overrides(op, f, p, v, v)
    elif kind == P_TENSORS:
        if isinstance(v, Tensor):
            raise bad(op, p, v)
        if v is None and p.optional:
            return put(f, TAG_NONE)
        if not isinstance(v, (tuple, list)):
            return overrides(op, f, p, v, v)
        n = len(v)
        put(f, TAG_TENSORS)
        put_bytes(f, &n, 4)
        for i in range(n):
            x = v[i]
            if isinstance(x, Tensor):
                put_tensor(f, <Tensor>x, grad)
            elif x is None and p.optional:
                put(f, TAG_NONE)
            else:
                overrides(op, f, p, v, x)
        return 0
    if isinstance(v, Tensor) and (<Tensor>v).keys & KEY_SPECIAL:
        f.keys |= (<Tensor>v).keys
        return 0
    if kind == P_REAL and put_real(op, f, v) or kind == P_SIZES and put_sizes(f, v):
        return 0
    if kind == P_REAL and is_complex(v):
        raise bad(op, p, v)
    if put_static(f, v) == 1:
        raise bad(op, p, v)
    return 0

cdef int flatten_out(object op, Flat* f, object out) except -1:
    """Flatten the destinations."""
    cdef int n
    if isinstance(out, Tensor):
        put(f, TAG_OUT)
        f.keys |= (<Tensor>out).keys
        put(f, (<Tensor>out).code)
    elif isinstance(out, (tuple, list)):
        n = len(out)
        put(f, TAG_OUTS)
        put_bytes(f, &n, 4)
        for t in out:
            if not isinstance(t, Tensor):
                raise TypeError(f"{op.name}(): argument 'out' must be tuple of Tensors, not {type(t).__name__}")
            f.keys |= (<Tensor>t).keys
            put(f, (<Tensor>t).code)
    elif not tls().no_subclass and is_tensor_like(out):
        f.keys |= KEY_SUBCLASS
    else:
        raise TypeError(f"{op.name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    return 0

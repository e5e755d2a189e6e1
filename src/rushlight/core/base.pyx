"""What the rest of the core builds on: functions that upper layers supply, dtypes by their codes, and the conversion of
elements to Python numbers.
"""
from libc.math cimport isfinite
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from rushlight.core import dtypes as _dtypes

cdef extern from "half.h":
    float rl_half_to_float(uint16_t) noexcept nogil
    uint16_t rl_double_to_half(double) noexcept nogil
    uint16_t rl_double_to_bf16(double) noexcept nogil

cdef object UPCALLS = None         # what upper layers supply, see upcalls.py

def set_upcalls(upcalls not None):
    """Set the object by which the core calls upper layers; see upcalls.py."""
    if type(upcalls).__module__ != "rushlight.core.upcalls":
        raise TypeError(f"set_upcalls(): 'upcalls' must be of rushlight.core.upcalls; found {type(upcalls).__name__}")
    global UPCALLS
    UPCALLS = upcalls


# -------------------------------------------------------------------------------------------------------------- dtypes
DTYPES = _dtypes.by_code
DEFAULT_DTYPE = _dtypes.default
KINDS = b""
BUFFER_FORMATS = {   # of the module struct; bfloat16 has none
    "bool": b"?", "uint8": b"B", "int8": b"b", "int16": b"h", "int32": b"i", "int64": b"q", "uint16": b"H",
    "uint32": b"I", "uint64": b"Q", "float32": b"f", "float64": b"d", "float16": b"e", "complex64": b"Zf",
    "complex128": b"Zd"}

def _know_dtype(d):
    global KINDS
    ITEMSIZE[d.code] = d.itemsize
    KINDS = KINDS + d.kind.encode()

for _d in _dtypes.by_code:
    _know_dtype(_d)
if (len(_dtypes.by_code) != BUILTIN_DTYPES or _dtypes.complex32.code != C_C32
        or [d.code >= STORED_DTYPES for d in _dtypes.by_code] != [d.format is not None for d in _dtypes.by_code]):
    raise ImportError("the dtype codes of the compiled core are not those of rushlight.core.dtypes: build it again")
_dtypes._listeners.append(_know_dtype)

cdef int item_size(int code) noexcept:
    return ITEMSIZE[code]

cdef object dtype_of(int code):
    return DTYPES[code]


cdef dict _NUMBERS = {}     # for each dtype with a format of 8 bits, by its code, the number that each byte stands for

cdef list numbers_of(int code):
    """The 256 numbers of a dtype with a format of 8 bits; NotImplementedError for any other dtype."""
    found = _NUMBERS.get(code)
    if found is None:
        form = DTYPES[code].format
        if form is None:
            raise NotImplementedError(f"{DTYPES[code]} has no scalar form")
        found = _NUMBERS[code] = [form.decode(i) for i in range(256)]
    return found


cdef object read_scalar(char* p, int code):
    if code == C_F32: return (<float*>p)[0]
    if code == C_F64: return (<double*>p)[0]
    if code == C_I64: return (<int64_t*>p)[0]
    if code == C_BOOL: return p[0] != 0
    if code == C_I32: return (<int32_t*>p)[0]
    if code == C_U8: return (<uint8_t*>p)[0]
    if code == C_I8: return (<int8_t*>p)[0]
    if code == C_I16: return (<int16_t*>p)[0]
    if code == C_U16: return (<uint16_t*>p)[0]
    if code == C_U32: return (<uint32_t*>p)[0]
    if code == C_U64: return (<uint64_t*>p)[0]
    if code == C_F16: return rl_half_to_float((<uint16_t*>p)[0])
    cdef uint32_t u
    cdef float f
    if code == C_BF16:
        u = <uint32_t>(<uint16_t*>p)[0] << 16
        memcpy(&f, &u, 4)
        return f
    if code == C_C64: return complex((<float*>p)[0], (<float*>p)[1])
    if code == C_C128: return complex((<double*>p)[0], (<double*>p)[1])
    if code == C_C32: return complex(rl_half_to_float((<uint16_t*>p)[0]), rl_half_to_float((<uint16_t*>p)[1]))
    return numbers_of(code)[(<uint8_t*>p)[0]]


cdef int write_scalar(char* p, int code, object value) except -1:
    cdef double d
    if code == C_F32:
        (<float*>p)[0] = <float><double>float(value)
    elif code == C_F64:
        (<double*>p)[0] = float(value)
    elif code == C_BOOL:
        p[0] = 1 if value else 0
    elif code == C_F16:
        (<uint16_t*>p)[0] = rl_double_to_half(float(value))
    elif code == C_BF16:
        (<uint16_t*>p)[0] = rl_double_to_bf16(float(value))
    elif code == C_C64:
        value = complex(value)
        (<float*>p)[0] = value.real
        (<float*>p)[1] = value.imag
    elif code == C_C128:
        value = complex(value)
        (<double*>p)[0] = value.real
        (<double*>p)[1] = value.imag
    elif code == C_C32:
        value = complex(value)
        (<uint16_t*>p)[0] = rl_double_to_half(value.real)
        (<uint16_t*>p)[1] = rl_double_to_half(value.imag)
    elif code >= STORED_DTYPES:
        numbers_of(code)
        (<uint8_t*>p)[0] = DTYPES[code].format.encode(float(value))
    elif isinstance(value, float) and not isfinite(<double>value):
        raise RuntimeError(f"the number {value} does not fit into dtype {DTYPES[code]}: overflow")
    else:
        return write_int(p, code, int(value))
    return 0


cdef int write_int(char* p, int code, object value) except -1:
    cdef uint64_t u
    cdef int bits = 8 * ITEMSIZE[code]
    cdef bint signed = code in (C_I8, C_I16, C_I32, C_I64)
    cdef object one = 1                         # shifts of Python ints: a C int has no 1 << 63
    lo, hi = (-(one << (bits - 1)), (one << (bits - 1)) - 1) if signed else (0, (one << bits) - 1)
    if code == C_U8 and -256 < value < 0:      # PyTorch lets small negatives wrap into uint8
        value += 256
    if value < lo or value > hi:
        raise RuntimeError(f"the number {value} does not fit into dtype {DTYPES[code]}: overflow")
    u = <uint64_t>(value & 0xFFFFFFFFFFFFFFFF)
    if bits == 64: (<uint64_t*>p)[0] = u
    elif bits == 32: (<uint32_t*>p)[0] = <uint32_t>u
    elif bits == 16: (<uint16_t*>p)[0] = <uint16_t>u
    else: (<uint8_t*>p)[0] = <uint8_t>u
    return 0


cdef class NodeWatch:
    """Is called by the engine for each node that a backward runs, in whichever thread."""

    cdef int node_begins(self, object node, list grads) except -1:
        raise NotImplementedError("node_begins() of a watch that is none")

    cdef int node_ends(self, list grads, list out) except -1:
        raise NotImplementedError("node_ends() of a watch that is none")


cdef class OperatorBase:
    """The base of objects that are called as operators: its public name, and calls with one or two operands without a
    tuple.
    """

    cdef object call1(self, object a):
        raise NotImplementedError
    cdef object call2(self, object a, object b):
        raise NotImplementedError

    @property
    def __name__(self):
        return UPCALLS.public_name(self)

    @property
    def __qualname__(self):
        return self.__name__

    @property
    def __module__(self):
        return UPCALLS.public_module(self)

    @property
    def __signature__(self):
        """The signature for inspect.signature, which the operator table makes when it is first read."""
        return UPCALLS.signature(self)

    def __repr__(self):
        return UPCALLS.operator_repr(self)


cdef class _NoOperator(OperatorBase):
    """Stands for an operator until the operator table is loaded."""
    cdef object call1(self, object a):
        raise RuntimeError("this operator is not in the operator table")
    cdef object call2(self, object a, object b):
        raise RuntimeError("this operator is not in the operator table")
    def __call__(self, *args):
        raise RuntimeError("this operator is not in the operator table")

NO_OPERATOR = _NoOperator()

"""Data types, devices, layouts and memory formats: the three extension points, each a registry.

The compiled core addresses a dtype by its small integer `code`; everything above it uses these objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

from rushlight.core.formats import Format

__all__ = [
    "NAMED",
    "bfloat16",
    "bool_",
    "by_code",
    "by_name",
    "can_cast",
    "complex32",
    "complex64",
    "complex128",
    "contiguous_format",
    "channels_last",
    "channels_last_3d",
    "dtype",
    "float16",
    "float32",
    "float64",
    "from_numpy_dtype",
    "int8",
    "int16",
    "int32",
    "int64",
    "layout",
    "memory_format",
    "preserve_format",
    "promote_types",
    "register_dtype",
    "strided",
    "complex_of",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float4_e2m1fn_x2",
    "float8_e8m0fnu",
    "to_numpy_dtype",
    "unsupported",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

by_code: list[dtype] = []
by_name: dict[str, dtype] = {}
_listeners: list[Callable[[dtype], None]] = []


class dtype:
    """A tensor's element type.

    Attributes: name; code (dense small integer); itemsize in bytes; kind, one of "b" (bool), "u" (unsigned), "i"
    (signed), "f" (floating point), "c" (complex); `compute`, the dtype arithmetic is done in (float32 for half types);
    `format`, which says what the bits of a floating format of 8 bits mean. A dtype with a format is for storage: its
    elements are
    moved, converted and compared, no arithmetic is done in another dtype for it (`compute` is itself), and primitives
    that do not say otherwise (`Primitive.stored`) refuse it. A dtype that is only named (`NAMED`: programs compare with
    it) has no code, so that nothing can be made of it; its kind may also be "q" (quantized) or "x" (bits).
    """

    __slots__ = ("code", "compute", "format", "itemsize", "kind", "name", "numpy_name")
    code: int
    compute: dtype
    format: Format | None
    itemsize: int
    kind: str
    name: str
    numpy_name: str | None

    def __init__(
        self,
        name: str,
        itemsize: int,
        kind: str,
        numpy_name: str | None,
        compute: dtype | None = None,
        format: Format | None = None,
    ) -> None:
        fixed = object.__setattr__
        for attribute, value in (
            ("name", name),
            ("itemsize", itemsize),
            ("kind", kind),
            ("numpy_name", numpy_name),
            ("code", len(by_code)),
            ("compute", compute or self),
            ("format", format),
        ):
            fixed(self, attribute, value)

    def __getattr__(self, name: str) -> NoReturn:
        if name in ("code", "compute"):  # asked for in order to make a tensor, or to compute
            raise unsupported(self)
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: object) -> None:
        # The core takes the code and the size as they are.
        raise AttributeError(f"dtype: attribute {name!r} cannot be set; a dtype does not change")

    @property
    def is_floating_point(self) -> bool:
        """Whether its numbers are floating-point ones."""
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        """Whether its numbers are complex."""
        return self.kind == "c"

    @property
    def is_signed(self) -> bool:
        """Whether its numbers may be negative. RuntimeError: it has no numbers."""
        if self.kind in "qx":
            raise RuntimeError(f"is_signed: must be asked of a dtype of numbers; found {self}")
        return self.kind in "ifc" and (self.format is None or self.format.signed)

    def to_real(self) -> dtype:
        """The dtype of the real part."""
        return _REAL.get(self, self)

    def to_complex(self) -> dtype:
        """The complex dtype whose parts hold this dtype. RuntimeError: there is none."""
        if self in NAMED or self.kind in "bui":
            raise RuntimeError(
                f"to_complex(): must be asked of a dtype that the parts of a complex number can have; found {self}"
            )
        return complex32 if self in (float16, complex32) else complex_of(self)

    @property
    def abbr(self) -> str:
        """A short name: the kind's letter and the number of bits (f32, bf16, i64, b8)."""
        if self in NAMED or self.format is not None:
            return _ABBREVIATIONS.get(self.name) or re.sub("^float|_|^bits", lambda m: m[0][:1].strip("_"), self.name)
        return f"{'bf' if self.name == 'bfloat16' else self.kind}{8 * self.itemsize}"

    def __repr__(self) -> str:
        # Programs print and compare these names, so they are PyTorch's.
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _dtype_named, (self.name,)


def _dtype_named(name: str) -> dtype:
    return by_name[name]


def register_dtype(
    name: str,
    itemsize: int,
    kind: str,
    numpy_name: str | None = None,
    compute: dtype | None = None,
    format: Format | None = None,
) -> dtype:
    """Add a dtype to the registry and return it; `compute` is the dtype its arithmetic is done in, `format` says what
    the bits of a dtype for storage mean.
    """
    if name in by_name:
        raise ValueError(f"register_dtype(): there is a dtype named {name!r} already")
    new = dtype(name, itemsize, kind, numpy_name, compute, format)
    by_code.append(new)
    by_name[name] = new
    for tell in _listeners:
        tell(new)
    return new


def _name_dtype(name: str, itemsize: int, kind: str) -> dtype:
    """A dtype of PyTorch's that programs mention, and that no tensor here can have."""
    new = dtype.__new__(dtype)
    for attribute, value in (
        ("name", name),
        ("itemsize", itemsize),
        ("kind", kind),
        ("numpy_name", None),
        ("format", None),
    ):
        object.__setattr__(new, attribute, value)
    by_name[name] = new
    NAMED[new] = None
    return new


def unsupported(d: dtype) -> NotImplementedError:
    """The error for a call that would make a tensor of a dtype that is only named."""
    return NotImplementedError(f"no tensor of dtype {d} can be made: it is there as a name, to compare with")


bool_ = register_dtype("bool", 1, "b", "bool")
uint8 = register_dtype("uint8", 1, "u", "uint8")
int8 = register_dtype("int8", 1, "i", "int8")
int16 = register_dtype("int16", 2, "i", "int16")
int32 = register_dtype("int32", 4, "i", "int32")
int64 = register_dtype("int64", 8, "i", "int64")
uint16 = register_dtype("uint16", 2, "u", "uint16")
uint32 = register_dtype("uint32", 4, "u", "uint32")
uint64 = register_dtype("uint64", 8, "u", "uint64")
float32 = register_dtype("float32", 4, "f", "float32")
float64 = register_dtype("float64", 8, "f", "float64")
float16 = register_dtype("float16", 2, "f", "float16", float32)
bfloat16 = register_dtype("bfloat16", 2, "f", None, float32)
complex64 = register_dtype("complex64", 8, "c", "complex64")
complex128 = register_dtype("complex128", 16, "c", "complex128")

complex32 = register_dtype("complex32", 4, "c", compute=complex64)  # two float16
float8_e4m3fn = register_dtype("float8_e4m3fn", 1, "f", format=Format(4, 3, 7, largest=0x7E, beyond=0x7E, nan=0x7F))
float8_e4m3fnuz = register_dtype(
    "float8_e4m3fnuz", 1, "f", format=Format(4, 3, 8, largest=0x7F, beyond=0x80, nan=0x80, negative_zero=False)
)
float8_e5m2 = register_dtype("float8_e5m2", 1, "f", format=Format(5, 2, 15, largest=0x7B, beyond=0x7C, nan=0x7F))
float8_e5m2fnuz = register_dtype(
    "float8_e5m2fnuz", 1, "f", format=Format(5, 2, 16, largest=0x7F, beyond=0x80, nan=0x80, negative_zero=False)
)
float8_e8m0fnu = register_dtype(
    "float8_e8m0fnu", 1, "f", format=Format(8, 0, 127, largest=0xFE, beyond=0xFF, nan=0xFF, signed=False)
)
float4_e2m1fn_x2 = register_dtype(  # two numbers of 4 bits in a byte
    "float4_e2m1fn_x2", 1, "f", format=Format(2, 1, 1, largest=0x07, beyond=0x07, nan=0x07, parts=2)
)

NAMED: dict[dtype, None] = {}  # those that are only named, in order
for _name, _bytes in (("quint8", 1), ("qint8", 1), ("qint32", 4), ("quint4x2", 1), ("quint2x4", 1)):
    _name_dtype(_name, _bytes, "q")
for _name, _bytes in (("bits1x8", 1), ("bits2x4", 1), ("bits4x2", 1), ("bits8", 1), ("bits16", 2)):
    _name_dtype(_name, _bytes, "x")
for _bits in range(1, 8):
    _name_dtype(f"uint{_bits}", 1, "u")
    _name_dtype(f"int{_bits}", 1, "i")

default: list[dtype] = [float32]  # one entry: the dtype of floating point results that no tensor decides
# Python's types are names of dtypes too
OF_PYTHON: dict[type, dtype] = {bool: bool_, int: int64, float: float64, complex: complex128}

_REAL = {complex32: float16, complex64: float32, complex128: float64}
_ABBREVIATIONS = {
    "bits8": "b8x1",
    "bits16": "b16x1",
    **{name: name for name in (f"{sign}int{bits}" for sign in ("u", "") for bits in range(1, 8))},
}
_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
_pairs: dict[tuple[dtype, dtype], dtype] = {}


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that holds both by PyTorch's promotion lattice.

    The built-in dtypes all have one (uint16/32/64 with a signed integer give the next signed dtype, int64 at most).
    """
    if a is b:
        return a
    found = _pairs.get((a, b))
    if found is None:
        found = _pairs[a, b] = _pairs[b, a] = _promote(a, b)
    return found


def complex_of(d: dtype) -> dtype:
    """The complex dtype to compute in for a dtype: complex64 for half precision. RuntimeError: it is for storage."""
    if d.format is not None:
        raise RuntimeError(
            f"there are no complex numbers of parts of dtype {d}: it must be converted explicitly, with .to(dtype)"
        )
    return complex128 if d in (float64, complex128) else complex64


def dtype_of_number(x: complex, floating: dtype, to_complex: Callable[[dtype], dtype] = dtype.to_complex) -> dtype:
    """The dtype of a Python number: bool, int64, `floating` or its complex counterpart."""
    if isinstance(x, bool):
        return bool_
    if isinstance(x, int):
        return int64
    return floating if isinstance(x, float) else to_complex(floating)


def _promote(a: dtype, b: dtype) -> dtype:
    for one, other in ((a, b), (b, a)):
        if one.format is not None:
            raise RuntimeError(
                f"promote_types: dtypes for storage are not promoted: {one} must be converted explicitly, with "
                f".to(dtype); found it with {other}"
            )
        if one in NAMED:
            raise RuntimeError(f"promote_types: {one} is not promoted with other dtypes; found it with {other}")
    if complex32 in (a, b):
        other = b if a is complex32 else a
        if other is float16 or other.kind in "bui":
            return complex32
    ra, rb = _RANK[a.kind], _RANK[b.kind]
    if ra < rb:
        a, b, ra, rb = b, a, rb, ra
    if ra == 3:
        return complex128 if complex128 in (a, b) or b is float64 else complex64
    if ra == 2:
        if rb < 2:
            return a
        if a.itemsize == b.itemsize:  # float16 with bfloat16
            return float32
        return a if a.itemsize > b.itemsize else b
    if rb == 0:
        return a
    if a.kind == b.kind:
        return a if a.itemsize > b.itemsize else b
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    return {1: int16, 2: int32, 4: int64, 8: int64}[unsigned.itemsize]


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether the type of `from_` may be cast to `to` under PyTorch's casting rules (no complex to real, no float to
    int, no number to bool).
    """
    if from_.kind == "c" and to.kind != "c":
        return False
    if from_.kind == "f" and to.kind in "bui" and to not in NAMED:
        return False
    return not (from_.kind != "b" and to.kind == "b")


# NumPy takes a microsecond to say what a dtype is called, and as long to find one by its name.
_of_numpy: dict[Any, dtype] = {}
_to_numpy: dict[dtype, Any] = {}


def to_numpy_dtype(t: dtype) -> Any:
    """The numpy.dtype that shares memory with `t`; TypeError when NumPy has none."""
    found = _to_numpy.get(t)
    if found is not None:
        return found
    import numpy

    if t.numpy_name is None:
        raise TypeError(f"NumPy has no dtype {t.name}; convert with .{'cfloat' if t.kind == 'c' else 'float'}() first")
    found = _to_numpy[t] = numpy.dtype(t.numpy_name)
    return found


def from_numpy_dtype(t: Any) -> dtype:
    """The dtype that shares memory with numpy.dtype `t`; TypeError when there is none."""
    known = _of_numpy.get(t)
    if known is not None:
        return known
    found = by_name.get(t.name) if t.isnative else None
    if found is not None:
        _of_numpy[t] = found
        return found
    if not t.isnative and t.newbyteorder("=").name in by_name:
        raise ValueError(
            f"a NumPy array must have the processor's byte order; found dtype {t}; use "
            f"array.astype({t.newbyteorder('=').name!r})"
        )
    advice = {
        "O": (
            ": its elements are Python objects; use array.astype('float64') where they are numbers, or a list of "
            "tensors"
        ),
        "U": ": text has no dtype here",
        "S": ": text has no dtype here",
        "M": ": dates have no dtype here; use array.astype('int64')",
        "m": ": time spans have no dtype here; use array.astype('int64')",
        "V": ": a tensor has one number an element; use array['field']",
        "f": "; use array.astype('float64')",
        "c": "; use array.astype('complex128')",
    }.get(t.kind, "")
    names = ", ".join(name for name, d in by_name.items() if d.numpy_name is not None)
    raise TypeError(
        f"a NumPy array must be of one of the dtypes {names}; found {t.type.__module__}.{t.type.__name__}{advice}"
    )


class _Named:
    """One of a class's few objects, known by its name."""

    __slots__ = ("name",)
    registry: dict[str, Any]

    def __init_subclass__(cls) -> None:
        cls.registry = {}

    def __init__(self, name: str) -> None:
        self.name = name
        self.registry[name] = self

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (type(self), self.name)


def _named(kind: type[_Named], name: str) -> _Named:
    found: _Named = kind.registry[name]
    return found


class layout(_Named):
    """How a tensor's elements are laid out; open for registration by name."""

    __slots__ = ("code",)
    registry: dict[str, layout]

    def __init__(self, name: str) -> None:
        self.code = len(layout.registry)
        super().__init__(name)


strided = layout("strided")
sparse_coo = layout("sparse_coo")
# Layouts that programs compare with: no tensor here has one.
for _layout in ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn"):
    layout(_layout)


class memory_format(_Named):
    """An order of dimensions in memory."""

    __slots__ = ()
    registry: dict[str, memory_format]


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")

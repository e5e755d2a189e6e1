"""Calls of every function of the standard, as data: (function, positional arguments, keyword arguments).

NumPy arrays in them stand for arrays of the namespace under test, and `Named` for its dtypes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


class Named(str):
    """A dtype by its name."""


REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGER = SIGNED + UNSIGNED
NUMERIC = INTEGER + REAL + COMPLEX
ALL = ("bool", *NUMERIC)

_SPECIAL = np.array(
    [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.0, 1e-3, 20.0, 1e30, -1e-30]
)


def values(dtype: str, shape: tuple[int, ...] = (12,), seed: int = 0) -> np.ndarray:
    """Ordinary values: some negative, some repeated, none special."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        return rng.integers(-5 if kind == "i" else 0, 7, shape).astype(dtype)
    x = np.round(rng.normal(size=shape) * 2, 1)
    return (x + 1j * np.round(rng.normal(size=shape), 1)).astype(dtype) if kind == "c" else x.astype(dtype)


def special(dtype: str) -> np.ndarray:
    """NaN, infinities, zeros of both signs, and ordinary values; complex: every pair of a few of them."""
    if np.dtype(dtype).kind == "c":
        parts = np.array([0.0, 1.0, -2.5, 0.25], np.dtype(dtype).type(0).real.dtype)
        grid = np.empty((len(parts), len(parts)), dtype)
        grid.real, grid.imag = parts[:, None], parts
        return grid.reshape(-1)
    if np.dtype(dtype).kind in "iu":
        return np.array(
            [0, 1, 2, 3, 7, 100, np.iinfo(dtype).max, 5, 6] + ([-1, -7, -100] if np.dtype(dtype).kind == "i" else []),
            dtype,
        )
    return values("bool") if dtype == "bool" else _SPECIAL.astype(dtype)


UNARY = {
    **dict.fromkeys(
        (
            "acos",
            "acosh",
            "asin",
            "asinh",
            "atan",
            "atanh",
            "cos",
            "cosh",
            "exp",
            "expm1",
            "log",
            "log1p",
            "log2",
            "log10",
            "reciprocal",
            "sin",
            "sinh",
            "sqrt",
            "tan",
            "tanh",
        ),
        REAL + COMPLEX,
    ),
    **dict.fromkeys(("ceil", "floor", "trunc"), INTEGER + REAL),
    **dict.fromkeys(
        ("abs", "conj", "isfinite", "isinf", "isnan", "negative", "positive", "real", "round", "sign", "square"),
        NUMERIC,
    ),
    "bitwise_invert": ("bool", *INTEGER),
    "logical_not": ("bool",),
    "signbit": REAL,
    "imag": COMPLEX,
}
BINARY = {
    **dict.fromkeys(("add", "subtract", "multiply"), NUMERIC),
    **dict.fromkeys(("equal", "not_equal"), ALL),
    **dict.fromkeys(("greater", "greater_equal", "less", "less_equal", "maximum", "minimum"), INTEGER + REAL),
    **dict.fromkeys(("atan2", "copysign", "hypot", "logaddexp", "nextafter"), REAL),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), ("bool", *INTEGER)),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ("bool",)),
    **dict.fromkeys(("floor_divide", "remainder"), INTEGER + REAL),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), INTEGER),
    "divide": REAL + COMPLEX,
    "pow": NUMERIC,
}
# Pairs of dtypes that the standard promotes, one of each sort.
MIXED = [
    ("int8", "int32"),
    ("uint8", "uint16"),
    ("uint8", "int8"),
    ("uint16", "int8"),
    ("uint32", "int16"),
    ("float32", "float64"),
    ("float32", "complex64"),
    ("complex64", "float64"),
    ("complex64", "complex128"),
]


def unary() -> Iterator[Call]:
    """Every unary elementwise function on every dtype that it has."""
    for name, dtypes in UNARY.items():
        for dtype in dtypes:
            yield name, (special(dtype),), {}
        yield name, (values(dtypes[-1], ()),), {}
        yield name, (values(dtypes[0], (0, 3)),), {}


def _operands(name: str, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Operands whose pairs are all defined: shifts stay inside the width, integers are not divided by 0."""
    kind = np.dtype(dtype).kind
    x = special(dtype)
    y = x
    if "shift" in name:
        y = np.arange(np.iinfo(dtype).bits, dtype=dtype)
    elif name in ("floor_divide", "remainder") and kind in "iu":
        y = x[x != 0]
    # the reference follows Python at infinities, where the standard does not: test_special_cases.py
    elif name == "floor_divide":
        x, y = x[np.isfinite(x)], x[np.isfinite(x) & (x != 0)]
    elif name == "pow" and kind in "iu":
        x, y = values(dtype), np.arange(4, dtype=dtype)
    elif name == "pow" and kind == "c":
        x, y = values(dtype) + 1, values(dtype, seed=1)
    elif name == "divide" and kind == "c":
        y = x[x != 0]
    return x[:, None], y


def binary() -> Iterator[Call]:
    """Every binary elementwise function on every dtype, broadcast, with numbers, and on mixed dtypes."""
    for name, dtypes in BINARY.items():
        for dtype in dtypes:
            yield name, _operands(name, dtype), {}
        d = dtypes[-1]
        kind = np.dtype(d).kind
        number = {"b": True, "i": 3, "u": 3, "f": 2.5, "c": 2.5 - 1j}[kind]
        x = values(d, (5,))
        yield name, (x, number), {}
        if not ("shift" in name or name in ("floor_divide", "remainder", "pow")):
            yield name, (number, x), {}
        if kind in "fc":
            yield name, (x + 0.25, 2), {}
        yield name, (values(d, (0, 3)), values(d, (3,)) + (kind != "b")), {}
        for a, b in MIXED:
            if a in dtypes and b in dtypes:
                y = np.abs(values(b, (4,), 1)).astype(b) + 1
                yield name, (values(a, (4,)), y), {}
                yield name, (values(a, (4,)), y[1]), {}  # rank 0 promotes like any other
                yield name, (values(a, (4,))[0], y), {}
    yield "add", (values("float32"), 1j), {}
    yield "multiply", (values("complex64"), 2), {}
    for dtype in INTEGER + REAL:
        x = special(dtype)
        yield "clip", (x, 1, 3), {}
        yield "clip", (x, values(dtype, ()) * 0 + 1), {}
        yield "clip", (x,), {"max": np.full(x.shape, 2, dtype)}
        yield "clip", (x[:, None], np.full((3,), 1, dtype), np.full((x.size, 1), 5, dtype)), {}
    yield "clip", (special("float64"), np.nan, 2.0), {}
    yield "clip", (special("float64"),), {}
    yield "clip", (values("float32"), -1, 1.5), {}


def creation() -> Iterator[Call]:
    """Every creation function but `empty`, `empty_like` (whose elements are nothing definite) and `from_dlpack`."""
    for dtype in ALL:
        for name in ("ones", "zeros"):
            yield name, ((2, 3),), {"dtype": Named(dtype)}
            yield name + "_like", (values("int8", (2, 1)),), {"dtype": Named(dtype)}
            yield name + "_like", (values(dtype, ()),), {}
        yield "full", (4, 1), {"dtype": Named(dtype)}
        yield "full_like", (values(dtype, (2, 2)), 1), {}
        yield "asarray", (values(dtype, (2, 2)),), {"copy": True}
        yield "asarray", ([[0, 1], [1, 0]],), {"dtype": Named(dtype)}
        yield "eye", (3,), {"dtype": Named(dtype)}
        yield "tril", (values(dtype, (2, 3, 4)),), {"k": -1}
        yield "triu", (values(dtype, (3, 4)),), {"k": 1}
        if dtype not in ("bool", *COMPLEX):
            yield "arange", (1, 9, 2), {"dtype": Named(dtype)}
        if dtype in REAL + COMPLEX:
            yield "linspace", (-1, 2.5, 7), {"dtype": Named(dtype)}
            yield "linspace", (-1, 2.5, 7), {"dtype": Named(dtype), "endpoint": False}
    for shape in ((), (0,), (2, 0, 3), 5):
        yield "ones", (shape,), {}
        yield "zeros", (shape,), {}
        yield "full", (shape, 2.5), {}
    for fill in (True, 3, 2.5, 1 - 2j):
        yield "full", ((2,), fill), {}
        yield "asarray", (fill,), {}
        yield "asarray", ([[fill, fill]],), {}
    yield "asarray", ([],), {}
    for k in range(-4, 5):
        yield "eye", (3, 4), {"k": k}
        yield "tril", (values("float32", (3, 3)),), {"k": k}
        yield "triu", (values("float32", (3, 3)),), {"k": k}
    yield "eye", (0, 3), {}
    for k in (2**70, -(2**70)):
        yield "eye", (2, 3), {"k": k}
    for args in ((5,), (2, 7), (2, 7, 3), (7, 2, -2), (0, 1, 0.25), (2.5,), (5, 2), (2, 5, -1), (0,), (3, 3)):
        yield "arange", args, {}
    for args in ((0, 1, 5), (0, 1, 1), (0, 1, 0), (1, -1, 4), (0, 1 + 2j, 3)):
        yield "linspace", args, {}
        yield "linspace", args, {"endpoint": False}
    for indexing in ("xy", "ij"):
        for n in range(4):
            yield "meshgrid", tuple(values("int16", (2 + i,), i) for i in range(n)), {"indexing": indexing}


def manipulation() -> Iterator[Call]:
    """Every function that moves elements, on every dtype once and then in every form of its arguments."""
    for dtype in ALL:
        x = values(dtype, (2, 3, 1))
        yield "concat", ([x, x],), {"axis": 1}
        yield "stack", ([x, x],), {"axis": -1}
        yield "flip", (x,), {}
        yield "roll", (x, 1), {}
        yield "repeat", (x, 2), {"axis": 1}
        yield "tile", (x, (2, 1, 2)), {}
        yield "reshape", (x, (3, 2)), {"copy": True}
        yield "take", (x, np.array([2, 0, -1])), {"axis": 1}
        yield "take_along_axis", (x, np.array([[[1], [-1]], [[0], [2]]])), {"axis": 1}
        yield "where", (values("bool", (2, 1, 4)), x, values(dtype, (), 3)), {}
        yield "astype", (x, Named("complex128")), {}
        if np.dtype(dtype).kind != "c":
            yield "astype", (values(dtype, (5,)), Named("int8")), {"copy": False}
            yield "astype", (values(dtype, (5,)), Named("bool")), {}
    x = values("float32", (2, 3, 4))
    for axis in (0, 1, 2, -1, -3):
        yield "flip", (x,), {"axis": axis}
        yield "roll", (x, 2), {"axis": axis}
        yield "unstack", (x,), {"axis": axis}
        yield "repeat", (x, 3), {"axis": axis}
        yield "concat", ([x, x, x],), {"axis": axis}
        yield "stack", ([x, x],), {"axis": axis}
        yield "expand_dims", (x, axis), {}
        yield "take", (x, np.array([0, 1, 0])), {"axis": axis}
        yield "moveaxis", (x, axis, 1), {}
    yield "flip", (x,), {"axis": (0, -1)}
    yield "flip", (x[:0],), {}
    yield "flip", (x[0, 0, 0],), {}
    yield "flip", (x,), {"axis": ()}
    yield "roll", (x, (1, -2)), {"axis": (0, 2)}
    yield "roll", (x, 2), {"axis": (0, 1)}
    yield "roll", (x, -5), {}
    yield "roll", (x[:, :0], 3), {"axis": 1}
    yield "expand_dims", (x, 3), {}
    yield "expand_dims", (x, (0, 2)), {}
    yield "expand_dims", (x, (-1, 0)), {}
    yield "expand_dims", (x[0, 0, 0], 0), {}
    yield "squeeze", (x[:1, :, :1], 0), {}
    yield "squeeze", (x[:1, :, :1], (0, -1)), {}
    yield "squeeze", (x[:1, :, :1], ()), {}
    yield "permute_dims", (x, (2, 0, 1)), {}
    yield "permute_dims", (x, (-1, 0, -2)), {}
    yield "permute_dims", (x[0, 0, 0], ()), {}
    yield "moveaxis", (x, (0, 1), (-1, -2)), {}
    yield "reshape", (x, (-1,)), {}
    yield "reshape", (x, (4, -1, 2)), {}
    yield "reshape", (x[:0], (0, 7)), {}
    yield "reshape", (x[0, 0, 0], (1, 1)), {}
    yield "reshape", (x, (6, 4)), {"copy": False}
    yield "concat", ([x, values("float64", (1, 3, 4))],), {}
    yield "concat", ([values("int8", (2,)), values("int32", (0,)), values("uint8", (1,))],), {}
    yield "concat", ([x, values("float64", (2,))],), {"axis": None}
    yield "stack", ([values("int8", (2,)), values("uint8", (2,))],), {}
    yield "stack", ((values("int8", ()), values("int8", ())),), {}
    yield "repeat", (x, np.array([1, 0, 2])), {"axis": 1}
    yield "repeat", (values("int8", (4,)), np.array([1, 0, 2, 1], np.uint8)), {}
    yield "repeat", (x, 2), {}
    yield "repeat", (x, 0), {"axis": 0}
    yield "tile", (x, (2,)), {}
    yield "tile", (x, (2, 1, 1, 3)), {}
    yield "tile", (x[0, 0, 0], (3,)), {}
    yield "tile", (x, (0, 1, 1)), {}
    yield "tile", (x, ()), {}
    yield "take", (values("int16", (5,)), np.array([4, 0, 1, -5], np.int8)), {}
    yield "take", (x, np.zeros((0,), np.int64)), {"axis": 1}
    yield "take_along_axis", (x, np.argsort(x, -1)), {}
    yield "take_along_axis", (x, np.zeros((1, 1, 4), np.int64)), {"axis": 0}
    yield "take_along_axis", (x, np.full((2, 2, 4), -1, np.int32)), {"axis": 1}
    yield "broadcast_to", (x[:, :, :1], (5, 2, 3, 4)), {}
    yield "broadcast_to", (x[0, 0, 0], (2, 0)), {}
    yield "broadcast_to", (x[0, 0, 0], ()), {}
    yield "broadcast_arrays", (x, x[0, 0], values("int8", (3, 1))), {}
    yield "broadcast_shapes", ((2, 1), (3,), ()), {}
    yield "broadcast_shapes", (), {}
    yield "broadcast_shapes", ((0, 1), (4,)), {}
    yield "where", (values("bool", (2, 1)), values("float32", (3,)), values("float64", ())), {}
    yield "where", (values("bool", (4,)), values("int16", (4,)), 7), {}
    yield "where", (values("bool", (4,)), 0.5, values("float32", (4,))), {}
    yield "where", (values("bool", (4,)), values("float32", ()), 1j), {}
    for offset in (0, 1):
        yield "diff", (x,), {"axis": offset}
    yield "diff", (x,), {"n": 2}
    yield "diff", (x,), {"n": 0}
    yield "diff", (values("int32", (5,)),), {"prepend": values("int32", (1,)), "append": values("int32", (2,), 1)}
    yield "diff", (values("uint8", (2, 3)),), {"axis": 0, "append": values("uint8", (1, 3), 1)}


AXES = ((None, False), (0, False), (-1, True), ((0, 2), False), ((0, 1, 2), True), ((), False))
REDUCED = {
    "sum": NUMERIC,
    "prod": NUMERIC,
    "max": INTEGER + REAL,
    "min": INTEGER + REAL,
    "mean": REAL + COMPLEX,
    "std": REAL,
    "var": REAL,
    "all": ALL,
    "any": ALL,
    "count_nonzero": ALL,
}


def reductions() -> Iterator[Call]:
    """Every reduction on every dtype once, and over every form of axes; the cumulative ones; searching, sorting,
    sets.
    """
    for name, dtypes in REDUCED.items():
        for dtype in dtypes:
            yield name, (values(dtype, (3, 4)),), {"axis": 1}
        x = values(dtypes[-1] if dtypes is not ALL else "int32", (2, 3, 4))
        for axis, keepdims in AXES:
            yield name, (x,), {"axis": axis, "keepdims": keepdims}
        yield name, (x[0, 0, 0],), {}
        if name not in ("max", "min", "mean", "std", "var"):
            yield name, (x[:, :0],), {"axis": 1}
            yield name, (x[:, :0],), {}
        if name in ("sum", "prod"):
            for dtype in ("int16", "uint8", "float32", "complex128"):
                yield name, (values("int8", (2, 3)),), {"dtype": Named(dtype), "axis": 0}
            yield name, (np.array([100, 100], np.int8),), {}
        if name in ("std", "var"):
            for correction in (1, 0.5, 2.0):
                yield name, (x,), {"axis": 1, "correction": correction}
        if dtypes is not ALL and np.dtype(dtypes[-1]).kind == "f":
            yield name, (np.array([1.0, np.nan, 2.0]),), {}
            yield name, (np.array([1.0, np.inf, 2.0]),), {}
    for name in ("cumulative_sum", "cumulative_prod"):
        for dtype in NUMERIC:
            yield name, (values(dtype, (3, 4)),), {"axis": 0}
        yield name, (values("int8", (5,)),), {}
        yield name, (values("float32", (2, 3)),), {"axis": -1, "include_initial": True}
        yield name, (values("uint8", (3,)),), {"dtype": Named("float64"), "include_initial": True}
        yield name, (values("float32", (0,)),), {"include_initial": True}
    for name in ("argmax", "argmin"):
        for dtype in INTEGER + REAL:
            yield name, (values(dtype, (3, 4)),), {"axis": 0}
        for axis, keepdims in ((None, False), (None, True), (1, True), (-1, False)):
            yield name, (values("float32", (2, 3, 4)),), {"axis": axis, "keepdims": keepdims}
        yield name, (values("float32", ()),), {}
    for dtype in INTEGER + REAL:
        for descending in (False, True):
            yield "sort", (values(dtype, (3, 5)),), {"descending": descending}
            yield "argsort", (values(dtype, (3, 5)),), {"descending": descending}
        yield "searchsorted", (np.sort(values(dtype)), values(dtype, (2, 3), 1)), {}
    yield "sort", (values("float32", (3, 5)),), {"axis": 0}
    yield "argsort", (values("float32", (3, 5)),), {"axis": 0, "stable": True}
    yield "sort", (values("float32", (0, 5)),), {}
    yield "searchsorted", (np.array([1, 2, 2, 3]), np.array([2, 0, 9])), {"side": "right"}
    yield "searchsorted", (np.array([3, 1, 2]), np.array([2, 3])), {"sorter": np.array([1, 2, 0])}
    yield "searchsorted", (np.array([1.0, 2.0, 3.0]), 2), {}
    yield "searchsorted", (np.array([1, 2, 3], np.int8), np.array([2, 300], np.int16)), {}
    yield "searchsorted", (np.zeros((0,)), np.array([1.0])), {}
    for dtype in ALL:
        yield "nonzero", (values(dtype, (3, 4)),), {}
        for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
            yield name, (values(dtype, (3, 4)),), {}
    for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
        yield name, (np.array([np.nan, 1.0, np.nan, 1.0, -1.0]),), {}
        yield name, (values("int8", ()),), {}
        yield name, (values("int8", (0, 2)),), {}
    for dtype in INTEGER:
        yield "isin", (values(dtype, (2, 3)), values(dtype, (4,), 2)), {}
    yield "isin", (values("int8", (2, 3)), 3), {}
    yield "isin", (3, values("int8", (2, 3))), {}
    yield "isin", (values("int8", (3,)), values("int16", (2, 2))), {}


def linear_algebra() -> Iterator[Call]:
    """The core functions and those of the extension whose results are unique."""
    for dtype in NUMERIC:
        yield "matmul", (values(dtype, (2, 3)), values(dtype, (3, 4), 1)), {}
        yield "vecdot", (values(dtype, (2, 3)), values(dtype, (3,), 1)), {}
        yield "tensordot", (values(dtype, (2, 3)), values(dtype, (3, 2), 1)), {"axes": 1}
        yield "linalg.outer", (values(dtype, (2,)), values(dtype, (3,), 1)), {}
        yield "linalg.trace", (values(dtype, (2, 3, 3)),), {}
        yield "linalg.cross", (values(dtype, (2, 3)), values(dtype, (2, 3), 1)), {}
    for dtype in ALL:
        yield "matrix_transpose", (values(dtype, (2, 3, 4)),), {}
        yield "linalg.diagonal", (values(dtype, (2, 3, 4)),), {"offset": 1}
    x, y = values("float64", (2, 3, 4)), values("float64", (4, 5), 1)
    yield "matmul", (x, y), {}
    yield "matmul", (x, y[:, 0]), {}
    yield "matmul", (y[:, 0], np.swapaxes(x, -1, -2)), {}
    yield "matmul", (y[:, 0], y[:, 1]), {}
    yield "matmul", (x[:0], y), {}
    yield "matmul", (x[:, :, :0], y[:0]), {}
    yield "matmul", (values("float32", (2, 3)), values("float64", (3, 1))), {}
    yield "linalg.matmul", (values("int8", (2, 3)), values("uint8", (3,))), {}
    yield "tensordot", (x, values("float64", (3, 4, 2), 1)), {}
    yield "tensordot", (x, values("float64", (4, 3, 5), 1)), {"axes": ((1, -1), (1, 0))}
    yield "tensordot", (x, y), {"axes": 0}
    yield "linalg.tensordot", (values("int8", (2, 3)), values("int16", (3,))), {"axes": 1}
    yield "vecdot", (x, values("float64", (3, 4), 3)), {"axis": -2}
    yield "vecdot", (values("complex64", (3, 2)), values("float64", (3, 1))), {"axis": -2}
    yield "linalg.vecdot", (values("int8", (0,)), values("int8", (0,))), {}
    yield "linalg.trace", (x,), {"offset": -1}
    yield "linalg.trace", (values("int8", (3, 3)),), {"dtype": Named("float32")}
    yield "linalg.cross", (values("float32", (3, 2)), values("float64", (3, 1))), {"axis": -2}
    yield "linalg.cross", (values("float64", (3,)), values("float64", (2, 3), 1)), {}
    yield "linalg.cross", (values("float64", (2, 3, 4)), values("float64", (3, 1), 1)), {"axis": -2}
    for dtype in REAL + COMPLEX:
        a = values(dtype, (2, 3, 3)) + 4 * np.eye(3, dtype=dtype)
        h = (a @ np.conj(np.swapaxes(a, -1, -2))).astype(dtype)
        yield "linalg.cholesky", (h,), {}
        yield "linalg.cholesky", (h,), {"upper": True}
        for name in ("det", "inv", "slogdet", "svdvals", "pinv", "matrix_rank"):
            yield f"linalg.{name}", (a,), {}
        yield "linalg.eigvalsh", (h,), {}
        for n in (0, 1, 3, -2):
            yield "linalg.matrix_power", (a, n), {}
        yield "linalg.solve", (a, values(dtype, (3,))), {}
        yield "linalg.solve", (a, values(dtype, (3, 2))), {}
        for ord in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
            yield "linalg.matrix_norm", (a[:, :, :2],), {"ord": ord}
        yield "linalg.matrix_norm", (a,), {"keepdims": True}
        for ord in (0, 1, 2, 3, -1, 0.5, np.inf, -np.inf):
            yield "linalg.vector_norm", (values(dtype, (3, 4)),), {"ord": ord, "axis": 1}
    x = values("float64", (2, 3, 4))
    for axis, keepdims in AXES:
        yield "linalg.vector_norm", (x,), {"axis": axis, "keepdims": keepdims}
    yield "linalg.solve", (values("float64", (2, 2)) + 3 * np.eye(2), values("float64", (2, 2), 1)), {}
    # matrices, not two vectors
    yield "linalg.solve", (values("float64", (2, 2, 2)) + 3 * np.eye(2), values("float64", (2, 2), 1)), {}
    yield (
        "linalg.solve",
        (values("float32", (4, 1, 2, 2)) + 3 * np.eye(2, dtype=np.float32), values("float64", (3, 2, 1), 1)),
        {},
    )
    low = np.outer([1.0, 2.0, 3.0], [1.0, 1.0])
    for rtol in (None, 1e-3, np.array(0.5)):
        yield "linalg.matrix_rank", (low,), {"rtol": rtol}
        yield "linalg.pinv", (low,), {"rtol": rtol}
    yield "linalg.matrix_rank", (np.stack([np.eye(3), np.diag([1.0, 0.1, 1e-8])]),), {"rtol": np.array([0.5, 0.01])}
    yield "linalg.det", (np.zeros((0, 2, 2)),), {}
    yield "linalg.svdvals", (values("float64", (2, 4)),), {}


def fourier() -> Iterator[Call]:
    """The extension of Fourier transforms."""
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        real = name in ("rfft", "ihfft")
        for dtype in REAL if real else COMPLEX:
            yield f"fft.{name}", (values(dtype, (3, 8)),), {}
        x = values("float64" if real else "complex128", (4, 6))
        for norm in ("backward", "ortho", "forward"):
            yield f"fft.{name}", (x,), {"norm": norm}
        yield f"fft.{name}", (x,), {"n": 5, "axis": 0}
        yield f"fft.{name}", (x,), {"n": 9}
    for name in ("fftn", "ifftn", "rfftn", "irfftn"):
        real = name == "rfftn"
        for dtype in REAL if real else COMPLEX:
            yield f"fft.{name}", (values(dtype, (3, 4, 6)),), {}
        x = values("float64" if real else "complex128", (3, 4, 6))
        for norm in ("backward", "ortho", "forward"):
            yield f"fft.{name}", (x,), {"norm": norm, "axes": (0, 2)}
        yield f"fft.{name}", (x,), {"s": (3, 5), "axes": (1, 2)}
    for n in (1, 5, 8):
        yield "fft.fftfreq", (n,), {"d": 0.5}
        yield "fft.rfftfreq", (n,), {"dtype": Named("float32")}
    for name in ("fftshift", "ifftshift"):
        yield f"fft.{name}", (values("complex64", (3, 4)),), {}
        yield f"fft.{name}", (values("float64", (5, 4)),), {"axes": 0}
        yield f"fft.{name}", (values("float64", (5, 4)),), {"axes": (0, 1)}


def dtype_questions() -> Iterator[Call]:
    """What is asked of dtypes: no arrays come out."""
    for a in ALL:
        for b in ALL:
            if _promotes(a, b):
                yield "result_type", (Named(a), Named(b)), {}
                yield "result_type", (values(a, ()), values(b, (2,))), {}
                yield "can_cast", (Named(a), Named(b)), {}
        for kind in (
            "bool",
            "signed integer",
            "unsigned integer",
            "integral",
            "real floating",
            "complex floating",
            "numeric",
            ("bool", "integral"),
            Named(a),
            (Named("int8"), "complex floating"),
        ):
            yield "isdtype", (Named(a), kind), {}
    yield "result_type", (values("float32"), 1), {}
    yield "result_type", (values("float32"), 1j), {}
    yield "result_type", (values("int8"), 1000, Named("int16")), {}
    yield "result_type", (values("bool"), True), {}


def _promotes(a: str, b: str) -> bool:
    """Whether the standard promotes two dtypes."""
    kinds = {np.dtype(a).kind, np.dtype(b).kind}
    return (kinds <= set("fc") or len(kinds) == 1 or kinds == {"u", "i"}) and not (
        kinds == {"u", "i"} and "uint64" in (a, b)
    )

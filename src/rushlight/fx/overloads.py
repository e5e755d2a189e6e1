"""The ways to call those functions of torch that have several: a parameter list for each, in PyTorch's order.

A function that is not listed has one, which is its signature.
"""

from __future__ import annotations

import inspect
import numbers
from typing import Any

from rushlight.core.tensor import Tensor

__all__ = ["parameter_lists"]

_NUMBER = ("a: Number",)  # of Python's numbers, as a script may call it
_UNARY = ("input: Tensor", *_NUMBER)
_PAIR = ("input: Tensor, other: Tensor", "input: Tensor, other: Number")
_PAIR_OF_NUMBERS = (*_PAIR, "a: Number, b: Number")
_EITHER = (*_PAIR, "input: Number, other: Tensor")
_SUM = ("input: Tensor, other: Tensor, *, alpha: Number = 1", "input: Tensor, other: Number, alpha: Number = 1")
_QUOTIENT = (
    *_PAIR,
    "input: Tensor, other: Tensor, *, rounding_mode: str?",
    "input: Tensor, other: Number, *, rounding_mode: str?",
)
_POWER = ("input: Tensor, exponent: Tensor", "input: Tensor, exponent: Number", "input: Number, exponent: Tensor")
_ALONG = ("input: Tensor", "input: Tensor, dim: int, keepdim: bool = False")
_EXTREME = ("input: Tensor, other: Tensor", *_ALONG)
_SPREAD = (
    "input: Tensor, unbiased: bool = True",
    "input: Tensor, dim: ints?, unbiased: bool = True, keepdim: bool = False",
    "input: Tensor, dim: ints? = None, *, correction: Number? = None, keepdim: bool = False",
)
_FILL = ("input: Tensor, value: Number", "input: Tensor, value: Tensor")
_PARTS = ("input: Tensor, sections: int", "input: Tensor, indices: ints")
_QUANTILE = tuple(
    f"input: Tensor, q: {q}, dim: int? = None, keepdim: bool = False, *, interpolation: str = 'linear'"
    for q in ("Tensor", "float")
)
_AREA = ("y: Tensor, x: Tensor, *, dim: int = -1", "y: Tensor, *, dx: Number = 1, dim: int = -1")
_MOVE = ("input: Tensor, source: int, destination: int", "input: Tensor, source: ints, destination: ints")
_POLYNOMIAL = ("x: Tensor, n: Tensor", "x: Number, n: Tensor", "x: Tensor, n: Number")
_MADE = "dtype: int? = None, layout: int? = None, device: Any = None, pin_memory: bool? = None"


def _convolution(n: int) -> tuple[str, ...]:
    ones, zeros = [1] * n, [0] * n
    return tuple(
        f"input: Tensor, weight: Tensor, bias: Tensor? = None, stride: ints = {ones}, padding: {padding}, "
        f"dilation: ints = {ones}, groups: int = 1"
        for padding in (f"ints = {zeros}", "str = 'valid'")
    )


_TABLE: dict[str, tuple[str, ...]] = {
    "acos acosh angle asin asinh atan atanh ceil cos cosh erf erfc exp expm1 floor isfinite isinf isnan lgamma log10 "
    "log1p neg sin sinh sqrt tan tanh": _UNARY,
    "log": (*_UNARY, "a: Number, b: Number"),
    "round round_": ("input: Tensor", "input: Tensor, *, decimals: int", *_NUMBER),
    "add sub": (*_SUM, "a: Number, b: Number"),
    "rsub subtract": _SUM,
    "mul eq ne lt le gt ge atan2 copysign fmod gcd": _PAIR_OF_NUMBERS,
    "multiply true_divide floor_divide greater greater_equal less less_equal not_equal xlogy_": _PAIR,
    "remainder": (*_EITHER, "a: Number, b: Number"),
    "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor xlogy special.xlog1py special.xlogy "
    "special.zeta": _EITHER,
    "div": (*_QUOTIENT, "a: Number, b: Number"),
    "divide": _QUOTIENT,
    "pow": (*_POWER, "a: Number, b: Number"),
    "float_power": _POWER,
    "max min": _EXTREME,
    "median nanmedian": _ALONG,
    "sum": (
        "input: Tensor, dim: ints?, keepdim: bool = False, *, dtype: int? = None",
        "input: Tensor, *, dtype: int? = None",
        "input: ints",
    ),
    "mean": (
        "input: Tensor, *, dtype: int? = None",
        "input: Tensor, dim: ints?, keepdim: bool = False, *, dtype: int? = None",
    ),
    "prod": (
        "input: Tensor, *, dtype: int? = None",
        "input: Tensor, dim: int, keepdim: bool = False, *, dtype: int? = None",
    ),
    "all any": (*_ALONG, "input: Tensor, dim: ints? = None, keepdim: bool = False"),
    "std std_mean var var_mean": _SPREAD,
    "squeeze squeeze_copy": ("input: Tensor", "input: Tensor, dim: int", "input: Tensor, dim: ints"),
    "count_nonzero": ("input: Tensor, dim: int? = None", "input: Tensor, dim: ints"),
    "sort": (
        "input: Tensor, dim: int = -1, descending: bool = False",
        "input: Tensor, *, stable: bool?, dim: int = -1, descending: bool = False",
        "input: ints, reverse: bool = False",
    ),
    "argsort": (
        "input: Tensor, dim: int = -1, descending: bool = False",
        "input: Tensor, *, stable: bool, dim: int = -1, descending: bool = False",
    ),
    "clamp clamp_ clip clip_": tuple(
        f"input: Tensor, min: {k}? = None, max: {k}? = None" for k in ("Number", "Tensor")
    ),
    "clamp_max clamp_max_": ("input: Tensor, max: Number", "input: Tensor, max: Tensor"),
    "clamp_min clamp_min_": ("input: Tensor, min: Number", "input: Tensor, min: Tensor"),
    "where": (
        *(f"condition: Tensor, input: {a}, other: {b}" for a in ("Tensor", "Number") for b in ("Tensor", "Number")),
        "condition: Tensor",
    ),
    "fill fill_": _FILL,
    "masked_fill": ("input: Tensor, mask: Tensor, value: Number", "input: Tensor, mask: Tensor, value: Tensor"),
    "index_fill": tuple(f"input: Tensor, dim: int, index: Tensor, value: {k}" for k in ("Tensor", "Number")),
    "lerp": ("input: Tensor, end: Tensor, weight: Number", "input: Tensor, end: Tensor, weight: Tensor"),
    "scatter": (
        "input: Tensor, dim: int, index: Tensor, value: Number",
        "input: Tensor, dim: int, index: Tensor, src: Tensor",
        "input: Tensor, dim: int, index: Tensor, src: Tensor, *, reduce: str",
        "input: Tensor, dim: int, index: Tensor, value: Number, *, reduce: str",
    ),
    "mm bmm": ("input: Tensor, mat2: Tensor", "input: Tensor, mat2: Tensor, out_dtype: int"),
    "addmm": tuple(
        f"input: Tensor, mat1: Tensor, mat2: Tensor, {d}*, beta: Number = 1, alpha: Number = 1"
        for d in ("", "out_dtype: int, ")
    ),
    "baddbmm": tuple(
        f"input: Tensor, batch1: Tensor, batch2: Tensor, {d}*, beta: Number = 1, alpha: Number = 1"
        for d in ("", "out_dtype: int, ")
    ),
    "conv1d nn.functional.conv1d": _convolution(1),
    "conv2d nn.functional.conv2d": _convolution(2),
    "conv3d nn.functional.conv3d": _convolution(3),
    "dsplit hsplit vsplit": _PARTS,
    "tensor_split": (
        "input: Tensor, sections: int, dim: int = 0",
        "input: Tensor, indices: ints, dim: int = 0",
        "input: Tensor, tensor_indices_or_sections: Tensor, dim: int = 0",
    ),
    "narrow": tuple(f"input: Tensor, dim: int, start: {k}, length: int" for k in ("int", "Tensor")),
    "select": ("input: Tensor, dim: int, index: int", "list: list, idx: int"),
    "moveaxis movedim": _MOVE,
    "quantile nanquantile": _QUANTILE,
    "trapezoid cumulative_trapezoid trapz": _AREA,
    "repeat_interleave": (
        "repeats: Tensor, *, output_size: int? = None",
        "input: Tensor, repeats: Tensor, dim: int? = None, *, output_size: int? = None",
        "input: Tensor, repeats: int, dim: int? = None, *, output_size: int? = None",
    ),
    "bernoulli": (
        "input: Tensor, *, generator: Any = None",
        "input: Tensor, p: float, *, generator: Any = None",
        "input: Tensor, p: Tensor, *, generator: Any = None",
    ),
    "arange": (
        f"end: Number, *, {_MADE}",
        f"start: Number, end: Number, *, {_MADE}",
        f"start: Number, end: Number, step: Number = 1, *, {_MADE}",
    ),
    "eye": (f"n: int, *, {_MADE}", f"n: int, m: int, *, {_MADE}"),
    "linspace": tuple(
        f"start: {a}, end: {b}, steps: int, *, {_MADE}" for a in ("Tensor", "Number") for b in ("Tensor", "Number")
    ),
    "rand randn": (f"size: ints, *, {_MADE}", f"size: ints, *, generator: Any, {_MADE}"),
    "bucketize": tuple(
        f"input: {k}, boundaries: Tensor, *, out_int32: bool = False, right: bool = False" for k in ("Tensor", "Number")
    ),
    "isin": tuple(
        f"{pair}, *, assume_unique: bool = False, invert: bool = False"
        for pair in (
            "elements: Tensor, test_elements: Tensor",
            "elements: Tensor, test_element: Number",
            "element: Number, test_elements: Tensor",
        )
    ),
    "linalg.cond": ("input: Tensor, p: Number? = None", "input: Tensor, p: str"),
    "linalg.norm": (
        "input: Tensor, ord: Number? = None, dim: ints? = None, keepdim: bool = False, *, dtype: int? = None",
        "input: Tensor, ord: str, dim: ints? = None, keepdim: bool = False, *, dtype: int? = None",
    ),
    "linalg.matrix_norm": (
        "input: Tensor, ord: Number, dim: ints = [-2, -1], keepdim: bool = False, *, dtype: int? = None",
        "input: Tensor, ord: str = 'fro', dim: ints = [-2, -1], keepdim: bool = False, *, dtype: int? = None",
    ),
    "special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v "
    "special.chebyshev_polynomial_w special.hermite_polynomial_h special.hermite_polynomial_he "
    "special.laguerre_polynomial_l special.legendre_polynomial_p special.shifted_chebyshev_polynomial_t "
    "special.shifted_chebyshev_polynomial_u special.shifted_chebyshev_polynomial_v "
    "special.shifted_chebyshev_polynomial_w": _POLYNOMIAL,
}
_KINDS: dict[str, Any] = {
    "Tensor": Tensor,
    "Number": numbers.Number,
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "ints": list[int],
    "list": list,
    "Any": Any,
}


def _parsed(text: str) -> inspect.Signature:
    parameters = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    depth = start = 0
    parts = []
    for i, c in enumerate(text + ","):
        depth += (c == "[") - (c == "]")
        if c == "," and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    for part in parts:
        if part == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        name, _, rest = part.partition(": ")
        written, _, default = rest.partition(" = ")
        annotation = _KINDS[written.removesuffix("?")]
        parameters.append(
            inspect.Parameter(
                name,
                kind,
                default=_value(default) if default else inspect.Parameter.empty,
                annotation=annotation | None if written.endswith("?") and annotation is not Any else annotation,
            )
        )
    return inspect.Signature(parameters)


def _value(text: str) -> Any:
    import ast

    return ast.literal_eval(text)


_lists: dict[str, list[inspect.Signature]] = {}


def parameter_lists(name: str) -> list[inspect.Signature] | None:
    """The ways to call torch.`name`; None for a function that has one."""
    if not _lists:
        for names, texts in _TABLE.items():
            found = [_parsed(text) for text in texts]
            _lists.update(dict.fromkeys(names.split(), found))
    return _lists.get(name)

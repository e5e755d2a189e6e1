"""The same operation on each tensor of a list: `_foreach_add` and its family, which programs written for PyTorch's
optimizers call.

A second operand is one number or 0-d tensor for all, or a list with one number or tensor for each. The result is a
tuple; the variants in place (`_foreach_add_`) return the list that they were given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.naming import named
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import METHODS, TABLE, function
from rushlight.operators.table.types import DType, Number, Operand, Operands

Tensors = Sequence[Tensor]

_UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round "
    "rsqrt "
    "sigmoid sign sin sinh sqrt tan tanh trunc"
).split()
_BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "div",
    "pow": "pow",
    "maximum": "clamp_min",
    "minimum": "clamp_max",
    "clamp_min": "clamp_min",
    "clamp_max": "clamp_max",
}  # the maximum with a number too is a clamp


def _listed(name: str, tensors: Any) -> list[Tensor]:
    """The tensors of a list.

    Raises:
        TypeError: for what is none.
        RuntimeError: for an empty one.
    """
    if not isinstance(tensors, (tuple, list)) or not all(isinstance(t, Tensor) for t in tensors):
        raise TypeError(
            f"{name}(): argument 'self' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    if not tensors:
        raise RuntimeError(f"{name}(): the list must hold at least one tensor; found none")
    return list(tensors)


def _each(name: str, operand: Operands, n: int) -> list[Any]:
    """An operand for each of n tensors: the elements of a list (or of a 1-d tensor of n numbers), or the same one."""
    if isinstance(operand, Tensor) and operand.ndim == 1:
        operand = operand.tolist()
    if not isinstance(operand, (tuple, list)):
        return [operand] * n
    if len(operand) != n:
        raise RuntimeError(f"{name}(): the lists must be of one length; found {n} and {len(operand)}")
    return list(operand)


def _public(name: str, fn: Callable[..., Any], doc: str) -> None:
    function(named(fn, name, doc))


def _make_unary(name: str) -> None:
    def new(self: Tensors) -> tuple[Tensor, ...]:
        return tuple(TABLE[name](t) for t in _listed(f"_foreach_{name}", self))

    def in_place(self: Tensors) -> Tensors:
        for t in _listed(f"_foreach_{name}_", self):
            METHODS[name + "_"](t)
        return self

    _public(f"_foreach_{name}", new, f"{name} of each tensor of a list.")
    _public(f"_foreach_{name}_", in_place, f"{name}_ of each tensor of a list.")


def _make_binary(name: str, method: str) -> None:
    def rows(self: Tensors, other: Operands, alpha: Number, label: str) -> list[tuple[Any, ...]]:
        if (
            alpha != 1
            and not isinstance(other, Tensor)
            and not (isinstance(other, (tuple, list)) and any(isinstance(x, Tensor) for x in other))
        ):
            raise TypeError(
                f"{label}(): argument 'other' (position 2) must be tuple of Tensors when alpha is given, not "
                f"{type(other).__name__}"
            )
        tensors = _listed(label, self)
        return list(zip(tensors, _each(label, other, len(tensors)), strict=True))

    def new(self: Tensors | Operand, other: Operands, *, alpha: Number = 1) -> tuple[Tensor, ...]:
        label = f"_foreach_{name}"
        if name == "pow" and not isinstance(self, (tuple, list)):
            return tuple(TABLE["pow"](self, t) for t in _listed(label, other))
        factor = {} if alpha == 1 else {"alpha": alpha}
        return tuple(METHODS[method](*row, **factor) for row in rows(self, other, alpha, label))

    def in_place(self: Tensors, other: Operands, *, alpha: Number = 1) -> Tensors:
        factor = {} if alpha == 1 else {"alpha": alpha}
        for row in rows(self, other, alpha, f"_foreach_{name}_"):
            METHODS[method + "_"](*row, **factor)
        return self

    what = (
        f"{name} of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a "
        "factor on tensors of it."
    )
    _public(f"_foreach_{name}", new, what)
    _public(f"_foreach_{name}_", in_place, f"{what[:-1]}, in place.")


def _make_ternary(name: str) -> None:
    def rows(self: Tensors, tensor1: Tensors, tensor2: Tensors, value: Operands, label: str) -> list[tuple[Any, ...]]:
        tensors = _listed(label, self)
        return list(zip(tensors, *(_each(label, x, len(tensors)) for x in (tensor1, tensor2, value)), strict=True))

    def new(self: Tensors, tensor1: Tensors, tensor2: Tensors, value: Operands = 1) -> tuple[Tensor, ...]:
        return tuple(
            METHODS[name](t, a, b, value=v) for t, a, b, v in rows(self, tensor1, tensor2, value, f"_foreach_{name}")
        )

    def in_place(self: Tensors, tensor1: Tensors, tensor2: Tensors, value: Operands = 1) -> Tensors:
        for t, a, b, v in rows(self, tensor1, tensor2, value, f"_foreach_{name}_"):
            METHODS[name + "_"](t, a, b, value=v)
        return self

    what = f"{name} of the tensors of three lists; value: a number, or one for each."
    _public(f"_foreach_{name}", new, what)
    _public(f"_foreach_{name}_", in_place, f"{what[:-1]}, in place.")


for _name in _UNARY:
    _make_unary(_name)
for _name, _method in _BINARY.items():
    _make_binary(_name, _method)
for _name in ("addcmul", "addcdiv"):
    _make_ternary(_name)


def _lerp(self: Tensors, tensors1: Tensors, weight: Operands) -> tuple[Tensor, ...]:
    tensors = _listed("_foreach_lerp", self)
    ends, weights = (_each("_foreach_lerp", x, len(tensors)) for x in (tensors1, weight))
    return tuple(METHODS["lerp"](*row) for row in zip(tensors, ends, weights, strict=True))


def _lerp_(self: Tensors, tensors1: Tensors, weight: Operands) -> Tensors:
    tensors = _listed("_foreach_lerp_", self)
    ends, weights = (_each("_foreach_lerp_", x, len(tensors)) for x in (tensors1, weight))
    for row in zip(tensors, ends, weights, strict=True):
        METHODS["lerp_"](*row)
    return self


def _norm(self: Tensors, ord: Number = 2, dtype: DType = None) -> tuple[Tensor, ...]:
    return tuple(TABLE["linalg.vector_norm"](t, ord, dtype=dtype) for t in _listed("_foreach_norm", self))


def _powsum(self: Tensors, ord: Number = 2, dtype: DType = None) -> tuple[Tensor, ...]:
    return tuple((t if dtype is None else t.to(dtype)).abs().pow(ord).sum() for t in _listed("_foreach_powsum", self))


def _max(self: Tensors) -> tuple[Tensor, ...]:
    return tuple(METHODS["amax"](t) for t in _listed("_foreach_max", self))


def _mm(self: Tensors, mat2: Tensors) -> tuple[Tensor, ...]:
    left = _listed("_foreach_mm", self)
    return tuple(TABLE["mm"](a, b) for a, b in zip(left, _each("_foreach_mm", mat2, len(left)), strict=True))


def _clone(self: Tensors) -> tuple[Tensor, ...]:
    return tuple(METHODS["clone"](t) for t in _listed("_foreach_clone", self))


def _copy_(self: Tensors, src: Tensors, non_blocking: bool = False) -> Tensors:
    tensors = _listed("_foreach_copy_", self)
    for t, s in zip(tensors, _each("_foreach_copy_", src, len(tensors)), strict=True):
        METHODS["copy_"](t, s)
    return self


def _zero_(self: Tensors) -> Tensors:
    for t in _listed("_foreach_zero_", self):
        METHODS["zero_"](t)
    return self


_public("_foreach_lerp", _lerp, "lerp of the tensors of two lists; weight: a number, or a number or tensor for each.")
_public("_foreach_lerp_", _lerp_, "lerp of the tensors of two lists, in place.")
_public("_foreach_norm", _norm, "The vector norm of each tensor of a list; dtype: computed in.")
_public("_foreach_powsum", _powsum, "The sum of |x|^ord of each tensor of a list; dtype: computed in.")
_public("_foreach_max", _max, "The greatest element of each tensor of a list.")
_public("_foreach_mm", _mm, "The matrix products of two lists.")
_public("_foreach_clone", _clone, "A copy of each tensor of a list.")
_public("_foreach_copy_", _copy_, "Write the values of each tensor of a second list into that of the first.")
_public("_foreach_zero_", _zero_, "Set each tensor of a list to zero.")

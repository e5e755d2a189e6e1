"""Arithmetic notation for derivative rules: `1 - y * y` emits primitives."""

from __future__ import annotations

from typing import Any

from rushlight.prims.base import PRIMS, full_like
from rushlight.program.ir import Var


class Expr:
    """A program value with operators; a Python number on the other side becomes a constant of the same shape and dtype."""

    __slots__ = ("var",)

    def __init__(self, var: Var) -> None:
        self.var = var

    def _binary(self, name: str, other: Any, swap: bool = False) -> Expr:
        b = other.var if isinstance(other, Expr) else full_like(self.var, other)
        return Expr(PRIMS[name](b, self.var) if swap else PRIMS[name](self.var, b))

    def __add__(self, o: Any) -> Expr:
        return self._binary("add", o)

    def __radd__(self, o: Any) -> Expr:
        return self._binary("add", o, True)

    def __sub__(self, o: Any) -> Expr:
        return self._binary("sub", o)

    def __rsub__(self, o: Any) -> Expr:
        return self._binary("sub", o, True)

    def __mul__(self, o: Any) -> Expr:
        return self._binary("mul", o)

    def __rmul__(self, o: Any) -> Expr:
        return self._binary("mul", o, True)

    def __truediv__(self, o: Any) -> Expr:
        return self._binary("div", o)

    def __rtruediv__(self, o: Any) -> Expr:
        return self._binary("div", o, True)

    def __neg__(self) -> Expr:
        return Expr(PRIMS["neg"](self.var))

    def __lt__(self, o: Any) -> Expr:
        return self._binary("lt", o)

    def __gt__(self, o: Any) -> Expr:
        return self._binary("gt", o)

    def __ge__(self, o: Any) -> Expr:
        return self._binary("ge", o)

    def equals(self, o: Any) -> Expr:
        return self._binary("eq", o)

    def __and__(self, o: Expr) -> Expr:
        return self._binary("and_", o)

    def __or__(self, o: Expr) -> Expr:
        return self._binary("or_", o)

    @property
    def is_complex(self) -> bool:
        return self.var.dtype.kind == "c"


class _Functions:
    """`f.exp(x)` for an Expr x: any pointwise primitive by name, parameters by keyword."""

    def __getattr__(self, name: str) -> Any:
        prim = PRIMS[name]

        def call(*args: Any, **params: Any) -> Expr:
            like = next(a.var for a in args[::-1] if isinstance(a, Expr))
            return Expr(prim(*(a.var if isinstance(a, Expr) else full_like(like, a) for a in args), **params))

        return call


f = _Functions()

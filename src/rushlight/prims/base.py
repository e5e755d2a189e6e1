"""What every family of primitives shares: the registry, the namespace `p` that rules emit through, and small
helpers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rushlight.core.dtypes import dtype, int64
from rushlight.prims.types import Tangents
from rushlight.program.ir import PRIMS, Eqn, Hole, Primitive, Shape, Var
from rushlight.program.sym import Int, Sym, same

CHEAP_KINDS = frozenset({"pointwise", "view", "index", "source"})
"""Kinds of equations that a derivative computes again, where it would otherwise keep their results."""


def register(prim: Primitive) -> Primitive:
    """Enter a primitive in the registry; a second one of the same name is a ValueError."""
    if prim.name in PRIMS:
        raise ValueError(f"there is a primitive named {prim.name!r} already")
    PRIMS[prim.name] = prim
    return prim


class _Namespace:
    """`p.mul(x, y)`: late lookup, so that families can use one another without importing one another in a circle."""

    def __getattr__(self, name: str) -> Primitive:
        try:
            return PRIMS[name]
        except KeyError:
            raise AttributeError(f"there is no primitive named {name!r}") from None


p = _Namespace()


def check(
    condition: bool, prim: Primitive, message: str | Callable[[], str], error: type[Exception] = ValueError
) -> None:
    """Raise `error` naming the primitive when an operand does not fit.

    A message that shows shapes is given as a function: writing out symbols was a third of the time of a trace.
    """
    if not condition:
        raise error(f"{prim.name}: {message if isinstance(message, str) else message()}")


def check_dim(prim: Primitive, dim: Int, ndim: int) -> None:
    check(isinstance(dim, int) and 0 <= dim < ndim, prim, lambda: f"expected a dimension in [0, {ndim}); found {dim}")


def check_dims(prim: Primitive, dims: Sequence[int], ndim: int) -> None:
    for d in dims:
        check_dim(prim, d, ndim)
    check(len(set(dims)) == len(dims), prim, lambda: f"expected distinct dimensions; found {tuple(dims)}")


def literally(x: Int, value: int) -> bool:
    """Whether a size is literally `value`; no guard."""
    return isinstance(x, int) and x == value


def same_shape(a: Shape, b: Shape) -> bool:
    """Whether two shapes are provably equal; no guard."""
    return a is b or (len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True)))


def differentiable(t: dtype) -> bool:
    """Whether values of a dtype have tangents."""
    return t.kind in "fc"


def full(shape: Shape, value: complex | Sym, dtype: dtype) -> Var:
    """A tensor of one value."""
    c = p.constant(value=value, dtype=dtype)
    return p.broadcast_in_dim(c, shape=tuple(shape), dims=()) if len(shape) else c


_PYTHON: dict[str, Any] = {"b": bool, "u": int, "i": int, "f": float, "c": complex}


def full_like(x: Var | Hole, value: complex | Sym) -> Var:
    """A number or size as a value with the shape and dtype of `x`."""
    if isinstance(value, Sym):
        size = p.convert(p.constant(value=value, dtype=int64), dtype=x.dtype)
        return p.broadcast_in_dim(size, shape=x.shape, dims=())
    kind = x.dtype.kind
    return full(x.shape, value if isinstance(value, complex) and kind != "c" else _PYTHON[kind](value), x.dtype)


def zeros_like(x: Var | Hole) -> Var:
    """Explicit zeros with the shape and dtype of `x`."""
    return full_like(x, 0)


def instantiate(t: Var | None, like: Var | Hole) -> Var:
    """A tangent or cotangent, with None made into explicit zeros."""
    return zeros_like(like) if t is None else t


def jointly_linear(prim: Primitive, inputs: Sequence[Var], tangents: Tangents, params: dict[str, Any]) -> Tangents:
    """The tangents of a primitive that is linear in all operands at once."""
    if all(t is None for t in tangents):
        return [None]
    return [prim(*(instantiate(t, v) for t, v in zip(tangents, inputs, strict=True)), **params)]


def add_any(a: Var | None, b: Var | None) -> Var | None:
    """The sum of two tangents or cotangents of which either may be None (zero)."""
    if a is None or b is None:
        return b if a is None else a
    return p.add(a, b)


def only(ts: Tangents) -> Var:
    """The tangent of an only operand, or the cotangent of an only result: no rule is asked without it."""
    (t,) = ts
    assert t is not None
    return t


def conj(x: Var) -> Var:
    """The complex conjugate; `x` itself when it is real."""
    return p.conj(x) if x.dtype.kind == "c" else x


def constant_value(v: Var | Hole) -> Any:
    """The Python value of a broadcast constant, or None when `v` is not one."""
    while isinstance(v, Var) and v.eqn is not None:
        if v.eqn.prim.name == "constant":
            value = v.eqn.params["value"]
            return None if isinstance(value, Sym) else value  # a question about a size would record a guard
        if v.eqn.prim.name not in ("broadcast_in_dim", "reshape", "permute", "slice"):
            return None
        v = v.eqn.inputs[0]
    return None


def made_by(v: Var, name: str) -> Eqn | None:
    """The equation that makes `v`, if it is one of the primitive of that name."""
    return v.eqn if v.eqn is not None and v.eqn.prim.name == name else None


def expand(x: Var, shape: Sequence[Int], missing: Iterable[int]) -> Var:
    """Broadcast `x` to `shape`, which has the dims `missing` that `x` lacks (a reduction undone)."""
    gone = set(missing)
    return p.broadcast_in_dim(x, shape=tuple(shape), dims=tuple(i for i in range(len(shape)) if i not in gone))


def move_dim(x: Var, source: int, target: int) -> Var:
    """Move one dimension, the others keep their order."""
    if source == target:
        return x
    rest = [d for d in range(x.ndim) if d != source]
    rest.insert(target, source)
    return p.permute(x, perm=tuple(rest))


def to_front(x: Var, dim: int | None, size: Int) -> Var:
    """An operand with its batch dimension in front; one without it is broadcast."""
    if dim is None:
        return p.broadcast_in_dim(x, shape=(size, *x.shape), dims=tuple(range(1, x.ndim + 1)))
    return move_dim(x, dim, 0)


def flip(x: Var, dims: Iterable[int]) -> Var:
    """Reverse the order of the elements along `dims` (a view)."""
    where = set(dims)
    starts = tuple(n - 1 if d in where else 0 for d, n in enumerate(x.shape))
    return p.slice(x, starts=starts, sizes=x.shape, steps=tuple(-1 if d in where else 1 for d in range(x.ndim)))


def shift(x: Var, dim: int, fill: complex, reverse: bool) -> Var:
    """x moved by one along `dim` (y[k] = x[k - 1], or x[k + 1] when reverse), the free place filled."""
    low = tuple(1 if d == dim and not reverse else 0 for d in range(x.ndim))
    high = tuple(1 if d == dim and reverse else 0 for d in range(x.ndim))
    wide = p.pad(x, p.constant(value=fill, dtype=x.dtype), low=low, high=high, interior=(0,) * x.ndim)
    starts = tuple(1 if d == dim and reverse else 0 for d in range(x.ndim))
    return p.slice(wide, starts=starts, sizes=x.shape, steps=(1,) * x.ndim)


def take_along(x: Var, index: Var, dim: int) -> Var:
    """x[..., index, ...]: along `dim` by an index of the shape of the result, in place along the other dims."""
    where = [index if d == dim else p.iota(shape=index.shape, dim=d, dtype=int64) for d in range(x.ndim)]
    return p.gather(x, *where, dims=tuple(range(x.ndim)))

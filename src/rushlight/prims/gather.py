"""Gather and scatter: elements chosen by index tensors. An index outside [0, size) is an IndexError at launch."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import int64
from rushlight.prims.base import (
    add_any,
    check,
    check_dims,
    full_like,
    instantiate,
    move_dim,
    p,
    register,
    shift,
    to_front,
    zeros_like,
)
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.costs import GATHER
from rushlight.program.ir import ANY_NUMBERS, Hole, Primitive, Shape, Var
from rushlight.program.sym import Int, prod

MODES = ("set", "add", "mul", "max", "min")


def _gathered_shape(prim: Primitive, x: Var, index: Sequence[Var], dims: tuple[int, ...]) -> Shape:
    check_dims(prim, dims, x.ndim)
    check(len(index) == len(dims) > 0, prim, lambda: f"expected an index for each of dims {dims}; found {len(index)}")
    for i in index:
        check(i.dtype is int64, prim, lambda: f"expected int64 indices; found {i}", TypeError)
        check(
            i.ndim == index[0].ndim and i.shape == index[0].shape,
            prim,
            lambda: f"expected indices of one shape; found {index[0]} and {i}",
        )
    return (*index[0].shape, *(n for d, n in enumerate(x.shape) if d not in dims))


def _numbered(index: Sequence[Var]) -> Var:
    """The number of the example, in the shape of indices that have the batch in front."""
    return p.iota(shape=index[0].shape, dim=0, dtype=int64)


def _equal(a: Var, b: Var) -> Var:
    """Element by element; NaN equals NaN, since it wins."""
    return p.or_(p.eq(a, b), p.and_(p.isnan(a), p.isnan(b)))


def _tangent_of_products(like: Var, index: Sequence[Var], u: Var, tu: Var, dims: tuple[int, ...]) -> Var:
    """For each element of `like` the tangent of the product of the updates that the indices send to it, 0 where they
    send none.

    In the order of their places the products are a recurrence, y[k] = u[k] y[k-1], that starts anew where the place
    changes. It does not divide, and zeros are no special case, so its derivatives of every order are exact at zeros.
    """
    rest = u.shape[index[0].ndim :]
    count = prod(index[0].shape)
    places = [p.reshape(i, shape=(count,)) for i in index]
    key = places[0]
    for i, d in zip(places[1:], dims[1:], strict=True):
        key = p.add(p.mul(key, full_like(key, like.shape[d])), i)
    key, order = p.sort.several(key, dim=0, descending=False, stable=True)
    u, tu = (p.gather(p.reshape(v, shape=(count, *rest)), order, dims=(0,)) for v in (u, tu))

    def differs(reverse: bool) -> Var:
        return p.broadcast_in_dim(p.ne(key, shift(key, 0, -1, reverse)), shape=u.shape, dims=(0,))

    first, last, zero = differs(False), differs(True), zeros_like(u)
    factor = p.select(first, zero, u)
    y = p.linrec(factor, p.select(first, u, zero), dim=0, reverse=False)
    source = p.select(first, tu, p.mul(tu, shift(y, 0, 0.0, False)))
    t = p.select(last, p.linrec(factor, source, dim=0, reverse=False), zero)
    return p.scatter(zeros_like(like), *(p.gather(i, order, dims=(0,)) for i in places), t, dims=dims, mode="add")


class Gather(Primitive):
    """gather(x, *idx; dims): out[i..., rest...] = x[idx[i...] in dims, rest...]."""

    name, kind, linear, cost = "gather", "gather", (0,), GATHER

    def shape(self, *inputs: Var, dims: tuple[int, ...]) -> ShapeRule:
        x, *index = inputs
        return [(_gathered_shape(self, x, index, dims), x.dtype)]

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dims: tuple[int, ...]
    ) -> Tangents:
        return [None if tangents[0] is None else self(tangents[0], *inputs[1:], dims=dims)]

    def transpose(self, cts: Tangents, inputs: Operands, *, dims: tuple[int, ...]) -> Tangents:
        x, *index = inputs
        return [p.scatter(zeros_like(x), *index, cts[0], dims=dims, mode="add"), *(None for _ in index)]

    def batch(self, inputs: Sequence[Var], bdims: Sequence[int | None], size: Int, *, dims: tuple[int, ...]) -> Batched:
        x, *index = inputs
        if all(d is None for d in bdims[1:]):
            # The batch is the first dimension that is not indexed.
            return [self(to_front(x, bdims[0], size), *index, dims=tuple(d + 1 for d in dims))], [index[0].ndim]
        index = [to_front(i, d, size) for i, d in zip(index, bdims[1:], strict=True)]
        if bdims[0] is None:
            return [self(x, *index, dims=dims)], [0]
        return [self(to_front(x, bdims[0], size), _numbered(index), *index, dims=(0, *(d + 1 for d in dims)))], [0]


class Scatter(Primitive):
    """scatter(x, *idx, updates; dims, mode): a copy of x with updates (shaped as gather's result) combined into it.

    mode: "set" (of equal indices any one wins), "add", "mul", "max", "min". Derivatives as PyTorch's index_put,
    index_add and scatter_reduce: elements that tie for max or min share evenly.
    """

    apart = "several elements may go to one place"
    name, kind = "scatter", "scatter"

    def stored(self, **params: Any) -> int:
        return ANY_NUMBERS if params["mode"] == "set" else 0

    def shape(self, *inputs: Var, dims: tuple[int, ...], mode: str) -> ShapeRule:
        x, *index, updates = inputs
        check(mode in MODES, self, lambda: f"expected a mode of {', '.join(MODES)}; found {mode!r}")
        expected = _gathered_shape(self, x, index, dims)
        check(
            updates.dtype is x.dtype,
            self,
            lambda: f"expected updates of dtype {x.dtype.name}; found {updates.dtype.name}",
            TypeError,
        )
        check(
            updates.ndim == len(expected) and updates.shape == expected,
            self,
            lambda: f"expected updates of shape {expected}; found {updates.shape}",
        )
        return [(x.shape, x.dtype)]

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dims: tuple[int, ...], mode: str
    ) -> Tangents:
        (x, *index, u), (out,), tx, tu = inputs, outputs, tangents[0], tangents[-1]
        if tx is None and tu is None:
            return [None]

        def put(a: Var, b: Var, how: str = "add") -> Var:
            return self(a, *index, b, dims=dims, mode=how)

        def at(a: Var) -> Var:
            return p.gather(a, *index, dims=dims)

        if mode in ("set", "add"):
            return [put(instantiate(tx, x), instantiate(tu, u), mode)]
        if mode == "mul":
            total = None if tx is None else p.mul(tx, put(full_like(x, 1.0), u, "mul"))
            if tu is not None:
                total = add_any(total, p.mul(x, _tangent_of_products(x, index, u, tu, dims)))
            return [total]
        won_x, won_u = _equal(x, out), _equal(u, at(out))
        ties = put(p.convert(won_x, dtype=x.dtype), p.convert(won_u, dtype=x.dtype))
        total = None if tx is None else p.select(won_x, tx, zeros_like(x))
        if tu is not None:
            total = add_any(total, put(zeros_like(x), p.select(won_u, tu, zeros_like(u))))
        return [None if total is None else p.div(total, ties)]

    def transpose(self, cts: Tangents, inputs: Operands, *, dims: tuple[int, ...], mode: str) -> Tangents:
        (ct,), x, u = cts, inputs[0], inputs[-1]
        index = [i for i in inputs[1:-1] if isinstance(i, Var)]  # never a Hole: integers have no tangents
        assert ct is not None and mode in ("set", "add"), f"scatter: mode {mode} is not linear"
        ct_x: Var | None = None
        if isinstance(x, Hole):
            ct_x = ct if mode == "add" else self(ct, *index, zeros_like(u), dims=dims, mode="set")
        ct_u = p.gather(ct, *index, dims=dims) if isinstance(u, Hole) else None
        return [ct_x, *(None for _ in index), ct_u]

    def batch(
        self, inputs: Sequence[Var], bdims: Sequence[int | None], size: Int, *, dims: tuple[int, ...], mode: str
    ) -> Batched:
        x, *index, u = inputs
        x, u = to_front(x, bdims[0], size), to_front(u, bdims[-1], size)
        shifted = tuple(d + 1 for d in dims)
        if all(d is None for d in bdims[1:-1]):
            return [self(x, *index, move_dim(u, 0, index[0].ndim), dims=shifted, mode=mode)], [0]
        index = [to_front(i, d, size) for i, d in zip(index, bdims[1:-1], strict=True)]
        return [self(x, _numbered(index), *index, u, dims=(0, *shifted), mode=mode)], [0]


gather, scatter = register(Gather()), register(Scatter())

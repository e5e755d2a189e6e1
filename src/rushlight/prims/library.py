"""Primitives that a library or a special kernel computes: matrix products, sorting, convolution."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import bfloat16, complex32, dtype, float16, float32, float64, int8, int32, int64, uint8
from rushlight.prims.base import (
    add_any,
    check,
    check_dim,
    conj,
    literally,
    move_dim,
    only,
    p,
    register,
    take_along,
    to_front,
)
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.ir import Hole, Primitive, Shape, Var
from rushlight.program.sym import Int


class Bilinear(Primitive):
    """Base of the products of two operands: d f(x, y) = f(dx, y) + f(x, dy)."""

    apart = "a routine goes over whole rows of its operands in tiles"
    kind, shape_class = "library", "contraction"
    linear = (0, 1)

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        (x, y), (tx, ty) = inputs, tangents
        return [add_any(None if tx is None else self(tx, y, **params), None if ty is None else self(x, ty, **params))]

    def transpose(self, cts: Tangents, inputs: Operands, **params: Any) -> Tangents:
        ct, (x, y) = only(cts), inputs
        if isinstance(x, Hole):
            assert not isinstance(y, Hole), f"{self.name}: a product of two tangents is not linear"
            return [self.adjoint_x(ct, x, conj(y), **params), None]
        assert isinstance(y, Hole)
        return [None, self.adjoint_y(ct, conj(x), y, **params)]

    def adjoint_x(self, ct: Var, x: Hole, y: Var, **params: Any) -> Var:
        raise NotImplementedError

    def adjoint_y(self, ct: Var, x: Var, y: Hole, **params: Any) -> Var:
        raise NotImplementedError


def _t(x: Var) -> Var:
    return p.permute(x, perm=(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


_SUMMED_IN = {bfloat16: float32, float16: float32, int8: int32}  # products of what may be had in another dtype


def _narrow_behind(x: Var) -> Var | None:
    """The values of a half type of which `x` is the conversion to float32, or of int8 to int32, also where `x` is a
    view of that.
    """
    e = x.eqn
    if e is None or x.dtype not in (float32, int32):
        return None
    if e.prim.name == "convert":
        return e.inputs[0] if _SUMMED_IN.get(e.inputs[0].dtype) is x.dtype else None
    if e.prim.kind != "view":
        return None
    found = _narrow_behind(e.inputs[0])
    return None if found is None else e.prim(found, **e.params)


def _is_one(size: Int) -> bool:
    """Whether a size is 1 wherever the program runs."""
    return isinstance(size, int) and size == 1


def _alike(ct: Var, x: Var) -> tuple[Var, Var]:
    """A product's cotangent and an operand in one dtype: the half type that both have, or float32."""
    half = _narrow_behind(ct) if ct.dtype is not x.dtype else None
    return (half, x) if half is not None and half.dtype is x.dtype else (ct, p.convert(x, dtype=ct.dtype))


class Dot(Bilinear):
    """dot(x, y; dtype): (*B, M, K) @ (*B, K, N) -> (*B, M, N), equal B. dtype: the result's, where it differs from the
    operands': float32 for half types, which are summed in it, and int32 for int8.
    """

    name = "dot"

    def stored(self, **params: Any) -> int:
        return 1  # made in float32

    def has_routine(self, d: dtype) -> bool:
        return (d.kind in "fc" and d.itemsize >= 4 and d is not complex32) or d in (bfloat16, float16, int8, uint8)

    def fused(self, *inputs: Var, **params: Any) -> Var | None:
        """Products of larger integers and bools, which no BLAS has; of two vectors, which tiles would be empty for; and
        of a single term: fused sums of products."""
        x, y = inputs
        *batch, m, k = x.shape
        n, columns = x.ndim, y.shape[-1]
        single, vectors = _is_one(k), _is_one(m) + _is_one(columns)
        if (
            not single
            and vectors < (2 if x.dtype in (float32, float64) else 1)
            and (x.dtype.kind in "fc" or self.has_routine(x.dtype))
        ):
            return None
        result = params.get("dtype", x.dtype)
        wide = params.get("dtype", x.dtype.compute if x.dtype.format is None else float32)
        x, y = p.convert(x, dtype=wide), p.convert(y, dtype=wide)
        multiply, add = (p.and_, p.reduce_or) if wide.kind == "b" else (p.mul, p.reduce_sum)
        if single:
            shape = (*batch, m, columns)
            x, y = (p.broadcast_in_dim(v, shape=shape, dims=tuple(range(n))) for v in (x, y))
            return p.convert(multiply(y, x), dtype=result)
        shape = (*batch, m, k, columns)
        x = p.broadcast_in_dim(x, shape=shape, dims=tuple(range(n)))
        y = p.broadcast_in_dim(y, shape=shape, dims=(*range(n - 2), n - 1, n))
        return p.convert(add(multiply(y, x), dims=(n - 1,)), dtype=result)

    def shape(self, *inputs: Var, **params: Any) -> ShapeRule:
        x, y = inputs
        check(x.ndim == y.ndim >= 2, self, lambda: f"expected operands of one rank >= 2; found {x} and {y}")
        check(x.dtype is y.dtype, self, lambda: f"expected operands of one dtype; found {x} and {y}", TypeError)
        check(x.shape[:-2] == y.shape[:-2], self, lambda: f"expected equal batch sizes; found {x} and {y}")
        check(x.shape[-1] == y.shape[-2], self, lambda: f"expected equal inner sizes; found {x} and {y}")
        d = params.get("dtype", x.dtype)
        check(
            d is x.dtype or _SUMMED_IN.get(x.dtype) is d,
            self,
            lambda: f"no result in {d.name} of {x.dtype.name}",
            TypeError,
        )
        return [((*x.shape[:-1], y.shape[-1]), d)]

    def simplify(self, *inputs: Var, **params: Any) -> Var | None:
        x, y = map(_narrow_behind, inputs)
        return None if x is None or y is None or x.dtype is not y.dtype else self(x, y, dtype=_SUMMED_IN[x.dtype])

    def adjoint_x(self, ct: Var, x: Hole, y: Var, **params: Any) -> Var:
        ct, y = _alike(ct, y)
        return p.convert(p.dot(ct, _t(y)), dtype=x.dtype)

    def adjoint_y(self, ct: Var, x: Var, y: Hole, **params: Any) -> Var:
        ct, x = _alike(ct, x)
        return p.convert(p.dot(_t(x), ct), dtype=y.dtype)

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        x, y = inputs
        if dims[0] is not None and dims[1] is not None:
            return [self(to_front(x, dims[0], size), to_front(y, dims[1], size), **params)], [0]
        if dims[0] is not None:
            out = self._rows(to_front(x, dims[0], size), y, **params)
            return [out], [out.ndim - 3]
        out = self._rows(_t(to_front(y, dims[1], size)), _t(x), **params)  # x @ y = (y^T @ x^T)^T
        return [_t(out)], [out.ndim - 3]

    def _rows(self, x: Var, y: Var, **params: Any) -> Var:
        """(b, *B, M, K) @ (*B, K, N) -> (*B, b, M, N): the examples become rows of one product."""
        x = move_dim(x, 0, x.ndim - 3)
        b, m = x.shape[-3], x.shape[-2]
        flat = p.reshape(x, shape=(*x.shape[:-3], b * m, x.shape[-1]))
        out = self(flat, y, **params)
        return p.reshape(out, shape=(*out.shape[:-2], b, m, out.shape[-1]))


class Sort(Primitive):
    """sort(x; dim, descending, stable, count) -> (values, int64 indices) of the first `count` elements in order (all,
    without it); NaN is the greatest.
    """

    apart = "where an element goes depends on its whole row"
    name, kind, shape_class, multiple = "sort", "library", "sort", True

    def shape(self, *inputs: Var, dim: int, descending: bool, stable: bool, count: Int | None = None) -> ShapeRule:
        (x,) = inputs
        check_dim(self, dim, x.ndim)
        check(x.dtype.kind in "buif", self, f"not defined for {x.dtype.name}", TypeError)
        shape = tuple(count if i == dim and count is not None else n for i, n in enumerate(x.shape))
        return [(shape, x.dtype), (shape, int64)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        t = tangents[0]
        return [None if t is None else take_along(t, outputs[1], params["dim"]), None]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        x = to_front(inputs[0], dims[0], size)
        return self.several(x, **{**params, "dim": params["dim"] + 1}), [0, 0]


class SortKeys(Primitive):
    """sort_keys(x; dim, count): the `count` least of int64 keys along dim, in order; each key says where it was, see
    operators/reductions/sorting.py.
    """

    apart = "where an element goes depends on its whole row"
    name, kind, shape_class = "sort_keys", "library", "sort"

    def shape(self, *inputs: Var, dim: int, count: Int) -> ShapeRule:
        (x,) = inputs
        check_dim(self, dim, x.ndim)
        check(x.dtype is int64, self, lambda: f"expected int64 keys; found {x.dtype.name}", TypeError)
        return [(tuple(count if i == dim else n for i, n in enumerate(x.shape)), int64)]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        return [self(to_front(inputs[0], dims[0], size), dim=params["dim"] + 1, count=params["count"])], [0]


class ConvFamily(Bilinear):
    """The three faces of T(x, w, g) = sum over n, o, c, i, k of x[n, c, i * stride + k * dilation - low] w[o, c, k]
    g[n, o, i].

    Each primitive is T with one of the three left open, so the family is closed under differentiation and
    transposition.
    x: (N, C, *S), w: (O, C / groups, *K), g: (N, O, *out). stride, dilation: one per spatial dim; padding: (low, high)
    each.
    """

    def check_sizes(self, inputs: Shape, outputs: Shape, *window: Any) -> None:
        """Check that these are the output's sizes for the input's; window: kernel, stride, padding, dilation."""
        for n, m, k, s, q, d in zip(inputs, outputs, *window, strict=True):
            expected = _out_size(n, k, s, q, d)
            check(expected == m, self, lambda: f"size {m} is not the output size for an input of size {n}")

    def shape(
        self, *inputs: Var, stride: Shape, padding: Any, dilation: Shape, groups: Int, **left_open: Shape
    ) -> ShapeRule:
        x, w = inputs
        nd = x.ndim - 2
        check(
            x.ndim == w.ndim == nd + 2 and nd >= 1,
            self,
            lambda: f"expected operands of one rank >= 3; found {x} and {w}",
        )
        check(x.dtype is w.dtype, self, lambda: f"expected operands of one dtype; found {x} and {w}", TypeError)
        check(x.dtype.kind in "uifc", self, f"not defined for {x.dtype.name}", TypeError)
        check(
            len(stride) == len(dilation) == len(padding) == nd,
            self,
            lambda: f"expected {nd} strides, dilations and paddings; found {stride}, {dilation}, {padding}",
        )
        return [(self.sizes(x, w, groups, (stride, padding, dilation), **left_open), x.dtype)]

    def sizes(self, x: Var, y: Var, groups: Int, window: tuple[Any, ...], **left_open: Shape) -> Shape:
        """The sizes of the result for operands of one dtype and fitting rank; window: stride, padding, dilation."""
        raise NotImplementedError


def _out_size(n: Int, k: Int, stride: Int, padding: tuple[Int, Int], dilation: Int) -> Int:
    return (n + padding[0] + padding[1] - dilation * (k - 1) - 1) // stride + 1


def _split(x: Var, dim: int, outer: Int) -> Var:
    """Dimension `dim` of size outer * inner as two."""
    return p.reshape(x, shape=(*x.shape[:dim], outer, x.shape[dim] // outer, *x.shape[dim + 1 :]))


def _merge(x: Var, dim: int) -> Var:
    """Dimensions dim and dim + 1 as one."""
    return p.reshape(x, shape=(*x.shape[:dim], x.shape[dim] * x.shape[dim + 1], *x.shape[dim + 2 :]))


def _channels(x: Var, size: Int) -> Var:
    """(b, N, C, ...) -> (N, b * C, ...): every example is a group of its own."""
    return _merge(move_dim(x, 0, 1), 1)


class Conv(ConvFamily):
    """conv(x, w; stride, padding, dilation, groups): cross-correlation, T open in g."""

    name = "conv"

    def sizes(self, x: Var, y: Var, groups: Int, window: tuple[Any, ...]) -> Shape:
        check(
            x.shape[1] == y.shape[1] * groups,
            self,
            lambda: f"expected {groups} groups of {y.shape[1]} channels; found {x.shape[1]} channels",
        )
        spatial = (_out_size(*each) for each in zip(x.shape[2:], y.shape[2:], *window, strict=True))
        return (x.shape[0], y.shape[0], *spatial)

    def adjoint_x(self, ct: Var, x: Hole, y: Var, **params: Any) -> Var:
        return p.conv_dx(ct, y, in_spatial=tuple(x.shape[2:]), **params)

    def adjoint_y(self, ct: Var, x: Var, y: Hole, **params: Any) -> Var:
        return p.conv_dw(x, ct, kernel=tuple(y.shape[2:]), **params)

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        x, w = inputs
        if dims[1] is None:
            return [_split(self(_merge(to_front(x, dims[0], size), 0), w, **params), 0, size)], [0]
        w = to_front(w, dims[1], size)
        if dims[0] is None and literally(params["groups"], 1):
            return [_split(self(x, _merge(w, 0), **params), 1, size)], [1]
        x = _channels(to_front(x, dims[0], size), size)
        out = self(x, _merge(w, 0), **{**params, "groups": params["groups"] * size})
        return [_split(out, 1, size)], [1]


class ConvDx(ConvFamily):
    """conv_dx(g, w; stride, padding, dilation, groups, in_spatial): transposed convolution, T open in x."""

    name = "conv_dx"

    def sizes(self, x: Var, y: Var, groups: Int, window: tuple[Any, ...], *, in_spatial: Shape) -> Shape:
        check(x.shape[1] == y.shape[0], self, lambda: f"expected {y.shape[0]} output channels; found {x.shape[1]}")
        self.check_sizes(in_spatial, x.shape[2:], y.shape[2:], *window)
        return (x.shape[0], y.shape[1] * groups, *in_spatial)

    def adjoint_x(self, ct: Var, x: Hole, y: Var, *, in_spatial: Shape, **params: Any) -> Var:
        return p.conv(ct, y, **params)

    def adjoint_y(self, ct: Var, x: Var, y: Hole, *, in_spatial: Shape, **params: Any) -> Var:
        return p.conv_dw(ct, x, kernel=tuple(y.shape[2:]), **params)

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        g, w = inputs
        if dims[1] is None:
            return [_split(self(_merge(to_front(g, dims[0], size), 0), w, **params), 0, size)], [0]
        g, w = _channels(to_front(g, dims[0], size), size), _merge(to_front(w, dims[1], size), 0)
        return [_split(self(g, w, **{**params, "groups": params["groups"] * size}), 1, size)], [1]


class ConvDw(ConvFamily):
    """conv_dw(x, g; stride, padding, dilation, groups, kernel): T open in w."""

    name = "conv_dw"

    def sizes(self, x: Var, y: Var, groups: Int, window: tuple[Any, ...], *, kernel: Shape) -> Shape:
        check(x.shape[0] == y.shape[0], self, lambda: f"expected equal batch sizes; found {x} and {y}")
        channels = x.shape[1] // groups
        check(channels * groups == x.shape[1], self, lambda: f"{x.shape[1]} channels do not make {groups} groups")
        self.check_sizes(x.shape[2:], y.shape[2:], kernel, *window)
        return (y.shape[1], channels, *kernel)

    def adjoint_x(self, ct: Var, x: Hole, y: Var, *, kernel: Shape, **params: Any) -> Var:
        return p.conv_dx(y, ct, in_spatial=tuple(x.shape[2:]), **params)

    def adjoint_y(self, ct: Var, x: Var, y: Hole, *, kernel: Shape, **params: Any) -> Var:
        return p.conv(x, ct, **params)

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        x, g = (_channels(to_front(v, d, size), size) for v, d in zip(inputs, dims, strict=True))
        return [_split(self(x, g, **{**params, "groups": params["groups"] * size}), 0, size)], [0]


dot, sort, sort_keys = register(Dot()), register(Sort()), register(SortKeys())
conv, conv_dx, conv_dw = register(Conv()), register(ConvDx()), register(ConvDw())

"""Views: index maps that strides alone can express. All are linear and keep the dtype."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rushlight.core.dtypes import float64, int32, int64
from rushlight.prims.base import (
    check,
    check_dims,
    flip,
    full,
    literally,
    made_by,
    only,
    p,
    register,
    same_shape,
    to_front,
    zeros_like,
)
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.affine import ZERO, Atom, Behind, Index, Lin, reshaped
from rushlight.program.ir import Eqn, Primitive, Shape, Var
from rushlight.program.sym import Int, prod, same, sym_min

# A size, or sizes, that a plan's view of an input takes as numbers when it is launched.
# (An assignment, since a class compiles annotations that are text, which costs more than the rest of it.)
AtLaunch = NamedTuple("AtLaunch", [("sizes", Int | tuple[Int, ...])])  # noqa: UP014


class View(Primitive):
    """Base of the views: x -> x re-indexed; the tangent is the view of the tangent."""

    kind = "view"
    linear = (0,)

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None if tangents[0] is None else self(tangents[0], **params)]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        x = to_front(inputs[0], dims[0], size)
        return [self(x, **self.batched(inputs[0].ndim - 1, size, **params))], [0]

    def batched(self, ndim: int, size: Int, **params: Any) -> dict[str, Any]:
        """The parameters for an operand with one more dimension in front."""
        raise NotImplementedError(f"{self.name}: no batching rule")

    def index(self, at: Index, old: Shape, new: Shape, size_of: Mapping[Atom, Int], **params: Any) -> Behind:
        """Where the element `at` of the result (of shape `new`) lies in the operand (of shape `old`); None where that
        is not affine in the atoms, whose sizes are `size_of`; a Split where it would be if an atom were in parts. Along
        a size of 1 any index will do.
        """
        raise NotImplementedError(f"{self.name}: no index rule")

    def seen(self, **params: Any) -> tuple[Any, ...]:
        """The view as the core makes it of a tensor; see plan.Out."""
        raise NotImplementedError(f"{self.name}: no view of a tensor")


def index_behind(e: Eqn, at: Index, size_of: Mapping[Atom, Int]) -> Behind:
    """Where the element `at` of the result of view equation `e` lies in its operand; see View.index."""
    assert isinstance(e.prim, View)
    return e.prim.index(at, e.inputs[0].shape, e.outputs[0].shape, size_of, **e.params)


def seen(e: Eqn) -> tuple[Any, ...]:
    """View equation `e` as the core makes it of a tensor; see View.seen."""
    assert isinstance(e.prim, View)
    return e.prim.seen(**e.params)


class BroadcastInDim(View):
    """broadcast_in_dim(x; shape, dims): dim i of x becomes dim dims[i] of the result; sizes 1 are repeated."""

    name, orderless = "broadcast_in_dim", True

    def shape(self, x: Var, *, shape: Shape, dims: tuple[int, ...]) -> ShapeRule:
        if len(dims) != x.ndim:
            check(False, self, f"expected one dim for each of the {x.ndim} of the operand; found {dims}")
        if dims:
            check_dims(self, dims, len(shape))
            check(tuple(sorted(dims)) == tuple(dims), self, lambda: f"expected increasing dims; found {dims}")
        for n, d in zip(x.shape, dims, strict=True):
            if n is not shape[d] and not literally(n, 1) and n != shape[d]:
                check(False, self, f"a dimension of size {n} does not fit into size {shape[d]} (dim {d})")
        return [(tuple(shape), x.dtype)]

    def simplify(self, x: Var, *, shape: Shape, dims: tuple[int, ...]) -> Var | None:
        if len(shape) == x.ndim and same_shape(x.shape, shape):
            return x
        if x.eqn is not None and x.eqn.prim is self:
            inner = x.eqn.inputs[0]
            composed = tuple(dims[d] for d in x.eqn.params["dims"])
            # A size 1 in the middle that comes from a larger size of the inner operand cannot be: sizes only grow.
            return self(inner, shape=shape, dims=composed)
        return None

    def transpose(self, cts: Tangents, inputs: Operands, *, shape: Shape, dims: tuple[int, ...]) -> Tangents:
        ct, x = only(cts), inputs[0]
        grown = {d for n, d in zip(x.shape, dims, strict=True) if literally(n, 1) and not literally(shape[d], 1)}
        gone = tuple(d for d in range(len(shape)) if d not in dims or d in grown)
        return [p.reshape(p.reduce_sum(ct, dims=gone), shape=x.shape)]

    def index(self, at: Index, old: Shape, new: Shape, size_of: Mapping[Atom, Int], **params: Any) -> Index:
        return tuple(at[d] for d in params["dims"])

    def seen(self, *, shape: Shape, dims: tuple[int, ...]) -> tuple[Any, ...]:
        return "broadcast", AtLaunch(shape), tuple(dims)

    def batched(self, ndim: int, size: Int, *, shape: Shape, dims: tuple[int, ...]) -> dict[str, Any]:
        return {"shape": (size, *shape), "dims": (0, *(d + 1 for d in dims))}


class Reshape(View):
    """reshape(x; shape): the same elements in row-major order."""

    name = "reshape"

    def shape(self, x: Var, *, shape: Shape) -> ShapeRule:
        check(
            prod(x.shape) == prod(shape), self, lambda: f"a value of shape {x.shape} does not fill shape {tuple(shape)}"
        )
        return [(tuple(shape), x.dtype)]

    def simplify(self, x: Var, *, shape: Shape) -> Var | None:
        if same_shape(x.shape, shape):
            return x
        if x.eqn is not None and x.eqn.prim is self:
            return self(x.eqn.inputs[0], shape=shape)
        if x.ndim == 0 and all(literally(n, 1) for n in shape):
            return p.broadcast_in_dim(x, shape=shape, dims=())
        return None

    def transpose(self, cts: Tangents, inputs: Operands, *, shape: Shape) -> Tangents:
        return [p.reshape(cts[0], shape=inputs[0].shape)]

    def index(self, at: Index, old: Shape, new: Shape, size_of: Mapping[Atom, Int], **params: Any) -> Behind:
        return reshaped(at, new, old, size_of)

    def seen(self, *, shape: Shape) -> tuple[Any, ...]:
        return "reshape", AtLaunch(shape)

    def batched(self, ndim: int, size: Int, *, shape: Shape) -> dict[str, Any]:
        return {"shape": (size, *shape)}


class Permute(View):
    """permute(x; perm): dim i of the result is dim perm[i] of x."""

    name = "permute"

    def shape(self, x: Var, *, perm: tuple[int, ...]) -> ShapeRule:
        check(
            sorted(perm) == list(range(x.ndim)),
            self,
            lambda: f"expected a permutation of {x.ndim} dimensions; found {perm}",
        )
        return [(tuple(x.shape[d] for d in perm), x.dtype)]

    def simplify(self, x: Var, *, perm: tuple[int, ...]) -> Var | None:
        if tuple(perm) == tuple(range(x.ndim)):
            return x
        if x.eqn is not None and x.eqn.prim is self:
            return self(x.eqn.inputs[0], perm=tuple(x.eqn.params["perm"][d] for d in perm))
        return None

    def transpose(self, cts: Tangents, inputs: Operands, *, perm: tuple[int, ...]) -> Tangents:
        ct = only(cts)
        back, n = tuple(perm.index(d) for d in range(len(perm))), len(perm)
        converted = made_by(ct, "convert")
        dot = made_by(ct if converted is None else converted.inputs[0], "dot")
        if dot is not None and back == (*range(n - 2), n - 1, n - 2):
            # the gradient of a weight that was multiplied transposed: the product lies as the weight does
            x, y = dot.inputs
            product = p.dot(p.permute(y, perm=back), p.permute(x, perm=back), **dot.params)
            return [p.convert(product, dtype=ct.dtype)]
        return [p.permute(ct, perm=back)]

    def index(self, at: Index, old: Shape, new: Shape, size_of: Mapping[Atom, Int], **params: Any) -> Index:
        out: list[Lin] = [ZERO] * len(old)
        for i, d in enumerate(params["perm"]):
            out[d] = at[i]
        return tuple(out)

    def seen(self, *, perm: tuple[int, ...]) -> tuple[Any, ...]:
        return "permute", tuple(perm)

    def batched(self, ndim: int, size: Int, *, perm: tuple[int, ...]) -> dict[str, Any]:
        return {"perm": (0, *(d + 1 for d in perm))}


class Slice(View):
    """slice(x; starts, sizes, steps): element i along a dim is x's element start + i * step; steps may be negative."""

    name = "slice"

    def shape(self, x: Var, *, starts: Shape, sizes: Shape, steps: Shape) -> ShapeRule:
        check(
            len(starts) == len(sizes) == len(steps) == x.ndim,
            self,
            lambda: f"expected {x.ndim} starts, sizes and steps; found {starts}, {sizes}, {steps}",
        )
        return [(tuple(sizes), x.dtype)]

    def simplify(self, x: Var, *, starts: Shape, sizes: Shape, steps: Shape) -> Var | None:
        if same_shape(x.shape, sizes) and all(literally(s, 0) for s in starts) and all(literally(s, 1) for s in steps):
            return x
        if x.eqn is not None and x.eqn.prim is self:
            q = x.eqn.params
            return self(
                x.eqn.inputs[0],
                sizes=sizes,
                starts=tuple(a + b * c for a, b, c in zip(q["starts"], starts, q["steps"], strict=True)),
                steps=tuple(a * b for a, b in zip(q["steps"], steps, strict=True)),
            )
        return None

    def transpose(self, cts: Tangents, inputs: Operands, *, starts: Shape, sizes: Shape, steps: Shape) -> Tangents:
        ct, x = only(cts), inputs[0]
        backwards = [d for d, s in enumerate(steps) if not literally(s, 1) and s < 0]
        # With one element a step says nothing, and with none there is nothing to put back.
        dense = [literally(s, 1) or literally(s, -1) for s in steps]
        if any(not one and m == 0 for one, m in zip(dense, sizes, strict=True)):
            return [zeros_like(x)]
        low, high, interior = [], [], []
        for d, (start, m, step) in enumerate(zip(starts, sizes, steps, strict=True)):
            first = start + (m - 1) * step if d in backwards else start
            if dense[d] and d in backwards and not same(m, x.shape[d]):
                first = sym_min(first, x.shape[d] - m)  # (where there are none, they may begin behind the end)
            step = -step if d in backwards else step
            low.append(first)
            high.append(x.shape[d] - first - ((m - 1) * step + 1))
            interior.append(step - 1)
        ct = flip(ct, backwards) if backwards else ct
        return [
            p.pad(ct, p.constant(value=0.0, dtype=x.dtype), low=tuple(low), high=tuple(high), interior=tuple(interior))
        ]

    def index(self, at: Index, old: Shape, new: Shape, size_of: Mapping[Atom, Int], **params: Any) -> Index:
        return tuple(
            i.times(step).plus(start) for i, start, step in zip(at, params["starts"], params["steps"], strict=True)
        )

    def seen(self, *, starts: Shape, sizes: Shape, steps: Shape) -> tuple[Any, ...]:
        return "slice", AtLaunch(starts), AtLaunch(sizes), AtLaunch(steps)

    def batched(self, ndim: int, size: Int, *, starts: Shape, sizes: Shape, steps: Shape) -> dict[str, Any]:
        return {"starts": (0, *starts), "sizes": (size, *sizes), "steps": (1, *steps)}


class Diagonal(View):
    """diagonal(x; offset, dim1, dim2): dims dim1 and dim2 go, the diagonal x[i, i + offset] is appended at the end."""

    name = "diagonal"

    def shape(self, x: Var, *, offset: Int, dim1: int, dim2: int) -> ShapeRule:
        check_dims(self, (dim1, dim2), x.ndim)
        rows, cols = x.shape[dim1], x.shape[dim2]
        square = same(rows, cols)
        above = literally(offset, 0) or offset >= 0
        rows, cols = (rows, cols - offset) if above else (rows + offset, cols)
        # The diagonal of a square ends at the end of the side that the offset shortens, whatever the offset.
        length = (cols if above else rows) if square else sym_min(rows, cols)
        if not literally(offset, 0) and length < 0:
            length = 0
        return [((*(n for d, n in enumerate(x.shape) if d not in (dim1, dim2)), length), x.dtype)]

    def simplify(self, x: Var, *, offset: Int, dim1: int, dim2: int) -> Var | None:
        if x.eqn is None or x.eqn.prim is not p.diag_embed:
            return None
        q = x.eqn.params
        return x.eqn.inputs[0] if (q["dim1"], q["dim2"]) == (dim1, dim2) and same(q["offset"], offset) else None

    def transpose(self, cts: Tangents, inputs: Operands, *, offset: Int, dim1: int, dim2: int) -> Tangents:
        ct, x = only(cts), inputs[0]
        rows, cols = x.shape[dim1], x.shape[dim2]
        square = p.diag_embed(ct, offset=offset, dim1=dim1, dim2=dim2)
        if same(square.shape[dim1], rows) and same(square.shape[dim2], cols):
            return [square]
        return [p.diag_embed(ct, offset=offset, dim1=dim1, dim2=dim2, sizes=(rows, cols))]

    def index(self, at: Index, old: Shape, new: Shape, size_of: Mapping[Atom, Int], **params: Any) -> Index:
        offset, d1, d2 = params["offset"], params["dim1"] % len(old), params["dim2"] % len(old)
        below = bool(offset < 0)  # of a symbol: the shape rule has asked before, so the program has the guard
        out, n = list(at[:-1]), at[-1]
        for d, i in sorted({d1: n.plus(-offset if below else 0), d2: n.plus(0 if below else offset)}.items()):
            out.insert(d, i)
        return tuple(out)

    def seen(self, *, offset: Int, dim1: int, dim2: int) -> tuple[Any, ...]:
        return "diagonal", AtLaunch(offset), dim1, dim2

    def batched(self, ndim: int, size: Int, *, offset: Int, dim1: int, dim2: int) -> dict[str, Any]:
        return {"offset": offset, "dim1": dim1 + 1, "dim2": dim2 + 1}


class Windows(View):
    """windows(x; dims, sizes, steps, dilations): sliding windows along `dims`.

    Each dim is replaced by its number of windows, (n - dilation * (size - 1) - 1) // step + 1, and the window sizes are
    appended at the end in the order of `dims`.
    """

    name = "windows"

    def shape(self, x: Var, *, dims: tuple[int, ...], sizes: Shape, steps: Shape, dilations: Shape) -> ShapeRule:
        check_dims(self, dims, x.ndim)
        check(
            len(dims) == len(sizes) == len(steps) == len(dilations),
            self,
            lambda: f"expected sizes, steps and dilations for {len(dims)} dims; found {sizes}, {steps}, {dilations}",
        )
        out = list(x.shape)
        for d, size, step, dilation in zip(dims, sizes, steps, dilations, strict=True):
            check(
                step > 0 and dilation > 0,
                self,
                lambda: f"expected positive steps and dilations; found {steps}, {dilations}",
            )
            span = dilation * (size - 1) + 1
            check(
                span <= x.shape[d],
                self,
                lambda: f"a window of {span} elements does not fit into size {x.shape[d]} (dim {d})",
            )
            out[d] = (x.shape[d] - span) // step + 1
        return [((*out, *sizes), x.dtype)]

    def transpose(
        self, cts: Tangents, inputs: Operands, *, dims: tuple[int, ...], sizes: Shape, steps: Shape, dilations: Shape
    ) -> Tangents:
        ct, x = only(cts), inputs[0]
        # Windows over several dims are windows over one after the other, so the last is undone first: the cost is the
        # sum of the window sizes, not their product.
        given = list(zip(dims, sizes, steps, dilations, strict=True))
        if all(literally(dilation, 1) and same(step, size) for _, size, step, dilation in given):
            return [_side_by_side(ct, dims, x.shape)]
        if all(_sized(ct, *which) for which in given):
            for d, size, step, dilation in reversed(given):
                ct = _fold(ct, d, x.shape[d], size, step, dilation)
            return [ct]
        # The elements go in front: so neighbours in x are neighbours in every intermediate value. Of equal elements one
        # is enough.
        n = len(given)
        equal = (
            ct.eqn is not None
            and ct.eqn.prim is broadcast_in_dim
            and not any(d >= x.ndim for d in ct.eqn.params["dims"])
        )
        if equal:
            ct = p.reshape(
                p.slice(ct, starts=(0,) * ct.ndim, sizes=(*ct.shape[: x.ndim], *(1,) * n), steps=(1,) * ct.ndim),
                shape=ct.shape[: x.ndim],
            )
        else:
            ct = p.permute(ct, perm=(*range(x.ndim, x.ndim + n), *range(x.ndim)))
        for k, (d, size, step, dilation) in reversed(list(enumerate(given))):
            ct = p.buffered(ct, free=True) if equal else ct  # (which lies as the gradient does: channels last, say)
            ct = _gathered(ct, d if equal else k + 1 + d, None if equal else k, x.shape[d], size, step, dilation)
        return [ct]

    def index(self, at: Index, old: Shape, new: Shape, size_of: Mapping[Atom, Int], **params: Any) -> Index:
        out = list(at[: len(old)])
        for j, d in enumerate(params["dims"]):
            out[d] = out[d].times(params["steps"][j]) + at[len(old) + j].times(params["dilations"][j])
        return tuple(out)

    def seen(self, *, dims: tuple[int, ...], sizes: Shape, steps: Shape, dilations: Shape) -> tuple[Any, ...]:
        return "windows", tuple(dims), AtLaunch(sizes), AtLaunch(steps), AtLaunch(dilations)

    def batched(
        self, ndim: int, size: Int, *, dims: tuple[int, ...], sizes: Shape, steps: Shape, dilations: Shape
    ) -> dict[str, Any]:
        return {"dims": tuple(d + 1 for d in dims), "sizes": sizes, "steps": steps, "dilations": dilations}


_FEW_WINDOW_POSITIONS = 16  # beyond this many padded copies of the cotangent, a gather is the smaller program


def _fold(ct: Var, dim: int, n: Int, size: Int, step: Int, dilation: Int) -> Var:
    """Add up windows (the last dim of ct; their count is dim `dim`) at the places that they were taken from: the
    transpose for one dim.
    """
    count = ct.shape[dim]
    zero = p.constant(value=0.0, dtype=ct.dtype)

    def padded(v: Var, low: Int, high: Int, interior: Int) -> Var:
        def only(k: Int) -> tuple[Int, ...]:
            return tuple(k if d == dim else 0 for d in range(v.ndim))

        return p.pad(v, zero, low=only(low), high=only(high), interior=only(interior))

    if literally(dilation, 1) and isinstance(step, int) and isinstance(size, int) and step >= size:
        # No two windows overlap: lay them side by side.
        side = list(range(ct.ndim - 1))
        side.insert(dim + 1, ct.ndim - 1)
        laid = p.permute(ct, perm=tuple(side))
        none = (0,) * laid.ndim
        gap = tuple(step - size if d == dim + 1 else 0 for d in range(laid.ndim))
        laid = p.pad(laid, zero, low=none, high=gap, interior=none)
        shape = list(ct.shape[:-1])
        shape[dim] = count * step
        flat = p.reshape(laid, shape=tuple(shape))
        used = (count - 1) * step + size
        shape[dim] = used
        flat = p.slice(flat, starts=(0,) * flat.ndim, sizes=tuple(shape), steps=(1,) * flat.ndim)
        return padded(flat, 0, n - used, 0)
    total: Var | None = None
    for k in range(int(size)):
        starts = (0,) * (ct.ndim - 1) + (k,)
        piece = p.slice(ct, starts=starts, sizes=(*ct.shape[:-1], 1), steps=(1,) * ct.ndim)
        piece = p.reshape(piece, shape=ct.shape[:-1])
        low = k * dilation
        piece = padded(piece, low, n - low - ((count - 1) * step + 1), step - 1)
        total = piece if total is None else p.add(total, piece)
    assert total is not None
    return total


def _sized(ct: Var, dim: int, size: Int, step: Int, dilation: Int) -> bool:
    """Whether `_fold` lays windows side by side or adds up few of them."""
    if literally(dilation, 1) and isinstance(step, int) and isinstance(size, int) and step >= size:
        return True
    return (
        isinstance(size, int)
        and 0 < size <= _FEW_WINDOW_POSITIONS
        and isinstance(step, int)
        and isinstance(dilation, int)
    )


def _quotient(x: Var, d: Int) -> Var:
    """x // d of integers that are not negative, computed in float64: that is exact here, and processors have no
    division for vectors of integers.
    """
    f = p.add(p.convert(x, dtype=float64), full(x.shape, 0.5, float64))
    return p.convert(p.floor(p.div(f, full(x.shape, d, float64))), dtype=x.dtype)


def _side_by_side(ct: Var, dims: Sequence[int], sizes: Shape) -> Var:
    """The transpose of windows that are as large as their steps, in all dims at once: one copy, and zeros where the
    windows leave out the end.
    """
    m = len(sizes)
    place: list[int] = []  # of ct's dims, each window's elements behind the windows' number
    for d in range(m):
        place += [d, m + dims.index(d)] if d in dims else [d]
    laid = p.permute(ct, perm=tuple(place))
    used = [ct.shape[d] * (ct.shape[m + dims.index(d)] if d in dims else 1) for d in range(m)]
    laid = p.reshape(laid, shape=tuple(used))
    zero = p.constant(value=0.0, dtype=ct.dtype)
    high = tuple(sizes[d] - used[d] if d in dims else 0 for d in range(m))
    return p.pad(laid, zero, low=(0,) * m, high=high, interior=(0,) * m)


def _gathered(ct: Var, dim: int, element: int | None, n: Int, size: Int, step: Int, dilation: Int) -> Var:
    """_fold where sizes are symbols: each element adds up its entries in the windows that it belongs to, from the first
    such window to the last.

    Element i * step + k * dilation is number k of window i; so of element x these are windows x // step and before, as
    many as a window has steps. dim, element: the dimensions of windows and of their elements (None: these are all
    equal, and left out).
    """
    count, span = ct.shape[dim], dilation * (size - 1) + 1
    most = (span + step - 1) // step
    shape = (n, most)
    kind = int32 if n + span < 1 << 31 else int64  # int32: its vectors are converted to floats and back

    def whole(v: Int) -> Var:
        return full(shape, v, kind)

    x, back = (p.iota(shape=shape, dim=d, dtype=kind) for d in (0, 1))
    window = p.add(p.sub(_quotient(x, step), whole(most - 1)), back)
    rest = p.sub(x, p.mul(window, whole(step)))
    good = p.and_(p.and_(p.ge(window, whole(0)), p.lt(window, whole(count))), p.lt(rest, whole(span)))
    number = rest
    if not literally(dilation, 1):
        number = _quotient(rest, dilation)
        good = p.and_(good, p.eq(p.mul(number, whole(dilation)), rest))
    where = [p.convert(p.select(good, window, whole(0)), dtype=int64)]
    gone = [dim]
    if element is not None:
        where.insert(0, p.convert(p.select(good, number, whole(0)), dtype=int64))
        gone.insert(0, element)
    taken = p.gather(ct, *where, dims=tuple(gone))
    taken = p.select(
        p.broadcast_in_dim(good, shape=taken.shape, dims=(0, 1)), taken, full(taken.shape, 0.0, taken.dtype)
    )
    total = p.window_sum(taken, dims=(1,))
    perm = list(range(1, total.ndim))
    perm.insert(dim - (element is not None), 0)
    return p.permute(total, perm=tuple(perm))


broadcast_in_dim, reshape, permute = register(BroadcastInDim()), register(Reshape()), register(Permute())
slice = register(Slice())
diagonal, windows = register(Diagonal()), register(Windows())

"""Resampling of images: interpolate, grid_sample, affine_grid."""

from __future__ import annotations

import functools
import math
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.core.warning import noted, warn
from rushlight.operators.linalg.matmul import product, reshape, transposed
from rushlight.operators.nn.padding import take_positions
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.body import refuse_kinds, wide
from rushlight.operators.table.checks import check_argument, check_choice, check_each, check_examples, check_one_dtype
from rushlight.operators.table.define import TABLE, eager, operator
from rushlight.operators.table.tracer import P, Tracer, convert, filled
from rushlight.operators.table.types import Number, Sizes
from rushlight.program.sym import Sym, hint, hints, prod

_MODES = ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "lanczos", "area")
_NDIM = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3, "lanczos": 2}
_REACH = {"bilinear": 1, "bicubic": 2, "lanczos": 3}  # of the filters, in steps


def _step(n: Any, out: Any, factor: Any, like: Any) -> Tracer:
    """How far the source moves for one step in the result, not counting corners."""
    if factor is not None:
        return filled(convert(1.0, dt.float64) / convert(factor, dt.float64), like)
    return filled(n, like) / filled(out, like)


def _stride(n: Any, out: Any, factor: Any, align_corners: bool, like: Tracer, stays: bool = True) -> Tracer:
    """How far the source moves for one step in the result; by one where the size `stays`, whatever a factor says."""
    if not align_corners:
        step = _step(n, out, factor, like)
        if factor is None or not stays:
            return step
        return P.select(filled(out, step) == filled(n, step), 1, step)
    return filled(n - 1, like) / filled(out - 1, like) if out > 1 else filled(0, like)


def _cubic(t: Any, a: float) -> list[Tracer]:
    """The four weights of cubic convolution for a fraction t in [0, 1); Keys, 1981, with parameter a."""

    def near(x: Tracer) -> Tracer:  # |x| <= 1
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Tracer) -> Tracer:  # 1 < |x| < 2
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    one = filled(1, t)
    return [far(t + one), near(t), near(one - t), far(2 - t)]


def _bounded(index: Tracer, n: Any) -> Tracer:
    return P.min(P.max(index, 0), filled(n - 1, index))


def _position(position: Tracer, n: Any, out: Any, factor: Any, mode: str, align_corners: bool) -> Tracer:
    """Where in the source the elements of the result lie."""
    step = _stride(n, out, factor, align_corners, position, mode != "bicubic")
    if align_corners:
        return position * step
    half = filled(0.5, position)
    at = P.fma(position + half, step, -half)  # in one rounding, as PyTorch finds it
    return at if mode == "bicubic" else P.max(at, 0)


def _along(x: Any, dim: int, out: Any, factor: Any, mode: str, align_corners: bool) -> Tracer:
    """x resampled along one dimension."""
    n = x.var.shape[dim]
    position = convert(P.iota(shape=(out,), dim=0, dtype=dt.int64), dt.float64 if x.dtype is dt.float64 else dt.float32)
    half = filled(0.5, position)
    if mode in ("nearest", "nearest-exact"):
        step = _step(n, out, factor, position)
        if mode == "nearest" and factor is not None and x.ndim == 4:
            # In images, a size that stays or is doubled has whole steps, whatever fraction the factor has.
            source, result = filled(n, step), filled(out, step)
            step = P.select(result == source, 1, P.select(result == source + source, half, step))
        at = (position + half if mode == "nearest-exact" else position) * step
        # (Buffered: the places of a row are the same for all rows, forward and backward.)
        return take_positions(x, P.buffered(_bounded(convert(P.floor(at), dt.int64), n)), dim)
    at = _position(position, n, out, factor, mode, align_corners)
    low = P.floor(at)
    t = at - low
    base = convert(low, dt.int64)
    if mode == "bicubic":
        taps = list(zip((-1, 0, 1, 2), _cubic(t, -0.75), strict=True))
    else:
        taps = [(0, 1 - t), (1, t)]
    y = None
    for k, w in taps:
        part = take_positions(x, _bounded(base if k == 0 else base + filled(k, base), n), dim)
        weight = P.broadcast_in_dim(convert(w, x.dtype), shape=part.var.shape, dims=(dim,))
        y = part * weight if y is None else P.fma(part, weight, y)  # in one rounding
    assert y is not None
    return y


def _antialiased(x: Any, dim: int, out: Any, factor: Any, mode: str, align_corners: bool) -> Tracer:
    """x resampled along one dimension with a filter as wide as the step."""
    step = _stride(x.var.shape[dim], out, factor, align_corners, convert(1.0, x.dtype))
    return P.resample_along(x, step, dim=dim, size=out, reach=_REACH[mode], turned=False)


@operator(name="interpolate", register=False, memory_format="first")
def _resample(
    input: Tensor,
    size: Sizes,
    depth: Number | None,
    height: Number | None,
    width: Number | None,
    mode: str,
    align_corners: bool,
    antialias: bool,
) -> Tensor:
    """The input resampled to `size`; depth, height, width: factors that were given, in place of the ratios of sizes."""
    n = input.ndim - 2
    factors = (depth, height, width)[3 - n :]
    if input.dtype is dt.uint8 and mode in _REACH:
        steps: list[Any] = []
        if height is not None or width is not None:
            one = convert(1.0, dt.float64)
            steps = [
                _stride(m, out, f, align_corners, one)
                for m, out, f in zip(input.var.shape[2:], size, factors, strict=True)
            ]
        return P.resample_bytes(
            input, *steps, size=tuple(size), reach=_REACH[mode], antialias=antialias, corners=align_corners
        )
    x = wide(input)
    # The last dimension first: it gathers element by element, the others row by row, and there are fewer elements
    # before.
    for d in reversed(range(n)):
        run = _antialiased if antialias else _along
        x = run(x, d + 2, size[d], factors[d], mode, align_corners)
        if d and not antialias:  # in the result's order, for the next gather: a gather puts its dim first
            x = P.buffered(x, free=True)
    return convert(x, input.dtype)


@eager(namespace="nn.functional", method=False)
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """The input resampled to another spatial size.

    Args:
        input: (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size: an int or one for each spatial dimension; or scale_factor: a number or one each.
        mode: "nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area", or "lanczos" (4-d input,
            with antialias).
        align_corners: corners of input and output have the same positions.
        recompute_scale_factor: use the ratio of the sizes in place of scale_factor.
        antialias: filter when shrinking ("bilinear", "bicubic", "lanczos").
    """
    check_choice("interpolate", "mode", mode, _MODES, NotImplementedError)
    if input.dtype.kind != "f" and input.dtype is not dt.uint8:
        raise undefined_for("interpolate", input.dtype)
    if align_corners is not None and mode not in _NDIM:
        raise ValueError(f"interpolate(): 'align_corners' is for the modes {', '.join(_NDIM)}; found mode={mode!r}")
    n = input.ndim - 2
    for what, given in (("size", size), ("scale_factor", scale_factor)):
        if isinstance(given, (tuple, list)) and len(given) != n:
            raise ValueError(
                f"interpolate(): '{what}' must be a number or one for each of the {max(n, 0)} spatial dimensions; "
                f"found {list(given)}"
            )
    if n not in (1, 2, 3) or (mode in _NDIM and n != _NDIM[mode]):
        raise NotImplementedError(
            f"interpolate(): mode={mode!r} is for inputs of "
            f"{f'{_NDIM[mode] + 2} dimensions' if mode in _NDIM else '3, 4 or 5 dimensions'}; found {input.ndim}"
        )
    if antialias and mode not in _REACH:
        raise ValueError(
            f"interpolate(): 'antialias' is for the modes 'bilinear', 'bicubic' and 'lanczos'; found mode={mode!r}"
        )
    if mode == "lanczos" and (not antialias or align_corners):
        raise ValueError(
            "interpolate(): mode='lanczos' is with antialias=True and align_corners=False; found "
            f"antialias={antialias}, align_corners={align_corners}"
        )
    if (size is None) == (scale_factor is None):
        raise ValueError(
            "interpolate(): 'size' and 'scale_factor' exclude each other; found both"
            if size is not None
            else "interpolate(): 'size' or 'scale_factor' must be given; found neither"
        )
    factors: list[float | None] = [None] * n
    spatial = tuple(input.shape)[2:]
    if size is not None:
        sizes = [s.__index__() for s in size] if isinstance(size, (tuple, list)) else [size.__index__()] * n
    else:
        given = list(scale_factor) if isinstance(scale_factor, (tuple, list)) else [scale_factor] * n
        if not all(math.isfinite(float(f)) for f in given):
            raise RuntimeError(f"interpolate(): 'scale_factor' must be finite; found {scale_factor}")
        sizes = [math.floor(s * float(f)) for s, f in zip(spatial, given, strict=True)]
        if not recompute_scale_factor:
            factors = [float(f) for f in given]
    if min(sizes) <= 0 or 0 in input.shape[2 if mode == "area" else 1 :]:
        raise RuntimeError(
            f"interpolate(): input and output must have elements; found the shape {list(input.shape)} and the size "
            f"{sizes}"
        )
    if mode == "area":
        return TABLE[f"nn.functional.adaptive_avg_pool{n}d"](input, sizes)
    if mode in _NDIM and not (input.dtype is dt.uint8 and n == 2):
        refuse_kinds(input, "buic", "interpolate")
    return _resample(input, sizes, *[None] * (3 - n), *factors, mode, bool(align_corners), antialias)


# ---------------------------------------------------------------------------------------------------------------- grids
def _reflect(x: Tracer, low: float, high: Tracer) -> Tracer:
    """Positions reflected into [low, high] (a tracer), as often as needed."""
    bottom = filled(low, x)
    span = high - bottom
    some = span > 0
    period = P.select(some, span, 1) * 2
    # A triangular wave: it rises from 0 to span and falls again within a period.
    y = P.abs(x - bottom)
    y = y - P.stop_gradient(P.floor(y / period)) * period
    wave = P.select(y < span, y, period - y)
    return P.select(some, wave + bottom, 0)


def _source(g: Tracer, n: int | Sym, padding_mode: str, align_corners: bool, image: bool) -> Tracer:
    """Grid coordinates in [-1, 1] as positions among n elements of an image or a volume."""
    size = filled(n, g)
    one, half = filled(1, g), filled(0.5, g)
    # The products and sums, their order and their roundings are PyTorch's, to the last bit of float32.
    if image:
        x = (g + one) * ((size - one) * half) if align_corners else P.fma(g + one, size * half, -half)
    elif align_corners:
        x = (g + one) * half * (size - one)
    else:
        x = ((g + one) * size - one) * half
    return _inside(x, n, padding_mode, align_corners)


def _inside(x: Tracer, n: int | Sym, padding_mode: str, align_corners: bool) -> Tracer:
    last = filled(n - 1, x)
    if padding_mode == "reflection":
        x = _reflect(x, 0.0, last) if align_corners else _reflect(x, -0.5, last + 0.5)
    if padding_mode != "zeros":
        zero = filled(0, x)
        x = P.select(x <= zero, zero, P.select(x >= last, last, x))
    return x


@operator(namespace="nn.functional", method=False, out=False, zero_gradient=True)
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """The input sampled at the positions of a grid.

    Args:
        input: (N, C, H, W) or (N, C, D, H, W).
        grid: (N, *out, 2 or 3), positions x, y(, z) in [-1, 1].
        mode: "bilinear", "nearest" or (4-d input) "bicubic".
        padding_mode: "zeros", "border" or "reflection".
        align_corners: -1 and 1 are the centres of the corner elements rather than their outer edges.

    Returns:
        (N, C, *out).
    """
    if align_corners is None:
        _unsaid_corners("grid_sample")
    check_choice("grid_sample", "mode", mode, _GRID_MODES, ValueError)
    check_choice("grid_sample", "padding_mode", padding_mode, _GRID_PADDINGS, ValueError)
    return _grid_sample(input, grid, mode, padding_mode, bool(align_corners))


def _grid_sample(input: Tensor, grid: Tensor, mode: str, padding_mode: str, align: bool) -> Tracer:
    n = input.ndim - 2
    if n not in (2, 3) or grid.ndim != input.ndim:
        raise RuntimeError(
            "grid_sample(): 'input' and 'grid' must both be of 4 or of 5 dimensions; found the shapes "
            f"{hints(input.shape)} and {hints(grid.shape)}"
        )
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(
            f"grid_sample(): 'grid' must have the batch size of 'input', {hint(input.shape[0])}; found "
            f"{hint(grid.shape[0])}"
        )
    if grid.shape[-1] != n:
        raise RuntimeError(
            f"grid_sample(): the last dimension of 'grid' must hold {n} coordinates; found the shape "
            f"{hints(grid.shape)}"
        )
    if mode == "bicubic" and n == 3:
        raise RuntimeError("grid_sample(): mode='bicubic' is for images, inputs of 4 dimensions; found 5")
    check_one_dtype("grid_sample()", "'input' and 'grid'", input, grid)
    refuse_kinds(input, "biuc", "grid_sample")
    check_examples("grid_sample", input, n)
    x, g = wide(input), wide(grid)
    sizes = x.var.shape[2:]
    lead = grid.var.shape[:-1]
    # Coordinates come x first; spatial dimensions last first.
    coordinates = [
        reshape(P.slice(g, starts=(0,) * (n + 1) + (n - 1 - i,), sizes=(*lead, 1), steps=(1,) * (n + 2)), *lead)
        for i in range(n)
    ]
    at = [
        _source(c, sizes[i], "zeros" if mode == "bicubic" else padding_mode, align, n == 2)
        for i, c in enumerate(coordinates)
    ]
    batch = P.iota(shape=lead, dim=0, dtype=dt.int64)

    def sample(index: list[Tracer]) -> Tracer:
        """The elements at whole positions (N, *out, C), 0 outside."""
        ok = None
        whole = []
        for k, size in zip(index, sizes, strict=True):
            last = filled(size - 1, k)
            inside = (k >= 0) & (k <= last)
            ok = inside if ok is None else ok & inside
            # NaN and whatever is outside are read at 0 and then dropped.
            whole.append(convert(P.select(inside, k, 0), dt.int64))
        v = P.gather(x, batch, *whole, dims=(0, *range(2, n + 2)))
        assert ok is not None
        return P.select(P.broadcast_in_dim(ok, shape=v.var.shape, dims=tuple(range(n + 1))), v, 0)

    if mode == "nearest":
        y = sample([P.stop_gradient(P.round(c)) for c in at])
    else:
        low = [P.stop_gradient(P.floor(c)) for c in at]
        t = [c - f for c, f in zip(at, low, strict=True)]
        if mode == "bicubic":
            weights = [list(zip((-1, 0, 1, 2), _cubic(f, -0.75), strict=True)) for f in t]
        else:
            weights = [[(0, 1 - f), (1, f)] for f in t]
        y = None
        corners: list[tuple[list[Tracer], list[Tracer]]] = [([], [])]
        for i in range(n):
            corners = [
                ([*index, low[i] + filled(k, low[i])], [w, *others]) for index, others in corners for k, w in weights[i]
            ]
        for index, factors in corners:
            if mode == "bicubic":
                index = [_inside(k, size, padding_mode, align) for k, size in zip(index, sizes, strict=True)]
            part = sample(index)
            product_of = functools.reduce(lambda a, b: a * b, factors)
            weight = P.broadcast_in_dim(product_of, shape=part.var.shape, dims=tuple(range(n + 1)))
            # In images, as PyTorch does, the product is added in one rounding.
            y = part * weight if y is None else P.fma(part, weight, y) if n == 2 else y + part * weight
        assert y is not None
    return convert(P.permute(y, perm=(0, n + 1, *range(1, n + 1))), input.dtype)


_GRID_MODES, _GRID_PADDINGS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


def _named(name: str, value: int, names: tuple[str, ...], argument: str) -> str:
    if value not in range(len(names)):
        raise ValueError(f"{name}(): '{argument}' must be in [0, {len(names) - 1}] ({', '.join(names)}); found {value}")
    return names[value]


def _make_grid_sampler(name: str, ranks: tuple[int, ...]) -> None:
    def body(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
        if input.ndim not in ranks:
            raise RuntimeError(
                f"{name}(): 'input' must be of {' or '.join(map(str, ranks))} dimensions; found the shape "
                f"{hints(input.shape)}"
            )
        mode, padding = (
            _named(name, interpolation_mode, _GRID_MODES, "interpolation_mode"),
            _named(name, padding_mode, _GRID_PADDINGS, "padding_mode"),
        )
        return _grid_sample(input, grid, mode, padding, align_corners)

    operator(
        name=name,
        method=False,
        out=False,
        zero_gradient=True,
        doc=(
            "nn.functional.grid_sample with its modes as numbers: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1 border, "
            "2 reflection."
        ),
    )(body)


for _name, _ranks in (("grid_sampler", (4, 5)), ("grid_sampler_2d", (4,)), ("grid_sampler_3d", (5,))):
    _make_grid_sampler(_name, _ranks)


def _unsaid_corners(name: str) -> None:
    warn(
        f"{name}(): 'align_corners' was not given, and is False; PyTorch before 1.3 took it for True. Give the one "
        "that "
        "is meant, the same to affine_grid and grid_sample"
    )


@operator(namespace="nn.functional", method=False, out=False)
def affine_grid(theta: Tensor, size: Sizes, align_corners: bool | None = None) -> Tensor:
    """The grid for grid_sample of affine maps: (N, 2, 3) and size (N, C, H, W), or (N, 3, 4) and (N, C, D, H, W)."""
    shape: list[Any] = [s if isinstance(s, Sym) else s.__index__() for s in size]
    n = len(shape) - 2
    if n not in (2, 3):
        raise NotImplementedError(f"affine_grid(): 'size' must be of 4 (N, C, H, W) or 5 sizes; found {hints(shape)}")
    check_argument(theta.dtype.kind == "f", "affine_grid()", "theta", "be floating point", theta.dtype, ValueError)
    if theta.ndim != 3 or theta.shape[1] != n or theta.shape[2] != n + 1:
        raise ValueError(
            f"affine_grid(): 'theta' must have the shape (N, {n}, {n + 1}) for size={hints(shape)}; found "
            f"{hints(theta.shape)}"
        )
    if theta.var.shape[0] != shape[0]:
        raise RuntimeError(
            f"affine_grid(): 'theta' must hold {hint(shape[0])} maps, as 'size' says; found {hints(theta.shape)}"
        )
    check_each("affine_grid", "size", shape, 1, ValueError)
    if align_corners is None:
        _unsaid_corners("affine_grid")
    if align_corners and any(s == 1 for s in shape[2:]):
        warn(
            "affine_grid(): a side of one element has no two corners to align; its coordinate is 0 (-1 in PyTorch "
            "before "
            "1.3)"
        )
    th = wide(theta)
    spatial = tuple(shape[2:])
    parts = []
    for i in reversed(range(n)):
        k = convert(P.iota(shape=(*spatial, 1), dim=i, dtype=dt.int64), th.dtype)
        m = spatial[i]
        if align_corners:
            k = k * filled(convert(2.0, dt.float64) / convert(m - 1, dt.float64), k) - 1 if m > 1 else filled(0, k)
        else:
            k = (k * 2 + 1) * filled(convert(1.0, dt.float64) / convert(m, dt.float64), k) - 1
        parts.append(k)
    parts.append(filled(1, parts[0]))
    base = reshape(P.concatenate(*parts, dim=n), prod(spatial), n + 1)
    y = product(base, transposed(th))
    return convert(reshape(y, th.var.shape[0], *spatial, n), theta.dtype)


@eager(method=False, checked=True)
def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """nn.functional.affine_grid, which alone warns of sides of one element."""
    with noted():
        return affine_grid(theta, size, align_corners)

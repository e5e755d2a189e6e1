"""Reductions over dimensions: sums, means, norms, extrema, logic. Order statistics are in `sorting`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.table.arguments import empty_reduction
from rushlight.operators.table.body import count_of, dims_of, keep, refuse_kinds, spread, wide, wrap_dim
from rushlight.operators.table.checks import check_argument, check_kind
from rushlight.operators.table.define import METHODS, eager, operator
from rushlight.operators.table.returns import return_type
from rushlight.operators.table.tracer import P, Tracer, convert, default_dtype, filled
from rushlight.operators.table.types import Dims, Whole
from rushlight.program.sym import Sym, hint, prod

# ------------------------------------------------------------------------------------------------------------- helpers


def check_not_empty(
    x: Tensor, dims: tuple[int, ...], name: str, *, full: bool, full_error: type[Exception] = RuntimeError
) -> None:
    """The error for a reduction without identity over no elements."""
    if full:
        if prod(x.var.shape) == 0:
            raise full_error(empty_reduction(name))
        return
    for d in dims:
        if x.var.shape[d] == 0:
            raise IndexError(empty_reduction(name, d))


def _infer_float(x: Tensor, dtype: dt.dtype | None, name: str) -> dt.dtype:
    d = dtype or x.dtype
    if d.kind not in "fc":
        raise RuntimeError(
            f"{name}(): '{'dtype' if dtype else 'input'}' must be of a float or complex dtype; found {d}"
        )
    return d


# ------------------------------------------------------------------------------------------------------ sums and means
def _folded(
    name: str, fold: Any, of_bools: Operator[Tensor], input: Tensor, dim: Dims, keepdim: bool, dtype: dt.dtype | None
) -> Tensor:
    """The elements over dimensions as one, by a primitive, or by an operator where the result is to be bool."""
    d = dtype or (input.dtype if input.dtype.kind in "fc" else dt.int64)
    if d.kind == "b":
        return of_bools(convert(input, d), None if _is_all(dim) else dim, keepdim)
    x = wide(convert(input, d))
    dims = dims_of(x, dim, name)
    return convert(keep(fold(x, dims=dims), x, dims, keepdim), d)


@operator(shape_class="reduction", out_decides=True)
def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dt.dtype | None = None) -> Tensor:
    """The sum over dimensions.

    Args:
        input: tensor.
        dim: int, sequence of ints, or None for all.
        keepdim: keep them with size 1.
        dtype: of the sum.

    Returns:
        A tensor; integers and bools sum to int64.
    """
    # a sum of bools is whether any is true
    return _folded("sum", P.reduce_sum, any, input, dim, keepdim, dtype)


@operator(shape_class="reduction", out_decides=True)
def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dt.dtype | None = None) -> Tensor:
    """The sum over dimensions with NaN counted as zero.

    Arguments as sum; complex dtypes are not supported.

    """
    check_kind("nansum", "input", input, "biuf")
    x = convert(input, dtype or (input.dtype if input.dtype.kind == "f" else dt.int64))
    present = P.select(P.isnan(x), 0, x) if x.dtype.kind == "f" else x
    return _folded("nansum", P.reduce_sum, any, present, dim, keepdim, x.dtype)


@operator(name="prod", shape_class="reduction", out_decides=True)
def product(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dt.dtype | None = None) -> Tensor:
    """The product over one dimension or all.

    Args:
        input: tensor.
        dim: int, or None for all.
        keepdim: keep it with size 1.
        dtype: of the product.

    Returns:
        A tensor; integers and bools multiply to int64.
    """
    if isinstance(dim, (tuple, list)):
        raise TypeError(f"prod(): argument 'dim' must be int, not {type(dim).__name__}")
    # a product of bools is whether all are true
    return _folded("prod", P.reduce_prod, all, input, dim, keepdim, dtype)


@operator(shape_class="reduction")
def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dt.dtype | None = None) -> Tensor:
    """The mean over dimensions; floating point and complex dtypes only. Arguments as sum."""
    d = _infer_float(input, dtype, "mean")
    x = wide(convert(input, d))
    dims = dims_of(x, dim, "mean")
    total = P.reduce_sum(x, dims=dims)
    return convert(keep(total / filled(count_of(x, dims), total), x, dims, keepdim), d)


@operator(shape_class="reduction")
def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dt.dtype | None = None) -> Tensor:
    """The mean over dimensions of the elements that are not NaN; floating point dtypes only."""
    check_kind("nanmean", "input", input, "f")
    d = _infer_float(input, dtype, "nanmean")
    x = wide(convert(input, d))
    dims = dims_of(x, dim, "nanmean")
    gone = P.isnan(x)
    total = P.reduce_sum(P.select(gone, 0, x), dims=dims)
    count = P.reduce_sum(convert(P.not_(gone), x.dtype), dims=dims)
    return convert(keep(total / count, x, dims, keepdim), d)


@operator(shape_class="reduction")
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are not zero, as int64; dim: int, sequence of ints, or None for all."""
    return P.reduce_sum(convert(convert(input, dt.bool_), dt.int64), dims=dims_of(input, dim, "count_nonzero"))


# ------------------------------------------------------------------------------------------------------------- variance
def _moments(
    input: Tensor, dim: Dims, unbiased: bool, keepdim: bool, correction: Any, name: str
) -> tuple[Tracer, Tracer]:
    """Variance and mean, in two passes: first the mean, then the squares of the differences to it."""
    if isinstance(dim, bool):  # std(x, unbiased)
        dim, unbiased = None, dim
    if correction is None:
        correction = int(unbiased)
    check_kind(name, "input", input, "fc")
    if isinstance(correction, complex) or (isinstance(correction, Tensor) and correction.dtype.kind == "c"):
        raise RuntimeError(f"{name}(): 'correction' must be a real number; found a complex one")
    dims = dims_of(input, dim, name)
    x = wide(input)
    each, kept = count_of(x, dims), [n for i, n in enumerate(x.var.shape) if i not in dims]
    whole = correction
    if isinstance(correction, float):  # one beyond 2**62, infinity too, is more than any number of elements
        whole = math.floor(correction) if abs(correction) < 2.0**62 else 2**62 if correction > 0 else 0
    if isinstance(whole, (int, Sym)) and (each <= whole or 0 in kept):
        given = correction if isinstance(correction, float) else hint(correction)
        warn(
            f"{name}(): the correction {given} leaves no degree of freedom of {hint(each)} elements; the result is "
            "infinite, or NaN"
        )
    total = P.reduce_sum(x, dims=dims)
    mean = total / each
    centred = x - spread(mean, x, dims)
    squares = P.reduce_sum(square_of(centred), dims=dims)
    freedom = P.max(filled(each, squares) - filled(correction, squares), 0)
    return keep(squares / freedom, x, dims, keepdim), keep(mean, x, dims, keepdim)


def root(x: Tracer) -> Tracer:
    """The square root whose derivative at 0 is 0, as PyTorch's std and norm have it."""
    zero = x == 0
    return P.select(zero, 0, P.sqrt(P.select(zero, 1, x)))


def square_of(x: Tracer) -> Tracer:
    """|x|^2."""
    if x.dtype.kind != "c":
        return x * x
    re, im = P.real(x), P.imag(x)
    return re * re + im * im


@operator(shape_class="reduction")
def var(
    input: Tensor, dim: Dims = None, unbiased: bool = True, keepdim: bool = False, *, correction: Whole = None
) -> Tensor:
    """The variance over dimensions: the sum of squared differences to the mean, over max(0, n - correction).

    Args:
        input: floating point or complex.
        dim: int, sequence of ints, or None for all.
        unbiased: correction 1 (else 0).
        keepdim: keep the dimensions with size 1.
        correction: degrees of freedom to take off.
    """
    return convert(_moments(input, dim, unbiased, keepdim, correction, "var")[0], input.dtype.to_real())


@operator(shape_class="reduction")
def std(
    input: Tensor, dim: Dims = None, unbiased: bool = True, keepdim: bool = False, *, correction: Whole = None
) -> Tensor:
    """The standard deviation over dimensions, the root of `var`."""
    return convert(root(_moments(input, dim, unbiased, keepdim, correction, "std")[0]), input.dtype.to_real())


@operator(shape_class="reduction", method=False, out=False)
def var_mean(
    input: Tensor, dim: Dims = None, unbiased: bool = True, keepdim: bool = False, *, correction: Whole = None
) -> tuple[Tensor, Tensor]:
    """The variance and the mean over dimensions; see var."""
    v, m = _moments(input, dim, unbiased, keepdim, correction, "var_mean")
    return convert(v, input.dtype.to_real()), convert(m, input.dtype)


@operator(shape_class="reduction", method=False, out=False)
def std_mean(
    input: Tensor, dim: Dims = None, unbiased: bool = True, keepdim: bool = False, *, correction: Whole = None
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean over dimensions; see var."""
    v, m = _moments(input, dim, unbiased, keepdim, correction, "std_mean")
    return convert(root(v), input.dtype.to_real()), convert(m, input.dtype)


# ---------------------------------------------------------------------------------------------------------------- logic
def _logic(reduce: Any, input: Tensor, dim: Dims, keepdim: bool, name: str) -> Tracer:
    dims = dims_of(input, dim, name, empty_is_all=False)
    y = keep(reduce(convert(input, dt.bool_), dims=dims), input, dims, keepdim)
    return convert(y, dt.uint8) if input.dtype is dt.uint8 else y


@operator(shape_class="reduction")
def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are nonzero, over dimensions (of (): each by itself); bool (uint8 for uint8)."""
    return _logic(P.reduce_and, input, dim, keepdim, "all")


@operator(shape_class="reduction")
def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element is nonzero, over dimensions (of (): each by itself); bool (uint8 for uint8)."""
    return _logic(P.reduce_or, input, dim, keepdim, "any")


# -------------------------------------------------------------------------------------------------------------- extrema
def _is_all(dim: Dims) -> bool:
    return dim is None or (isinstance(dim, (tuple, list)) and not dim)


def _extreme(name: str, primitive: Any, what: str) -> Operator[Tensor]:
    def body(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:
        refuse_kinds(input, "c", name)
        dims = dims_of(input, dim, name)
        check_not_empty(input, dims, name, full=_is_all(dim))
        return keep(primitive(input, dims=dims), input, dims, keepdim)

    return operator(
        name=name,
        shape_class="reduction",
        doc=f"""The {what} over dimensions; ties share the gradient evenly.

    Args:
        input: real tensor.
        dim: int or sequence of ints (empty: all).
        keepdim: keep them with size 1.
    """,
    )(body)


amax = _extreme("amax", P.reduce_max, "maximum")
amin = _extreme("amin", P.reduce_min, "minimum")


_Aminmax = return_type("aminmax", "min", "max")


@operator(shape_class="reduction")
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The minimum and the maximum, over one dimension or all; a named tuple (min, max)."""
    refuse_kinds(input, "c", "aminmax")
    dims = dims_of(input, dim, "aminmax")
    check_not_empty(input, dims, "aminmax", full=dim is None)
    low, high = P.reduce_min(input, dims=dims), P.reduce_max(input, dims=dims)  # (input itself where there are none)
    return _Aminmax(keep(low, input, dims, keepdim), keep(high, input, dims, keepdim))


def _arg(prim: Any, input: Tensor, dim: int | None, keepdim: bool, name: str) -> Tracer:
    check_argument(input.dtype.kind not in "bc", f"{name}()", "input", "be real numbers", input.dtype)
    if dim is None:
        check_not_empty(input, (), name, full=True, full_error=IndexError)
        y = prim(P.reshape(input, shape=(prod(input.var.shape),)), dim=0)
        return keep(y, input, tuple(range(input.ndim)), keepdim)
    d = wrap_dim(dim, input.ndim, name)
    if input.ndim == 0:
        return P.reshape(prim(P.reshape(input, shape=(1,)), dim=0), shape=())
    check_not_empty(input, (d,), name, full=False)
    return keep(prim(input, dim=d), input, (d,), keepdim)


@operator(shape_class="reduction")
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The int64 index of the maximum (the first of equal ones; NaN is the greatest), along `dim` or in the flattened
    input.
    """
    return _arg(P.argmax, input, dim, keepdim, "argmax")


@operator(shape_class="reduction")
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The int64 index of the minimum (the first of equal ones; NaN is the least), along `dim` or in the flattened
    input.
    """
    return _arg(P.argmin, input, dim, keepdim, "argmin")


def take_slice(x: Tensor, index: Tracer, dim: int) -> Tracer:
    """x at one index along `dim` for each place of the other dimensions; index has the shape of the result."""
    shape = index.var.shape
    where: list[Tracer] = []
    k = 0
    for d in range(x.ndim):
        where.append(index if d == dim else P.iota(shape=shape, dim=k, dtype=dt.int64))
        k += d != dim
    return P.gather(x, *where, dims=tuple(range(x.ndim)))


def _along(
    pick: Callable[..., Tracer],
    input: Tensor,
    dim: int,
    keepdim: bool,
    name: str,
    result: Callable[..., tuple[Any, ...]],
) -> tuple[Any, ...]:
    check_kind(name, "input", input, "biuf")
    d = wrap_dim(dim, input.ndim, name)
    if input.ndim == 0:
        zero = P.reshape(pick(P.reshape(input, shape=(1,)), dim=0), shape=())
        return result(input, zero)
    check_not_empty(input, (d,), name, full=False)
    i = pick(input, dim=d)
    return result(keep(take_slice(input, i, d), input, (d,), keepdim), keep(i, input, (d,), keepdim))


def _extremum(name: str, fold: Callable[..., Tracer], place: Callable[..., Tracer]) -> Operator[Any]:
    found = return_type(name, "values", "indices")
    internal: dict[str, Any] = {"namespace": None, "method": False, "shape_class": "reduction"}

    @operator(name=f"_{name}_all", doc=f"The {name}imum of all elements.", **internal)
    def whole(input: Tensor) -> Tensor:
        refuse_kinds(input, "c", name)
        check_not_empty(input, (), name, full=True)
        return fold(input, dims=tuple(range(input.ndim)))

    @operator(name=f"_{name}_dim", doc=f"The {name}imum along a dimension, and its index.", **internal)
    def along(input: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        return _along(place, input, dim, keepdim, name, found)  # the gradient goes to that element

    def body(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None, out: Any = None) -> Any:
        if isinstance(dim, Tensor):
            dim, other = None, dim
        options = {} if out is None else {"out": out}
        if other is not None:
            return METHODS[name + "imum"](input, other, **options)
        return whole(input, **options) if dim is None else along(input, dim, keepdim, **options)

    return eager(
        name=name,
        out=True,
        doc=f"""The {name}imum of all elements; along `dim`, a named tuple (values, indices); of two tensors,
    their elementwise {name}imum.

    Args:
        input: real tensor.
        dim: None, an int, or a tensor (then as `other`).
        keepdim: keep the dimension with size 1.
    """,
    )(body)


max = _extremum("max", P.reduce_max, P.argmax)
min = _extremum("min", P.reduce_min, P.argmin)


# ------------------------------------------------------------------------------------------- exponential sums and norms
@operator(shape_class="reduction")
def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """log(sum(exp(input))) over dimensions, computed from differences to the maximum.

    Args:
        input: any dtype (integers are computed in the default float dtype).
        dim: int or sequence of ints.
    """
    if dim is None:
        raise TypeError("logsumexp(): argument 'dim' (position 2) must be tuple of ints, not NoneType")
    d = input.dtype if input.dtype.kind in "fc" else default_dtype()
    dims = dims_of(input, dim, "logsumexp")
    x = wide(convert(input, d))
    size = P.real(x) if d.kind == "c" else x
    if count_of(x, dims) == 0:
        return convert(keep(P.log(P.reduce_sum(P.exp(x), dims=dims)), x, dims, keepdim), d)
    top = P.reduce_max(size, dims=dims)
    # Of infinities the difference is taken to 0: inf - inf is NaN.
    top = P.stop_gradient(P.select(P.abs(top) == math.inf, 0, top))
    total = P.reduce_sum(P.exp(x - convert(spread(top, x, dims), x.dtype)), dims=dims)
    return convert(keep(P.log(total) + convert(top, x.dtype), x, dims, keepdim), d)


@operator(shape_class="reduction")
def hash_tensor(input: Tensor, dim: Dims = None, *, keepdim: bool = False, mode: int = 0) -> Tensor:
    """The exclusive or, over dimensions, of the elements' bits as float64 or int64.

    Args:
        input: real.
        dim: int, sequence of ints, or None for all.
        keepdim: keep them with size 1.
        mode: 0, the only one.

    Returns:
        uint64.

    Raises:
        RuntimeError: for another mode, or for all of no elements.
    """
    check_argument(mode == 0, "hash_tensor()", "mode", "be 0 (exclusive or)", mode)
    refuse_kinds(input, "c", "hash_tensor")
    dims = dims_of(input, dim, "hash_tensor")
    check_not_empty(input, dims, "hash_tensor", full=dim is None)
    x = convert(input, dt.float64 if input.dtype.kind == "f" else dt.int64)
    return keep(P.reduce_xor(P.bitcast(x, dtype=dt.uint64), dims=dims), x, dims, keepdim)

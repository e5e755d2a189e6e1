"""Reductions and normalizations that take no notice of masked-out elements (where the mask is False).

A masked-out element stands for the operation's identity: 0 in a sum, 1 in a product, -inf in a maximum. What has no
element that counts gives that identity (NaN where there is none, as in a mean). The names are PyTorch's, in the
namespace masked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.creation.placement import STANDS_FOR
from rushlight.operators.linalg.norms import vector_norm
from rushlight.operators.nn.activation import log_softmax_of, softmax_of
from rushlight.operators.reductions import reduction as plain
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.body import count_of, dims_of, keep, spread, wrap_dim
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.tracer import P, RealNumber, Tracer, convert, default_dtype, filled
from rushlight.operators.table.types import Dims, Whole
from rushlight.program.sym import Sym, hint, hints


# ------------------------------------------------------------------------------------------------------------- helpers
def _mask(name: str, x: Tensor, mask: Tensor | None, argument: str = "mask") -> Tracer | None:
    """The mask as bools of x's shape; None for none."""
    if mask is None:
        return None
    if mask.ndim > x.ndim:
        raise IndexError(
            f"{name}(): '{argument}' must broadcast to the shape of the tensor, {hints(x.shape)}; found "
            f"{hints(mask.shape)}, of more dimensions"
        )
    shape = x.var.shape[x.ndim - mask.ndim :]
    for d, (n, m) in enumerate(zip(shape, mask.var.shape, strict=True)):
        if not (isinstance(m, int) and m == 1) and m != n:
            raise RuntimeError(
                f"{name}(): '{argument}' must broadcast to the shape of the tensor, {hints(x.shape)}; found "
                f"{hints(mask.shape)}: {hint(m)} for {hint(n)} "
                f"in dimension {d + x.ndim - mask.ndim}"
            )
    m = mask if mask.dtype.kind == "b" else mask != 0
    ones = [
        d
        for d, (n, k) in enumerate(zip(shape, m.var.shape, strict=True))
        if isinstance(k, int) and k == 1 and not (isinstance(n, int) and n == 1)
    ]
    if ones:  # dimensions of size 1 that are to be repeated
        m = P.reshape(m, shape=tuple(k for d, k in enumerate(m.var.shape) if d not in ones))
    first = x.ndim - len(shape)
    return P.broadcast_in_dim(m, shape=x.var.shape, dims=tuple(first + d for d in range(len(shape)) if d not in ones))


def _filled_out(name: str, x: Tensor, mask: Tensor | None, identity: Any) -> Tracer:
    """x with the identity in place of masked-out elements."""
    m = _mask(name, x, mask)
    return P.select(m, x, filled(identity, x)) if m is not None else convert(x, x.dtype)


def _least(name: str, d: dt.dtype) -> int | float:
    """The identity of a maximum."""
    if d.kind == "f":
        return -math.inf
    if d.kind == "b":
        raise NotImplementedError(f"{name}(): not defined for dtype torch.bool, which has no identity of {name}")
    if d.kind == "c":
        raise TypeError(f"{name}(): not defined for dtype {d}: complex numbers have no order")
    return -(1 << (8 * d.itemsize - 1)) if d.kind == "i" else 0


def _most(name: str, d: dt.dtype) -> float:
    """The identity of a minimum."""
    least = _least(name, d)
    return math.inf if d.kind == "f" else (1 << (8 * d.itemsize)) - 1 if d.kind == "u" else -least - 1


def _counted(name: str, x: Tracer, mask: Tensor | None, dims: tuple[int, ...], like: Tracer) -> Tracer:
    """How many elements each result is made of, as values of the shape and dtype of `like`."""
    m = _mask(name, x, mask)
    if m is None:
        return filled(count_of(x, dims), like)
    return convert(P.reduce_sum(convert(m, dt.int64), dims=dims), like.dtype)


def _summed_dtype(x: Tensor, dtype: dt.dtype | None) -> dt.dtype:
    return dtype or (dt.int64 if x.dtype.kind in "biu" else x.dtype)


# ---------------------------------------------------------------------------------------------------- sums and products
@operator(namespace="masked", method=False, out=False)
def sum(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: dt.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """The sum of the elements that count.

    Args:
        input: any shape.
        dim: int, ints, or None for all.
        keepdim: keep the dimensions with size 1.
        dtype: of the sum; default input's, int64 for integers.
        mask: True where an element counts; broadcastable to input; default everywhere.

    Raises:
        IndexError, RuntimeError: for a mask that does not broadcast to input.
    """
    x = _filled_out("sum", convert(input, _summed_dtype(input, dtype)), mask, 0)
    return plain.sum(x, dim, keepdim, dtype=x.dtype)


@operator(namespace="masked", method=False, out=False)
def prod(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: dt.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """The product of the elements that count; 1 when there is none. Args, errors: as masked.sum."""
    d = _summed_dtype(input, dtype)
    x = _filled_out("prod", convert(convert(input, d), d.compute), mask, 1)
    dims = dims_of(x, dim, "prod")
    return convert(keep(P.reduce_prod(x, dims=dims), x, dims, keepdim), d)


def _make_running(name: str, what: str, identity: int) -> None:
    def running(input: Tensor, dim: int, *, dtype: dt.dtype | None = None, mask: Tensor | None = None) -> Tensor:
        d = dtype or input.dtype
        return convert(METHODS[name](_filled_out(name, convert(input, d), mask, identity), dim, dtype=d), d)

    doc = f"The running {what} along one dimension of the elements that count. Args, errors: as masked.sum."
    operator(name=name, namespace="masked", method=False, out=False, doc=doc)(running)


_make_running("cumsum", "sum", 0)
_make_running("cumprod", "product", 1)


@operator(namespace="masked", method=False, out=False)
def mean(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: dt.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """The mean of the elements that count; NaN when there is none.

    Arguments as masked.sum.

    Raises:
        ValueError: for an integer dtype.
    """
    d = dtype or input.dtype
    if d.kind not in "fc":
        raise ValueError(
            f"mean(): the mean of '{'dtype' if dtype else 'input'}' must be of a float or complex dtype; found {d}"
        )
    x = convert(convert(input, d), d.compute)
    dims = dims_of(x, dim, "mean")
    total = P.reduce_sum(_filled_out("mean", x, mask, 0), dims=dims)
    return convert(keep(total / _counted("mean", x, mask, dims, total), x, dims, keepdim), d)


def _variance(
    name: str,
    input: Tensor,
    dim: Dims,
    unbiased: bool | None,
    correction: Any,
    keepdim: bool,
    dtype: dt.dtype | None,
    mask: Tensor | None,
) -> tuple[Tracer, dt.dtype]:
    """The variance in the dtype to compute in, and the dtype of the result."""
    if unbiased is not None and correction is not None:
        raise AssertionError(
            f"{name}(): 'unbiased' and 'correction' exclude each other; found {unbiased} and "
            f"{hint(correction) if isinstance(correction, Sym) else correction}"
        )
    taken = correction if correction is not None else 1 if unbiased is None else int(unbiased)
    if (dtype or input.dtype).kind == "b":
        raise RuntimeError(f"{name}(): 'input' must hold numbers; found bools, which are not subtracted")
    d = dtype or (input.dtype if input.dtype.kind in "fc" else default_dtype())
    compute = d.compute if d.kind in "fc" else default_dtype()
    x = convert(convert(input, d), compute)
    dims = dims_of(x, dim, name)
    total = P.reduce_sum(_filled_out(name, x, mask, 0), dims=dims)
    n = _counted(name, x, mask, dims, total)
    centred = _filled_out(name, x - spread(total / n, x, dims), mask, 0)
    squares = P.reduce_sum(centred * (P.conj(centred) if compute.kind == "c" else centred), dims=dims)
    left = n - filled(taken, n)
    real = P.real(left) if compute.kind == "c" else left
    freedom = convert(P.max(real, 0), compute)
    return keep(squares / freedom, x, dims, keepdim), d


def _make_variance(name: str, finish: Callable[[Tensor], Tensor], doc: str) -> None:
    def variance(
        input: Tensor,
        dim: Dims = None,
        unbiased: bool | None = None,
        *,
        correction: Whole = None,
        keepdim: bool = False,
        dtype: dt.dtype | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        v, d = _variance(name, input, dim, unbiased, correction, keepdim, dtype, mask)
        return convert(finish(v), d)

    operator(name=name, namespace="masked", method=False, out=False, doc=doc)(variance)


_make_variance(
    "var",
    lambda v: v,
    """The variance of the elements that count; of complex ones complex, with no imaginary part.

    Args:
        unbiased: correction 1 (the default) or 0.
        correction: degrees of freedom to take off. Otherwise as masked.sum.

    Raises:
        AssertionError: both unbiased and correction are given.
    """,
)
_make_variance(
    "std",
    lambda v: P.sqrt(v),
    "The standard deviation of the elements that count, the square root of masked.var. Args, errors: as masked.var.",
)


# ------------------------------------------------------------------------------------------------------------- extremes
def _extreme(name: str, what: str, other_end: Callable[[str, dt.dtype], Any]) -> None:
    """amax and amin, argmax and argmin: what is left out counts as the other end of the dtype."""
    index = name.startswith("arg")

    def body(
        input: Tensor,
        dim: Dims = None,
        *,
        keepdim: bool = False,
        dtype: dt.dtype | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        x = _filled_out(name, input, mask, other_end(name, input.dtype))
        over = () if dim is None and not index else dim
        return convert(TABLE[name](x, over, keepdim), dtype or input.dtype)

    if index:
        body.__annotations__["dim"] = "int | None"
    operator(name=name, namespace="masked", method=False, out=False, doc=f"{what}. Args, errors: as masked.sum.")(body)


_KIND = "in the dtype of the input (as PyTorch has it) unless `dtype` says another"
_extreme("amax", "The greatest of the elements that count; the dtype's least value when there is none", _least)
_extreme("amin", "The least of the elements that count; the dtype's greatest value when there is none", _most)
_extreme("argmax", f"The index of the greatest element that counts, {_KIND}", _least)
_extreme("argmin", f"The index of the least element that counts, {_KIND}", _most)


@eager(namespace="masked", method=False)
def median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: dt.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """The median along one dimension of the elements that count, of an even number of them the lesser of the middle
    two.

    Returns:
        NaN where no element counts.

    Raises:
        ValueError: for that with an integer dtype; otherwise as masked.sum.
    """
    d = dtype or input.dtype
    x = METHODS["to"](input, d if d.kind == "f" else dt.float64)  # float64 holds every integer below 2^53
    if mask is not None:
        x = _masked_with_nan(x, mask)
    y = TABLE["nanmedian"](x, dim, keepdim)[0]
    if d.kind == "f":
        return y
    if not (y.is_meta or y._keys_ & STANDS_FOR) and METHODS["any"](TABLE["isnan"](y)).item():
        raise ValueError(
            "median(): a masked median needs an element in every row, or a floating point dtype, for NaN; found a "
            f"row without and {d}"
        )
    return METHODS["to"](y, d)


@operator(name="median", register=False)
def _masked_with_nan(input: Tensor, mask: Tensor) -> Tensor:
    """NaN in place of masked-out elements."""
    return _filled_out("median", input, mask, math.nan)


# -------------------------------------------------------------------------------------------------- norms, exponentials
def _norm(
    name: str, input: Tensor, ord: float, dim: Dims, keepdim: bool, dtype: dt.dtype | None, mask: Tensor | None
) -> tuple[Tracer, Tracer, dt.dtype]:
    """(the norms, the elements, the dtype of the result), in the dtype to compute in."""
    d = dtype or input.dtype
    if d.kind not in "fc":
        raise RuntimeError(f"{name}(): 'input' must be of a float or complex dtype; found {d}")
    if isinstance(ord, bool) or not isinstance(ord, (int, float, RealNumber)):
        raise TypeError(f"{name}(): argument 'ord' must be a number, not {type(ord).__name__}")
    x = convert(convert(input, d), d.compute)
    dims = dims_of(x, dim, name)
    values = _filled_out(name, x, mask, math.inf if ord < 0 else 0)
    return vector_norm(values, ord, dims, keepdim), x, d


@operator(namespace="masked", method=False, out=False, zero_gradient=True)
def norm(
    input: Tensor,
    ord: float = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: dt.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The norm of the elements that count: (sum |x|^ord)^(1 / ord), the greatest or least |x| for ord inf or -inf,
    their number for 0.

    Args:
        ord: number; default 2. Otherwise as masked.sum.

    Returns:
        real.

    Raises:
        RuntimeError: for an integer dtype.
    """
    if ord is None:
        raise TypeError("norm(): argument 'ord' (position 2) must be Number, not NoneType")
    y, _, d = _norm("norm", input, ord, dim, keepdim, dtype, mask)
    return convert(y, d.to_real())


@operator(namespace="masked", method=False, out=False)
def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: dt.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The elements that count over their norm along `dim`; the others 0.

    Args:
        ord: as masked.norm.
        eps: the least number to divide by. Otherwise, and errors, as masked.norm.
    """
    y, x, d = _norm("normalize", input, ord, dim, True, dtype, mask)
    below = P.max(y, eps)
    at = wrap_dim(dim, x.ndim, "normalize")
    rest = tuple(k for k in range(x.ndim) if k != at)
    flat = P.reshape(below, shape=tuple(x.var.shape[k] for k in rest))
    return convert(
        _filled_out("normalize", x, mask, 0) / convert(P.broadcast_in_dim(flat, shape=x.var.shape, dims=rest), x.dtype),
        d,
    )


def _float_only(name: str, d: dt.dtype) -> dt.dtype:
    if d.kind == "c":
        raise TypeError(f"{name}(): not defined for dtype {d}: complex numbers have no least one")
    if d.kind != "f":
        raise undefined_for(name, d)
    return d


def _softmax(
    name: str,
    of: Any,
    input: Tensor,
    dim: int,
    dtype: dt.dtype | None,
    mask: Tensor | None,
    identity: float,
    sign: int = 1,
) -> Tracer:
    d = _float_only(name, dtype or input.dtype)
    x = _filled_out(name, convert(convert(input, d), d.compute), mask, identity)
    at = wrap_dim(dim, x.ndim, name)
    y = convert(of(-x if sign < 0 else x, at) if x.ndim else of(P.reshape(x, shape=(1,)), 0), d)
    return P.reshape(y, shape=()) if input.ndim == 0 else y


@operator(namespace="masked", method=False, out=False, memory_format="rows")
def softmax(input: Tensor, dim: int, *, dtype: dt.dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """exp(x) over the sum of exp along `dim`, of the elements that count; the others get 0, and NaN where none counts.

    Arguments as masked.sum.

    Raises:
        NotImplementedError: for a dtype that is not floating point; otherwise as masked.sum.
    """
    return _softmax("softmax", softmax_of, input, dim, dtype, mask, -math.inf)


@operator(namespace="masked", method=False, out=False, memory_format="rows")
def log_softmax(input: Tensor, dim: int, *, dtype: dt.dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of masked.softmax, without its loss of digits. Args, errors: as masked.softmax."""
    return _softmax("log_softmax", log_softmax_of, input, dim, dtype, mask, -math.inf)


@operator(namespace="masked", method=False, out=False, memory_format="rows")
def softmin(input: Tensor, dim: int, *, dtype: dt.dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """masked.softmax of the negatives. Args, errors: as masked.softmax."""
    return _softmax("softmin", softmax_of, input, dim, dtype, mask, math.inf, -1)


@operator(namespace="masked", method=False, out=False)
def logsumexp(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: dt.dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of exp over the elements that count; -inf when there is none. Args, errors: as
    masked.sum.
    """
    d = dtype or input.dtype
    if d.kind == "b":
        raise undefined_for("logsumexp", d)
    x = convert(input, d)
    x = convert(x, default_dtype()) if d.kind not in "fc" else x
    return convert(
        plain.logsumexp(_filled_out("logsumexp", x, mask, -math.inf), dims_of(x, dim, "logsumexp"), keepdim), d
    )


@operator(namespace="masked", method=False, out=False)
def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: dt.dtype | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """log(exp(input) + exp(other)) of those of the two that count, elementwise; -inf where none does.

    Args:
        input, other: broadcastable.
        input_mask, other_mask: True where an element counts; broadcastable to their tensors.
    """
    d = _float_only("logaddexp", dtype or input.dtype)
    given = ((input, input_mask), (other, other_mask))
    pair = [_filled_out("logaddexp", convert(x, d), mask, -math.inf) for x, mask in given]
    return convert(METHODS["logaddexp"](*pair), d)

"""Fourier transforms of any length along any dimensions, and what goes with them; cosine and sine transforms are in
`fft_trig`.

Half precision is computed in float32, and so are its results, complex32's too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.creation.placement import NEW, Options
from rushlight.operators.table.arguments import int_argument, negative_size, repeated_dims, undefined_for, unfit_out
from rushlight.operators.table.body import floating, wide, wrap_dim
from rushlight.operators.table.checks import check_argument, check_choice, check_kind, check_least_rank
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.tracer import P, Tracer, convert, default_dtype
from rushlight.operators.table.types import Dims, Int, Ints
from rushlight.program.sym import hint

# The power of 1 / sqrt(n) that a norm asks of the transform, and of its inverse.
_NORMS = {None: (0, 2), "backward": (0, 2), "ortho": (1, 1), "forward": (2, 0)}


# ------------------------------------------------------------------------------------------------------------- helpers
def scale_of(name: str, norm: Any, inverse: bool) -> int:
    """The power of 1 / sqrt(n) for a `norm` argument."""
    if norm is not None and not isinstance(norm, str):
        raise TypeError(f"{name}(): argument 'norm' must be str, not {type(norm).__name__}")
    check_choice(name, "norm", norm, _NORMS)
    return _NORMS[norm][inverse]


def check_points(name: str, n: Any) -> None:
    """RuntimeError for a transform of no elements."""
    if n < 1:
        raise RuntimeError(f"{name}(): a transform needs at least 1 element; found the size {hint(n)}")


def fitted(name: str, x: Tensor, dim: int, n: Any) -> Tensor:
    """x cut, or filled with zeros, to n elements along `dim`."""
    have = x.var.shape[dim]
    check_points(name, n)
    if n == have:
        return x
    shape = tuple(n if d == dim else s for d, s in enumerate(x.var.shape))
    if n < have:
        return P.slice(x, starts=(0,) * x.ndim, sizes=shape, steps=(1,) * x.ndim)
    none = (0,) * x.ndim
    return P.pad(
        x, convert(0, x.dtype), low=none, high=tuple(n - have if d == dim else 0 for d in range(x.ndim)), interior=none
    )


def one_dim(name: str, x: Tensor, dim: Any) -> int:
    """The dimension of a transform along one."""
    check_argument(x.ndim != 0, f"{name}()", "dim", "name a dimension, and a 0-d tensor has none", dim, IndexError)
    return wrap_dim(dim, x.ndim, name)


def many_dims(name: str, x: Tensor, s: Any, dim: Dims) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """The dimensions of a transform along several, and the sizes asked for (None: as it is)."""
    sizes = None if s is None else tuple(s) if isinstance(s, (tuple, list)) else (s,)
    if dim is None:
        count = x.ndim if sizes is None else len(sizes)
        if count > x.ndim:
            raise RuntimeError(
                f"{name}(): 's' must not be longer than 'input' has dimensions, {x.ndim}; found {count} sizes"
            )
        dims = tuple(range(x.ndim - count, x.ndim))
    else:
        dims = tuple(one_dim(name, x, d) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
        if len(set(dims)) != len(dims):
            raise repeated_dims(name, dims)
    if sizes is None:
        return dims, (None,) * len(dims)
    if len(sizes) != len(dims):
        raise RuntimeError(f"{name}(): 's' and 'dim' must be of one length; found {len(sizes)} and {len(dims)}")
    return dims, tuple(None if isinstance(n, int) and n == -1 else n for n in sizes)


def _resized(name: str, x: Tensor, dims: tuple[int, ...], sizes: tuple[Any, ...]) -> Tensor:
    for d, n in zip(dims, sizes, strict=True):
        x = fitted(name, x, d, x.var.shape[d] if n is None else n)
    return x


def _c2c(name: str, input: Tensor, dims: tuple[int, ...], sizes: tuple[Any, ...], norm: Any, inverse: bool) -> Tensor:
    """Any tensor to its complex transform."""
    x: Tensor = wide(floating(input))
    scale = scale_of(name, norm, inverse)
    x = _resized(name, x, dims, sizes)
    if not dims:
        return P.complex(P.real(x), P.imag(x)) if x.dtype.kind == "c" else convert(x, dt.complex_of(x.dtype))
    return P.fft(x, dims=dims, inverse=inverse, scale=scale)


def _need_axis(name: str, dims: tuple[int, ...]) -> None:
    check_argument(dims, f"{name}()", "dim", "name at least 1 dimension", "none")


def _r2c(name: str, input: Tensor, dims: tuple[int, ...], sizes: tuple[Any, ...], norm: Any, inverse: bool) -> Tracer:
    """A real tensor to half its transform."""
    check_kind(name, "input", input, "biuf")
    x: Tensor = wide(floating(input))
    scale = scale_of(name, norm, inverse)
    _need_axis(name, dims)
    return P.rfft(_resized(name, x, dims, sizes), dims=dims, inverse=inverse, scale=scale)


def _c2r(name: str, input: Tensor, dims: tuple[int, ...], sizes: tuple[Any, ...], norm: Any, inverse: bool) -> Tracer:
    """Half a transform to the real tensor."""
    x: Tensor = wide(floating(input))
    x = convert(x, dt.complex_of(x.dtype)) if x.dtype.kind != "c" else x
    scale = scale_of(name, norm, inverse)
    _need_axis(name, dims)
    last = dims[-1]
    n = 2 * (x.var.shape[last] - 1) if sizes[-1] is None else sizes[-1]
    check_points(name, n)
    x = _resized(name, x, dims, (*sizes[:-1], None if sizes[-1] is None else n // 2 + 1))
    return P.irfft(x, dims=dims, size=n, inverse=inverse, scale=scale)


# ----------------------------------------------------------------------------------------------------------- transforms
def _make(name: str, transform: Callable[..., Tensor], along_one: str, along_several: str) -> None:
    """A transform along one dimension, along several, and along the last two, with the docstrings of the former."""
    inverse = name.startswith("i")

    def one(input: Tensor, n: Int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
        return transform(name, input, (one_dim(name, input, dim),), (n,), norm, inverse)

    def several(name: str, dims: Dims) -> Callable[..., Tensor]:
        def body(input: Tensor, s: Ints | None = None, dim: Dims = dims, norm: str | None = None) -> Tensor:
            return transform(name, input, *many_dims(name, input, s, dim), norm, inverse)

        return body

    last_two = f"{name}n along the last two dimensions."
    operator(name=name, namespace="fft", method=False, doc=along_one)(one)
    operator(name=f"{name}n", namespace="fft", method=False, doc=along_several)(several(f"{name}n", None))
    operator(name=f"{name}2", namespace="fft", method=False, doc=last_two)(several(f"{name}2", (-2, -1)))


_make(
    "fft",
    _c2c,
    """The discrete Fourier transform along one dimension: y[k] = sum over j of x[j] exp(-2 pi i j k / n).

    Args:
        input: real or complex, any shape.
        n: cut, or fill with zeros, to this length first.
        dim: the dimension.
        norm: "backward" (the default: none), "ortho" (divided by sqrt(n)) or "forward" (by n).

    Returns:
        Complex, of input's shape but for `dim`, which has n elements.

    Raises:
        IndexError: for a dim out of range.
        RuntimeError: for n < 1 or an unknown norm.

    Source:
        Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier series", 1965.
    """,
    """The discrete Fourier transform along several dimensions.

    Args:
        s: lengths to cut or fill to, one per dimension, -1 to leave it.
        dim: ints; default the last len(s), or all.
        norm: as fft, n being the product of the lengths.

    Returns:
        complex.

    Raises:
        RuntimeError: s and dim do not agree, or for repeated dims.
    """,
)
_make(
    "ifft",
    _c2c,
    """The inverse discrete Fourier transform along one dimension: x[j] = sum over k of y[k] exp(2 pi i j k / n) / n.

    Args, errors: as fft; norm: "backward" (divided by n), "ortho" (by sqrt(n)) or "forward" (not at all). Returns:
    complex.
    """,
    """The inverse discrete Fourier transform along several dimensions. Args, errors: as fftn; norm: as ifft. Returns:
    complex.
    """,
)
_make(
    "rfft",
    _r2c,
    """The Fourier transform of a real tensor along one dimension; the half that is not the mirror image of the other.

    Args, errors: as fft; RuntimeError for complex input.

    Returns:
        Complex, n // 2 + 1 elements along `dim`.
    """,
    """The Fourier transform of a real tensor along several dimensions, half of it along the last.

    Args, errors: as fftn; RuntimeError for complex input or no dimension.

    Returns:
        complex.
    """,
)
_make(
    "irfft",
    _c2r,
    """The inverse of rfft: a real tensor from half its spectrum along one dimension. Otherwise as ifft.

    Args:
        n: the length of the result, which half a spectrum does not tell; default 2 (m - 1) for m elements.

    Returns:
        Real, n elements along `dim`.
    """,
    """The inverse of rfftn. Args, errors: as fftn; s: the lengths of the result, the last by default 2 (m - 1).

    Returns:
        real.
    """,
)
_make(
    "hfft",
    _c2r,
    """The Fourier transform, which is real, of a signal that is its own mirror image's conjugate and given by its first
    half. n as irfft has it, otherwise as fft.
    """,
    """hfft along several dimensions: the real transform of a signal given by half of it along the last.

    Args, errors: as fftn; s: the lengths of the result, the last by default 2 (m - 1).

    Returns:
        real.
    """,
)
_make(
    "ihfft",
    _r2c,
    """The inverse of hfft: the first half of the inverse transform of a real tensor; it takes what ifft takes, and
    refuses and returns what rfft does.
    """,
    """The inverse of hfftn, half of it along the last dimension. Args, errors: as rfftn; norm: as ifft. Returns:
    complex.
    """,
)


# ----------------------------------------------------------------------------------------------- frequencies and shifts
def _shift_dims(name: str, input: Tensor, dim: Dims) -> tuple[int, ...]:
    if dim is None:
        check_least_rank(name, "input", input, 1)
        return tuple(range(input.ndim))
    dims = tuple(wrap_dim(d, input.ndim, name) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
    check_argument(dims, f"{name}()", "dim", "name at least 1 dimension", dim)
    return dims


def _rotated(name: str, input: Tensor, dim: Dims, more: int) -> Tensor:
    """Rotated by half of each size, `more` added to it before it is halved."""
    dims = _shift_dims(name, input, dim)
    halves = tuple((input.var.shape[d] + more) // 2 for d in dims)
    return TABLE["roll"](input, halves, dims) if dims else P.reshape(input, shape=())


@operator(namespace="fft", method=False, out=False)
def fftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """A transform's elements rotated by half, so that frequency zero comes to the middle.

    Args:
        dim: int or ints; default all dimensions.
    """
    return _rotated("fftshift", input, dim, 0)


@operator(namespace="fft", method=False, out=False)
def ifftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The inverse of fftshift: frequency zero goes back to the front.

    Args:
        dim: int or ints; default all dimensions.
    """
    return _rotated("ifftshift", input, dim, 1)


def _frequencies(name: str, first: int, count: int, n: int, d: float, new: Options, out: Tensor | None) -> Tensor:
    """The multiples 0, 1, ..., of 1 / (n d); from `first` on they go on with negative ones."""
    kind = new.checked(name).dtype or (default_dtype() if out is None else out.dtype)
    if kind.kind not in "fc":
        raise RuntimeError(f"{name}(): 'dtype' must be a float or complex dtype; found {kind}")
    if kind.kind == "c":
        raise undefined_for(name, kind)
    k = TABLE["arange"](count, dtype=dt.float64, device=new.device)
    if first < count:
        k = TABLE["where"](k < first, k, k - n)
    unit = n * d
    f = METHODS["to"](k / unit if unit else k * float("inf"), kind)
    if out is not None:
        if not dt.can_cast(kind, out.dtype):
            raise unfit_out(name, kind, out.dtype)
        if tuple(out.shape) != (count,):
            METHODS["resize_"](out, (count,))
        return METHODS["copy_"](out, f)
    return new.finish(f)


def _count(name: str, n: Any) -> int:
    count = int_argument(n, name, "n", 1)
    if count < 0:
        raise negative_size(name, [count], "n")
    return count


@eager(namespace="fft", method=False, out=True, options=NEW)
def fftfreq(n: Any, d: float = 1.0, *options: Any, out: Tensor | None = None) -> Tensor:
    """The frequencies that the elements of fft stand for: 0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1, each over n d.

    Args:
        n: the transform's length.
        d: the distance between samples.
        dtype: default the default float dtype.
    """
    n = _count("fftfreq", n)
    return _frequencies("fftfreq", (n + 1) // 2, n, n, d, Options(*options), out)


@eager(namespace="fft", method=False, out=True, options=NEW)
def rfftfreq(n: Any, d: float = 1.0, *options: Any, out: Tensor | None = None) -> Tensor:
    """The frequencies that the elements of rfft stand for: 0, 1, ..., n // 2, each over n d.

    Args:
        n: the length of the real signal.
        d: the distance between samples.
        dtype: default the default float dtype.
    """
    n = _count("rfftfreq", n)
    return _frequencies("rfftfreq", n // 2 + 1, n // 2 + 1, n, d, Options(*options), out)

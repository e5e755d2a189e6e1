"""Discrete cosine and sine transforms of types 1 to 4, with the names, arguments and conventions of scipy.fft.

Along one dimension of length n, without normalization (Makhoul, "A fast cosine transform in one and two dimensions",
1980, for the algorithm; Martucci, "Symmetric convolution and the discrete sine and cosine transforms", 1994, for the
family):

    dct 1: y[k] = x[0] + (-1)^k x[n-1] + 2 sum x[j] cos(pi j k / (n-1))      dst 1: y[k] = 2 sum x[j] sin(pi (j+1) (k+1)
    / (n+1))
    dct 2: y[k] = 2 sum x[j] cos(pi (2j+1) k / 2n)                           dst 2: y[k] = 2 sum x[j] sin(pi (2j+1)
    (k+1) / 2n)
    dct 3: y[k] = x[0] + 2 sum x[j] cos(pi j (2k+1) / 2n)                    dst 3: y[k] = (-1)^k x[n-1] + 2 sum x[j]
    sin(pi (j+1) (2k+1) / 2n)
    dct 4: y[k] = 2 sum x[j] cos(pi (2j+1) (2k+1) / 4n)                      dst 4: y[k] = 2 sum x[j] sin(pi (2j+1)
    (2k+1) / 4n)

A term that stands before its sum is not in it.
"""

from __future__ import annotations

from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.operators.signal.fft import fitted, many_dims, one_dim, scale_of
from rushlight.operators.table.body import floating, wide
from rushlight.operators.table.define import operator
from rushlight.operators.table.tracer import P, filled
from rushlight.operators.table.types import Dims, Int, Ints
from rushlight.program.sym import hint, prod

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _trig(
    name: str, x: Tensor, kind: Any, dims: tuple[int, ...], sizes: tuple[Any, ...], norm: Any, orthogonalize: Any
) -> Tensor:
    """One of the transforms, which its name says."""
    sine, inverse = "dst" in name, name.startswith("i")
    if kind not in _INVERSE:
        raise ValueError(f"{name}(): type must be 1, 2, 3 or 4; found {kind!r}")
    scale = scale_of(name, norm, inverse)
    kind = _INVERSE[kind] if inverse else kind
    x = wide(floating(x))
    for d, n in zip(dims, sizes, strict=True):
        x = fitted(name, x, d, x.var.shape[d] if n is None else n)
        if kind == 1 and not sine and x.var.shape[d] < 2:
            raise RuntimeError(
                f"{name}(): a cosine transform of type 1 needs at least 2 elements; found {hint(x.var.shape[d])} in "
                f"dimension {d}"
            )
    if not dims:
        return P.reshape(x, shape=x.var.shape)
    weighted = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    if x.dtype.kind == "c":
        return P.complex(*(_scaled(part, dims, sine, kind, scale, weighted) for part in (P.real(x), P.imag(x))))
    return _scaled(x, dims, sine, kind, scale, weighted)


def _scaled(x: Tensor, dims: tuple[int, ...], sine: bool, kind: int, scale: int, weighted: bool) -> Tensor:
    """The transform of a real tensor, divided by the scale-th power of sqrt(N), its ends weighted or not."""
    plain = kind == 4 or (sine and kind == 1)  # these have no weights: orthogonal when they are divided by sqrt(N)
    if plain or weighted == (scale == 1):
        return P.trig(x, dims=dims, sine=sine, type=kind, scale=scale)
    change = 0 if kind != 1 else 1 if sine else -1
    root = P.sqrt(filled(prod(2 * (x.var.shape[d] + change) for d in dims), x))
    y = P.trig(x, dims=dims, sine=sine, type=kind, scale=1 if weighted else 0)
    return y * root if weighted and scale == 0 else y / root


def _one(name: str, doc: str) -> Operator:
    """A transform along one dimension."""

    def transform(
        x: Tensor,
        type: int = 2,
        n: Int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: Any = None,
        orthogonalize: bool | None = None,
    ) -> Tensor:
        return _trig(name, x, type, (one_dim(name, x, axis),), (n,), norm, orthogonalize)

    return operator(name=name, namespace="fft", method=False, doc=doc)(transform)


def _many(name: str, doc: str) -> Operator:
    """A transform along several dimensions."""

    def transform(
        x: Tensor,
        type: int = 2,
        s: Ints | None = None,
        axes: Dims = None,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: Any = None,
        *,
        orthogonalize: bool | None = None,
    ) -> Tensor:
        return _trig(name, x, type, *many_dims(name, x, s, axes), norm, orthogonalize)

    return operator(name=name, namespace="fft", method=False, doc=doc)(transform)


_INVERSE_OF = """The inverse of {0} of the same type, norm and orthogonalize. Args, errors: as {0}; norm "backward"
    divides by N.
    """

dct = _one(
    "dct",
    """The discrete cosine transform along one dimension.

    Args:
        x: any shape; complex tensors part by part.
        type: 1 to 4.
        n: cut, or fill with zeros, to this length first.
        axis: the dimension.
        norm: "backward" (none), "ortho" (divided by sqrt(N)) or "forward" (by N), N = 2 n, for type 1 2 (n - 1).
        overwrite_x, workers: accepted, without effect.
        orthogonalize: weight the ends so that the transform is orthogonal; default norm == "ortho".

    Returns:
        x's dtype; integers in the default float dtype, half precision in float32.

    Raises:
        ValueError: for another type.
        IndexError: for an axis out of range.
        RuntimeError: for n < 1, or n < 2 with type 1.
    """,
)
dst = _one(
    "dst",
    """The discrete sine transform along one dimension. Args, errors: as dct; N = 2 n, for type 1 2 (n + 1), which may
    be of one element.
    """,
)
dctn = _many(
    "dctn",
    """The discrete cosine transform along several dimensions. Otherwise as dct, N being the product over
    the dimensions.

    Args:
        s: lengths to cut or fill to, one per dimension, -1 to leave it.
        axes: ints; default the last len(s), or all.

    Raises:
        RuntimeError: s and axes do not agree, or for repeated axes.
    """,
)
dstn = _many("dstn", "The discrete sine transform along several dimensions. Args, errors: as dctn; N as for dst.")
idct, idst = (_one(f"i{name}", _INVERSE_OF.format(name)) for name in ("dct", "dst"))
idctn, idstn = (_many(f"i{name}", _INVERSE_OF.format(name)) for name in ("dctn", "dstn"))

"""Samples of operators/elementwise/complex.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, samples, unary


@samples("conj_physical", dtypes="all", reference=lambda np, x: np.conj(x) if np.asarray(x).dtype.kind == "c" else x)
def _(make: Make) -> Iterator[Any]:
    yield from unary(make)


@samples("conj", dtypes="all", reference=lambda np, x: np.conj(x) if np.asarray(x).dtype.kind == "c" else x)
def _(make: Make) -> Iterator[Any]:
    yield from unary(make)


@samples(
    "angle",
    dtypes="all",
    reference=lambda np, x: np.angle(x if np.asarray(x).dtype.kind == "c" else np.asarray(x, np.float64)),
)
def _(make: Make) -> Iterator[Any]:
    yield from unary(make)


@samples("resolve_conj", dtypes="all", reference=lambda np, x: x)
def _(make: Make) -> Iterator[Any]:
    yield from unary(make)


@samples("resolve_neg", dtypes="all", reference=lambda np, x: x)
def _(make: Make) -> Iterator[Any]:
    yield from unary(make)


_NO_TENSOR = {"vmap": "the result is a Python bool"}


@samples("is_conj", dtypes="float complex", grad=False, skip=_NO_TENSOR)
def _(make: Make) -> Iterator[Any]:
    yield from unary(make)
    yield ErrorSample(TypeError, "is_conj", 1)


@samples("is_neg", dtypes="float complex", grad=False, skip=_NO_TENSOR)
def _(make: Make) -> Iterator[Any]:
    yield from unary(make)
    yield ErrorSample(TypeError, "is_neg", 1)

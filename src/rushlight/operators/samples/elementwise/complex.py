"""Samples of operators/elementwise/complex.py."""

from __future__ import annotations

from rushlight.operators.samples._registry import ErrorSample, Make, Samples, samples, unary

for _name in ("conj_physical", "conj"):
    samples(_name, dtypes="all", reference=lambda np, x: np.conj(x) if np.asarray(x).dtype.kind == "c" else x)(unary)
samples(
    "angle",
    dtypes="all",
    reference=lambda np, x: np.angle(x if np.asarray(x).dtype.kind == "c" else np.asarray(x, np.float64)),
)(unary)


samples("resolve_conj", dtypes="all", reference=lambda np, x: x)(unary)
samples("resolve_neg", dtypes="all", reference=lambda np, x: x)(unary)


_NO_TENSOR = {"vmap": "the result is a Python bool"}


@samples("is_conj", dtypes="float complex", grad=False, skip=_NO_TENSOR)
def _(make: Make) -> Samples:
    yield from unary(make)
    yield ErrorSample(TypeError, "is_conj", 1)


@samples("is_neg", dtypes="float complex", grad=False, skip=_NO_TENSOR)
def _(make: Make) -> Samples:
    yield from unary(make)
    yield ErrorSample(TypeError, "is_neg", 1)

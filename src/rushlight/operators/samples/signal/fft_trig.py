"""Samples of cosine and sine transforms; the reference is SciPy."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


def _reference(name: str) -> Any:
    def run(np: ModuleType, x: Any, *args: Any, **kwargs: Any) -> Any:
        import scipy.fft

        f = getattr(scipy.fft, name)
        if np.iscomplexobj(x):  # part by part: SciPy 1.17 forgets orthogonalize for complex arrays
            return f(x.real, *args, **kwargs) + 1j * f(x.imag, *args, **kwargs)
        return f(x, *args, **kwargs)

    return run


def _one(make: Make) -> Samples:
    for kind in (1, 2, 3, 4):
        yield Sample(make((6,)), kind)
        yield Sample(make((3, 5)), kind, norm="ortho")
        yield Sample(make((3, 5)), kind, axis=0, norm="forward")
        yield Sample(make((3, 4)), kind, norm="ortho", orthogonalize=False)
        yield Sample(make((3, 4)), kind, orthogonalize=True)
        yield Sample(make((3, 4)), kind, norm="forward", orthogonalize=True)
    yield Sample(make((2, 3, 4)), 2, 5, 1)
    yield Sample(make((2, 5)), 3, 3)
    yield Sample(make((5, 4), noncontiguous=True), axis=-2)
    yield ErrorSample(ValueError, "type must be 1, 2, 3 or 4", make((3,)), 5)
    yield ErrorSample(IndexError, "'dim' must name a dimension, and a 0-d tensor has none; found -1", make(()))
    yield ErrorSample(IndexError, r"'dim' must be in \[-1, 0\] for a 1-d tensor; found 1", make((3,)), axis=1)
    yield ErrorSample(RuntimeError, "a transform needs at least 1 element; found the size 0", make((3,)), n=0)
    yield ErrorSample(
        RuntimeError, "'norm' must be 'backward', 'ortho' or 'forward'; found 'unit'", make((3,)), norm="unit"
    )


def _many(make: Make) -> Samples:
    for kind in (1, 2, 3, 4):
        yield Sample(make((3, 4)), kind)
        yield Sample(make((2, 3, 4)), kind, axes=(0, 2), norm="ortho")
        yield Sample(make((3, 2, 4)), kind, (4, 5), (2, 0), "forward")
        yield Sample(make((3, 4)), kind, norm="ortho", orthogonalize=False)
        yield Sample(make((3, 4)), kind, orthogonalize=True)
    yield Sample(make((2, 4, 3), noncontiguous=True), axes=(1,))
    yield ErrorSample(RuntimeError, r"'dim' must name each dimension once; found \[0, 0\]", make((3, 4)), axes=(0, 0))
    yield ErrorSample(
        RuntimeError, "'s' and 'dim' must be of one length; found 1 and 2", make((3, 4)), s=(3,), axes=(0, 1)
    )
    yield ErrorSample(ValueError, "type must be", make((3, 4)), 0)


for _name in ("dct", "idct", "dst", "idst"):
    samples(f"fft.{_name}", dtypes="float32 float64 complex int64 float16", reference=_reference(_name))(_one)
    samples(f"fft.{_name}n", dtypes="float32 float64", reference=_reference(_name + "n"))(_many)

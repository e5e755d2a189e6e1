"""Samples of Fourier transforms."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


def _complex(make: Make) -> ErrorSample:
    """What a transform of real tensors refuses."""
    x = make((3, 4)).to(dt.complex_of(make.dtype))
    return ErrorSample(RuntimeError, r"'input' must be real; found torch\.complex64", x)


def _one(name: str, real_input: bool) -> None:
    def reference(np: ModuleType, x: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
        return getattr(np.fft, name)(x, n, dim, norm)

    def generate(make: Make) -> Samples:
        yield Sample(make((6,)))
        yield Sample(make((3, 5)))
        yield Sample(make((3, 5)), dim=0, norm="ortho")
        yield Sample(make((2, 3, 4)), 7, 1, "forward")
        yield Sample(make((2, 5)), 3, norm="backward")
        yield Sample(make((5, 4), noncontiguous=True), dim=-2)
        yield Sample(make((0, 4)))
        yield Sample(make((3, 2)), 1)
        yield ErrorSample(IndexError, "'dim' must name a dimension, and a 0-d tensor has none; found -1", make(()))
        yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4)), dim=2)
        yield ErrorSample(RuntimeError, "a transform needs at least 1 element; found the size 0", make((3, 4)), 0)
        yield ErrorSample(RuntimeError, "a transform needs at least 1 element; found the size -3", make((3, 4)), -3)
        yield ErrorSample(
            RuntimeError, "'norm' must be 'backward', 'ortho' or 'forward'; found 'unit'", make((3, 4)), norm="unit"
        )
        yield ErrorSample(TypeError, "norm", make((3, 4)), norm=2)
        yield ErrorSample(TypeError, "must be int", make((3, 4)), 2.5)
        if real_input:
            yield _complex(make)

    samples(
        f"fft.{name}",
        dtypes="float32 float64 float16 bfloat16 int64 bool" if real_input else "float complex int64 bool",
        reference=reference,
    )(generate)


def _many(name: str, real_input: bool) -> None:
    def generate(make: Make) -> Samples:
        yield Sample(make((3, 4)))
        yield Sample(make((2, 3, 5)), (4, -1))
        yield Sample(make((2, 3, 4)), dim=(0, 2), norm="ortho")
        yield Sample(make((3, 2, 4), noncontiguous=True), (2, 5), (1, 0), "forward")
        yield Sample(make((2, 4)), dim=-1, norm="backward")
        yield Sample(make((0, 3, 4)), dim=(1, 2))
        yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4)), dim=(0, 2))
        yield ErrorSample(
            RuntimeError, r"'dim' must name each dimension once; found \[1, 1\]", make((3, 4)), dim=(1, -1)
        )
        yield ErrorSample(
            RuntimeError, "'s' and 'dim' must be of one length; found 1 and 2", make((3, 4)), (3,), (0, 1)
        )
        yield ErrorSample(RuntimeError, "a transform needs at least 1 element; found the size 0", make((3, 4)), (3, 0))
        yield ErrorSample(
            RuntimeError, "'norm' must be 'backward', 'ortho' or 'forward'; found 'unit'", make((3, 4)), norm="unit"
        )
        if not name.endswith("2"):
            yield ErrorSample(
                RuntimeError,
                "'s' must not be longer than 'input' has dimensions, 2; found 3 sizes",
                make((3, 4)),
                (1, 2, 3),
            )
        if name not in ("fftn", "ifftn", "fft2", "ifft2"):
            yield ErrorSample(RuntimeError, "'dim' must name at least 1 dimension; found none", make((3, 4)), dim=())
        if real_input:
            yield _complex(make)

    samples(
        f"fft.{name}", dtypes="float32 float64 float16 int64" if real_input else "float32 float64 float16 complex int64"
    )(generate)


for _base, _real in (
    ("fft", False),
    ("ifft", False),
    ("rfft", True),
    ("irfft", False),
    ("hfft", False),
    ("ihfft", True),
):
    _one(_base, _real)
    _many(_base + "n", _real)
    _many(_base + "2", _real)


def _shifts(make: Make) -> Samples:
    yield Sample(make((5,)))
    yield Sample(make((4, 3)))
    yield Sample(make((4, 3)), 1)
    yield Sample(make((2, 5, 3), noncontiguous=True), (0, 1))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "'input' must be of 1 dimension or more; found 0", make(()))
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4)), dim=2)
    yield ErrorSample(RuntimeError, r"'dim' must name at least 1 dimension; found \(\)", make((3, 4)), dim=())


samples("fft.fftshift", dtypes="all", reference=lambda np, x, dim=None: np.fft.fftshift(x, dim))(_shifts)
samples("fft.ifftshift", dtypes="all", reference=lambda np, x, dim=None: np.fft.ifftshift(x, dim))(_shifts)


def _frequencies(make: Make) -> Samples:
    yield Sample(5, dtype=make.dtype)
    yield Sample(6, 0.25, dtype=make.dtype)
    yield Sample(1, 2, dtype=make.dtype)
    yield ErrorSample(RuntimeError, r"'n' must be at least 0 in each dimension; found \[-1\]", -1)
    yield ErrorSample(TypeError, "argument 'n'", 2.5)
    yield ErrorSample(RuntimeError, r"'dtype' must be a float or complex dtype; found torch\.int64", 4, dtype=dt.int64)


def _fftfreq(np: ModuleType, n: int, d: float = 1.0, *, dtype: Any = None) -> Any:
    return np.fft.fftfreq(n, d)


def _rfftfreq(np: ModuleType, n: int, d: float = 1.0, *, dtype: Any = None) -> Any:
    return np.fft.rfftfreq(n, d)


samples("fft.fftfreq", dtypes="float32 float64", reference=_fftfreq, grad=False)(_frequencies)
samples("fft.rfftfreq", dtypes="float32 float64", reference=_rfftfreq, grad=False)(_frequencies)

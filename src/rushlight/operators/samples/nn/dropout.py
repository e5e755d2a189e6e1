"""Samples of dropout."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


def _dropout(make: Make) -> Samples:
    # Without a coin to toss the result is known; tests of the distributions are in the random suite.
    yield Sample(make((3, 4)), 0.5, False)
    yield Sample(make((3, 4)), 0.0, True)
    yield Sample(make((3, 4)), 1.0, True)
    yield ErrorSample(ValueError, r"'p' must be a probability, in \[0, 1\]; found 1\.5", make((3, 4)), 1.5, True)


def _channels(n: int) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        sizes = (3, *(4, 5, 2)[:n])
        yield Sample(make((2, *sizes)), 0.5, False)
        yield Sample(make((2, *sizes)), 0.0)
        yield Sample(make((2, *sizes)), p=1.0)
        if n != 2:
            yield Sample(make(sizes), 1.0)
        yield ErrorSample(ValueError, r"'p' must be a probability, in \[0, 1\]; found 1\.5", make((2, *sizes)), 1.5)
        if n == 1:
            yield ErrorSample(RuntimeError, r"'input' must be \(N, C, L\) or \(C, L\); found a 1-d one", make((3,)))

    return generate


for _n in (1, 2, 3):
    samples(f"nn.functional.dropout{_n}d", dtypes="float32 float64")(_channels(_n))


for _name in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"):
    samples(_name, dtypes="float32 float64")(_dropout)
    samples(f"{_name}_", dtypes="float32 float64", grad=False)(_dropout)

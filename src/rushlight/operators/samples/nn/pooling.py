"""Samples of pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples

_SPACE: dict[int, tuple[int, ...]] = {1: (9,), 2: (6, 7), 3: (5, 6, 4)}
_WINDOWS: tuple[dict[str, Any], ...] = (
    {"kernel_size": 2},
    {"kernel_size": 3, "stride": 2, "padding": 1},
    {"kernel_size": 3, "stride": 2, "ceil_mode": True},
)


def _pool(n: int, *more: dict[str, Any]) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        for kwargs in (*_WINDOWS, *more):
            yield Sample(make((2, 3, *_SPACE[n])), **kwargs)
        yield Sample(make((3, *_SPACE[n])), 2)
        yield ErrorSample(
            RuntimeError,
            "'padding' must be at most half a window; found 2 for kernel_size=2 with dilation=1",
            make((2, 3, *_SPACE[n])),
            2,
            padding=2,
        )

    return generate


def _adaptive(n: int) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        for size in (1, 2, 3):
            yield Sample(make((2, 3, *_SPACE[n])), (size,) * n)
        yield Sample(make((2, 3, *_SPACE[n])), (*(2,) * (n - 1), 0))
        if n > 1:
            yield ErrorSample(ValueError, f"'input' must be of more than {n} dimensions", make((3,) * n), (2,) * n)
        yield ErrorSample(
            RuntimeError,
            r"'output_size' must be at least 0 in each dimension; found \[-1",
            make((2, 3, *_SPACE[n])),
            (-1,) * n,
        )

    return generate


for _n in (1, 2, 3):
    samples(f"max_pool{_n}d", tolerance=4.0)(_pool(_n, {"kernel_size": 2, "dilation": 2}))
    samples(f"nn.functional.avg_pool{_n}d", dtypes="float int64", tolerance=8.0)(
        _pool(_n, {"kernel_size": 3, "padding": 1, "count_include_pad": False})
    )
    samples(f"nn.functional.adaptive_avg_pool{_n}d", tolerance=8.0)(_adaptive(_n))
    samples(f"nn.functional.max_pool{_n}d_with_indices", dtypes="float32 float64")(_pool(_n))
    samples(f"nn.functional.adaptive_max_pool{_n}d_with_indices", dtypes="float32 float64")(_adaptive(_n))


@samples("nn.functional.lp_pool2d", tolerance=8.0)
def _lp_pool(make: Make) -> Samples:
    yield Sample(make((2, 3, 6, 7)), 2.0, 2)
    yield Sample(make((2, 3, 6, 7), low=0.1, high=2), 3.0, 3, stride=2)


@samples("nn.functional.lp_pool1d", dtypes="float32 float64")
def _lp_pool1d(make: Make) -> Samples:
    yield Sample(make((2, 3, 8), low=0.5, high=2.0), 2, 3)
    yield Sample(make((3, 9), low=0.5, high=2.0), 3, 2, 2, True)
    yield Sample(make((3, 9)), math.inf, 2, 3, True)
    yield Sample(make((2, 3, 8)), -math.inf, 3)


@samples("nn.functional.lp_pool3d", dtypes="float32 float64")
def _lp_pool3d(make: Make) -> Samples:
    yield Sample(make((2, 1, 4, 4, 4), low=0.5, high=2.0), 2, 2)


def _fractional(n: int) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        def given(*lead: int) -> Any:
            return make((*lead, n), low=0, high=0.99, requires_grad=False)

        yield Sample(make((2, 3, *_SPACE[n])), 2, 3, _random_samples=given(2, 3))
        yield Sample(make((2, 3, *_SPACE[n])), 2, output_ratio=0.5, _random_samples=given(2, 3))
        yield Sample(make((3, *_SPACE[n])), 3, (1,) * n, return_indices=True, _random_samples=given(1, 3))
        yield ErrorSample(
            ValueError, "'output_size' or 'output_ratio' must be given; found neither", make((2, 3, *_SPACE[n])), 2
        )
        yield ErrorSample(
            RuntimeError,
            "4 windows of kernel_size=4 must fit into dimension -[23] of 'input'; found the size [56]",
            make((2, 3, *_SPACE[n])),
            4,
            4,
        )
        yield ErrorSample(
            RuntimeError,
            r"'_random_samples' must have the shape \[2, 3, \d\]; found \[2, 2, \d\]",
            make((2, 3, *_SPACE[n])),
            2,
            3,
            _random_samples=given(2, 2),
        )

    return generate


for _n in (2, 3):
    for _name in (f"fractional_max_pool{_n}d", f"fractional_max_pool{_n}d_with_indices"):
        samples(f"nn.functional.{_name}", dtypes="float32 float64")(_fractional(_n))


@samples("adaptive_max_pool1d", dtypes="float32 float64")
def _adaptive_max_pool1d(make: Make) -> Samples:
    yield Sample(make((2, 3, 9)), 4)
    yield Sample(make((3, 8)), (2,))


def _adaptive_max(n: int) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        yield Sample(make((2, 3, *_SPACE[n])), 2)
        yield Sample(make((3, *_SPACE[n])), (2,) * n, return_indices=True)
        yield ErrorSample(RuntimeError, "'output_size' must be at least 0", make((2, 3, *_SPACE[n])), -1)

    return generate


for _n in (1, 2, 3):
    samples(f"nn.functional.adaptive_max_pool{_n}d", dtypes="float32 float64")(_adaptive_max(_n))


for _name, _error, _match, _shapes, _rest, _more in (
    (
        "nn.functional.avg_pool2d",
        RuntimeError,
        "'divisor_override' must not be 0",
        [(1, 1, 4, 4)],
        [2],
        {"divisor_override": 0},
    ),
    (
        "nn.functional.fractional_max_pool2d",
        RuntimeError,
        "'kernel_size' must be at least 1",
        [(1, 1, 4, 4)],
        [0],
        {"output_size": 2},
    ),
    ("nn.functional.lp_pool1d", ZeroDivisionError, "'norm_type' must not be 0", [(1, 1, 4)], [0, 2], {}),
    ("max_pool1d", RuntimeError, "'kernel_size' must be at least 1", [(1, 1, 4)], [0], {}),
    ("max_pool1d", RuntimeError, "'padding' must be at least 0", [(1, 1, 4)], [2], {"padding": -1}),
):
    refused(
        _name,
        _error,
        _match,
        lambda make, shapes=_shapes, rest=_rest: (*map(make, shapes), *rest),  # type: ignore[misc]
        **_more,
    )

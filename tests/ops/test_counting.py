"""Distinct elements, counts and histograms of few elements, which the core finds by itself, against the road that all others take."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.ops import sorting

INTEGERS = (rushlight.int64, rushlight.int32, rushlight.int16, rushlight.int8, rushlight.uint8)
FLOATS = (rushlight.float32, rushlight.float64)
SHAPES = ((), (0,), (1,), (7,), (4, 5), (128,), (129,))


@contextmanager
def general_road() -> Iterator[None]:
    """No call counts as a usual one."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("plain_unique", "plain_bincount", "plain_histogram"):
            patch.setattr(sorting, name, lambda *args: None)
        yield


def told(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """All that can be seen of what a call returns or raises."""
    try:
        found = call(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    each = (found,) if isinstance(found, Tensor) else found
    return type(found), [(t.dtype, t.shape, t.stride(), t.requires_grad, t.is_inference(), str(t.tolist())) for t in each]


def check(call: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    usual = told(call, *args, **kwargs)
    with general_road():
        assert usual == told(call, *args, **kwargs)


def inputs(dtype: rushlight.dtype) -> Iterator[Tensor]:
    """Few distinct values, in all of SHAPES and in a column."""
    low = 0 if dtype in (rushlight.uint8, rushlight.bool) else -3
    for shape in SHAPES:
        yield rushlight.randint(low, 4, shape).to(dtype)
    yield rushlight.randint(low, 4, (6, 3)).to(dtype).t()


@pytest.mark.parametrize("dtype", (*INTEGERS, *FLOATS, rushlight.bool, rushlight.float16, rushlight.uint16), ids=str)
def test_unique(dtype: rushlight.dtype) -> None:
    rushlight.manual_seed(0)
    for x in inputs(dtype if dtype is not rushlight.uint16 else rushlight.uint8):
        for call in (rushlight.unique, rushlight.unique_consecutive):
            for inverse in (False, True):
                for counts in (False, True):
                    check(call, x.to(dtype), return_inverse=inverse, return_counts=counts)


def test_unique_of_extreme_numbers() -> None:
    x = rushlight.tensor([math.nan, 1.0, -math.inf, math.nan, math.inf, 0.0, 0.0, -1e-45, 1e300, math.inf, -math.nan], dtype=rushlight.float64)
    n = rushlight.tensor([2**63 - 1, -(2**63), 0, -1, 2**63 - 1, 2**53 + 1, 2**53])
    for t in (x, x.float(), x[:1], x[0], n, x.clone().requires_grad_()):
        check(rushlight.unique, t, return_inverse=True, return_counts=True)
        check(rushlight.unique_consecutive, t, return_inverse=True, return_counts=True)
    zeros = rushlight.tensor([0.0, -0.0, 0.0])
    assert rushlight.unique(zeros).tolist() == rushlight.unique_consecutive(zeros).tolist() == [0.0]
    with rushlight.inference_mode():
        check(rushlight.unique, n, return_counts=True)


@pytest.mark.parametrize("dtype", (*INTEGERS, rushlight.uint16, rushlight.bool, rushlight.float32), ids=str)
def test_bincount(dtype: rushlight.dtype) -> None:
    rushlight.manual_seed(0)
    for x in inputs(rushlight.uint8):
        for minlength in (0, 3, 9, True, -1, 8192, 8193):
            check(rushlight.bincount, x.to(dtype), minlength=minlength)
    for values in ([3, -1], [8191], [8192], [127, 0, 127]):
        if dtype is rushlight.int64 or max(values) < 128:
            check(rushlight.bincount, rushlight.tensor(values).to(dtype) if dtype is not rushlight.uint16 else rushlight.tensor(values))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")      # NumPy's, of NaN and infinite edges
@pytest.mark.parametrize("dtype", (*FLOATS, rushlight.int64), ids=str)
def test_histogram(dtype: rushlight.dtype) -> None:
    rushlight.manual_seed(0)
    edges = ([0.0, 1.0], [-1.0, -0.5, 0.25, 2.0], [0.0, 0.0, 1.0, 1.0], [1.0, 0.0], [math.nan, 1.0], [-math.inf, 0.0, math.inf], [1.0])
    for shape in SHAPES:
        x = rushlight.randn(shape).to(dtype)
        for density in (False, True):
            for between in (None, (0, 1), (0.1, 0.7), (-1, 2.5), (1, 0), (2.0, 2.0), (math.nan, 1.0), (0.0, math.inf), [0.0, 1.0]):
                for bins in (1, 3, 10, 127, 128, 0, -1, True):
                    if shape or between != (math.nan, 1.0):
                        check(rushlight.histogram, x, bins, range=between, density=density)
            for given in edges:
                check(rushlight.histogram, x, rushlight.tensor(given, dtype=dtype if dtype in FLOATS else None), density=density)
            check(rushlight.histogram, x, rushlight.tensor(edges[1]).double(), density=density)
    for values in ([math.nan, 1.0], [math.inf, 1.0], [0.5, 0.5], [0.0, 0.1, 0.2, 0.3, 1.0, 2.0]):
        check(rushlight.histogram, rushlight.tensor(values).to(dtype), 10)
        check(rushlight.histogram, rushlight.tensor(values).to(dtype), rushlight.tensor([0.0, 0.1, 0.2, 1.0]).to(dtype))


def test_these_calls_are_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """The core answers them: no array is made."""
    def refuse(*args: Any) -> None:
        raise AssertionError
    monkeypatch.setattr(sorting, "array_of", refuse)
    x = rushlight.randn(5)
    rushlight.unique(x), rushlight.unique_consecutive(x), rushlight.bincount(rushlight.tensor([1, 2])), rushlight.histogram(x, 4, density=True)

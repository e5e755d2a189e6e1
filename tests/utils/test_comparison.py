"""torch.testing: what assert_close says of values that differ, and what make_tensor refuses."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight
from rushlight.testing import assert_close, make_tensor

X = rushlight.tensor([1.0, 2.0])


@pytest.mark.parametrize(
    ("actual", "expected", "options", "words"),
    [
        (X, X + 1, {}, "Mismatched elements: 2 / 2"),
        (X, X.double(), {}, "'actual' must have the dtype torch.float64 of 'expected'; found torch.float32"),
        (X, X[:1], {}, r"'actual' must have the shape \(1,\) of 'expected'; found \(2,\)"),
        (
            rushlight.ones(2, 2),
            rushlight.ones(2, 2).t(),
            {"check_stride": True},
            r"'actual' must have the stride \(1, 2\) of 'expected'; found \(2, 1\)",
        ),
        ([X], [X, X], {}, "'actual' must have the length 2 of 'expected'; found 1"),
        ({"a": [X]}, {"a": [X + 1]}, {}, r"not close! \(at \['a'\]\[0\]\)"),
        ({"a": X}, {"b": X}, {}, r"'actual' must have the keys of 'expected'; found \['a', 'b'\] in one of them alone"),
        (None, X, {}, "'actual' must be tensor.*; found None"),
        (1.0, 2.0, {}, "Scalars are not close!\n\nExpected: 2.0\nFound: 1.0"),
        (1, 1.0, {"allow_subclasses": False}, "'actual' must be of the type float of 'expected'; found int"),
    ],
)
def test_assert_close_says_what_differs(actual: Any, expected: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        assert_close(actual, expected, **options)


def test_refused_arguments() -> None:
    with pytest.raises(
        ValueError, match="assert_close: 'rtol' and 'atol' must be given together; found rtol=1, atol=None"
    ):
        assert_close(X, X, rtol=1)
    for options, words in (
        ({"low": float("nan")}, "'low' and 'high' must be numbers other than NaN"),
        ({"low": 3, "high": 2}, "'low' must be below 'high'; found 3, 2"),
        (
            {"noncontiguous": True, "memory_format": rushlight.contiguous_format},
            "'noncontiguous' and 'memory_format' exclude each other",
        ),
    ):
        with pytest.raises(ValueError, match=f"make_tensor: {words}"):
            make_tensor(2, dtype=rushlight.float32, device="cpu", **options)
    with pytest.raises(ValueError, match=r"make_tensor: 'requires_grad' must be False for torch\.int64"):
        make_tensor(2, dtype=rushlight.int64, device="cpu", requires_grad=True)

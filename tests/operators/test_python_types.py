"""Python's types as dtypes: bool, int, float and complex stand for bool, int64, float64 and complex128 wherever a dtype
is asked for.
"""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl

CALLS: list[tuple[Any, Any]] = [
    (lambda d: rl.zeros(2, dtype=d), None),
    (lambda d: rl.full((2,), 1, dtype=d), None),
    (lambda d: rl.arange(3, dtype=d), bool),
    (lambda d: rl.tensor([1, 0], dtype=d), None),
    (lambda d: rl.asarray([1, 0], dtype=d), None),
    (lambda d: rl.zeros_like(rl.ones(2), dtype=d), None),
    (lambda d: rl.ones(2).new_zeros(2, dtype=d), None),
    (lambda d: rl.ones(2).to(d), None),
    (lambda d: rl.ones(2).to(dtype=d), None),
    (lambda d: rl.ones(2).to("cpu", d), None),
    (lambda d: rl.ones(2).sum(dtype=d), bool),
    (lambda d: rl.ones(2).cumsum(0, dtype=d), bool),
    (lambda d: rl.nn.functional.softmax(rl.ones(2), 0, dtype=d), (bool, int, complex)),
    (lambda d: rl.nn.Linear(2, 2, dtype=d).weight, (bool, int)),
    (lambda d: rl.promote_types(d, d), None),
]
TYPES = {bool: rl.bool, int: rl.int64, float: rl.float64, complex: rl.complex128}


@pytest.mark.parametrize("call", range(len(CALLS)))
def test_types_are_dtypes(call: int) -> None:
    function, without = CALLS[call]
    for kind, dtype in TYPES.items():
        if without is None or not issubclass(kind, without):
            result = function(kind)
            assert (result.dtype if isinstance(result, rl.Tensor) else result) is dtype


def test_questions() -> None:
    assert rl.finfo(float) == rl.finfo(rl.float64) and rl.iinfo(int) == rl.iinfo(rl.int64)
    assert rl.can_cast(int, float) and not rl.can_cast(float, int)
    assert rl.promote_types(int, rl.float32) is rl.float32


def test_other_types_are_not() -> None:
    for wrong in (str, list, rl.Tensor, object):
        with pytest.raises(TypeError, match="dtype"):
            rl.zeros(2, dtype=wrong)
    with pytest.raises(TypeError):
        rl.promote_types(str, rl.float32)

"""Conversions from every dtype to every other one, read from memory and within a program."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import rushlight as rl

DTYPES = (
    *(rl.float16, rl.bfloat16, rl.float32, rl.float64, rl.complex32, rl.complex64, rl.complex128),
    *(rl.float8_e4m3fn, rl.float8_e5m2, rl.bool, rl.uint8, rl.int8, rl.int16, rl.int32, rl.int64),
)
PAIRS = list(itertools.product(DTYPES, DTYPES))


def _numbers(x: Any) -> Any:
    """Its values, which each of the dtypes has, to compare."""
    return x.to(rl.complex128).real.tolist()


@pytest.mark.filterwarnings("ignore")  # of imaginary parts that are lost
@pytest.mark.parametrize(("source", "target"), PAIRS, ids=lambda d: str(d)[6:])
def test_conversions(source: Any, target: Any) -> None:
    for shape in ((), (3,), (70,), (5, 7)):
        ones = rl.ones(shape, dtype=source)
        for x in (ones, ones.expand(2, *shape)[:, None] if shape else ones):
            for y in (x.to(target), x.contiguous().to(target), rl.empty(x.shape, dtype=target).copy_(x)):
                assert y.dtype is target and _numbers(y) == _numbers(x)
    back = rl.compile(lambda x: x.to(target).to(source), options={"always": True})(rl.ones(70, dtype=source))
    assert back.dtype is source and _numbers(back) == [1.0] * 70

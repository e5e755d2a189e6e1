"""Numbers of NumPy and of other kinds as arguments of calls in a compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl

NUMBERS: list[Any] = [
    np.float32(2.5),
    np.float64(3),
    np.float16(1.5),
    np.int64(2),
    np.uint8(1),
    np.bool_(True),
    np.complex64(1 + 2j),
    np.array(2.5),
    np.array(1),
    True,
]
CALLS: list[Callable[[Any, Any], Any]] = [
    lambda x, v: x * v,
    lambda x, v: v - x,
    lambda x, v: v / x,
    lambda x, v: x // v,
    lambda x, v: x**v,
    lambda x, v: x > v,
    lambda x, v: rl.add(x, x, alpha=v),
    lambda x, v: x.addcmul(x, x, value=v),
    lambda x, v: x.clamp(max=v),
    lambda x, v: x.masked_fill(x > 0, v),
    lambda x, v: rl.where(x > 0, x, v),
    lambda x, v: rl.nn.functional.leaky_relu(x, v),
    lambda x, v: rl.lerp(x, x, v),
    lambda x, v: x.sum(v),
    lambda x, v: x.roll(v),
    lambda x, v: x[v:],
    lambda x, v: x.view(v, -1),
    lambda x, v: x.narrow(0, 0, v),
    lambda x, v: x.repeat(v),
    lambda x, v: rl.nn.functional.pad(x, (v, 0)),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [rl.float32, rl.float16, rl.int64], ids=str)
def test_numbers_are_taken_as_they_are_elsewhere(dtype: Any) -> None:
    x = rl.tensor([1, -2, 3, 4], dtype=dtype)
    for at, call in enumerate(CALLS):
        for v in NUMBERS:

            def f(x: Any, call: Any = call, v: Any = v) -> Any:
                return call(x * 1, v).abs() * 1

            def found(f: Any) -> str:
                try:
                    y = f(x)
                except Exception as error:
                    return f"{type(error)} {error}"
                return f"{y.dtype} {y.tolist()}"

            for options in ({"always": True}, None):
                compiled: Any = rl.compile(f, options=options)
                for _ in range(2):
                    assert found(compiled) == found(f), (at, v)

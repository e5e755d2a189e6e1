"""Numbers that an operator has no meaning for are refused where PyTorch refuses them: every float of every sample at 0,
-1, 2, NaN and the infinities.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.testing.samples import load

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "operators"))

from support import find_public  # noqa: E402
from test_operators import counterpart, to_torch  # noqa: E402

VALUES = (0.0, -1.0, 2.0, math.nan, math.inf, -math.inf)
# Refused here alone, where PyTorch makes something without meaning of them; and an error of PyTorch's own making.
STRICTER = {
    "kaiser_window": "beta below 0, or not finite",
    "signal.windows.kaiser": "beta not finite",
    "rrelu_": "slopes without bounds",
    "nn.functional.cross_entropy": "label_smoothing below 0",
    "nn.functional.linear_cross_entropy": "label_smoothing below 0",
}
LAXER = {
    ("lobpcg", math.inf): "a division by zero in its Python code",
    # One ratio for all dimensions is documented, and taken for three dimensions; for two its Python code asks a number
    # for its length.
    ("nn.functional.fractional_max_pool2d", 0.0): "the length of a number",
    ("nn.functional.fractional_max_pool2d_with_indices", 0.0): "the length of a number",
}
NAMES = [name for name in sorted(load()) if not name.rpartition(".")[2].startswith("_")]


def numbers(sample: Any) -> Iterator[int | str]:
    """Where a sample has floats."""
    yield from [i for i, a in enumerate(sample.args) if type(a) is float]
    yield from [k for k, a in sample.kwargs.items() if type(a) is float]


def with_number(sample: Any, place: int | str, value: float) -> tuple[list[Any], dict[str, Any]]:
    args, kwargs = list(sample.args), dict(sample.kwargs)
    if isinstance(place, int):
        args[place] = value
    else:
        kwargs[place] = value
    return args, kwargs


def raised(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Exception | None:
    try:
        function(*args, **kwargs)
    except Exception as error:
        return error
    return None


def test_the_same_numbers_are_refused() -> None:
    compared, unlike = 0, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in NAMES:
            theirs, ours = counterpart(name), find_public(name)
            if theirs is None:
                continue
            seen: set[int | str] = set()
            known = load()[name]
            for sample in known.samples(rushlight.float32 if rushlight.float32 in known.dtypes else known.dtypes[0]):
                for place in numbers(sample):
                    if place in seen:
                        continue
                    seen.add(place)
                    for value in VALUES:
                        args, kwargs = with_number(sample, place, value)
                        expected = raised(
                            theirs, list(map(to_torch, args)), {k: to_torch(v) for k, v in kwargs.items()}
                        )
                        found = raised(
                            ours, [a.detach().clone() if isinstance(a, rushlight.Tensor) else a for a in args], kwargs
                        )
                        compared += 1
                        allowed = name in STRICTER if expected is None else (name, value) in LAXER
                        if (expected is None) is not (found is None) and not allowed:
                            unlike.append((name, place, value, str(expected)[:120], str(found)[:120]))
    assert unlike == []
    assert compared > 800


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128", "float8_e5m2"]
)
def test_tensors_are_filled_with_numbers_of_their_dtype_alone(dtype: str) -> None:
    """The largest of each dtype, what is beyond it, and what has no size at all."""
    numbers = [
        449.0,
        57344.0,
        57345.0,
        65504.0,
        65505.0,
        65520.0,
        3.3895313892515355e38,
        3.39e38,
        3.4028234663852886e38,
    ]
    numbers += [3.4028235e38, 1e300, -1e39, float("inf"), float("nan")]
    if "complex" in dtype:
        numbers += [1e39j, complex(0, float("inf")), complex(3, 1e39)]  # type: ignore[list-item]
    for number in numbers:
        found = []
        for M in (torch, rushlight):
            d = getattr(M, dtype)
            x = M.ones(2, dtype=d)
            for fill in (
                lambda M=M, d=d, n=number: M.full((2,), n, dtype=d),
                lambda M=M, d=d, n=number: M.full((1 << 18,), n, dtype=d),
                lambda M=M, x=x, n=number: M.full_like(x, n),
                lambda x=x, n=number: x.new_full((2,), n),
            ):
                try:
                    fill()
                    found.append("filled")
                except RuntimeError:
                    found.append("refused")
        assert found[:4] == found[4:], number

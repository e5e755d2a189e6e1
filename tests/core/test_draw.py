"""What the core draws with, handed over wrong: an error that says what was found, and neither a crash nor a byte
outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight
from rushlight.core import draw, raw
from rushlight.operators.random import random as programs
from rushlight.operators.random.generators import _counter_words
from rushlight.operators.table.define import operator
from rushlight.operators.table.tracer import P, convert
from rushlight.operators.table.types import Int, Number


@operator(name="short", register=False)
def _short(
    radii: rushlight.Tensor, angles: rushlight.Tensor, mean: Number, std: Number, *, dtype: Any
) -> tuple[rushlight.Tensor, rushlight.Tensor]:
    """Half of the numbers that are wanted."""
    n = radii.var.shape[0] // 2
    part = P.slice(convert(radii, dtype), starts=(0,), sizes=(n,), steps=(1,))
    return part, part


@operator(name="narrow", register=False)
def _narrow(
    radii: rushlight.Tensor, angles: rushlight.Tensor, mean: Number, std: Number, *, dtype: Any
) -> tuple[rushlight.Tensor, rushlight.Tensor]:
    """Numbers of another dtype than the one that is wanted."""
    from rushlight.core import dtypes as dt

    return convert(radii, dt.uint8), convert(angles, dt.uint8)


GENERATOR = rushlight.Generator()
DOUBLES = rushlight.full((4,), 2.0, dtype=rushlight.float64)
# A sequence of values, numbers that do not fit, other dtypes, strides, devices and no tensors at all, for each way into
# the core.
WRONG: dict[str, Callable[[], Any]] = {
    **{
        f"a probability of {p}": lambda p=p: draw.draw_bernoulli(GENERATOR, (2, 4), p)
        for p in (-0.1, 1.5, math.nan, math.inf, -math.inf, 1e300)
    },
    "bools of 65 dimensions": lambda: draw.draw_bernoulli(GENERATOR, (1,) * 65, 0.5),
    "bools of sizes beyond 63 bits": lambda: draw.draw_bernoulli(GENERATOR, (2**40, 2**40), 0.5),
    "bools of no size": lambda: draw.draw_bernoulli(GENERATOR, 8, 0.5),  # type: ignore[arg-type]
    **{
        f"{name} of {n}": lambda call=call, n=n: call(n)
        for n in (-1, -(2**63), 2**61, 2**62, 2**63 - 1)
        for name, call in {
            "bools": lambda n: draw.draw_bernoulli(GENERATOR, (n,), 0.5),
            "permutation": lambda n: draw.draw_permutation(GENERATOR, n),
            "numbers": lambda n: draw.draw_vector(programs.UNIT, GENERATOR, n, rushlight.float32, ()),
            "normal numbers": lambda n: draw.draw_vector(programs.NORMAL, GENERATOR, n, rushlight.float64, (0.0, 1.0)),
        }.items()
    },
    **{
        f"{name} of {what}": lambda call=call, t=t: call(t)
        for what, t in {
            "float32": DOUBLES.float(),
            "strided": rushlight.ones(8, dtype=rushlight.float64)[::2],
            "expanded": rushlight.ones(1, dtype=rushlight.float64).expand(9),
            "meta": DOUBLES.to("meta"),
            "no tensor": 3,
        }.items()
        for name, call in {
            "poisson": lambda t: draw.draw_poisson(GENERATOR, t),
            "gamma": lambda t: draw.draw_gamma(GENERATOR, t, False),
            "binomial": lambda t: draw.draw_binomial(GENERATOR, t, t),
            "places": lambda t: draw.draw_places(GENERATOR, t, 3, False),
            "trials and probabilities": lambda t: draw.draw_binomial(GENERATOR, DOUBLES, t),
        }.items()
    },
    "probabilities of another count": lambda: draw.draw_binomial(GENERATOR, DOUBLES, DOUBLES[:2]),
    "weights of one dimension": lambda: draw.draw_places(GENERATOR, DOUBLES, 3, False),
    "rows without weights": lambda: draw.draw_places(
        GENERATOR, rushlight.ones(3, 0, dtype=rushlight.float64), 3, False
    ),
    "a negative count of places": lambda: draw.draw_places(GENERATOR, DOUBLES.reshape(2, 2), -1, False),
    **{
        f"numbers of {d!r}": lambda d=d: draw.draw_vector(programs.NORMAL, GENERATOR, 100, d, (0.0, 1.0))
        for d in ("float32", 3, rushlight.float8_e5m2, None)
    },
    "too few numbers": lambda: draw.draw_vector(programs.UNIFORM, GENERATOR, 8, rushlight.float32, (0.0,)),
    "too many numbers": lambda: draw.draw_vector(programs.UNIFORM, GENERATOR, 8, rushlight.float32, (0.0, 1.0, 2.0)),
    "blocks of half as many": lambda: draw.draw_vector(
        draw.Draw(programs.NORMAL.op, "normal", _short), GENERATOR, 64, rushlight.float32, (0.0, 1.0)
    ),
    "blocks of another dtype": lambda: draw.draw_vector(
        draw.Draw(programs.NORMAL.op, "normal", _narrow), GENERATOR, 64, rushlight.float32, (0.0, 1.0)
    ),
    "no such source": lambda: draw.Draw(programs.UNIT.op, "bits"),
    "an operator without a dtype": lambda: draw.Draw(rushlight.add, "word"),
    "no stream": lambda: draw.draw_permutation(None, 3),
    "a state that is cut": lambda: GENERATOR.set_twister_state(b"short", 3, False, None),
    "a state that is used up": lambda: GENERATOR.set_twister_state(bytes(2496), 625, False, None),
    "a kept number that is none": lambda: GENERATOR.set_twister_state(bytes(2496), 3, False, "1.0"),
    "a seed that does not fit": lambda: GENERATOR.restart(2**64),
    "bytes of a strided tensor": lambda: raw.read_bytes(rushlight.ones(1).expand(10**6)),
    "bytes for a strided tensor": lambda: raw.copy_bytes(rushlight.ones(1).expand(4), bytes(16)),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_handed_over_wrong(what: str) -> None:
    with pytest.raises(
        (RuntimeError, TypeError, ValueError, OverflowError, NotImplementedError, KeyError, MemoryError)
    ) as found:
        WRONG[what]()
    assert "internal:" not in str(found.value)
    assert rushlight.rand(3, generator=GENERATOR).shape == (3,)  # and the next call works


def _too_few(n: Int, seed: Number, offset: Number) -> Any:
    return _counter_words(n // 2, seed, offset)


@pytest.mark.parametrize(
    "words",
    [
        _too_few,
        lambda n, seed, offset: rushlight.ones(n),
        lambda n, seed, offset: None,
        lambda n, seed, offset: _counter_words(2 * n, seed, offset)[::2],
    ],
)
def test_words_of_a_counter_that_are_wrong(words: Callable[..., Any]) -> None:
    generator = rushlight.Generator(kind="philox")
    draw.set_counter_words(words)
    try:
        with pytest.raises((RuntimeError, TypeError)):
            rushlight.rand(64, generator=generator)
    finally:
        draw.set_counter_words(_counter_words)
    assert rushlight.rand(64, generator=generator).shape == (64,)

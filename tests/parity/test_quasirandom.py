"""Sobol's points are PyTorch's, drawn, skipped and scrambled."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")
pytest.importorskip("scipy")


def program(module: Any, dimension: int, scramble: bool) -> list[Any]:
    engine = module.quasirandom.SobolEngine(dimension, scramble=scramble, seed=11)
    found = [repr(engine), engine.draw(1).tolist(), engine.draw(5).tolist(), engine.num_generated]
    engine.fast_forward(100)
    found += [engine.draw(3, dtype=module.float64).tolist(), engine.quasi.tolist(), engine.shift.tolist()]
    engine.reset()
    found += [engine.draw_base2(2).tolist(), engine.draw_base2(2).tolist(), engine.sobolstate.tolist()]
    engine.reset()
    engine.fast_forward(7)
    out = module.zeros(2, dimension)
    assert engine.draw(2, out=out) is out
    return [*found, out.tolist()]


@pytest.mark.parametrize("scramble", [False, True])
@pytest.mark.parametrize("dimension", [1, 2, 3, 17, 400])
def test_the_points(dimension: int, scramble: bool) -> None:
    assert program(rushlight, dimension, scramble) == program(torch, dimension, scramble)


def test_the_last_dimension() -> None:
    ours, theirs = (m.quasirandom.SobolEngine(m.quasirandom.SobolEngine.MAXDIM) for m in (rushlight, torch))
    assert (ours.sobolstate.numpy() == theirs.sobolstate.numpy()).all()


def test_an_engine_without_a_seed_draws_from_the_default_generator() -> None:
    drawn = []
    for module in (rushlight, torch):
        module.manual_seed(3)
        drawn.append(module.quasirandom.SobolEngine(4, scramble=True).draw(9).tolist())
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda m: m.quasirandom.SobolEngine(0)),
        (ValueError, lambda m: m.quasirandom.SobolEngine(21202)),
        (RuntimeError, lambda m: m.quasirandom.SobolEngine(2).draw(-1)),
        (NotImplementedError, lambda m: m.quasirandom.SobolEngine(2).draw(2, dtype=m.half)),
        (ValueError, lambda m: m.quasirandom.SobolEngine(2).fast_forward(3).draw_base2(1)),
    ],
)
def test_refused(error: type[Exception], call: Any) -> None:
    for module in (rushlight, torch):
        with pytest.raises(error):
            call(module)

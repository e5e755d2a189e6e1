"""Integers equal themselves: a kernel whose result follows from that reads none of them."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as rl


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "bool"])
@pytest.mark.parametrize("name", ["isfinite", "isnan", "isinf", "isreal", "signbit"])
def test_predicates_of_integers(name: str, dtype: str, capsys: pytest.CaptureFixture[str]) -> None:
    values = np.array([[3, 0, 1, 7], [1, 1, 0, 2]]).astype(dtype)
    x = rl.tensor(values)[:, ::2]
    found = getattr(rl, name)(x)
    assert found.dtype == rl.bool
    np.testing.assert_array_equal(found.numpy(), getattr(np, name)(values[:, ::2].astype("float64")))
    if dtype.startswith("u") or name != "signbit":
        rl.explain(name, x)
        assert "= load(" not in capsys.readouterr().out


def test_floats_are_read() -> None:
    x = rl.tensor([1.0, float("nan"), float("inf")])
    assert (x == x).tolist() == [True, False, True]
    assert rl.isfinite(x).tolist() == [True, False, False]

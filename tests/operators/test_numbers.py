"""Numbers that are given at launch: a call compiled for some gives others what is theirs."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import operator
from rushlight.operators.table.tracer import P, filled, result_type, wide_numbers
from rushlight.program.ir import Builder, aside
from rushlight.program.sym import SymEnv

ODD_NUMBERS = (2.0, math.nan, 0.0, -0.0, 1.5, math.inf, -math.inf, 5e-324, 1e308, math.nan, 3, -0.0, 2.0)


@pytest.mark.parametrize("how", ["pinned", "compared", "two", "computed"])
def test_a_number_of_the_call_is_that_of_this_call(how: str) -> None:
    """Whatever a body does with a number, the result is of the number that is given now: NaN, which equals nothing, and
    the two zeros among them.
    """

    @operator(name=f"of_a_number_{how}", register=False)
    def op(x: Tensor, a: float = 1.0, b: float = 2.0) -> Tensor:
        """x by what is made of the numbers."""
        if how == "pinned":
            made: Any = float(a)
        elif how == "compared":
            made = (
                (a == 2) + 2 * (a < 1) + 4 * (a <= 0) + 8 * (a > 1.5) + 16 * (a >= 1.5) + 32 * (a != 0) + 64 * bool(a)
            )
        elif how == "two":
            made = (a < b) + 2 * (a == b) + 4 * (a >= b)
        else:
            made = (a - 1) * 2 + b
        return P.mul(x, filled(made, x))

    def expected(a: float, b: float) -> float:
        if how == "pinned":
            return float(a)
        if how == "compared":
            return (
                (a == 2) + 2 * (a < 1) + 4 * (a <= 0) + 8 * (a > 1.5) + 16 * (a >= 1.5) + 32 * (a != 0) + 64 * bool(a)
            )
        return (a < b) + 2 * (a == b) + 4 * (a >= b) if how == "two" else (a - 1) * 2 + b

    one = rl.ones(1, dtype=rl.float64)
    for a, b in itertools.product(ODD_NUMBERS, ODD_NUMBERS):
        got, wanted = op(one, a, b).item(), expected(a, b)
        assert (got == wanted and math.copysign(1, got) == math.copysign(1, wanted)) or (
            math.isnan(got) and math.isnan(wanted)
        ), (a, b, got, wanted)


@pytest.mark.parametrize(
    "wrong",
    [
        [(0, "??", 1.0, -1, True)],
        [(0, "==", "x", -1, True)],
        [(2**40, "==", 1.0, -1, True)],
        [3],
        [(0, "==")],
        "no list",
        [None],
    ],
)
def test_guards_that_are_no_comparisons(wrong: Any) -> None:
    """They are errors, and leave the call without a guard; one on a number that is not there never holds."""

    @operator(name="guarded", register=False)
    def op(x: Tensor, a: float = 1.0) -> Tensor:
        """x times a."""
        return P.mul(x, filled(a, x))

    one = rl.ones(1)
    assert op(one, 3.0).item() == 3
    (call,) = [c for c in op.cached() if c.program is not None]
    with pytest.raises((ValueError, TypeError, OverflowError)):
        call.valid_for(wrong)
    assert op(one, 4.0).item() == 4
    call.valid_for([(100, "==", 1.0, -1, True), (0, "<", 0.0, 100, True)])
    assert op(one, 5.0).item() == 5
    with pytest.raises(RuntimeError, match="already"):
        call.valid_for([(0, "==", 1.0, -1, True)])


def test_addr_of_bools_takes_bools_and_integers_as_factors() -> None:
    x, a, b = rl.tensor([[True, False], [False, True]]), rl.tensor([True, False]), rl.tensor([False, True])
    outer = np.outer([True, False], [False, True])
    for alpha in (True, False, 0, 1, 2, -3):
        for beta in (True, False, 0, 1, 2, 7):
            expected = (np.eye(2, dtype=bool) & bool(beta)) | (outer & bool(alpha))
            assert (rl.addr(x, a, b, beta=beta, alpha=alpha).numpy() == expected).all(), (alpha, beta)


def test_wide_numbers_are_those_of_one_trace() -> None:
    """Not of a trace within it, of none, or of what comes after an error."""
    assert result_type(1.0, 2.0) is rl.float32
    with Builder(SymEnv()):
        with wide_numbers():
            with wide_numbers():
                assert result_type(1.0, 2.0) is rl.float64
            assert result_type(1.0, 2.0) is rl.float64 and result_type(1, rl.ones(1)) is rl.float32
            with Builder(SymEnv()):
                assert result_type(1.0, 2.0) is rl.float32
            with aside():
                assert result_type(1.0, 2.0) is rl.float32
        assert result_type(1.0, 2.0) is rl.float32
        with pytest.raises(ZeroDivisionError), wide_numbers():
            1 / 0  # noqa: B018
        assert result_type(1.0, 2.0) is rl.float32
    with pytest.raises(RuntimeError, match="outside of a trace"), wide_numbers():
        pass


@pytest.mark.parametrize("correction", [math.inf, 1e300, 2.0**62, 2**62])
def test_correction_beyond_every_size(correction: float) -> None:
    with pytest.warns(UserWarning, match="no degree of freedom"):
        assert rl.var(rl.arange(3.0), correction=correction).item() == math.inf
    with pytest.warns(UserWarning, match="no degree of freedom"):
        assert rl.std_mean(rl.ones(3), correction=correction)[0].isnan()


@pytest.mark.parametrize("decimals", [309, -309, 2**40, -(2**40)])
def test_decimals_beyond_every_number(decimals: int) -> None:
    """As in PyTorch: the power of ten is infinite."""
    for dtype in (rl.float32, rl.float64, rl.float16):
        assert rl.round(rl.tensor([1.5, 0.0], dtype=dtype), decimals=decimals).isnan().all()


def test_windows_of_infinite_width() -> None:
    for beta in (math.inf, math.nan):
        assert rl.signal.windows.kaiser(4, beta=beta).isnan().all()
        assert rl.kaiser_window(4, True, beta).isnan().all()


# (Of lcm's products in 32 and 64 bits the sign is lost, in NumPy too.)
@pytest.mark.parametrize(
    ("name", "dtype"),
    [*(("gcd", d) for d in (np.int8, np.int16, np.int32, np.int64)), ("lcm", np.int8), ("lcm", np.int16)],
)
def test_divisors_of_the_least_integer(name: str, dtype: Any) -> None:
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    a, b = (x.ravel() for x in np.meshgrid(*[np.array([least, most, least + 1, 7, -6, 1, 0], dtype)] * 2))
    assert getattr(rl, name)(rl.from_numpy(a), rl.from_numpy(b)).tolist() == getattr(np, name)(a, b).tolist()

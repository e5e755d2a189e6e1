"""Numbers that a dtype cannot hold are refused where PyTorch refuses them, and written as there where it takes them."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch

import rushlight

DTYPES = ("float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool", "complex64")
NUMBERS = (
    *("-1e9", "70000", "65519", "65520", "1e39", "3.39e38", "3.4e38", "3.5e38", "float('-inf')", "float('nan')"),
    *("300", "127.9", "-1", "-1.5", "-200", "-256", "2**31", "2**40", "2**62", "-2**63", "True"),
)
SQUARE = "M.ones(3, 3, dtype=x.dtype)"
# `x` is a tensor of three ones, `n` the number, `mask` a mask of its shape, `M` the module.
CALLS = (
    "x.fill_(n)",
    "x.fill_(n * 1j)",
    "x.fill_(n + 0j)",
    "x.masked_fill(mask, n * 1j)",
    "x.__setitem__(0, n + 0j) or x",
    "x.__setitem__(mask, n * 1j) or x",
    "M.fill(x, n)",
    "x.masked_fill(mask, n)",
    "x.masked_fill_(mask, n)",
    "x.index_fill(0, M.tensor([1]), n)",
    "x.scatter(0, M.tensor([1]), n)",
    "x.new_full((2,), n)",
    "M.full_like(x, n)",
    "M.scalar_tensor(n, dtype=x.dtype)",
    "M.where(mask, x, n)",
    "x[:, None].expand(3, 3).clone().fill_diagonal_(n)",
    "x.__setitem__(0, n) or x",
    "x.__setitem__(mask, n) or x",
    "x.__setitem__(M.tensor([0, 2]), n) or x",
    "x.clamp(max=n)",
    "x.clamp(0, n)",
    "x.clamp_(n, None)",
    "M.clamp_max(x, n)",
    "x.clamp(max=M.tensor(n))",
    "M.nn.functional.threshold(x, 2, n)",
    "M.nn.functional.hardshrink(x, n)",
    "M.nn.functional.softshrink(x, n)",
    "M.add(x, x, alpha=n)",
    "M.index_add(x, 0, M.tensor([0]), x[:1], alpha=n)",
    "M.linspace(0, n, 2, dtype=x.dtype)",
    "M.addcmul(x, x, x, value=n)",
    "M.addcdiv(x, x, x, value=n)",
    "M.lerp(x, x, n)",
    *(f"M.addmv(x, {SQUARE}, x, {factor}=n)" for factor in ("alpha", "beta")),
    *(f"M.addr(x, x, x, {factor}=n)" for factor in ("alpha", "beta")),
    *(f"M.addmm(x, {SQUARE}, {SQUARE}, {factor}=n)" for factor in ("alpha", "beta")),
    *(f"M.baddbmm(x, {SQUARE}[None], {SQUARE}[None], {factor}=n)" for factor in ("alpha", "beta")),
    *(f"M.addbmm(x, {SQUARE}[None], {SQUARE}[None], {factor}=n)" for factor in ("alpha", "beta")),
    "x.pow(n)",
    "M.pow(n, x)",
    "M.logit(x / 2, eps=n)",
    *(f"M.nn.functional.{name}(-x, n)" for name in ("elu", "celu", "leaky_relu", "softplus")),
    "M.nn.functional.softplus(x, threshold=n)",
)
# Of these calls it is compared whether they are refused: what a factor cut to an integer, or a product that overflows,
# comes to is compared by the operators' own tests.
REFUSALS = CALLS[CALLS.index("M.addcmul(x, x, x, value=n)") :]
# Refused there, whatever the number; a bool is a factor here, and no exponent of bools.
ELSE_THERE = {
    ("M.linspace(0, n, 2, dtype=x.dtype)", "bool"),
    *(
        (call, "True")
        for call in ("M.add(x, x, alpha=n)", "M.addr(x, x, x, alpha=n)", "M.addr(x, x, x, beta=n)", "x.pow(n)")
    ),
}


def result(module: ModuleType, call: str, dtype: str, n: Any) -> Any:
    names = {
        "M": module,
        "x": module.ones(3, dtype=getattr(module, dtype)),
        "n": n,
        "mask": module.tensor([True, False, True]),
    }
    return refused_or(lambda: eval(call, names).tolist())


def refused_or(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (RuntimeError, TypeError, ValueError, OverflowError):
        return "refused"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_refused_as_there(call: str, dtype: str) -> None:
    for number in NUMBERS:
        if not ELSE_THERE.isdisjoint(((call, dtype), (call, number))):
            continue
        n = eval(number)
        ours, theirs = result(rushlight, call, dtype, n), result(torch, call, dtype, n)
        if call in REFUSALS:
            ours, theirs = ours == "refused", theirs == "refused"
        assert str(ours) == str(theirs), f"{call} with n = {number} for {dtype}"


BIG = ("x + n", "n - x", "x * n", "x > n", "x.masked_fill(mask, n)", "x.fill_(n)", "M.where(mask, x, n)", "x / n")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("call", BIG)
def test_ints_that_int64_does_not_hold(call: str, dtype: str) -> None:
    for n in (2**63, 2**63 + 2**62, 2**64 - 1):
        assert str(result(rushlight, call, dtype, n)) == str(result(torch, call, dtype, n)), n


def test_a_call_of_numbers_that_fit_is_compiled_once_for_all_of_them() -> None:
    x = rushlight.ones(3, dtype=rushlight.float16)
    for n in (5.0, float("inf"), 65504.0, float("nan"), -65504.0):
        assert str(x.masked_fill(x > 0, n)[0].item()) == str(n)
        with pytest.raises(
            RuntimeError, match=r"masked_fill_\(\): the number -1000000000.0 does not fit into dtype torch\.float16"
        ):
            x.masked_fill(x > 0, -1e9)
        with pytest.raises(RuntimeError, match=r"fill_\(\): the number 65536 does not fit into dtype torch\.float16"):
            x.fill_(65536)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"])
def test_infinities_of_formats_of_eight_bits(dtype: str) -> None:
    for number in (float("nan"), 5.0, float("inf"), 1e6, float("nan"), float("-inf")):
        ours, theirs = (
            refused_or(lambda m=m, n=number: m.full((2,), n, dtype=getattr(m, dtype)).float().tolist())
            for m in (rushlight, torch)
        )
        assert str(ours) == str(theirs), number


@pytest.mark.parametrize("index", [0, slice(1), None, ..., [0], [True, False, True]], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bool", "complex64"])
def test_an_int_beyond_64_bits_is_not_assigned(dtype: str, index: Any) -> None:
    for n in (2**63, 2**64, -(2**63) - 1):
        for module in (rushlight, torch):
            with pytest.raises(ValueError, match=r"[Oo]verflow"):
                module.zeros(3, dtype=getattr(module, dtype))[index] = n

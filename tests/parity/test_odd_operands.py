"""Operands and arguments that are rare but allowed: 0-d tensors of another dtype, no dimensions to reduce, tensors
given as `out` that decide the dtype; what no transform takes, and writes in place below `jvp` that must be refused as
they are without it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

DTYPES = "float32 float64 float16 bfloat16 int64 int8 uint8 bool complex64".split()


def outcome(lib: Any, call: Callable[[Any], Any]) -> Any:
    """What a call gives, or the kind of its error (of which NotImplementedError is a RuntimeError)."""
    try:
        y = call(lib)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        return "RuntimeError" if isinstance(error, RuntimeError) else type(error).__name__
    return str(y.dtype), tuple(y.shape), y.tolist()


def compare(calls: dict[str, Callable[[Any], Any]]) -> None:
    found = []
    for name, call in calls.items():
        theirs, ours = outcome(torch, call), outcome(rushlight, call)
        if theirs != ours:
            found.append(f"{name}: {theirs} in PyTorch, {ours} here")
    assert not found, "\n".join(found)


def of(lib: Any, dtype: str, *numbers: float) -> Any:
    return lib.tensor(numbers).to(getattr(lib, dtype))


def test_weights_without_dimensions_take_part_in_promotion() -> None:
    compare(
        {
            f"lerp of {a} by {b}, shape {shape}": lambda M, a=a, b=b, shape=shape: M.lerp(
                of(M, a, 1.0, 3.0), of(M, a, 5.0, 4.0), of(M, b, 1.0).reshape(shape)
            )
            for a, b, shape in itertools.product(DTYPES, DTYPES, ((), (1,)))
            if not (a == "float16" and b == "complex64")  # (complex32 is computed here)
        }
    )


def test_exponents_of_bools() -> None:
    compare({f"ldexp of {a}": lambda M, a=a: M.ldexp(of(M, a, 1, 2), of(M, "bool", 1, 0)) for a in DTYPES})


def test_no_dimensions_to_reduce() -> None:
    calls: dict[str, Callable[[Any], Any]] = {}
    for name, dims, keepdim, dtype in itertools.product(("any", "all", "sum"), ((), []), (False, True), DTYPES):
        calls[f"{name} of {dtype}, {dims}, {keepdim}"] = lambda M, n=name, d=dims, k=keepdim, t=dtype: getattr(M, n)(
            of(M, t, 1, 0, 2).reshape(3, 1), dim=d, keepdim=k
        )
    compare(calls)


def test_out_decides_the_dtype_of_sums() -> None:
    compare(
        {
            f"{name} of {a} to {b}": lambda M, n=name, a=a, b=b: getattr(M, n)(
                of(M, a, 1.75, 2.5), 0, out=M.empty(0, dtype=getattr(M, b))
            )
            for name, a, b in itertools.product(("sum", "prod", "cumsum", "cumprod"), DTYPES[:8], DTYPES[:8])
        }
    )
    assert rushlight.sum(rushlight.full((1000,), 0.1), 0, out=rushlight.empty(0, dtype=rushlight.float64)).item() == (
        pytest.approx(torch.full((1000,), 0.1).double().sum().item(), abs=1e-12)
    )


@pytest.mark.parametrize("given", [1.0, "a", None])
def test_transforms_of_what_is_no_tensor(given: Any) -> None:
    compare(
        {
            "grad": lambda M: M.func.grad(lambda x: x)(given),
            "vjp": lambda M: M.func.vjp(lambda x: x, given)[0],
            "jvp": lambda M: M.func.jvp(lambda x: x, (given,), (M.ones(1),))[0],
            "jacrev": lambda M: M.func.jacrev(lambda x: x)(given),
        }
    )


IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "add_": lambda M, x: x.add_(1j),
    "mul_": lambda M, x: x.mul_(M.ones(4)),
    "eq_": lambda M, x: x.eq_(M.ones(4)),
    "div_": lambda M, x: x.div_(M.ones(2, 3)),
    "pow_": lambda M, x: x.pow_(M.ones(3, dtype=M.complex64)),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_writes_in_place_below_jvp_are_refused_by_their_name(name: str) -> None:
    def within(lib: Any) -> Any:
        return lib.func.jvp(lambda x: IN_PLACE[name](lib, x.clone()), (lib.ones(3),), (lib.ones(3),))[0]

    for lib in (torch, rushlight):
        with pytest.raises(RuntimeError):
            IN_PLACE[name](lib, lib.ones(3))
        with pytest.raises(RuntimeError) as found:
            within(lib)
    assert f"{name}()" in str(found.value)

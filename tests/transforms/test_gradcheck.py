"""`gradcheck`: outputs without a graph; `fast_mode`: what it accepts, what it finds, and how many calls that takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.autograd import gradcheck, gradgradcheck
from rushlight.autograd.gradcheck import GradcheckError
from rushlight.core.tensor import Tensor


class Wrong(rl.autograd.Function):
    """x squared, whose derivative is wrong by `error` in one element."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, error: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.error = error
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        slope = 2 * x
        slope[3] += ctx.error
        return slope * g, None

    @staticmethod
    def jvp(ctx: Any, t: Tensor, _: Any) -> Tensor:
        (x,) = ctx.saved_tensors
        slope = 2 * x
        slope[3] += ctx.error
        return slope * t


def double(*shape: int, dtype: Any = rl.float64) -> Tensor:
    return rl.randn(*shape, dtype=dtype, requires_grad=True)


def counted(fn: Callable[..., Any]) -> tuple[Callable[..., Any], list[int]]:
    calls = [0]

    def counting(*arguments: Any) -> Any:
        calls[0] += 1
        return fn(*arguments)

    return counting, calls


@pytest.mark.parametrize("fast", [False, True])
def test_outputs_without_a_graph_are_left_out(fast: bool) -> None:
    x = double(3)
    assert gradcheck(lambda x: (x.detach(), x * x, x > 0), (x,), fast_mode=fast, check_forward_ad=True)
    with pytest.raises(GradcheckError, match=r"'func' has no graph"):
        gradcheck(lambda x: x.detach(), (x,), fast_mode=fast)


@pytest.mark.parametrize("forward", [False, True])
def test_few_calls_are_enough(forward: bool) -> None:
    rl.manual_seed(0)
    fn, calls = counted(lambda x, w: (rl.tanh(x @ w), (x * x).sum(), x.detach()))
    assert gradcheck(fn, (double(9, 30), double(30, 7)), fast_mode=True, check_forward_ad=forward)
    assert calls[0] < 15  # 960 and more in full


def test_second_derivatives_and_complex_numbers() -> None:
    rl.manual_seed(0)
    assert gradgradcheck(lambda x: (x**3).sum(0) * x, (double(6, 5),), fast_mode=True, check_fwd_over_rev=True)
    z = double(5, dtype=rl.complex128)
    assert gradcheck(lambda z: (z * z.conj() * z, z.abs()), (z,), fast_mode=True, check_forward_ad=True)
    assert gradcheck(lambda x: (x * 2, x.sum()), (double(0, 3),), fast_mode=True)


@pytest.mark.parametrize("error", [-1e-2, 0.1, 1.0])
@pytest.mark.parametrize("mode", ["check_backward_ad", "check_forward_ad"])
def test_one_wrong_element_is_found(error: float, mode: str) -> None:
    rl.manual_seed(0)
    modes = {"check_backward_ad": False, "check_forward_ad": False, mode: True}
    x = double(50)
    with pytest.raises(GradcheckError, match=r"row 3, column 3 must be .*as differences say"):
        gradcheck(Wrong.apply, (x, error), fast_mode=True, **modes)
    assert not gradcheck(Wrong.apply, (x, error), fast_mode=True, raise_exception=False, **modes)
    assert gradcheck(Wrong.apply, (x, 0.0), fast_mode=True, **modes)


def test_the_input_and_the_stream_stay() -> None:
    x = double(4)
    with rl.no_grad():
        x[0] = -0.0
    before, state = x.tolist(), rl.get_rng_state()
    assert gradcheck(rl.sin, (x,), fast_mode=True)
    assert str(x.tolist()) == str(before)
    assert rl.equal(rl.get_rng_state(), state)

"""A device with a number: the CPU has one memory, whatever number a program writes behind its name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import rushlight as rl

MAKERS: dict[str, Callable[[object], rl.Tensor]] = {
    "ones": lambda d: rl.ones(2, device=d),
    "tensor": lambda d: rl.tensor([1.0, 2.0], device=d),
    "as_tensor": lambda d: rl.as_tensor([1.0, 2.0], device=d),
    "arange": lambda d: rl.arange(2.0, device=d),
    "randn": lambda d: rl.randn(2, device=d),
    "empty_like": lambda d: rl.empty_like(rl.ones(2), device=d),
    "new_zeros": lambda d: rl.ones(2).new_zeros(2, device=d),
    "to": lambda d: rl.ones(2).to(d),
    "to dtype": lambda d: rl.ones(2).to(d, rl.float64),
    "to keyword": lambda d: rl.ones(2).to(device=d),
    "module": lambda d: rl.nn.Linear(2, 1).to(d).weight,
    "module made there": lambda d: rl.nn.Linear(2, 1, device=d).weight,
}


@pytest.mark.parametrize("where", ["cpu:0", "cpu:3", rl.device("cpu", 0)], ids=str)
@pytest.mark.parametrize("name", MAKERS)
def test_made_there(name: str, where: object) -> None:
    made = MAKERS[name](where)
    assert made.device == rl.device("cpu") and made.numel() == 2
    assert (made + 1).device == rl.device("cpu")


def test_a_copy_with_gradients() -> None:
    x = rl.tensor([1.0, 2.0], requires_grad=True)
    y = x.to("cpu:0")
    assert y is not x and y.data_ptr() != x.data_ptr()
    (y * y).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [2.0, 4.0]

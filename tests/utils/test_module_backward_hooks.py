"""A module's backward hooks: what they see and replace, with and without inputs that require grad, and their errors."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight
from rushlight import nn


class Two(nn.Module):
    def forward(self, x: Any, y: Any, scale: float) -> Any:
        return x * y * scale, x + y


def test_hooks_see_a_place_for_every_value() -> None:
    seen: list[Any] = []
    m = Two()
    m.register_full_backward_pre_hook(lambda mod, grads: (grads[0] * 10, grads[1]))
    m.register_full_backward_hook(
        lambda mod, into, out: seen.append(([g is not None for g in into], out[0].item(), out[1]))
    )
    x, y = rushlight.tensor(2.0, requires_grad=True), rushlight.tensor(3.0)
    product, _ = m(x, y, 0.5)
    product.backward()
    assert seen == [([True, True, False], 10.0, None)] and x.grad is not None and x.grad.item() == 15.0


def test_hooks_of_a_module_whose_inputs_need_no_gradient() -> None:
    seen: list[Any] = []
    m = nn.Linear(2, 1, bias=False)
    m.register_full_backward_hook(lambda mod, into, out: seen.append((into, out[0].tolist())))
    m(rushlight.ones(1, 2)).sum().backward()
    assert seen == [((None,), [[1.0]])] and m.weight.grad is not None
    m.register_full_backward_hook(lambda mod, into, out: (rushlight.ones(1, 2),))
    with pytest.raises(
        RuntimeError, match=r"Linear: the backward hook .* must return None, for no input of the module requires grad"
    ):
        m(rushlight.ones(1, 2)).sum().backward()


def test_a_hook_must_return_as_many_gradients_as_it_got() -> None:
    x = rushlight.ones(2, requires_grad=True)
    m = nn.ReLU()
    handle = m.register_full_backward_hook(lambda mod, into, out: (into[0], into[0]))
    with pytest.raises(RuntimeError, match=r"ReLU: the backward hook .* must return None or 1 gradients; found 2"):
        m(x).sum().backward()
    handle.remove()
    m.register_full_backward_pre_hook(lambda mod, out: ())
    with pytest.raises(RuntimeError, match=r"ReLU: the backward hook .* must return None or 1 gradients; found 0"):
        m(x).sum().backward()


def test_hooks_do_not_run_for_a_result_in_a_list() -> None:
    class Listed(nn.Module):
        def forward(self, x: Any) -> Any:
            return [x * 2]

    seen: list[Any] = []
    m = Listed()
    m.register_full_backward_hook(lambda mod, into, out: seen.append(into))
    x = rushlight.ones(1, requires_grad=True)
    with pytest.warns(UserWarning, match="Listed: backward hooks"):
        m(x)[0].backward()
    assert not seen and x.grad is not None and x.grad.item() == 2.0


def test_hooks_do_not_run_for_a_gradient_that_passes_by_the_result() -> None:
    class Leaky(nn.Module):
        def forward(self, x: Any) -> Any:
            self.inner = x * 2
            return self.inner + 1

    seen: list[Any] = []
    m = Leaky()
    m.register_full_backward_hook(lambda mod, into, out: seen.append(into))
    x = rushlight.ones(1, requires_grad=True)
    m(x)
    m.inner.backward()
    assert not seen and x.grad is not None and x.grad.item() == 2.0

"""The engine's bookkeeping: runs within runs, runs after errors, and the ones that backward starts with."""

from __future__ import annotations

import copy
import threading
from typing import Any

import pytest

import rushlight as rl


def test_a_run_within_a_run_over_the_same_graph() -> None:
    """A hook runs the graph that it is called from: each run counts for itself."""
    x = rl.tensor([1.0, 2.0], dtype=rl.float64).requires_grad_()
    h = x * 3.0
    y = (h * h).sum() + h.sum()
    inner: list[Any] = []

    def hook(g: rl.Tensor) -> None:
        if not inner:
            inner.append(None)
            inner[0] = rl.autograd.grad(y, x, retain_graph=True)[0]

    h.register_hook(hook)
    (outer,) = rl.autograd.grad(y, x, retain_graph=True)
    expected = [18.0 + 3.0, 36.0 + 3.0]
    assert outer.tolist() == expected
    assert inner[0].tolist() == expected
    y.backward()
    assert x.grad.tolist() == expected


def test_a_run_that_accumulates_within_a_run() -> None:
    x = rl.tensor([1.0, 2.0], dtype=rl.float64).requires_grad_()
    other = (x * 10.0).sum()
    y = x * 3.0
    y.register_hook(lambda g: other.backward())
    y.sum().backward()
    assert x.grad.tolist() == [13.0, 13.0]


def test_a_run_after_one_that_failed() -> None:
    x = rl.tensor([1.0, 2.0], dtype=rl.float64).requires_grad_()
    y = x * 3.0
    failing = [True]

    def hook(g: rl.Tensor) -> None:
        if failing:
            raise ValueError("this hook fails")

    y.register_hook(hook)
    total = (y * y).sum()
    for _ in range(2):
        with pytest.raises(ValueError, match="this hook fails"):
            total.backward(retain_graph=True)
    failing.clear()
    total.backward()
    assert x.grad.tolist() == [18.0, 36.0]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_backward_starts_with_one(dtype: str, shape: tuple[int, ...]) -> None:
    x = rl.full(shape, 2.0, dtype=getattr(rl, dtype)).requires_grad_()
    seen: list[rl.Tensor] = []
    y = x * 1.0
    y.register_hook(lambda g: seen.append(g))
    y.backward()
    assert seen[0].dtype is x.dtype and seen[0].shape == x.shape and seen[0].item() == 1.0
    assert x.grad.shape == x.shape and x.grad.item() == 1.0


def test_backward_of_a_subclass_starts_with_a_plain_tensor() -> None:
    class Mine(rl.Tensor):
        pass

    x = rl.ones((), dtype=rl.float64).requires_grad_().as_subclass(Mine)
    seen: list[type] = []
    y = x * 2.0
    y.register_hook(lambda g: seen.append(type(g)))
    y.backward()
    assert seen == [rl.Tensor]  # the gradient that a backward starts with is no instance of the class, as in PyTorch


def test_a_long_chain_of_gradients_is_let_go() -> None:
    last = rl.ones(1)
    for _ in range(200_000):
        t = rl.ones(1)
        t.grad = last
        last = t
    del last, t


def test_backward_in_a_thread_with_a_small_stack() -> None:
    def work() -> None:
        x = rl.ones(5, requires_grad=True)
        (x * 2).sum().backward()
        done.append(x.grad)

    done: list[object] = []
    work()  # what is compiled, is compiled here
    before = threading.stack_size(65536)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(done) == 2


def test_a_tensor_that_is_its_own_attribute_is_copied() -> None:
    x = rl.ones(2)
    x.me = x  # type: ignore[attr-defined]
    y = copy.deepcopy(x)
    assert y.me is y and y is not x  # type: ignore[attr-defined]


def test_a_backward_of_wanted_inputs_makes_no_tracked_objects_a_node() -> None:
    """Python's collector counts what is made and tracked: thousands in one call would set it off, beside whatever heap
    the program has.
    """
    import gc

    x, w = rl.ones(2, requires_grad=True), rl.ones(2, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y * 1.0001
    call = lambda: rl.autograd.grad((y * w).sum(), [w, x], retain_graph=True)
    call()
    collections = []
    note = lambda phase, info: collections.append(phase)
    gc.collect()
    gc.callbacks.append(note)
    threshold = gc.get_threshold()
    gc.set_threshold(1000, 10, 10)
    try:
        call()
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(note)
    assert not collections


def _aliases(a: rl.Tensor, b: rl.Tensor) -> bool:
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


VIEWS: dict[str, Any] = {
    "view": lambda x: x.view(3, 8),
    "flatten": lambda x: x.flatten(),
    "t": lambda x: x.t(),
    "heads": lambda x: x.view(2, 2, 6).transpose(0, 1),
    "itself": lambda x: x + rl.zeros(4, 6),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_gradient_through_views_is_a_view_of_the_cotangent(name: str) -> None:
    """Nothing is copied where strides express it; a leaf's gradient is its own memory all the same."""
    x = rl.randn(4, 6, requires_grad=True)
    y = VIEWS[name](x)
    g = VIEWS[name](rl.arange(24.0).view(4, 6))  # as y lies
    (found,) = rl.autograd.grad(y, x, g, retain_graph=True)
    assert _aliases(found, g)
    assert found._base is None
    before = g.clone()
    y.backward(g)
    assert rl.equal(x.grad, found)
    assert not _aliases(x.grad, g)
    x.grad.add_(1.0)
    assert rl.equal(g, before)


def test_a_gradient_that_no_strides_express_is_copied() -> None:
    x = rl.randn(4, 6, requires_grad=True)
    g = rl.arange(48.0)[::2].view(4, 6).t()  # of y's shape, and with gaps
    y = x.view(6, 4)
    (found,) = rl.autograd.grad(y, x, g, retain_graph=True)
    assert found.tolist() == g.contiguous().view(4, 6).tolist()
    assert not _aliases(found, g)
    (found,) = rl.autograd.grad(y, x, g.expand(6, 4)[:, :1].expand(6, 4))
    assert found.tolist() == g[:, :1].expand(6, 4).contiguous().view(4, 6).tolist()


def test_leaves_that_get_one_cotangent_do_not_share_it() -> None:
    a, b = (rl.zeros(3, requires_grad=True) for _ in range(2))
    ((a + b).view(3, 1) * 2.0).sum().backward()
    assert not _aliases(a.grad, b.grad)
    a.grad.zero_()
    assert b.grad.tolist() == [2.0, 2.0, 2.0]


def test_gradients_of_one_value_lie_apart() -> None:
    def net(a: Any, b: Any) -> Any:
        return (a + b).relu().sum()

    for fn in (net, rl.compile(net, options={"always": True})):
        a, b = (rl.ones(3, requires_grad=True) for _ in range(2))
        fn(a, b).backward()
        a.grad.add_(5)
        assert a.grad.tolist() == [6.0] * 3 and b.grad.tolist() == [1.0] * 3
        first, second = rl.autograd.grad(fn(a, b), (a, b))
        assert first is not second and first.tolist() == second.tolist() == [1.0] * 3

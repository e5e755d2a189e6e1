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

"""Graph nodes as Python sees them: classes by name, what they have saved, hooks on that."""

from __future__ import annotations

import gc

import pytest

import rushlight as rl
from rushlight.autograd import graph


def test_a_node_is_of_the_class_of_its_name() -> None:
    x = rl.ones(3, requires_grad=True)
    a, b = (x * 2).grad_fn, (x * x).grad_fn
    assert type(a) is type(b) and type(a).__name__ == "MulBackward0" and type(a).__module__ == "builtins"
    leaf = a.next_functions[0][0]
    assert (
        type(leaf).__name__ == "AccumulateGrad"
        and leaf.name() == "torch::autograd::AccumulateGrad"
        and leaf.variable is x
    )
    assert leaf is b.next_functions[0][0]
    assert all(isinstance(n, graph.Node) and issubclass(type(n), graph.Node) for n in (a, leaf))
    with pytest.raises(TypeError, match="cannot create 'MulBackward0' instances"):
        type(a)()
    with pytest.raises(AttributeError, match="'MulBackward0' object has no attribute 'foo'"):
        _ = a.foo


def test_nodes_that_were_looked_at_are_freed() -> None:
    import weakref

    x = rl.ones(3, requires_grad=True)
    y = x
    for _ in range(2000):
        y = y * 2
    seen = []
    node = y.grad_fn
    while node.next_functions and not hasattr(node, "variable"):
        seen.append(weakref.ref(node))
        node = node.next_functions[0][0]
    assert len(seen) == 2000
    del node, y
    gc.collect()
    assert all(r() is None for r in seen)


def test_a_function_is_its_own_node_class() -> None:
    class Twice(rl.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = rl.ones(3, requires_grad=True)
    node = Twice.apply(x).grad_fn
    assert type(node).__name__ == node.name() == "TwiceBackward" and type(node).__module__.endswith(
        ".autograd.function"
    )
    assert node.saved_tensors[0] is x and isinstance(node, graph.Node)


def test_saved_values_are_the_call_s() -> None:
    x = rl.arange(6.0).reshape(2, 3).requires_grad_()
    assert (x * x).grad_fn._saved_self is x and (x * 2).grad_fn._saved_self is None
    assert x.sum(1).grad_fn._saved_dim == (1,) and x.sum(1).grad_fn._saved_self_sym_sizes == (2, 3)
    for n in (2, 5):  # the same compiled call, another number
        assert x.roll(n, 0).grad_fn._saved_shifts == (n,)
    assert "_saved_alpha" in dir((x + x).grad_fn) and (x + x).grad_fn._saved_alpha == 1
    y = x.exp()
    assert (
        rl.equal(y.grad_fn._saved_result, y)
        and y.grad_fn._saved_result.grad_fn is None
        or y.grad_fn._saved_result.grad_fn is y.grad_fn
    )
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = y.grad_fn._saved_result
    z = x * x
    with rl.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        _ = z.grad_fn._saved_self


def test_hooks_on_one_saved_tensor() -> None:
    x = rl.tensor([2.0, 3.0], requires_grad=True)
    y = rl.tensor([5.0, 7.0], requires_grad=True)
    z = x * y
    raw = z.grad_fn._raw_saved_self
    assert raw.data is x
    raw.register_hooks(lambda t: t.detach() * 10, lambda t: t / 5)
    with pytest.raises(RuntimeError, match="already"):
        z.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    z.sum().backward()
    assert x.grad.tolist() == [5.0, 7.0] and y.grad.tolist() == [4.0, 6.0]
    with pytest.raises(AttributeError):
        _ = (x + y).grad_fn._raw_saved_alpha


@pytest.mark.parametrize("freed", [False, True])
def test_numbers_that_no_saved_value_has(freed: bool) -> None:
    """Whatever takes a place among the saved values refuses one that there is not, and a node that has let them go."""
    x = rl.ones(3, requires_grad=True)
    for y in (x * x, x**2.5, x.sum(), x * 2.0, x.softmax(0), x.view(3, 1), (x * 1).unbind()[0]):
        node = y.grad_fn
        if freed:
            y.sum().backward()
        for name in ("kept", "number", "hook_kept"):
            method = getattr(node, name, None)
            if method is None:
                continue
            more = (lambda t: t, lambda t: t) if name == "hook_kept" else ()
            for place in (-1, 7, 1000, 2**31 - 1, -(2**31)):
                try:
                    assert method(place, *more) is None and name == "number"  # it has kept no numbers
                except IndexError as error:
                    assert "found the number" in str(error)
                except RuntimeError as error:
                    assert freed and "second time" in str(error)
            for wrong in (2**31, 2**70):
                with pytest.raises(OverflowError):
                    method(wrong, *more)
            for wrong in (None, "0"):
                with pytest.raises(TypeError):
                    method(wrong, *more)
    with pytest.raises(AttributeError):
        node.derivative = None

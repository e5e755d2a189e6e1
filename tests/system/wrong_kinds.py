"""Values of wrong kinds, and every way in which a program hands one to the backward: used here alone, and beside
PyTorch in tests/parity.

Each way in is a function of a library and a value that makes a graph, hands the value over, and runs the backward.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SIZE = 3000  # larger than what one kernel call does at once


def kinds(M: Any) -> dict[str, Any]:
    """The values; a right one would be a float32 tensor of SIZE elements."""

    class Duck:
        shape, dtype, device, requires_grad = (SIZE,), M.float32, M.device("cpu"), False

    class Sub(M.Tensor):
        pass

    one = M.ones(SIZE)
    return {
        "half": one.half(),
        "double": one.double(),
        "int": one.long(),
        "bool": one.bool(),
        "complex": one.to(M.complex64),
        "longer": M.ones(SIZE + 1),
        "shorter": M.ones(SIZE - 1),
        "row": M.ones(1, SIZE),
        "one": M.ones(1),
        "scalar": M.ones(()),
        "empty": M.ones(0),
        "meta": M.ones(SIZE, device="meta"),
        "none": None,
        "number": 1.0,
        "list": [1.0] * SIZE,
        "string": "gradient",
        "numpy": np.ones(SIZE, np.float32),
        "requires grad": M.ones(SIZE, requires_grad=True),
        "duck": Duck(),
        "subclass": one.as_subclass(Sub),
        "strided": M.ones(2 * SIZE)[::2],
        "expanded": M.ones(1).expand(SIZE),
        "tuple": (one,),
        "unfinished": M.Tensor.__new__(M.Tensor),
        "right": one,
    }


def graph(M: Any) -> tuple[Any, Any, Any]:
    x, w = M.ones(SIZE, requires_grad=True), M.full((SIZE,), 2.0)
    return x, w, x * w


def done(x: Any) -> Any:
    """What is compared: the gradient's dtype, shape and first values."""
    return None if x.grad is None else (str(x.grad.dtype), tuple(x.grad.shape), x.grad.reshape(-1)[:3].tolist())


def tensor_hook(M: Any, v: Any) -> Any:
    x, _, y = graph(M)
    y.register_hook(lambda g: v)
    y.exp().sum().backward()
    return done(x)


def leaf_hook(M: Any, v: Any) -> Any:
    x, _, y = graph(M)
    x.register_hook(lambda g: v)
    y.sum().backward()
    return done(x)


def node_prehook(M: Any, v: Any) -> Any:
    x, _, y = graph(M)
    y.grad_fn.register_prehook(lambda g: v)
    y.exp().sum().backward()
    return done(x)


def node_prehook_tuple(M: Any, v: Any) -> Any:
    x, _, y = graph(M)
    y.grad_fn.register_prehook(lambda g: (v,))
    y.exp().sum().backward()
    return done(x)


def node_hook(M: Any, v: Any) -> Any:
    x, _, y = graph(M)
    z = y.exp()
    z.grad_fn.register_hook(lambda g, given: v)
    z.sum().backward()
    return done(x)


def node_hook_tuple(M: Any, v: Any) -> Any:
    x, _, y = graph(M)
    z = y.exp()
    z.grad_fn.register_hook(lambda g, given: (v,))
    z.sum().backward()
    return done(x)


def module_hook(M: Any, v: Any) -> Any:
    x = M.ones(SIZE, requires_grad=True)
    module = M.nn.Tanh()
    module.register_full_backward_hook(lambda m, g, given: (v,))
    module(x).sum().backward()
    return done(x)


def module_prehook(M: Any, v: Any) -> Any:
    x = M.ones(SIZE, requires_grad=True)
    module = M.nn.Tanh()
    module.register_full_backward_pre_hook(lambda m, given: (v,))
    module(x).sum().backward()
    return done(x)


def cotangent(M: Any, v: Any) -> Any:
    x, _, y = graph(M)
    y.backward(v)
    return done(x)


def cotangent_of_grad(M: Any, v: Any) -> Any:
    x, _, y = graph(M)
    (x.grad,) = M.autograd.grad(y, x, (v,), create_graph=True)
    return done(x)


def vector_of_vjp(M: Any, v: Any) -> Any:
    return str(M.autograd.functional.vjp(lambda x: x * 2, M.ones(SIZE), v)[1].dtype)


def vector_of_jvp(M: Any, v: Any) -> Any:
    return str(M.autograd.functional.jvp(lambda x: x * 2, M.ones(SIZE), v)[1].dtype)


def vector_of_hvp(M: Any, v: Any) -> Any:
    return str(M.autograd.functional.hvp(lambda x: (x * x).sum(), M.ones(SIZE), v)[1].dtype)


def unpacked(M: Any, v: Any) -> Any:
    with M.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: v):
        x, _, y = graph(M)
    y.sum().backward()
    return done(x)


def unpacked_twice(M: Any, v: Any) -> Any:
    with M.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: v):
        x, _, y = graph(M)
    (x.grad,) = M.autograd.grad(y.sum(), x, create_graph=True)
    return done(x)


def data_of_saved(M: Any, v: Any) -> Any:
    x, w, y = graph(M)
    w.data = v
    y.sum().backward()
    return done(x)


def data_of_saved_twice(M: Any, v: Any) -> Any:
    x, w, y = graph(M)
    w.data = v
    (x.grad,) = M.autograd.grad(y.sum(), x, create_graph=True)
    return done(x)


def memory_of_saved(M: Any, v: Any) -> Any:
    x, w, y = graph(M)
    w.set_(v)
    y.sum().backward()
    return done(x)


def returned(M: Any, v: Any) -> Any:
    rules = {"forward": staticmethod(lambda ctx, x: x * 2), "backward": staticmethod(lambda ctx, g: v)}
    given: Any = type("Given", (M.autograd.Function,), rules)
    x = M.ones(SIZE, requires_grad=True)
    given.apply(x).sum().backward()
    return done(x)


def node_call(M: Any, v: Any) -> Any:
    _, _, y = graph(M)
    y.grad_fn(v)
    return "called"


def gradient_attribute(M: Any, v: Any) -> Any:
    x, _, y = graph(M)
    x.grad = v
    y.sum().backward()
    return done(x)


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    f.__name__: f
    for f in (
        tensor_hook,
        leaf_hook,
        node_prehook,
        node_prehook_tuple,
        node_hook,
        node_hook_tuple,
        module_hook,
        module_prehook,
        cotangent,
        cotangent_of_grad,
        vector_of_vjp,
        vector_of_jvp,
        vector_of_hvp,
        unpacked,
        unpacked_twice,
        data_of_saved,
        data_of_saved_twice,
        memory_of_saved,
        returned,
        node_call,
        gradient_attribute,
    )
}


def outcome(M: Any, way: str, kind: str) -> tuple[str, Any]:
    """("gives", what) or ("raises", the name of the error)."""
    try:
        return "gives", WAYS[way](M, kinds(M)[kind])
    except Exception as error:
        return "raises", next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")


def all_ways() -> None:
    """Every way and kind with rushlight; an error must be one of those that name the argument."""
    import rushlight

    wrong = []
    for way in WAYS:
        for kind in kinds(rushlight):
            try:
                WAYS[way](rushlight, kinds(rushlight)[kind])
            except (RuntimeError, TypeError, NotImplementedError) as error:
                if not str(error) or str(error).startswith("internal"):
                    wrong.append((way, kind, repr(error)))
    assert not wrong, wrong

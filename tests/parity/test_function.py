"""Custom functions, `autograd.functional`, forward mode, gradcheck, graph hooks and function modes, side by side with
PyTorch.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import rushlight
import rushlight.func

torch = pytest.importorskip("torch")


def doubled(base: Any, name: str, backward: Any) -> Any:
    """A custom function that doubles, and what it says of its gradient."""
    rules = {"forward": lambda ctx, x: x * 2, "backward": backward}
    return type(name, (base,), {rule: staticmethod(fn) for rule, fn in rules.items()})


def scenario(m: Any) -> list[Any]:
    """Everything below, as plain numbers and strings, in the same order for both libraries."""
    f, F = m.func, m.autograd.Function
    out: list[Any] = []

    def T(a: Any) -> Any:
        return m.tensor(a, dtype=m.float64)

    class Sq(F):
        @staticmethod
        def forward(ctx, x, k):
            ctx.save_for_backward(x)
            ctx.k = k
            return x * x * k

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g * ctx.k, None

    x = T([1.0, 2.0]).requires_grad_()
    y = Sq.apply(x, 3)
    (d,) = m.autograd.grad(y.sum(), x, create_graph=True)
    (dd,) = m.autograd.grad(d.sum(), x)
    out.append([d.tolist(), dd.tolist(), type(y.grad_fn).__name__ if m is torch else y.grad_fn.name()])

    class Ex(F):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x.exp()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)
            ctx.save_for_forward(output)

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return y * g

        @staticmethod
        def jvp(ctx, t):
            (y,) = ctx.saved_tensors
            return y * t

    y = Ex.apply(x)
    (d,) = m.autograd.grad(y.sum(), x, create_graph=True)
    (dd,) = m.autograd.grad(d.sum(), x)
    out.append([d.tolist(), dd.tolist()])
    out.append(f.vmap(f.grad(lambda a: Ex.apply(a).sum()))(T([[1.0, 2.0], [3.0, 4.0]])).tolist())
    out.append([z.tolist() for z in f.jvp(lambda a: Ex.apply(a), (T([1.0, 2.0]),), (T([1.0, 1.0]),))])
    out.append(f.grad(lambda a: f.vmap(Ex.apply)(a).pow(2).sum())(T([[1.0, 2.0], [3.0, 4.0]])).tolist())
    out.append(f.jacrev(Ex.apply)(T([1.0, 2.0])).tolist())

    class Dirty(F):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    z = x * 1
    w = Dirty.apply(z)
    out.append([w is z, m.autograd.grad((z * z).sum(), x)[0].tolist()])

    class Two(F):
        @staticmethod
        def forward(ctx, x, y):
            ctx.set_materialize_grads(False)
            a = x * 2
            b = (y * 3).long()
            ctx.mark_non_differentiable(b)
            return a, b

        @staticmethod
        def backward(ctx, g, h):
            assert h is None
            return g * 2, None

    a, b = Two.apply(x, x)
    out.append([a.requires_grad, b.requires_grad, m.autograd.grad(a.sum(), x)[0].tolist()])

    class Once(F):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @m.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * 2

    y = Once.apply(x)
    (d,) = m.autograd.grad((y * y).sum(), x, create_graph=True)
    try:
        m.autograd.grad(d.sum(), x)
        out.append("noerr")
    except RuntimeError as e:
        out.append(type(e).__name__ if m is torch or "input 0 was not used in the graph" in str(e) else str(e))

    Bad = doubled(F, "Bad", lambda ctx, g: (g, g))
    try:
        Bad.apply(x).sum().backward()
        out.append("no")
    except RuntimeError as e:
        out.append(
            type(e).__name__
            if m is torch or "Bad.backward: must return a gradient for each of the 1 arguments" in str(e)
            else str(e)
        )
    for fn in ["jacobian", "hessian", "vjp", "jvp", "hvp", "vhp"]:
        g = getattr(m.autograd.functional, fn)
        inp = T([1.0, 2.0])
        v = T([3.0, 4.0])
        if fn == "jacobian":
            r = [
                g(lambda a: a * a.sum(), inp),
                g(lambda a: a * a.sum(), inp, vectorize=True),
                g(lambda a: a * a.sum(), inp, vectorize=True, strategy="forward-mode"),
                *g(lambda a, b: a * b.sum(), (inp, v)),
            ]
        elif fn == "hessian":
            r = [
                g(lambda a: (a**3).sum(), inp),
                *[q for p in g(lambda a, b: (a * a * b).sum(), (inp, v)) for q in p],
                g(lambda a: (a**3).sum(), inp, vectorize=True, outer_jacobian_strategy="forward-mode"),
            ]
        elif fn in ("vjp", "jvp"):
            r = g(lambda a: a * a.sum(), inp, v)
        else:
            r = g(lambda a: (a**3).prod(), inp, v)
        out.append([q.tolist() for q in r])
    fw = m.autograd.forward_ad
    with fw.dual_level():
        q = fw.make_dual(T([1.0, 2.0]), T([1.0, 0.0]))
        r = fw.unpack_dual(q * q + q.sin())
        out.append([r.primal.tolist(), r.tangent.tolist()])
    out.append(
        m.autograd.gradcheck(
            lambda a, b: (a * b).sin() / b,
            (T([1.0, 2.0]).requires_grad_(), T([3.0, 4.0]).requires_grad_()),
            check_forward_ad=True,
            check_batched_grad=True,
        )
    )
    out.append(m.autograd.gradgradcheck(lambda a: m.softmax(a, 0) * a, (T([1.0, 2.0]).requires_grad_(),)))
    out.append(
        m.autograd.gradcheck(
            lambda a: (a * a).abs() + (a * a.conj()).real,
            (m.tensor([1 + 2j, 3 - 1j], dtype=m.complex128).requires_grad_(),),
        )
    )
    out.append(m.autograd.gradcheck(Bad.apply if 0 else Sq.apply, (T([1.0, 2.0]).requires_grad_(), 2.0)))

    Wrong = doubled(F, "Wrong", lambda ctx, g: g * 3)
    out.append(m.autograd.gradcheck(Wrong.apply, (T([1.0, 2.0]).requires_grad_(),), raise_exception=False))
    with m.autograd.graph.saved_tensors_hooks(lambda t: (t.tolist(),), lambda p: T(p[0])):
        y = x * x * x
    (d,) = m.autograd.grad(y.sum(), x)
    out.append(d.tolist())
    assert m.autograd.graph.get_gradient_edge(y).node is y.grad_fn
    try:
        with m.autograd.detect_anomaly():
            (T([0.0]).requires_grad_() * 0 / 0).sum().backward()
            out.append("no")
    except RuntimeError as er:
        out.append(type(er).__name__ if m is torch or "has nan" in str(er) else str(er))

    class L(m.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append(getattr(func, "__name__", str(func)))
            return func(*args, **(kwargs or {}))

    log = []
    with L():
        m.add(x, 1)
        m.sin(x)
    out.append(log)

    class Sub(m.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            log.append(("s", getattr(func, "__name__", "")))
            return super().__torch_function__(func, types, args, kwargs or {})

    log.clear()
    s = T([1.0, 2.0]).as_subclass(Sub)
    r = m.add(s, 1)
    out.append([type(r).__name__, log[-1]])
    return out


def close(a: Any, b: Any) -> bool:
    if isinstance(b, (list, tuple)):
        return isinstance(a, (list, tuple)) and len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) if isinstance(b, float) else a == b


def test_agrees_with_pytorch() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, expected = scenario(rushlight), scenario(torch)
    assert len(got) == len(expected)
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        assert close(a, b), f"step {i}: got {a}, expected {b}"


def test_wrapper_class_does_its_own_calls() -> None:
    seen: list[str] = []

    class Wrapped(rushlight.Tensor):
        @staticmethod
        def __new__(cls, inner: Any) -> Any:
            self = rushlight.Tensor._make_wrapper_subclass(cls, inner.size(), dtype=inner.dtype)
            self.inner = inner
            return self

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            result = func(*[a.inner if isinstance(a, Wrapped) else a for a in args], **(kwargs or {}))
            return Wrapped(result) if isinstance(result, rushlight.Tensor) else result

    x = Wrapped(rushlight.ones(3))
    y = (x + 1) * x
    assert seen == ["add.Tensor", "mul.Tensor"] and type(y) is Wrapped and y.inner.tolist() == [2.0, 2.0, 2.0]


def test_dispatch_mode_sees_calls() -> None:
    from rushlight.utils._python_dispatch import TorchDispatchMode

    seen: list[str] = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Mode():
        (rushlight.ones(2) + 1).sum()
    rushlight.ones(2)
    assert seen == ["ones.default", "add.Tensor", "sum.default"]

"""Gradients, in-place rules and errors of the autograd engine, side by side with PyTorch where it is installed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")


def numbers(x: Any) -> Any:
    if isinstance(x, (tuple, list)):
        return [numbers(v) for v in x]
    return x.tolist() if hasattr(x, "tolist") else x


def close(a: Any, b: Any) -> bool:
    if isinstance(b, list):
        return isinstance(a, list) and len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(a) and math.isnan(b))
    return a == b


def leaf(m: Any, values: Any) -> Any:
    return m.tensor(values, dtype=m.float64).requires_grad_()


CASES: dict[str, Callable[[Any], Any]] = {}


def case(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    CASES[fn.__name__] = fn
    return fn


def check_case(name: str) -> None:
    got, expected = numbers(CASES[name](rushlight)), numbers(CASES[name](torch))
    assert close(got, expected), f"{name}: got {got}, expected {expected}"


def grads(m: Any, fn: Callable[[Any], Any], x: Any, times: int = 3) -> list[Any]:
    """Derivatives of increasing order."""
    out = []
    y = fn(x)
    for _ in range(times):
        (y,) = m.autograd.grad(y.sum(), x, create_graph=True)
        out.append(y)
    return out


@case
def accumulates(m: Any) -> Any:
    a = leaf(m, [1.0, 2.0, 3.0])
    (a * a + 1).sum().backward()
    (a.exp() * a).sum().backward()
    return a.grad


@case
def higher_orders(m: Any) -> Any:
    return grads(m, lambda a: a.sin() * a * a, leaf(m, [1.0, 2.0, 3.0]))


@case
def higher_orders_through_reductions(m: Any) -> Any:
    x = leaf(m, [[1.0, 2.0, 4.0], [3.0, 4.0, 0.5]])
    fns = [
        lambda t: m.softmax(t * 2, 1).pow(2),
        lambda t: t.var(1).pow(2),
        lambda t: m.logsumexp(t, 1).pow(2),
        lambda t: t.norm() ** 3,
        lambda t: t.std(0) * t.mean(),
        lambda t: (t / t.sum()).pow(2),
        lambda t: m.log_softmax(t, 0) * t,
        lambda t: t.prod(1),
    ]
    return [grads(m, f, x) for f in fns]


@case
def inplace_on_results(m: Any) -> Any:
    a = leaf(m, [1.0, 2.0, 3.0])
    b = a * 2
    b.mul_(a)
    b.add_(1)
    return m.autograd.grad(b.sum(), a)


@case
def inplace_twice_differentiated(m: Any) -> Any:
    def fn(x: Any) -> Any:
        y = x * x
        y.mul_(x)
        return y

    return grads(m, fn, leaf(m, [[1.0, 2.0], [3.0, 4.0]]))


@case
def inplace_on_a_view(m: Any) -> Any:
    a = leaf(m, [1.0, 2.0, 3.0])
    b = a * 1
    v = b[1:]
    v.mul_(a[:2])
    return [m.autograd.grad((b * b).sum(), a), v, b]


@case
def writes_into_a_buffer(m: Any) -> Any:
    a = leaf(m, [1.0, 2.0, 3.0])
    b = m.zeros(3, dtype=m.float64)
    b[1] = a[2] * a[0]
    b[0].mul_(3)
    b[2].add_(a[1])
    return [m.autograd.grad((b * m.tensor([1.0, 2.0, 3.0], dtype=m.float64)).sum(), a), b, b.requires_grad]


@case
def view_after_its_base_was_written(m: Any) -> Any:
    a = leaf(m, [1.0, 2.0, 3.0])
    b = a * 1
    v = b[0]
    b.mul_(a)
    return m.autograd.grad(v * v, a)


@case
def overlapping_views(m: Any) -> Any:
    a = leaf(m, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = a * 1
    first, last = b[:, :2], b.t()[1:]
    first.mul_(a[:, 1:])
    last.add_(first.t()[:1] * 3)
    return m.autograd.grad((b * b * a).sum() + (first * last.t()[:, :1]).sum(), a)


@case
def zeroed(m: Any) -> Any:
    a = leaf(m, [1.0, 2.0, 3.0])
    b = a * 1
    b.zero_()
    return [b.requires_grad, m.autograd.grad((b * a).sum(), a)]


@case
def copied_into_a_view_twice_differentiated(m: Any) -> Any:
    def fn(a: Any) -> Any:
        b = a * 1
        b.view(3)[:2].copy_(a[1:] * a[1:])
        return b * b * a

    return grads(m, fn, leaf(m, [1.0, 2.0, 3.0]))


@case
def inplace_through_view_as_real(m: Any) -> Any:
    a = leaf(m, [[1.0, 2.0], [3.0, 4.0]])
    z = m.view_as_complex(a * 1)
    m.view_as_real(z).mul_(a)
    (g,) = m.autograd.grad(m.view_as_real(z * z).sum(), a)
    return g


@case
def hooks_and_retained_gradients(m: Any) -> Any:
    seen: list[Any] = []
    a = leaf(m, [1.0, 2.0, 3.0])
    b = a * 2
    b.register_hook(lambda g: g * 3)
    handle = b.register_hook(lambda g: g * 100)
    handle.remove()
    a.register_hook(lambda g: seen.append(g.tolist()))
    a.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()))
    b.retain_grad()
    b.sum().backward()
    return [a.grad, b.grad, seen]


@case
def what_hooks_after_accumulation_give(m: Any) -> Any:
    found: list[Any] = []
    for hook in (lambda p: p, lambda p: p.add_(p.grad), lambda p: 3, lambda p: p.grad, lambda p: [p], lambda p: False):
        a = leaf(m, [1.0, 2.0])
        a.register_post_accumulate_grad_hook(hook)
        try:
            (a * 2).sum().backward()
            found.append([a.grad, a.detach()])
        except (TypeError, RuntimeError) as error:
            found.append(type(error).__name__)
    return found


@case
def asarray_and_the_graph(m: Any) -> Any:
    found: list[Any] = []
    for kind in range(2):
        for given in ({}, {"requires_grad": True}, {"requires_grad": False}, {"copy": True}, {"dtype": m.float32}):
            a = leaf(m, [1.0, 2.0])
            x = a * 2 if kind else a
            y = m.asarray(x, **given)
            found.append([y.detach(), y.requires_grad])
            if y.requires_grad:
                found.append(m.autograd.grad(y.sum(), a))
    return found


@case
def several_outputs_and_inputs(m: Any) -> Any:
    a, b = leaf(m, [1.0, 2.0]), leaf(m, [3.0, 4.0])
    one = m.autograd.grad([a.sum(), (a * b).sum()], [a, b], [None, None])
    two = m.autograd.grad(a.sum(), [a, b], allow_unused=True, materialize_grads=True)
    three = m.autograd.grad(a * b, [a], m.tensor([1.0, 10.0], dtype=m.float64))
    return [one, two, three]


@case
def backward_into_some_inputs(m: Any) -> Any:
    a, b = leaf(m, [1.0, 2.0]), leaf(m, [3.0, 4.0])
    (a * b).sum().backward(inputs=[a])
    return [a.grad, b.grad is None]


@case
def batched_cotangents(m: Any) -> Any:
    a = leaf(m, [1.0, 2.0, 3.0])
    return m.autograd.grad(a.sin() * a, a, m.eye(3, dtype=m.float64), is_grads_batched=True)


@case
def grad_modes(m: Any) -> Any:
    a = leaf(m, [1.0])
    out = []
    with m.no_grad():
        out.append((a * 2).requires_grad)
        with m.enable_grad():
            out.append((a * 2).requires_grad)
    with m.set_grad_enabled(False):
        out.append((a * 2).requires_grad)

    @m.no_grad()
    def f() -> bool:
        return (a * 2).requires_grad

    @m.no_grad()
    def g() -> Any:
        yield (a * 2).requires_grad
        yield m.is_grad_enabled()

    out += [f(), m.is_grad_enabled(), *g()]
    for inside in g():
        out += [inside, m.is_grad_enabled()]
    with m.inference_mode():
        t = a * 2
        out += [t.requires_grad, t.is_inference(), m.is_inference_mode_enabled()]
    m.set_grad_enabled(False)
    out.append(m.is_grad_enabled())
    m.set_grad_enabled(True)
    return out


ERRORS: dict[str, tuple[type[Exception], str, Callable[[Any], Any]]] = {
    "leaf": (
        RuntimeError,
        "a leaf Variable that requires grad is being used in an in-place operation",
        lambda m: leaf(m, [1.0]).add_(1),
    ),
    "view of leaf": (
        RuntimeError,
        "a view of a leaf Variable that requires grad is being used in an in-place",
        lambda m: leaf(m, [1.0, 2.0])[0].add_(1),
    ),
    "not a scalar": (
        RuntimeError,
        "grad can be implicitly created only for scalar outputs",
        lambda m: (leaf(m, [1.0, 2.0]) * 2).backward(),
    ),
    "no graph": (
        RuntimeError,
        "element 0 of tensors does not require grad and does not have a grad_fn",
        lambda m: m.ones(()).backward(),
    ),
    "unused": (
        RuntimeError,
        "input 0 was not used in the graph",
        lambda m: m.autograd.grad(leaf(m, [1.0]).sum(), leaf(m, [1.0])),
    ),
    "shape": (
        RuntimeError,
        r"gradient 0 must have the shape \(2,\) of its output; found \(3,\)",
        lambda m: (leaf(m, [1.0, 2.0]) * 2).backward(m.ones(3, dtype=m.float64)),
    ),
    "hook": (
        RuntimeError,
        r"register_hook\(\): the tensor must require grad",
        lambda m: m.ones(1).register_hook(print),
    ),
    "integer": (
        RuntimeError,
        "requires_grad: numbers of dtype torch.int64 have no derivative",
        lambda m: m.tensor([1]).requires_grad_(),
    ),
}


def twice(m: Any) -> None:
    y = (leaf(m, [1.0, 2.0]) ** 2).sum()
    y.backward()
    y.backward()


def overwritten(m: Any) -> None:
    a = leaf(m, [1.0, 2.0])
    b = a * a
    c = b * b
    b.add_(1)
    c.sum().backward()


def overwrites_itself(m: Any) -> None:
    b = leaf(m, [1.0, 2.0]) * 1
    b.mul_(b)
    b.sum().backward()


def view_made_without_grad(m: Any) -> None:
    b = leaf(m, [1.0, 2.0]) * 1
    with m.no_grad():
        v = b[0]
    v.mul_(leaf(m, 2.0))


def several_views(m: Any) -> None:
    b = leaf(m, [1.0, 2.0]) * 1
    b.unbind()[0].add_(1)


ERRORS |= {
    "several views": (
        RuntimeError,
        r"add_\(\): a view that came with others from one call must not be written to .*; found view 0",
        several_views,
    ),
    "twice": (RuntimeError, "backward through the graph a second time", twice),
    "overwritten": (RuntimeError, "was modified by an inplace operation", overwritten),
    "overwrites itself": (RuntimeError, "was modified by an inplace operation", overwrites_itself),
    "no_grad view": (
        RuntimeError,
        r"mul_\(\): a view that was made inside of no_grad\(\) must not be written to",
        view_made_without_grad,
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name: str) -> None:
    kind, text, fn = ERRORS[name]
    for m in (torch, rushlight):
        with pytest.raises(kind, match=text if m is rushlight else None):  # the same kind of error, in our own words
            fn(m)


def test_overwritten_value_names_both_lines() -> None:
    with pytest.raises(RuntimeError, match="modified by an inplace") as info:
        overwritten(rushlight)
    first = overwritten.__code__.co_firstlineno
    text = str(info.value)
    assert f"test_autograd.py:{first + 3}" in text and f"test_autograd.py:{first + 4}" in text, text


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_pytorch(name: str) -> None:
    check_case(name)


CUTS: dict[str, Callable[[Any], Any]] = {
    "split": lambda x: x.split(2),
    "split of sizes": lambda x: x.split([1, 4, 1]),
    "chunk": lambda x: x.chunk(2),
    "unbind": lambda x: x.unbind(),
    "tensor_split": lambda x: x.tensor_split(4),
    "tensor_split at": lambda x: x.tensor_split([1, 3]),
    "hsplit": lambda x: x.hsplit(2),
    "vsplit": lambda x: x.vsplit(3),
    "unsafe_split": lambda x: x.unsafe_split(2),
    "unsafe_split_with_sizes": lambda x: x.unsafe_split_with_sizes([1, 5]),
    "unsafe_chunk": lambda x: x.unsafe_chunk(3),
}


@pytest.mark.parametrize("name", CUTS)
def test_writes_to_one_of_several_parts(name: str) -> None:
    """Taken or refused as in PyTorch, with its gradients."""

    def run(m: Any) -> Any:
        x = leaf(m, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 1.0], [2.0, 3.0]])
        cut = CUTS[name](x * 1)
        try:
            cut[0].mul_(cut[-1].sum())
        except RuntimeError:
            return "refused"
        sum((part * part).sum() for part in cut).backward()
        return [numbers(part) for part in cut], x.grad.tolist()

    assert close(run(rushlight), run(torch))

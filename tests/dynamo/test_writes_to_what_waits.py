"""Writes in place to results that wait: eager mode's values, aliases and errors, in one segment where that can be."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn
from rushlight.testing import assert_close

X, Y = rl.linspace(-2, 2, 12).reshape(3, 4), rl.linspace(0.5, 3, 12).reshape(3, 4)


def chain(x: Any, y: Any) -> Any:
    z = x * 2
    z += 1
    z.mul_(y).sub_(x, alpha=3)
    z -= 0.5
    return z


def same_object(x: Any, y: Any) -> Any:
    z = x + y
    other = z
    assert z.add_(1) is z and other is z
    return z, other * 2


def read_before(x: Any, y: Any) -> Any:
    z = x + y
    before = z * 3
    z.exp_()
    return before, z, before + z


def by_itself(x: Any, y: Any) -> Any:
    z = x + y
    z.mul_(z)
    z.add_(z)
    return z


def many(x: Any, y: Any) -> Any:
    z = (x * y).tanh()
    z.clamp_(-0.5, 0.5).relu_()
    z.addcmul_(x, y, value=0.25).lerp_(y, 0.3).div_(y).neg_().sigmoid_()
    return z


def filled(x: Any, y: Any) -> Any:
    z, w, v = x + 1, x + 2, x + 3
    z.zero_()
    w.fill_(4.0)
    v.copy_(y)
    return z, w, v + z


def broadcast(x: Any, y: Any) -> Any:
    z = x * y
    z += y[0]
    z *= x.sum(1, keepdim=True)
    return z


def in_a_list(x: Any, y: Any) -> Any:
    kept = [x * k for k in (1.0, 2.0, 3.0)]
    for z in kept:
        z.add_(y)
    return kept


def without_graph(x: Any, y: Any) -> Any:
    with rl.no_grad():
        z = x * y
        z.mul_(2)
    return z


def view_after(x: Any, y: Any) -> Any:
    z = x * y
    z.add_(1)
    return z[1] * 2, z.t(), z


def view_that_is_gone(x: Any, y: Any) -> Any:
    z = x * y
    w = z[0] + 1
    z.add_(w)
    return z


def by_a_mask(x: Any, y: Any) -> Any:
    z, w, v = x + 1, x * 2, x - y
    z[z > y] = 0.5
    w[rl.tensor([True, False, True])] = y.mean()
    v[:, rl.tensor([True, False, True, True])] = -1
    return z, w, v


def as_a_whole(x: Any, y: Any) -> Any:
    z, w, v = x + 1, x * 2, x - y
    z[:] = 2.0
    w[...] = y
    v[:, 0:4] = y[0]
    return z, w, v


def by_places(x: Any, y: Any) -> Any:
    z, w, v = x + 1, x * 2, x - y
    z[:, 1:3] = 2.0
    w[rl.tensor([2, 0])] = y[:2]
    v[[0, 2]] = y[1]
    v.index_add_(0, rl.tensor([1]), y[:1])
    return z, w, v


def side_by_side(x: Any, y: Any) -> Any:
    z = x - y
    z[0] = y[1]
    z[1:, 0] = 3.0
    z[1:, 1:] += x[1:, 1:]
    z.view(-1)[2:4].mul_(2)
    z.diagonal().exp_()
    return z


def through_a_view(x: Any, y: Any) -> Any:
    z = x * y
    z[0].add_(1)
    z.t().mul_(2)
    return z


def view_held(x: Any, y: Any) -> Any:
    z = x * y
    v = z[1]
    z.add_(1)
    return v, z, v + 1


def view_of_view_held(x: Any, y: Any) -> Any:
    z = x * y
    v = z.t()[1:]
    z.mul_(3)
    return v, z


def detached(x: Any, y: Any) -> Any:
    z = x * y
    v = z.detach()
    z.mul_(3)
    v.add_(1)
    return v, z


CASES = [
    chain, same_object, read_before, by_itself, many, filled, broadcast, in_a_list, without_graph, view_after,
    view_that_is_gone, by_a_mask, as_a_whole, by_places, side_by_side, through_a_view, view_held, view_of_view_held,
    detached,
]  # fmt: skip


def other_dtype(x: Any, y: Any) -> Any:
    z = (x * 2).to(rl.int32)
    z.mul_(3)
    w = z + 1
    w += z
    return z, w


def by_an_index(x: Any, y: Any) -> Any:
    z, w, v = x + 1, x * 2, x - y
    z[:, 1:3] = 2.0
    w[rl.tensor([2, 0])] = y[:2]
    v[v > 0] = y[0, :1].expand(int((v > 0).sum()))
    return z, w, v


def many_parts(x: Any, y: Any) -> Any:
    """More than one kernel should look at for every element."""
    z = x - y
    for k in range(12):
        z[k // 4, k % 4] = k
    return z


def wider_values(x: Any, y: Any) -> Any:
    """What is computed is rounded to the dtype of the part."""
    z, w = (x * 2).half(), x > y
    z[1] += x[1]
    z[:, 0].mul_(y[:, 0].double())
    z[2] = y[0].double()
    w[0].logical_xor_(y[0])
    return z, w.to(rl.int8)


OTHERS = [other_dtype, by_an_index, many_parts, wider_values]


def segments(f: Callable[..., Any], *args: Any) -> int:
    return int(rl._dynamo.explain(f)(*args).graph_count)


def equal(got: Any, want: Any) -> None:
    assert_close(got, want, rtol=0, atol=0)


@pytest.mark.parametrize("f", CASES + OTHERS, ids=lambda f: f.__name__)
def test_values_and_aliases(f: Callable[..., Any]) -> None:
    compiled = rl.compile(f, options={"always": True})
    for k in range(4):  # the second time calls are known
        x, y = X * (1 + k), Y + k
        kept = x.clone(), y.clone()
        got, want = compiled(x, y), f(x, y)
        equal(got, want)
        equal((x, y), kept)
        for g, w in zip(*[v if isinstance(v, (tuple, list)) else [v] for v in (got, want)], strict=True):
            assert g._version == w._version
            with rl.no_grad():  # what shares memory in eager mode does here
                g.add_(1)
                w.add_(1)
        equal(got, want)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_they_end_no_segment(f: Callable[..., Any]) -> None:
    assert segments(f, X, Y) == 1


@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (lambda x, y: (x * y).to(rl.int32).add_(1.5), RuntimeError, "add_"),
        (lambda x, y: (x * y)[0].clone().add_(y), RuntimeError, "add_"),
        (lambda x, y: (x * y).add_(rl.ones(7)), RuntimeError, "7"),
        (lambda x, y: (x * y).gt_("text"), TypeError, "gt_"),
    ],
)
def test_errors_are_those_of_the_call(f: Callable[..., Any], error: type[Exception], words: str) -> None:
    compiled = rl.compile(f, options={"always": True})
    with pytest.raises(error, match=words) as eager:
        f(X, Y)
    for _ in range(3):
        with pytest.raises(error) as found:
            compiled(X, Y)
        assert str(found.value) == str(eager.value)


def added_to(w: Any, y: Any) -> Any:
    z = w * 2
    z += y
    return (z * z).sum(), z


def residual(w: Any, y: Any) -> Any:
    z = rl.nn.functional.layer_norm(w * y, (4,))
    z.relu_()
    z = z @ rl.ones(4, 4)
    z += w
    return rl.relu_(z), z


def its_own_result(w: Any, y: Any) -> Any:
    """The graph keeps what the write gives."""
    z = w - y
    z.sigmoid_()
    v = z * 3
    return (v.tanh_() * z).sum(), v


def what_was_there(w: Any, y: Any) -> Any:
    """The graph keeps what was there before."""
    z = w + y
    z.mul_(w).pow_(2).div_(y)
    z.square_()
    return z.sum(), z


def twice_and_read(w: Any, y: Any) -> Any:
    z = w * y.sum()
    a = z + 1
    z.add_(w).add_(a)
    return (z * a).sum(), z, a


@pytest.mark.parametrize("f", [added_to, residual, its_own_result, what_was_there, twice_and_read])
@pytest.mark.parametrize("inside", [False, True])
def test_writes_that_the_graph_notes_wait(f: Callable[..., Any], inside: bool) -> None:
    def step(w: Any, y: Any) -> Any:
        first, *others = f(w, y)
        if inside:
            first.sum().backward()
        return first, *[t.detach() if inside else t for t in others]

    compiled, replayed = rl.compile(step, options={"always": True}), rl.compile(step)
    for k in range(4):
        found = []
        for way in (step, compiled, replayed):
            w = (X * (1 + k)).requires_grad_()
            given = way(w, Y)
            if not inside:
                sum(t.sum() for t in given).backward()
            found.append([*given, *[t._version for t in given], w.grad])
        for own in found[1:]:
            equal(own, found[0])
    assert sum(r.runs for r in replayed._context_.replays) == 3, replayed._context_.why_not
    assert segments(f, X.clone().requires_grad_(), Y) == 1


def test_what_is_overwritten_gets_zeros() -> None:
    def f(w: Any, y: Any) -> Any:
        z = w * 2
        z.copy_(y.exp())
        return z.sum()

    for way in (f, rl.compile(f, options={"always": True}), rl.compile(f)):
        for _ in range(3):
            w, y = X.clone().requires_grad_(), Y.clone().requires_grad_()
            way(w, y).backward()
            equal([w.grad, y.grad], [rl.zeros_like(w), y.exp().detach()])


def test_with_a_graph() -> None:
    """What the graph has kept before it is written to is an error at the backward."""

    def refused(w: Any, y: Any) -> Any:
        z = w.exp()
        z += y
        return z.sum()

    def refused_by_a_view(w: Any, y: Any) -> Any:
        z = w + 1
        v = (z.t() * w.t()).sum()
        z += y
        return v + z.sum()

    def refused_by_another(w: Any, y: Any) -> Any:
        z = (w + 1).sigmoid_()
        z.mul_(2)
        return z.sum()

    for f in (refused, refused_by_a_view, refused_by_another):
        for options in ({"always": True}, {}):
            compiled = rl.compile(f, options=options)
            for way in (f, compiled, compiled):
                w = X.clone().requires_grad_()
                loss = way(w, Y)
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()


def test_what_the_graph_keeps_is_not_written_unseen() -> None:
    def operand(w: Any, y: Any) -> Any:
        z = y * 2
        first = (w * z).sum()
        z.mul_(3)
        return first, z

    def result(w: Any, y: Any) -> Any:
        values, indices = (w * y).max(1)
        indices.add_(0)
        return values.sum(), indices

    for f in (operand, result):
        w = X.clone().requires_grad_()
        want, z = f(w, Y)
        got, y = rl.compile(f, options={"always": True})(w, Y)
        equal((got, y), (want, z))
        for loss in (want, got):
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                loss.backward()


@pytest.mark.parametrize("clip", ["norm", "value", "inf"])
def test_clipped_gradients_are_part_of_the_step(clip: str) -> None:
    def build() -> tuple[Any, Any, Callable[..., Any]]:
        rl.manual_seed(3)
        net = nn.Sequential(nn.Linear(4, 9), nn.LayerNorm(9), nn.Tanh(), nn.Linear(9, 2))
        optimizer = rl.optim.AdamW(net.parameters(), lr=0.1)

        def step(x: Any, y: Any) -> Any:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            if clip == "value":
                nn.utils.clip_grad_value_(net.parameters(), 0.01)
                found = None
            else:
                found = nn.utils.clip_grad_norm_(net.parameters(), 0.05, 2.0 if clip == "norm" else float("inf"))
            optimizer.step()
            return loss, found

        return net, optimizer, step

    plain, recorded = build(), build()
    compiled = rl.compile(recorded[2], options={"always": True})
    for k in range(6):
        x = rl.linspace(-1, 1, 12).reshape(3, 4) * (k + 1)
        y = x[:, :2] * 0.5
        equal(compiled(x, y), plain[2](x, y))
        equal([p.grad for p in recorded[0].parameters()], [p.grad for p in plain[0].parameters()])
        equal([*recorded[0].parameters()], [*plain[0].parameters()])
    assert segments(recorded[2], x, y) == 1


WRITES: dict[str, Callable[[Any], Any]] = {
    "zero_": lambda y: y.zero_(),
    "add_": lambda y: y.add_(1),
    "mul_": lambda y: y.mul_(2).sub_(0.5),
    "relu_": lambda y: y.relu_(),
    "exp_": lambda y: y.exp_(),
}


@pytest.mark.parametrize("write", list(WRITES))
@pytest.mark.parametrize("options", [None, {"always": True}], ids=["default", "always"])
def test_what_was_written_is_kept_by_what_is_given_beside_it(write: str, options: Any) -> None:
    """One program gives what was written, without a graph, and a result whose backward keeps that: the write came
    before.
    """
    w = Y.clone().requires_grad_()

    def f(x: Any) -> Any:
        y = x * 3
        WRITES[write](y)
        return y, y * w, (y * 2, y.tanh() * w)

    compiled: Any = rl.compile(f, options=options)
    for n in range(4):
        x = X + n
        found = []
        for g in (f, compiled):
            w.grad = None
            y, z, (u, v) = g(x)
            (z.square().sum() + v.sum()).backward()
            found.append((y, z, u, v, w.grad))
            assert y._version == found[0][0]._version
        equal(found[1], found[0])


ENTRIES = [
    slice(None),
    slice(0, None),
    slice(0, 2),
    slice(None, 9),
    slice(-3, None),
    ...,
    slice(1, None),
    0,
    None,
    True,
]


@pytest.mark.parametrize("shape", [(), (2,), (2, 3), (0, 2), (1, 2)], ids=str)
def test_elements_that_are_assigned(shape: tuple[int, ...]) -> None:
    """Results, nodes and errors of `y[index] = v` for indices that are all of a tensor and for others."""
    for n in (1, 2, 3):
        for index in itertools.product(ENTRIES, repeat=n):

            def f(x: Any, index: Any = index) -> Any:
                y = x * 2
                y[index] = 1.5
                return y, y.grad_fn.name()

            found: list[Any] = []
            for g in (f, rl.compile(f, options={"always": True})):
                try:
                    y, name = g(rl.ones(shape, requires_grad=True))
                    found.append((y.tolist(), y._version, name))
                except Exception as error:
                    found.append((type(error), str(error)))
            assert found[0] == found[1], index


def test_a_whole_tensor_that_is_assigned_to_is_written_to_itself() -> None:
    for index, name in (
        (..., "torch::autograd::CopyBackwards"),
        ((slice(None), ...), "torch::autograd::CopyBackwards"),
        (slice(0, 1), "torch::autograd::CopySlices"),
        (None, "torch::autograd::CopySlices"),
    ):
        y = rl.ones(2, 3, requires_grad=True) * 2
        y[index] = rl.ones(3)
        assert y.grad_fn.name() == name

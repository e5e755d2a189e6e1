"""`make_fx`: graphs of aten's overloads, of plain functions, derivatives and batched forms; what they compute is what the function does."""
from __future__ import annotations

import pickle

import pytest

import rushlight as rl
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.nn import functional as F


def targets(g) -> list[str]:
    return [str(n.target) for n in g.graph.nodes if n.op == "call_function"]


def test_calls_are_overloads_and_the_code_can_be_read() -> None:
    g = make_fx(lambda x, y: (x * y).sum() + 1)(rl.ones(3), rl.ones(3))
    assert targets(g) == ["aten.mul.Tensor", "aten.sum.default", "aten.add.Tensor"]
    assert "mul = torch.ops.aten.mul.Tensor(x_1, y_1)" in g.code
    assert g(rl.arange(3.0), rl.full((3,), 2.0)).item() == 7.0
    assert pickle.loads(pickle.dumps(g))(rl.ones(3), rl.ones(3)).item() == 4.0


def steps(x):
    return F.softmax(F.relu(x @ x.mT), -1).pow(2).sum()


def gradient(x):
    return rl.autograd.grad(steps(x), x)[0]


CASES = {
    "grad": lambda x: rl.func.grad(steps)(x),
    "autograd": lambda x: gradient(x.detach().requires_grad_()),
    "vmap": lambda x: rl.func.vmap(lambda t: t.softmax(0) * 2)(x),
    "vmap of grad": lambda x: rl.func.vmap(rl.func.grad(lambda t: (t.sin() * t).sum()))(x),
    "jvp": lambda x: rl.func.jvp(rl.sin, (x,), (rl.ones_like(x),)),
    "hessian": lambda x: rl.func.hessian(lambda t: (t ** 3).sum())(x[0]),
    "views": lambda x: (x[1:].t().reshape(-1), x.unsqueeze(0).expand(2, -1, -1)[0, :, 1], x.split(1)[1]),
    "structure": lambda x: {"a": x + 1, "n": (x.max(0).values, 3)},
    "linear algebra": lambda x: rl.linalg.qr(x @ x.mT + rl.eye(x.shape[0], dtype=x.dtype))[1],
    "layer norm": lambda x: F.layer_norm(x, (x.shape[-1],)),
    "losses": lambda x: F.cross_entropy(x, rl.zeros(x.shape[0], dtype=rl.int64)) + F.mse_loss(x, x * 2),
    "index": lambda x: (x[rl.tensor([0, 1])], x[:, rl.tensor([1, 0])], rl.where(x > 0, x, -x)),
    "in place": lambda x: x.clone().mul_(2).add_(1),
    "convolution": lambda x: F.max_pool2d(F.conv2d(x[None, None], rl.ones(1, 1, 2, 2, dtype=x.dtype)), 1),
}


@pytest.mark.parametrize("name", CASES)
def test_the_graph_computes_what_the_function_does(name: str) -> None:
    f = CASES[name]
    x = rl.randn(3, 4, dtype=rl.float64, generator=rl.Generator().manual_seed(1))
    other = rl.randn(3, 4, dtype=rl.float64, generator=rl.Generator().manual_seed(2))
    g = make_fx(f)(x)
    g.graph.lint()
    from rushlight.func.tree import flatten

    ours, theirs = flatten(g(other))[0], flatten(f(other))[0]
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert a == b if not isinstance(a, rl.Tensor) else rl.allclose(a, b, rtol=1e-12, atol=1e-12)
    assert all(t.startswith(("aten.", "prims.", "<built-in function getitem>")) for t in targets(g))


def test_what_the_function_holds_becomes_an_attribute() -> None:
    m = rl.nn.Linear(4, 2)
    x = rl.randn(3, 4)
    g = make_fx(m)(x)
    assert [n.op for n in g.graph.nodes].count("get_attr") == 2 and targets(g) == ["aten.t.default", "aten.addmm.default"]
    assert rl.allclose(g(x + 1), m(x + 1))


def test_decompositions_and_errors() -> None:
    table = {rl.ops.aten.relu.default: lambda x: x.clamp(min=0)}
    assert targets(make_fx(F.relu, decomposition_table=table)(rl.ones(2))) == ["aten.clamp.default"]
    with pytest.raises(ValueError, match="tracing_mode"):
        make_fx(F.relu, tracing_mode="none")


def test_gradients_through_in_place_calls_are_refused() -> None:
    """Rather than traced as constants; what writes and is not differentiated is traced, beside constants."""
    x, c = rl.tensor([1.0, 2.0], requires_grad=True), rl.ones(2)

    def scaled(x: rl.Tensor) -> rl.Tensor:
        y = x.clone()
        y.mul_(3)
        return y * y + c
    assert make_fx(scaled)(x)(rl.tensor([5.0, 6.0])).tolist() == [226.0, 325.0]
    with pytest.raises(NotImplementedError, match=r"mul_.*cannot be traced yet"):
        make_fx(lambda x: rl.autograd.grad(scaled(x).sum(), x))(x)

    def overwritten(x: rl.Tensor) -> tuple[rl.Tensor, ...]:
        y = x.exp()
        y.mul_(2)
        return rl.autograd.grad(y.sum(), x)
    for call in (overwritten, make_fx(overwritten)):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            call(x)

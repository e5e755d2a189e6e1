"""`make_fx`: graphs of aten's overloads, of plain functions, derivatives and batched forms; what they compute is what
the function does.
"""

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
    "hessian": lambda x: rl.func.hessian(lambda t: (t**3).sum())(x[0]),
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
    assert [n.op for n in g.graph.nodes].count("get_attr") == 2 and targets(g) == [
        "aten.t.default",
        "aten.addmm.default",
    ]
    assert rl.allclose(g(x + 1), m(x + 1))


def test_decompositions_and_errors() -> None:
    table = {rl.ops.aten.relu.default: lambda x: x.clamp(min=0)}
    assert targets(make_fx(F.relu, decomposition_table=table)(rl.ones(2))) == ["aten.clamp.default"]
    with pytest.raises(ValueError, match="tracing_mode"):
        make_fx(F.relu, tracing_mode="none")


def stepped(x: rl.Tensor) -> rl.Tensor:
    y = x.clone()
    y.mul_(3)
    y[0].add_(x[1]).exp_()
    return y * y


def through_a_view(x: rl.Tensor) -> rl.Tensor:
    y = x * 2
    v = y.t()[1:]
    v.mul_(v.detach() + 1).sub_(x.t()[1:] ** 2)
    y[0] = x[1] * 3
    return y * x


def overwritten(x: rl.Tensor) -> rl.Tensor:
    y = rl.zeros_like(x)
    y.copy_(x.exp())
    y.zero_().add_(x, alpha=2).clamp_(min=0.5)
    y[:, 1:].masked_fill_(x[:, 1:] > 0, 4.0)
    return y.index_put_((rl.tensor([0, 2]), rl.tensor([1, 0])), x[0, :2] * 2)


@pytest.mark.parametrize("f", [stepped, through_a_view, overwritten])
@pytest.mark.parametrize("derived", [False, True])
def test_in_place_calls_and_their_gradients_are_traced(f, derived: bool) -> None:
    """The graph computes the gradient at other values: nothing of it is a constant."""

    def gradient(x: rl.Tensor) -> rl.Tensor:
        x = x.detach().requires_grad_()
        y = f(x)
        return rl.autograd.grad((y * y.detach().cos()).sum(), x)[0]

    function = gradient if derived else f
    x, other = (rl.randn(3, 4, dtype=rl.float64, generator=rl.Generator().manual_seed(n)) for n in (0, 1))
    g = make_fx(function)(x)
    assert g.code.count("= self._tensor_constant") == (2 if f is overwritten else 0)  # the indices
    for values in (x, other):
        assert rl.allclose(g(values.clone()), function(values.clone()), rtol=1e-12)
    assert any(t.startswith("aten.") and t.split(".")[1].endswith("_") for t in targets(g))


def test_a_kept_value_that_is_overwritten_is_an_error_below_a_mode_too() -> None:
    x = rl.tensor([1.0, 2.0], requires_grad=True)

    def f(x: rl.Tensor) -> tuple[rl.Tensor, ...]:
        y = x.exp()
        y.mul_(2)
        return rl.autograd.grad(y.sum(), x)

    for call in (f, make_fx(f)):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            call(x)

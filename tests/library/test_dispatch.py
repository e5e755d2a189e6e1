"""`__torch_dispatch__`: wrappers and modes are handed overloads of aten's; the graph is above them."""

from __future__ import annotations

import pytest
from wrapping import Wrapper

import rushlight as rl
from rushlight.nn import functional as F
from rushlight.utils._python_dispatch import TorchDispatchMode

aten = rl.ops.aten


LOSSES = {
    "elementwise": lambda w, x: (w * x).tanh().sum(),
    "linear": lambda w, x: F.linear(x, w).pow(2).sum(),
    "softmax": lambda w, x: F.softmax(w @ x.mT, -1)[0].sum(),
    "views": lambda w, x: (w.t().reshape(-1)[1:] * 2).exp().sum(),
    "layer norm": lambda w, x: (F.layer_norm(w, (4,)) * x).sum(),
    "norm": lambda w, x: w.norm(),
    "cross entropy": lambda w, x: F.cross_entropy(w + x, rl.tensor([1, 0, 2])),
    "max": lambda w, x: w.max(1).values.sum(),
    "cat": lambda w, x: rl.cat([w, x]).square().mean(),
}


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_through_a_wrapper(name: str) -> None:
    plain = rl.randn(3, 4, dtype=rl.float64, generator=rl.Generator().manual_seed(3))
    x = rl.randn(3, 4, dtype=rl.float64, generator=rl.Generator().manual_seed(4))
    w = Wrapper(plain, requires_grad=True)
    loss = LOSSES[name](w, x)
    assert type(loss) is Wrapper and loss.requires_grad and not loss.is_leaf
    loss.backward()
    v = plain.clone().requires_grad_()
    LOSSES[name](v, x).backward()
    assert type(w.grad) is Wrapper and rl.allclose(w.grad.elem, v.grad, rtol=1e-10)
    assert rl.allclose(loss.elem, LOSSES[name](plain, x))


def test_a_wrapper_is_handed_aten_s_calls() -> None:
    Wrapper.log = []
    F.linear(rl.ones(2, 4), Wrapper(rl.ones(3, 4)), rl.ones(3))
    assert Wrapper.log == ["aten.t.default", "aten.addmm.default"]


def test_a_weight_that_is_kept_in_few_bits() -> None:
    class Few(rl.Tensor):
        @staticmethod
        def __new__(cls, q, scale):
            return rl.Tensor._make_wrapper_subclass(cls, q.shape, dtype=rl.float32)

        def __init__(self, q, scale):
            self.q, self.scale = q, scale

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func in (aten.t.default, aten.detach.default):
                return cls(func(args[0].q), args[0].scale)
            if func in (aten.mm.default, aten.addmm.default):
                return func(*(a.q.float() * a.scale if isinstance(a, cls) else a for a in args))
            raise NotImplementedError(str(func))

    weight = Few(rl.tensor([[1, 2], [3, 4]], dtype=rl.int8), 0.5)
    m = rl.nn.Linear(2, 2, bias=False)
    m.weight = rl.nn.Parameter(weight, requires_grad=False)
    assert m(rl.ones(1, 2)).tolist() == [[1.5, 3.5]]
    with pytest.raises(NotImplementedError, match=r"aten\.add\.Tensor"):
        weight + 1


def test_modes_nest_and_replace() -> None:
    class Log(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.seen = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append(func)
            return func(*args, **(kwargs or {}))

    class Zero(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return rl.zeros(1) if func is aten.add.Tensor else func(*args, **(kwargs or {}))

    with Log() as outer, Zero():
        assert (rl.ones(2) + 1).tolist() == [0.0]
    assert aten.add.Tensor not in outer.seen and aten.zeros.default in outer.seen
    with Log() as log:
        aten._softmax.default(rl.zeros(2), 0, False)
    assert log.seen[-1] is aten._softmax.default and log.seen[-1].overloadpacket is aten._softmax


def test_a_backward_inside_of_a_mode_is_seen() -> None:
    class Log(TorchDispatchMode):
        seen: list[str] = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append(str(func))
            result = func(*args, **(kwargs or {}))
            assert not isinstance(result, rl.Tensor) or result.is_leaf
            return result

    x = rl.randn(3, 4, requires_grad=True)
    with Log():
        y = F.relu(x @ rl.ones(4, 2)).sum()
        n = len(Log.seen)
        y.backward()
    assert "aten.mm.default" in Log.seen[:n] and "aten.mm.default" in Log.seen[n:]
    v = x.detach().requires_grad_()
    F.relu(v @ rl.ones(4, 2)).sum().backward()
    assert rl.allclose(x.grad, v.grad)


def test_overloads_can_be_called() -> None:
    x = rl.arange(6.0).reshape(2, 3)
    assert rl.equal(aten.sum.dim_IntList(x, [0], True), x.sum(0, True)) and rl.equal(
        aten._log_softmax.default(x, 1, False), x.log_softmax(1)
    )
    assert aten.add.Tensor(x, x, alpha=2)[0, 1].item() == 3.0
    ones = rl.ones(1, 1, 2, 2)
    assert aten.convolution.default(ones, ones, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1).item() == 4.0


@pytest.mark.parametrize(
    "split",
    [
        lambda w: w.unbind(1),
        lambda w: list(w.t()),
        lambda w: w.split(2, 1),
        lambda w: w.split([1, 3], 1),
        lambda w: w.chunk(3, -1),
        lambda w: w.tensor_split(3, 1),
        lambda w: w.t().split_with_sizes([3, 1]),
    ],
)
def test_the_parts_of_a_wrapper_are_one_step(split) -> None:
    plain = rl.randn(3, 4, dtype=rl.float64, generator=rl.Generator().manual_seed(3))
    w, v = Wrapper(plain, requires_grad=True), plain.clone().requires_grad_()
    ours, expected = split(w), split(v)
    assert [tuple(y.shape) for y in ours] == [tuple(y.shape) for y in expected]
    assert ours[0].grad_fn.name() == expected[0].grad_fn.name()
    if "Narrow" not in expected[0].grad_fn.name() and "Slice" not in expected[0].grad_fn.name():
        assert ours[0].grad_fn is ours[1].grad_fn
    (ours[0].exp().sum() + ours[1].sum() * 2).backward()
    (expected[0].exp().sum() + expected[1].sum() * 2).backward()
    assert rl.allclose(w.grad.elem, v.grad, rtol=1e-12)


def test_the_parts_of_a_dimension_longer_than_can_be_traced() -> None:
    class Answers(rl.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return [rl.ones(2), rl.ones(2)] if func.overloadpacket.__name__ == "unbind" else NotImplemented

    long = rl.Tensor._make_wrapper_subclass(Answers, (1 << 40, 2), dtype=rl.float32, requires_grad=True)
    a, b = long.unbind()
    assert a.grad_fn is b.grad_fn and a.grad_fn.name() == "UnbindBackward0"
    assert len([*map(id, iter(long))]) == 2


def test_names_of_aten_s_whose_arguments_are_their_own() -> None:
    x = rl.arange(6.0)
    assert aten.slice(x, 0, 1, 5, 2).tolist() == aten.slice.Tensor(x, 0, 1, 5, 2).tolist() == [1.0, 3.0]
    assert aten.alias(x)._is_view() and aten.alias.default(x).data_ptr() == x.data_ptr()
    assert (
        aten.index(x, [rl.tensor([1, 4])]).tolist() == aten.index.Tensor(x, [rl.tensor([1, 4])]).tolist() == [1.0, 4.0]
    )


def test_an_overload_stands_for_its_own_operator_whoever_asks_first() -> None:
    """`chunk` is handed on as aten.split, `adaptive_avg_pool2d` as aten.mean: neither takes these names for itself."""

    class HandsOn(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    x = rl.arange(5.0)
    with HandsOn():
        assert len(x.chunk(3)) == 3 and len(x.split(2)) == 3
        assert F.adaptive_avg_pool2d(rl.ones(1, 2, 4, 4), 1).shape == (1, 2, 1, 1)
        assert rl.ones(2, 3, 4).mean((1, 2)).shape == (2,)
        assert rl.masked.sum(x, mask=x > 2).item() == 7.0

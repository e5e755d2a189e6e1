"""The class Tensor as programs handle it: patched, its operators held by classes, distinguished by identity, and seen
by `__torch_function__`.
"""

from __future__ import annotations

import copy
import operator
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import pytest

import rushlight as rl
from rushlight.core.dispatch import Operator
from rushlight.core.named import Method, Named
from rushlight.operators.table.define import METHODS, TABLE, public

USES: dict[str, Callable[[Any], Any]] = {
    "__add__": lambda x: x + x,
    "__radd__": lambda x: 1 + x,
    "__matmul__": lambda x: x @ x,
    "__getitem__": lambda x: x[0],
    "__len__": len,
    "__iter__": lambda x: next(iter(x)),
    "__bool__": lambda x: not x,
    "__repr__": repr,
    "__eq__": lambda x: x == x,
    "__lt__": lambda x: x < x,
    "__neg__": lambda x: -x,
    "__call__": lambda x: x(),
    "__getattr__": lambda x: x.nothing_of_that_name,
    "__contains__": lambda x: 1 in x,
    "__float__": float,
    "__index__": lambda x: [0, 1][x],
    "__hash__": hash,
    "__str__": str,
}
GIVES: dict[str, Any] = {
    "__len__": 7,
    "__bool__": False,
    "__repr__": "patched",
    "__contains__": False,
    "__float__": 2.5,
    "__index__": 1,
    "__hash__": 5,
    "__str__": "patched",
}


class Sub(rl.Tensor):
    """A subclass that was there before anything was patched."""


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = dict(vars(rl.Tensor))
    yield
    assert dict(vars(rl.Tensor)) == before


@pytest.mark.parametrize("name", USES)
def test_every_slot_can_be_patched_and_put_back(name: str) -> None:
    x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
    # a Parameter has a text of its own
    things = [x, x.as_subclass(Sub), *([] if name in ("__repr__", "__str__") else [rl.nn.Parameter(x)])]
    gives = GIVES.get(name, "patched") if name != "__iter__" else iter(["patched"])
    with mock.patch.object(
        rl.Tensor, name, lambda *args: gives if name != "__iter__" else iter(["patched"]), create=True
    ):
        for t in things:
            found = USES[name](t)
            assert found == (
                True if name == "__bool__" else "patched" if name == "__iter__" else gives if name != "__index__" else 1
            )
    if hasattr(rl.Tensor, name):
        for t in things:
            try:
                assert USES[name](t) is not gives
            except (RuntimeError, TypeError, ValueError):
                pass  # as without a patch: float() of four elements


def test_attributes_and_methods_are_given_and_taken_away() -> None:
    x = rl.ones(2)
    rl.Tensor.foo = lambda self: (self, "foo")  # type: ignore[attr-defined]
    assert x.foo()[0] is x and rl.nn.Parameter(x).foo()[1] == "foo"
    del rl.Tensor.foo  # type: ignore[attr-defined]
    assert not hasattr(x, "foo")
    with mock.patch.object(rl.Tensor, "device", "there"), mock.patch.object(rl.Tensor, "sum", lambda self: "sum"):
        assert x.device == "there" and x.sum() == "sum"
    assert x.device == rl.device("cpu") and x.sum().item() == 2
    for name in ("__name__", "__qualname__", "__bases__"):
        with pytest.raises(TypeError, match=name):
            setattr(rl.Tensor, name, "Other")


def test_an_instance_changes_its_class() -> None:
    x = rl.ones(2)
    for cls in (rl.nn.Parameter, Sub, rl.Tensor):
        x.__class__ = cls
        assert type(x) is cls
    x.__class__ = Sub
    assert type(x + 1) is Sub
    x.__class__ = rl.Tensor
    assert type(x + 1) is rl.Tensor
    with pytest.raises(TypeError):
        x.__class__ = int  # type: ignore[assignment]


def test_a_class_that_holds_an_operator_does_not_bind_it() -> None:
    class Layer:
        exp, conv, clip = rl.exp, rl.nn.functional.conv2d, rl.clip

    x = rl.ones(1, 1, 2, 2)
    assert rl.equal(Layer().exp(x), x.exp()) and rl.equal(Layer().clip(x, max=0.5), x.clip(max=0.5))
    assert Layer().conv(x, weight=x).shape == (1, 1, 1, 1)


def test_a_function_and_a_method_are_two_objects() -> None:
    for name, op in METHODS.items():
        method = vars(rl.Tensor)[name]
        if isinstance(method, Method):
            assert method is not TABLE.get(name) and hash(method) != hash(op) and method.op is op
            assert pickle.loads(pickle.dumps(method)) is method and copy.deepcopy(method) is method


@pytest.mark.parametrize("key", sorted(TABLE))
def test_a_public_operator_has_the_name_that_it_is_found_by(key: str) -> None:
    op = public(key)
    assert op.__name__.endswith(key.rpartition(".")[2])
    assert public(key) is op and copy.copy(op) is op
    if (
        isinstance(op, (Operator, Named))
        and op.__module__ != "rushlight.operators"
        and key.rpartition(".")[0] in ("", "linalg", "fft", "special")
    ):
        assert pickle.loads(pickle.dumps(op)) is op


class Seen(rl.Tensor):
    """Notes what it is asked."""

    asked: list[Any] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.asked.append(func)
        return super().__torch_function__(func, types, args, kwargs or {})


T, F = rl.Tensor, rl.nn.functional
HANDED: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "x + 1": (lambda x: x + 1, T.add),
    "1 + x": (lambda x: 1 + x, T.add),
    "x.add": (lambda x: x.add(1), T.add),
    "torch.add": (lambda x: rl.add(x, 1), rl.add),
    "clip": (lambda x: rl.clip(x, 0, 1), rl.clip),
    "x.clip": (lambda x: x.clip(0, 1), T.clip),
    "1 - x": (lambda x: 1 - x, T.__rsub__),
    "x / 2": (lambda x: x / 2, T.div),
    "x // 2": (lambda x: x // 2, T.__floordiv__),
    "x == x": (lambda x: x == x, T.__eq__),
    "x < 1": (lambda x: x < 1, T.lt),
    "-x": (lambda x: -x, T.neg),
    "x @ x": (lambda x: x @ x, T.matmul),
    "x ** 2": (lambda x: x**2, T.__pow__),
    "x[0]": (lambda x: x[0], T.__getitem__),
    "shape": (lambda x: x.shape, T.shape.__get__),
    "size": (lambda x: x.size(), T.size),
    "dim": (lambda x: x.dim(), T.dim),
    "T": (lambda x: x.T, T.T.__get__),
    "requires_grad": (lambda x: x.requires_grad, T.requires_grad.__get__),
    "set": (lambda x: setattr(x, "requires_grad", False), T.requires_grad.__set__),
    "gelu": (lambda x: F.gelu(x), F.gelu),
    "relu": (lambda x: F.relu(x), F.relu),
    "inv": (lambda x: rl.linalg.inv(x + rl.eye(2)), rl.linalg.inv),
    "max": (lambda x: x.max(0), T.max),
}


@pytest.mark.parametrize("name", HANDED)
def test_what_torch_function_is_handed(name: str) -> None:
    call, func = HANDED[name]
    x = rl.ones(2, 2).as_subclass(Seen)
    Seen.asked.clear()
    call(x)
    assert Seen.asked[-1] == func and len({rl.add: 1, T.add: 2, rl.clip: 3, rl.clamp: 4}) == 4


def test_results_keep_the_subclass() -> None:
    x = rl.ones(2, 2).as_subclass(Sub)
    found = x.max(0)
    assert type(found.values) is Sub and type(found.indices) is Sub and type(found) is type(rl.ones(2, 2).max(0))
    assert type(x.data) is Sub and type(x.T) is Sub and type(x.unbind()[0]) is Sub and x.shape == (2, 2)
    y = x.detach().requires_grad_()
    y.grad = rl.ones(2, 2)
    assert type(y.grad) is rl.Tensor


def test_a_variable_is_a_tensor() -> None:
    x = rl.ones(2)
    y = rl.autograd.Variable(x, requires_grad=True)
    assert type(y) is rl.Tensor and y.requires_grad and y.data_ptr() == x.data_ptr() and not x.requires_grad
    assert isinstance(x, rl.autograd.Variable) and not isinstance(3, rl.autograd.Variable)


def test_an_output_without_a_derivative_is_saved_without_one() -> None:
    class Sorted(rl.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: rl.Tensor) -> Any:
            order, twice = rl.argsort(x), x * 2
            ctx.save_for_backward(order, twice)
            ctx.mark_non_differentiable(twice)
            return x * 3, order, twice

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            order, twice = ctx.saved_tensors
            assert not order.requires_grad and not twice.requires_grad
            with rl.enable_grad():
                assert (order + 1).tolist()
            return grads[0] * 3

    x = rl.rand(3, requires_grad=True)
    Sorted.apply(x)[0].sum().backward()
    assert x.grad is not None and x.grad.tolist() == [3, 3, 3]


def test_gradcheck_of_a_function_that_differentiates() -> None:
    x = rl.rand(2, dtype=rl.float64, requires_grad=True)
    assert rl.autograd.gradcheck(lambda t: rl.autograd.grad((t**3).sum(), t, create_graph=True)[0], x)


SYNTAX = {
    f.__name__: f
    for f in (
        operator.add,
        operator.sub,
        operator.mul,
        operator.truediv,
        operator.floordiv,
        operator.mod,
        operator.pow,
        operator.and_,
        operator.or_,
        operator.xor,
        operator.lshift,
        operator.rshift,
        operator.lt,
        operator.eq,
        operator.matmul,
    )
}


@pytest.mark.parametrize("name", SYNTAX)
def test_syntax_with_a_subclass_on_either_side(name: str) -> None:
    """The default `__torch_function__` computes what plain tensors do, and keeps the class, whichever operand has it
    and whatever the other is.
    """
    f = SYNTAX[name]
    x = rl.tensor([1, 2, 3])
    for other in (2, rl.tensor([3, 1, 2])):
        if f is operator.matmul and isinstance(other, int):
            continue
        for a, b in ((x.as_subclass(Sub), other), (other, x.as_subclass(Sub))):
            plain = f(*(v.as_subclass(rl.Tensor) if isinstance(v, rl.Tensor) else v for v in (a, b)))
            found = f(a, b)
            assert type(found) is Sub and found.tolist() == plain.tolist()


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("convert", [float, complex, int, bool, lambda x: x.item()])
def test_a_number_warns_of_a_lost_gradient_where_gradients_are_recorded(
    convert: Callable[[Any], Any], grad: bool
) -> None:
    x = rl.ones((), requires_grad=True) * 2
    with warnings.catch_warnings(record=True) as seen, rl.set_grad_enabled(grad):
        warnings.simplefilter("always")
        convert(x)
    assert [w.category for w in seen] == [UserWarning] * (grad and convert in (float, complex))

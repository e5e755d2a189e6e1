"""nn.utils.parametrize, and weight and spectral norm, by parametrization and by hook."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import rushlight
from rushlight import nn
from rushlight.nn.utils import parametrizations, parametrize


class Symmetric(nn.Module):
    def forward(self, x: Any) -> Any:
        return x.triu() + x.triu(1).t()

    def right_inverse(self, x: Any) -> Any:
        return x.triu()


class Product(nn.Module):
    """Of two originals."""

    def forward(self, a: Any, b: Any) -> Any:
        return a * b

    def right_inverse(self, x: Any) -> Any:
        return x, rushlight.ones_like(x)


class Applied(nn.Module):
    """A function, and one for the way back if there is one."""

    def __init__(self, there: Any, back: Any = None) -> None:
        super().__init__()
        self.there = there
        if back is not None:
            self.right_inverse = back

    def forward(self, *x: Any) -> Any:
        return self.there(*x)


def test_one_original() -> None:
    m = nn.Linear(3, 3)
    own = m.weight
    assert parametrize.register_parametrization(m, "weight", Symmetric()) is m
    assert m.parametrizations.weight.original is own and m.parametrizations.weight.is_tensor
    assert list(m.state_dict()) == ["bias", "parametrizations.weight.original"]
    assert rushlight.equal(m.weight, m.weight.t()) and type(m).__name__ == "ParametrizedLinear"
    m.weight = rushlight.eye(3)
    assert rushlight.equal(own, rushlight.eye(3)) and parametrize.type_before_parametrizations(m) is nn.Linear
    parametrize.remove_parametrizations(m, "weight")
    assert m.weight is own and type(m) is nn.Linear and not hasattr(m, "parametrizations")


def test_several_originals() -> None:
    m = nn.Linear(2, 2)
    before = m.weight.detach().clone()
    parametrize.register_parametrization(m, "weight", Product())
    assert rushlight.equal(m.weight, before) and m.parametrizations.weight.ntensors == 2
    assert [n for n, _ in m.named_parameters()] == ["bias"] + [f"parametrizations.weight.original{i}" for i in range(2)]
    m.weight.sum().backward()
    assert rushlight.equal(m.parametrizations.weight.original1.grad, before)
    with pytest.raises(ValueError, match=r"leave_parametrized must be True for 'weight'.*2 originals"):
        parametrize.remove_parametrizations(m, "weight", leave_parametrized=False)
    parametrize.remove_parametrizations(m, "weight")
    assert isinstance(m.weight, nn.Parameter) and rushlight.equal(m.weight, before)


def test_functions_are_applied_in_order_and_cached() -> None:
    m = nn.Linear(2, 2)
    calls: list[str] = []

    def noted(name: str, f: Any) -> Any:
        return lambda x: calls.append(name) or f(x)

    parametrize.register_parametrization(m, "weight", Applied(noted("plus", lambda x: x + 1), lambda x: x - 1))
    parametrize.register_parametrization(m, "weight", Applied(noted("times", lambda x: x * 2), lambda x: x / 2))
    m.weight = rushlight.full((2, 2), 6.0)
    assert m.parametrizations.weight.original.tolist() == [[2.0, 2.0]] * 2
    calls.clear()
    with parametrize.cached():
        assert m.weight is m.weight
    assert calls == ["plus", "times"] and m.weight is not m.weight


def test_transfer() -> None:
    a, b = parametrizations.weight_norm(nn.Linear(2, 3)), nn.Linear(2, 3)
    parametrize.transfer_parametrizations_and_params(a, b)
    assert (
        rushlight.equal(a.weight, b.weight)
        and a.parametrizations.weight.original0 is not b.parametrizations.weight.original0
    )


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (
            lambda m: parametrize.register_parametrization(m, "nothing", Symmetric()),
            ValueError,
            "tensor_name.*Linear.*'nothing'",
        ),
        (
            lambda m: parametrize.register_parametrization(m, "weight", Applied(lambda x: 3)),
            ValueError,
            "must return a tensor; found int",
        ),
        (
            lambda m: parametrize.register_parametrization(m, "weight", nn.Flatten(0)),
            ValueError,
            r"shape .*\[2, 2\].*\[4\].*unsafe",
        ),
        (
            lambda m: parametrize.register_parametrization(m, "weight", Applied(lambda x: x.double())),
            ValueError,
            "dtype .*float32; found .*float64; unsafe=True",
        ),
        (
            lambda m: parametrize.register_parametrization(m, "weight", Applied(lambda x: x, lambda x: x.double())),
            ValueError,
            "right_inverse must return a tensor of dtype .*float32; found .*float64$",
        ),
        (
            lambda m: parametrize.register_parametrization(m, "weight", Applied(lambda x: x, lambda x: 3)),
            ValueError,
            "right_inverse must return one tensor or several in a sequence; found int",
        ),
        (
            lambda m: parametrize.register_parametrization(m, "weight", Applied(lambda *x: x[0], lambda x: (x, 3))),
            ValueError,
            "right_inverse, at index 1, must return a tensor; found int",
        ),
        (
            lambda m: parametrize.remove_parametrizations(m, "weight"),
            ValueError,
            "'weight' of Linear has no parametrization",
        ),
        (lambda m: parametrize.ParametrizationList([], m.weight), ValueError, "at least one parametrization"),
        (lambda m: parametrizations.spectral_norm(m, "nothing"), ValueError, "spectral_norm.*Linear, found 'nothing'"),
        (lambda m: parametrizations.spectral_norm(m, n_power_iterations=0), ValueError, "n_power_iterations.*found 0"),
        (lambda m: parametrizations.spectral_norm(m, dim=2), IndexError, r"dim must be in \[-2, 1\].*found 2"),
        (lambda m: nn.utils.spectral_norm(m, n_power_iterations=0), ValueError, "n_power_iterations.*found 0"),
        (lambda m: nn.utils.remove_spectral_norm(m), ValueError, "'weight' of Linear has no SpectralNorm"),
        (lambda m: nn.utils.remove_weight_norm(m), ValueError, "'weight' of Linear has no WeightNorm"),
        (lambda m: nn.utils.weight_norm(nn.utils.weight_norm(m)), RuntimeError, "WeightNorm: 'weight' of Linear has"),
        (
            lambda m: nn.utils.spectral_norm(nn.utils.spectral_norm(m)),
            RuntimeError,
            "SpectralNorm: 'weight' of Linear has",
        ),
    ],
)
def test_errors(act: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        act(nn.Linear(2, 2))


def test_assignment_needs_a_way_back_that_fits() -> None:
    m = nn.Linear(2, 2)
    parametrize.register_parametrization(m, "weight", Applied(lambda x: x * 2))
    with pytest.raises(RuntimeError, match="by Applied cannot be assigned to"):
        m.weight = rushlight.ones(2, 2)
    n = nn.Linear(2, 2)
    backs: list[Any] = [lambda x: x, lambda x: (x,)]
    parametrize.register_parametrization(n, "weight", Applied(lambda x: x, lambda x: backs[0](x)))
    backs[0] = lambda x: x.double()
    with pytest.raises(ValueError, match=r"'original'.*float32; found .*float64"):
        n.weight = rushlight.ones(2, 2)
    p = nn.Linear(2, 2)
    parametrize.register_parametrization(p, "weight", Product())
    p.parametrizations.weight[0].right_inverse = lambda x: (x,)
    with pytest.raises(ValueError, match="a sequence of 2 tensors; found 1"):
        p.weight = rushlight.ones(2, 2)
    with pytest.raises(RuntimeError, match=r"ParametrizedLinear.*state_dict"):
        pickle.dumps(p)


def test_the_second_parametrization_keeps_shape_and_dtype() -> None:
    m = nn.Linear(2, 2)
    parametrize.register_parametrization(m, "weight", Symmetric())
    with pytest.raises(ValueError, match=r"parametrization must return a tensor of shape .*\[2, 2\].*; found .*\[4\]"):
        parametrize.register_parametrization(m, "weight", nn.Flatten(0))
    with pytest.raises(
        ValueError, match="right_inverse of one that is not the first must return a tensor; found tuple"
    ):
        parametrize.register_parametrization(m, "weight", Applied(lambda x: x, lambda x: (x, x)))
    parametrize.register_parametrization(m, "weight", nn.Flatten(0), unsafe=True)
    assert m.weight.shape == (4,) and m.parametrizations.weight.unsafe


def test_weight_norm_by_hook() -> None:
    m = nn.Linear(3, 2)
    before = m.weight.detach().clone()
    nn.utils.weight_norm(m, dim=None)
    assert sorted(m.state_dict()) == ["bias", "weight_g", "weight_v"] and m.weight_g.shape == ()
    with rushlight.no_grad():
        m.weight_g.mul_(3)
    m(rushlight.ones(1, 3))
    rushlight.testing.assert_close(m.weight, 3 * before)
    assert nn.utils.remove_weight_norm(m) is m
    assert isinstance(m.weight, nn.Parameter) and sorted(m.state_dict()) == ["bias", "weight"]
    assert not m._forward_pre_hooks


@pytest.mark.parametrize("make", [nn.utils.spectral_norm, parametrizations.spectral_norm])
def test_spectral_norm_divides_by_the_largest_singular_value(make: Any) -> None:
    rushlight.manual_seed(0)
    m = nn.ConvTranspose2d(3, 4, 2)
    weight = m.weight.detach().clone()
    largest = rushlight.linalg.matrix_norm(weight.movedim(1, 0).flatten(1), 2)
    make(m, n_power_iterations=100)
    x = rushlight.ones(1, 3, 2, 2)
    m(x)
    rushlight.testing.assert_close(m.weight, weight / largest)
    m.eval()
    assert rushlight.equal(m(x), m(x))


def test_failed_spectral_norm_leaves_the_module_as_it_was() -> None:
    m = nn.Linear(2, 2, bias=False)
    with pytest.raises(ValueError, match="'bias' of Linear is None"):
        nn.utils.spectral_norm(m, "bias")
    assert list(m.state_dict()) == ["weight"] and not m._forward_pre_hooks


MAPS = ["matrix_exp", "cayley", "householder"]


def gram(q: Any) -> Any:
    """Q^H Q, or Q Q^H when Q is wide: the identity when Q is orthogonal."""
    return q @ q.mH if q.size(-2) < q.size(-1) else q.mH @ q


def one_with(weight: Any) -> nn.Module:
    m = nn.Module()
    m.weight = nn.Parameter(weight)
    return m


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 4, 3), (1, 1)], ids=str)
@pytest.mark.parametrize("trivialized", [True, False])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [*((name, rushlight.float64) for name in MAPS), *((name, rushlight.complex128) for name in MAPS[:2])],
    ids=str,
)
def test_orthogonal(name: str, trivialized: bool, shape: tuple[int, ...], dtype: Any) -> None:
    rushlight.manual_seed(1)
    m = one_with(rushlight.randn(shape, dtype=dtype))
    before = m.weight.detach().clone()
    parametrizations.orthogonal(m, orthogonal_map=name, use_trivialization=trivialized)
    n = min(shape[-2:])
    one = rushlight.eye(n, dtype=dtype).expand(*shape[:-2], n, n)
    rushlight.testing.assert_close(gram(m.weight), one)
    if trivialized or name == "householder":
        # The first value is that of the QR decomposition: Q^H W is triangular with a positive diagonal.
        tall, q = (before.mT, m.weight.mT) if shape[-2] < shape[-1] else (before, m.weight)
        r = q.mH @ tall
        rushlight.testing.assert_close(r, r.triu())
        assert (r.diagonal(dim1=-2, dim2=-1).real > 0).all()
    # It stays orthogonal when it learns, and moves towards its target.
    target = parametrizations.orthogonal(one_with(rushlight.randn(shape, dtype=dtype))).weight.detach()
    first = float((m.weight - target).detach().abs().square().sum())
    optimizer = rushlight.optim.SGD(m.parameters(), lr=0.02)
    for _ in range(20):
        optimizer.zero_grad()
        (m.weight - target).abs().square().sum().backward()
        optimizer.step()
    rushlight.testing.assert_close(gram(m.weight), one)
    last = float((m.weight - target).detach().abs().square().sum())
    assert last < first or shape == (1, 1) and not dtype.is_complex  # a sign cannot be learned


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)], ids=str)
@pytest.mark.parametrize(("name", "trivialized"), [("householder", False), *((name, True) for name in MAPS)])
def test_orthogonal_matrices_can_be_assigned(name: str, trivialized: bool, shape: tuple[int, ...]) -> None:
    m = parametrizations.orthogonal(
        one_with(rushlight.randn(shape)), orthogonal_map=name, use_trivialization=trivialized
    )
    held = m.parametrizations.weight.original
    # Two columns that no reflection is needed for, one of each sign, and a rotation.
    q = rushlight.eye(*shape)
    q[1, 1] = -1.0
    c, s = 0.6, 0.8
    q[0, 0], q[0, 2], q[2, 0], q[2, 2] = c, -s, s, c
    m.weight = q
    rushlight.testing.assert_close(m.weight, q)
    assert m.parametrizations.weight.original is held
    assert ("parametrizations.weight.0.base" in m.state_dict()) == trivialized
    again = parametrizations.orthogonal(
        one_with(rushlight.randn(shape)), orthogonal_map=name, use_trivialization=trivialized
    )
    again.load_state_dict(m.state_dict())
    assert rushlight.equal(again.weight, m.weight)
    m.weight = rushlight.ones(shape)  # of rank 1
    n = min(shape)
    rushlight.testing.assert_close(gram(m.weight), rushlight.eye(n))


@pytest.mark.parametrize("name", MAPS)
def test_orthogonal_maps_have_right_gradients(name: str) -> None:
    f = parametrizations._ORTHOGONAL_MAPS[name]
    x = rushlight.randn(4, 3, dtype=rushlight.float64, requires_grad=True)
    assert rushlight.autograd.gradcheck(f, (x,)) and rushlight.autograd.gradgradcheck(f, (x,))


def test_orthogonal_of_something_parametrized() -> None:
    m = nn.Linear(3, 3)
    parametrize.register_parametrization(m, "weight", Symmetric())
    composed = rushlight.linalg.matrix_exp(m.weight.tril() - m.weight.tril().t())
    parametrizations.orthogonal(m)
    rushlight.testing.assert_close(m.weight, composed)


def test_default_maps_of_orthogonal() -> None:
    for shape, dtype, name in (
        ((3, 3), rushlight.float32, MAPS[0]),
        ((3, 2), rushlight.float32, MAPS[2]),
        ((3, 2), rushlight.complex64, MAPS[0]),
    ):
        m = parametrizations.orthogonal(one_with(rushlight.randn(shape, dtype=dtype)))
        assert m.parametrizations.weight[0].orthogonal_map == name
    assert "(0): _Orthogonal()" in repr(m)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: parametrizations.orthogonal(nn.Linear(2, 2), "nothing"), "Linear, found 'nothing'"),
        (lambda: parametrizations.orthogonal(nn.Linear(2, 2), "bias"), "the weight must be 2-d.*found 1-d"),
        (
            lambda: parametrizations.orthogonal(nn.Linear(2, 2), orthogonal_map="qr"),
            "must be one of 'matrix_exp'.*found 'qr'",
        ),
        (
            lambda: parametrizations.orthogonal(one_with(rushlight.randn(2, 2) * 1j), orthogonal_map="householder"),
            "'householder' is for real weights; found .*complex64",
        ),
        (
            lambda: setattr(parametrizations.orthogonal(nn.Linear(2, 2)), "weight", rushlight.eye(3)),
            r"\(2, 2\); found \(3, 3\)",
        ),
    ],
)
def test_orthogonal_errors(act: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        act()


def test_maps_without_inverse() -> None:
    m = parametrizations.orthogonal(nn.Linear(2, 2), use_trivialization=False)
    with pytest.raises(NotImplementedError, match=r"only for the map 'householder', found 'matrix_exp'"):
        m.weight = rushlight.eye(2)

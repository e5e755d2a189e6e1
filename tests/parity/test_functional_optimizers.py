"""The functions of `torch.optim` that take one step on lists: signatures, parameters and states are PyTorch's."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.optim import _functional

torch = pytest.importorskip("torch")

_AVERAGES = {"beta1": 0.9, "beta2": 0.99, "eps": 1e-8}
_ADAM = {**_AVERAGES, "lr": 0.1, "weight_decay": 0.01}
_RMS = {"lr": 0.1, "alpha": 0.9, "eps": 1e-8, "weight_decay": 0.1}
_SGD = {"lr": 0.1, "weight_decay": 0.1, "momentum": 0, "dampening": 0, "nesterov": False, "maximize": False}
# The states of each ("z" zeros, "1" ones without dimensions, "s" small steps, "-" none yet, "" no list), and options.
STEPS: list[tuple[str, list[str], dict[str, Any]]] = [
    ("adam", ["z", "z", ""], {**_ADAM, "amsgrad": False, "maximize": False}),
    ("adam", ["z", "z", "z"], {**_ADAM, "amsgrad": True, "maximize": True, "decoupled_weight_decay": True}),
    ("adamw", ["z", "z", "z"], {**_ADAM, "amsgrad": True, "maximize": False}),
    ("rmsprop", ["z", "", ""], {**_RMS, "momentum": 0, "centered": False}),
    ("rmsprop", ["z", "z", "z"], {**_RMS, "momentum": 0.9, "centered": True}),
    ("adagrad", ["z"], {"lr": 0.1, "weight_decay": 0.1, "lr_decay": 0.1, "eps": 1e-8, "maximize": False}),
    ("adadelta", ["z", "z"], {"lr": 0.1, "rho": 0.9, "eps": 1e-8, "weight_decay": 0.1, "maximize": True}),
    ("adamax", ["z", "z"], _ADAM),
    ("nadam", ["z", "z", "1"], {**_ADAM, "momentum_decay": 0.004}),
    ("radam", ["z", "z"], _ADAM),
    ("asgd", ["z", "1", "1"], {"lr": 0.1, "weight_decay": 0.1, "lambd": 1e-4, "t0": 1.0, "alpha": 0.75}),
    ("rprop", ["z", "s"], {"step_size_min": 1e-6, "step_size_max": 50.0, "etaminus": 0.5, "etaplus": 1.2}),
    ("sgd", ["-"], _SGD),
    ("sgd", ["-"], {**_SGD, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("sgd", ["-"], {**_SGD, "momentum": 0.9, "dampening": 0.5}),
]


def function(lib: Any, name: str) -> Any:
    if lib is rushlight:
        return getattr(_functional, name)
    return getattr(importlib.import_module(f"torch.optim.{name}"), name)


def state(lib: Any, kind: str) -> list[Any]:
    shapes: list[tuple[int, ...]] = [(3,), (2, 2)]
    makers: dict[str, Any] = {
        "z": lib.zeros,
        "1": lambda s: lib.ones(()),
        "s": lambda s: lib.full(s, 0.01),
        "-": lambda s: None,
    }
    return [makers[kind](s) for s in shapes] if kind else []


def stepped(
    lib: Any, name: str, states: list[str], options: dict[str, Any], change: Callable[[Any], Any] = lambda g: g
) -> list[Any]:
    """The lists after four steps, by gradients that `change` may change."""
    params = [lib.nn.Parameter(lib.arange(1.0, 4.0)), lib.nn.Parameter(lib.ones(2, 2))]
    columns = [state(lib, kind) for kind in states]
    steps = [] if name == "sgd" else [[lib.zeros(()), lib.zeros(())]]
    with lib.no_grad():
        for k in range(4):
            grads = [lib.tensor([0.1, 0.2, -0.3 * k]), lib.full((2, 2), 0.5 - k)]
            assert function(lib, name)(params, [change(g) for g in grads], *columns, *steps, **options) is None
    assert all(p.grad is None and p.requires_grad for p in params)
    return [params, *columns, *steps]


def assert_same(found: list[Any], wanted: list[Any], rtol: float = 2e-6, atol: float = 1e-7) -> None:
    for own, other in zip(found, wanted, strict=True):
        assert len(own) == len(other)
        for a, b in zip(own, other, strict=True):
            assert (a is None) == (b is None)
            if b is not None:
                assert str(a.dtype) == str(b.dtype)
                np.testing.assert_allclose(
                    a.detach().double().numpy(), b.detach().double().numpy(), rtol=rtol, atol=atol
                )


@pytest.mark.parametrize(("name", "states", "options"), STEPS)
def test_steps(name: str, states: list[str], options: dict[str, Any]) -> None:
    assert_same(stepped(rushlight, name, states, options), stepped(torch, name, states, options))


# Options that the classes refuse and the functions take.
UNCHECKED: list[tuple[str, list[str], dict[str, Any]]] = [
    ("adam", ["z", "z", ""], {**_ADAM, "lr": -0.1, "amsgrad": False, "maximize": False}),
    ("adam", ["z", "z", ""], {**_ADAM, "beta2": 1.0, "amsgrad": False, "maximize": False}),
    ("sgd", ["-"], {**_SGD, "nesterov": True}),
    ("sgd", ["-"], {**_SGD, "nesterov": True, "momentum": 0.9, "dampening": 0.5}),
    ("rprop", ["z", "s"], {"step_size_min": 1e-6, "step_size_max": 50.0, "etaminus": 0.5, "etaplus": 1.0}),
]


@pytest.mark.parametrize(("name", "states", "options"), UNCHECKED)
def test_options_are_not_checked(name: str, states: list[str], options: dict[str, Any]) -> None:
    assert_same(stepped(rushlight, name, states, options), stepped(torch, name, states, options))


NO_DECAY = ("sgd", ["-"], {**_SGD, "momentum": 0.9, "weight_decay": 0})  # the velocity is of the gradient's own dtype


@pytest.mark.parametrize("kind", ["bfloat16", "float64", "one element"])
@pytest.mark.parametrize(("name", "states", "options"), [*STEPS, NO_DECAY])
def test_gradients_of_other_dtypes_and_shapes(name: str, states: list[str], options: dict[str, Any], kind: str) -> None:
    def run(lib: Any) -> list[Any]:
        def change(g: Any) -> Any:
            return g.flatten()[-1:] if kind == "one element" else g.to(getattr(lib, kind))

        return stepped(lib, name, states, options, change)

    found = run(rushlight)
    try:
        wanted = run(torch)
    except (RuntimeError, IndexError):  # PyTorch's lerp_ does not promote, and its masks do not broadcast
        assert all(t is None or t.isfinite().all() for column in found for t in column)
        return
    # (A velocity of 8 bits is rounded at each of PyTorch's operations, and here once.)
    coarse = any(t is not None and t.dtype == rushlight.bfloat16 for column in found for t in column)
    assert_same(found, wanted, *((2**-7, 2**-8) if coarse else ()))


@pytest.mark.parametrize(("name", "states", "options"), STEPS)
def test_empty_lists(name: str, states: list[str], options: dict[str, Any]) -> None:
    lists: list[list[Any]] = [[] for _ in range(2 + len(states) + (name != "sgd"))]
    for lib in (torch, rushlight):
        assert function(lib, name)(*lists, **options) is None
    assert not any(lists)


@pytest.mark.parametrize("change", ["short", "long"])
@pytest.mark.parametrize(("name", "states", "options"), STEPS)
def test_lists_of_other_lengths(name: str, states: list[str], options: dict[str, Any], change: str) -> None:
    def run(lib: Any, at: int) -> Any:
        lists = [[lib.ones(3), lib.ones(2, 2)], [lib.ones(3), lib.ones(2, 2)], *(state(lib, kind) for kind in states)]
        lists += [] if name == "sgd" else [[lib.zeros(()), lib.zeros(())]]
        lists[at] = lists[at][:1] if change == "short" else lists[at] * 2
        try:
            return function(lib, name)(*lists, **options)
        except Exception as error:
            return error

    names = list(inspect.signature(function(rushlight, name)).parameters)
    for at in range(1, 2 + len(states) + (name != "sgd")):
        found, wanted = run(rushlight, at), run(torch, at)
        assert type(found) is type(wanted)
        if wanted is not None:
            assert f"{name}(): '{names[at]}' must hold one tensor for each of the 2 'params'" in str(found)


@pytest.mark.parametrize(("name", "states", "options"), STEPS)
def test_no_hooks(name: str, states: list[str], options: dict[str, Any]) -> None:
    from rushlight.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

    called: list[Any] = []
    handles = [
        register(lambda *given: called.append(given))
        for register in (register_optimizer_step_pre_hook, register_optimizer_step_post_hook)
    ]
    try:
        stepped(rushlight, name, states, options)
    finally:
        for handle in handles:
            handle.remove()
    assert called == []


@pytest.mark.parametrize(("name", "states", "options"), STEPS)
def test_vmap(name: str, states: list[str], options: dict[str, Any]) -> None:
    """Two steps of each example, in place of copies, are those of the examples one by one."""

    def two(p: Any, g: Any) -> Any:
        q = p.clone()
        kinds = {"z": lambda: q * 0, "1": lambda: rushlight.ones(()) + 0 * q.sum(), "s": lambda: q * 0 + 0.01}
        columns: list[list[Any]] = [[None] if kind == "-" else [kinds[kind]()] if kind else [] for kind in states]
        steps = [] if name == "sgd" else [[rushlight.zeros(())]]
        for factor in (1, -2):
            function(rushlight, name)([q], [factor * g], *columns, *steps, **options)
        return q

    p, g = rushlight.arange(6.0).reshape(2, 3), rushlight.tensor([[0.1, 0.2, 0.3], [-1.0, 2.0, 0.5]])
    found = rushlight.func.vmap(two)(p, g)
    assert not (found == p).any()
    rushlight.testing.assert_close(found, rushlight.stack([two(*row) for row in zip(p, g, strict=True)]))


@pytest.mark.parametrize(("name", "states", "options"), [row for row in STEPS if row[0] in ("adam", "adagrad", "sgd")])
def test_scaled_gradients(name: str, states: list[str], options: dict[str, Any]) -> None:
    """A fused step leaves the gradients unscaled, and changes nothing where an infinity was found."""

    def run(lib: Any, found_inf: float) -> list[Any]:
        params, grads = [lib.ones(3), lib.ones(2, 2)], [lib.full((3,), 8.0), lib.full((2, 2), 4.0)]
        columns = [state(lib, kind) for kind in states]
        columns += [] if name == "sgd" else [[lib.zeros(()), lib.zeros(())]]
        scaling = {"grad_scale": lib.tensor(4.0), "found_inf": lib.tensor(found_inf)}
        function(lib, name)(params, grads, *columns, fused=True, **scaling, **options)
        return [params, grads, *columns]

    assert_same(run(rushlight, 0.0), run(torch, 0.0))
    stopped, wanted = run(rushlight, 1.0), run(torch, 1.0)
    # (PyTorch leaves a velocity that it has begun and not written.)
    assert_same(*((lists[:2] if name == "sgd" else lists) for lists in (stopped, wanted)))
    assert run(rushlight, 0.0)[1][0].tolist() == [2.0, 2.0, 2.0]


def test_grad_of_a_result_stays() -> None:
    p = rushlight.ones(2, requires_grad=True) * 2
    p.retain_grad()
    p.sum().backward()
    held = p.grad
    function(rushlight, "sgd")([p], [rushlight.ones(2)], [None], **_SGD)
    assert p.grad is held


@pytest.mark.parametrize("name", sorted({row[0] for row in STEPS}))
def test_signatures(name: str) -> None:
    def parameters(lib: Any) -> list[Any]:
        return [(p.name, p.kind, p.default) for p in inspect.signature(function(lib, name)).parameters.values()]

    assert parameters(rushlight) == parameters(torch)


def one_by_one(lib: Any, name: str) -> Any:
    if lib is rushlight:
        return getattr(_functional, name)
    module = "_functional" if name == "sparse_adam" else f"_{name}"
    return getattr(importlib.import_module(f"torch.optim.{module}"), name)


def stepped_one_by_one(lib: Any, name: str) -> list[Any]:
    """The parameters and the states after three steps of what has no lists of one kind."""
    matrix, vector = lib.arange(12.0).reshape(3, 4) / 10, lib.arange(5.0)
    if name == "muon":
        buffers = [lib.zeros(3, 4)]
        options = {"lr": 0.1, "weight_decay": 0.1, "momentum": 0.9, "nesterov": True, "ns_steps": 5, "eps": 1e-7}
        options |= {"ns_coefficients": (3.4445, -4.775, 2.0315), "adjust_lr_fn": None, "has_complex": False}
        drawn = np.random.RandomState(0).randn(3, 3, 4).astype("float32")  # small singular values would be noise
        for k in range(3):
            one_by_one(lib, name)([matrix], [lib.tensor(drawn[k])], buffers, **options)
        return [matrix, *buffers]
    if name == "adafactor":
        params, steps = [matrix, vector], [lib.zeros(()), lib.zeros(())]
        rows, columns, others = [lib.zeros(3, 1), None], [lib.zeros(1, 4), None], [None, lib.zeros(5)]
        options = {"d": 1.0, "lr": 0.1, "beta2_decay": -0.8, "weight_decay": 0.1, "eps1": 1e-7, "eps2": 1e-3}
        for k in range(3):
            grads = [(p - k).sin() for p in params]
            one_by_one(lib, name)(params, grads, rows, columns, others, steps, **options, maximize=False)
        return [*params, *steps, rows[0], columns[0], others[1]]
    means, squares = lib.zeros(3, 4), lib.zeros(3, 4)
    for k in range(3):
        grad = lib.sparse_coo_tensor([[0, 2]], lib.arange(8.0).reshape(2, 4) - k, (3, 4), check_invariants=True)
        options = {"eps": 1e-8, "beta1": 0.9, "beta2": 0.99, "lr": 0.1, "maximize": True}
        one_by_one(lib, name)([matrix], [grad], [means], [squares], [k + 1], **options)
    return [matrix, means, squares]


@pytest.mark.parametrize("name", ["sparse_adam", "adafactor", "muon"])
def test_parameters_one_by_one(name: str) -> None:
    ours, theirs = inspect.signature(one_by_one(rushlight, name)), inspect.signature(one_by_one(torch, name))
    assert [(p.name, p.kind, p.default) for p in ours.parameters.values()] == [
        (p.name, p.kind, p.default) for p in theirs.parameters.values()
    ]
    # (The orthogonal factor is computed in bfloat16.)
    tolerance = 2e-2 if name == "muon" else 2e-6
    for a, b in zip(stepped_one_by_one(rushlight, name), stepped_one_by_one(torch, name), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=tolerance, atol=tolerance)


def test_refusals_one_by_one() -> None:
    def muon(lib: Any, **options: Any) -> None:
        given = {"lr": 0.1, "weight_decay": 0.1, "momentum": 0.9, "nesterov": True, "ns_steps": 5, "eps": 1e-7}
        given |= {"ns_coefficients": (3.4445, -4.775, 2.0315), "adjust_lr_fn": None, "has_complex": False, **options}
        one_by_one(lib, "muon")([lib.ones(2, 2)], [lib.ones(2, 2)], [lib.zeros(2, 2)], **given)

    def adafactor(lib: Any, steps: list[Any], **options: Any) -> None:
        given = {"d": 1.0, "lr": 0.1, "beta2_decay": -0.8, "weight_decay": 0.0, "eps1": 1e-7, "eps2": 1e-3}
        given |= {"maximize": False, **options}
        lists = [[lib.ones(3)], [lib.ones(3)], [None], [None], [lib.zeros(3)], steps]
        one_by_one(lib, "adafactor")(*lists, **given)

    calls: dict[str, Callable[[Any], None]] = {
        "lists at once": lambda lib: muon(lib, foreach=True),
        "complex matrices": lambda lib: muon(lib, has_complex=True),
        "steps that are no tensors": lambda lib: adafactor(lib, [0]),
        "a scale": lambda lib: adafactor(lib, [lib.zeros(())], grad_scale=lib.ones(())),
    }
    for call in calls.values():
        with pytest.raises(Exception) as wanted:
            call(torch)
        with pytest.raises(wanted.type):
            call(rushlight)


def test_refusals() -> None:
    def sgd(lib: Any, params: list[Any], **options: Any) -> None:
        given = {
            "lr": 0.1,
            "weight_decay": 0.0,
            "momentum": 0.9,
            "dampening": 0,
            "nesterov": False,
            "maximize": False,
        } | options
        function(lib, "sgd")(params, [lib.ones(2)], [None], **given)

    adam = {**_ADAM, "amsgrad": False, "maximize": False}
    calls = {
        "a leaf where operations are recorded": lambda lib: sgd(lib, [lib.ones(2, requires_grad=True)]),
        "an option that is not there": lambda lib: sgd(lib, [lib.ones(2)], speed=1),
        "steps that are no tensors": lambda lib: function(lib, "adam")(
            [lib.ones(2)], [lib.ones(2)], [lib.zeros(2)], [lib.zeros(2)], [], [0], **adam
        ),
        "a scale that is not for it": lambda lib: function(lib, "adam")(
            [lib.ones(2)],
            [lib.ones(2)],
            [lib.zeros(2)],
            [lib.zeros(2)],
            [],
            [lib.zeros(())],
            foreach=False,
            grad_scale=lib.ones(()),
            **adam,
        ),
        "a rate that is a tensor": lambda lib: function(lib, "adam")(
            *([t] for t in lib.ones(4, 2)), [], [lib.zeros(())], foreach=True, **{**adam, "lr": lib.tensor(0.1)}
        ),
        "a derivative of lists": lambda lib: function(lib, "adam")(
            *([t] for t in lib.ones(4, 2)), [], [lib.zeros(())], foreach=True, differentiable=True, **adam
        ),
        "a derivative of a fused step": lambda lib: function(lib, "adam")(
            *([t] for t in lib.ones(4, 2)), [], [lib.zeros(())], fused=True, differentiable=True, **adam
        ),
    }
    wrong = {}
    for name, call in calls.items():
        with pytest.raises(Exception) as wanted:
            call(torch)
        with pytest.raises(Exception) as found:
            call(rushlight)
        if found.type is not wanted.type:
            wrong[name] = found.type, wanted.type
    assert not wrong

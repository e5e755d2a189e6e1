"""The functions of `torch.optim` that take one step on lists: signatures, parameters and states are PyTorch's."""

from __future__ import annotations

import importlib
import inspect
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


@pytest.mark.parametrize(("name", "states", "options"), STEPS)
def test_steps(name: str, states: list[str], options: dict[str, Any]) -> None:
    def run(lib: Any) -> list[Any]:
        params = [lib.nn.Parameter(lib.arange(1.0, 4.0)), lib.nn.Parameter(lib.ones(2, 2))]
        columns = [state(lib, kind) for kind in states]
        steps = [] if name == "sgd" else [[lib.zeros(()), lib.zeros(())]]
        with lib.no_grad():
            for k in range(4):
                grads = [lib.tensor([0.1, 0.2, -0.3 * k]), lib.full((2, 2), 0.5 - k)]
                assert function(lib, name)(params, grads, *columns, *steps, **options) is None
        assert all(p.grad is None and p.requires_grad for p in params)
        return [params, *columns, *steps]

    for found, wanted in zip(run(rushlight), run(torch), strict=True):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            assert (a is None) == (b is None)
            if b is not None:
                np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", sorted({row[0] for row in STEPS}))
def test_signatures(name: str) -> None:
    def parameters(lib: Any) -> list[Any]:
        return [(p.name, p.kind, p.default) for p in inspect.signature(function(lib, name)).parameters.values()]

    assert parameters(rushlight) == parameters(torch)


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
    }
    for name, call in calls.items():
        with pytest.raises(Exception) as wanted:
            call(torch)
        with pytest.raises(type(wanted.value)):
            call(rushlight)
        assert name

"""Sixty steps of every optimizer, with its options, end at PyTorch's parameters: gradients with zeros, missing now and
then, and such as turn round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}, {"momentum": 0.9, "dampening": 0.1}],
    "Adam": [{}, {"amsgrad": True}, {"betas": (0.8, 0.9), "eps": 1e-3}, {"decoupled_weight_decay": True}],
    "AdamW": [{}, {"amsgrad": True}],
    "Adamax": [{}],
    "NAdam": [{}, {"decoupled_weight_decay": True}, {"momentum_decay": 0.01}],
    "RAdam": [{}, {"decoupled_weight_decay": True}],
    "Adadelta": [{}, {"rho": 0.8}],
    "Adagrad": [{}, {"lr_decay": 0.01, "initial_accumulator_value": 0.1}],
    "RMSprop": [{}, {"momentum": 0.9}, {"centered": True}],
    "Rprop": [{}, {"etas": (0.4, 1.3)}, {"step_sizes": (1e-3, 0.2)}],
    "ASGD": [{}, {"t0": 10, "alpha": 0.6, "lambd": 1e-3}],
    "Adafactor": [{}],
}
STEPS = 60


def gradients(kind: str) -> np.ndarray[Any, Any]:
    noise = np.random.default_rng(7).standard_normal((STEPS, 4, 3))
    if kind == "some zero":
        noise[::3] *= noise[::3] > 0
    elif kind == "turning":
        noise = np.ones_like(noise)
        noise[STEPS // 2 :] = -1
    return noise


def steps(module: Any, name: str, options: dict[str, Any], dtype: str, kind: str) -> list[np.ndarray[Any, Any]]:
    start = np.random.default_rng(3).standard_normal((4, 3))
    ps = [module.nn.Parameter(module.tensor(start.copy(), dtype=getattr(module, dtype))) for _ in range(2)]
    optimizer = getattr(module.optim, name)(ps, **options)
    for i, g in enumerate(gradients(kind)):
        ps[0].grad = module.tensor(g.copy(), dtype=getattr(module, dtype))
        ps[1].grad = None if kind == "some missing" and i % 2 else ps[0].grad.clone()
        optimizer.step()
    return [p.detach().numpy() for p in ps]


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("decay", [0.0, 0.01])
@pytest.mark.parametrize("name", OPTIONS)
def test_steps(name: str, decay: float, maximize: bool) -> None:
    if decay and name == "Rprop":
        pytest.skip("it has no weight decay")
    for options in OPTIONS[name]:
        given = {**options, "maximize": maximize, **({"weight_decay": decay} if name != "Rprop" else {})}
        for kind in ("noise", "some zero", "some missing", "turning"):
            ours, theirs = (steps(m, name, given, "float64", kind) for m in (rushlight, torch))
            for a, b in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13, err_msg=f"{given} {kind}")


@pytest.mark.parametrize("options", OPTIONS["Rprop"])
@pytest.mark.parametrize("kind", ["noise", "some zero", "turning"])
def test_resilient_propagation_has_the_same_bits(options: dict[str, Any], kind: str) -> None:
    """Its steps depend on signs alone, so a last bit would not stay one."""
    ours, theirs = (steps(m, "Rprop", options, "float32", kind) for m in (rushlight, torch))
    assert all((a == b).all() for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("options", [{}, {"foreach": True}, {"fused": True}])
@pytest.mark.parametrize("name", ["Adam", "AdamW", "RAdam", "NAdam", "Adamax", "ASGD", "Rprop", "RMSprop", "Adadelta"])
def test_what_no_device_here_captures(name: str, options: dict[str, bool]) -> None:
    """A step that is to be captured is refused when it is taken, and steps nothing; without gradients there is none."""
    found = []
    for module in (rushlight, torch):
        p = module.ones(3).requires_grad_()
        try:
            optimizer = getattr(module.optim, name)([p], lr=0.1, capturable=True, **options)
            optimizer.step()
            p.grad = module.ones(3)
            optimizer.step()
        except (AssertionError, TypeError) as error:
            found.append((type(error), p.tolist()))
        else:
            found.append((None, p.tolist()))
    assert found[0] == found[1]

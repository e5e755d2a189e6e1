"""Optimizers and schedules against PyTorch's over 20 steps, with a reload half way, and the base class's errors."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import optim

OPTIONS: dict[str, dict[str, list[Any]]] = {
    "SGD": {"lr": [0.1], "momentum": [0, 0.9], "dampening": [0, 0.3], "weight_decay": [0, 0.1], "maximize": [False, True]},
    "Adam": {"lr": [0.05], "weight_decay": [0, 0.1], "amsgrad": [False, True], "maximize": [False, True]},
    "AdamW": {"lr": [0.05], "weight_decay": [0, 0.1], "amsgrad": [False, True], "maximize": [False, True]},
    "Adagrad": {"lr_decay": [0, 0.1], "weight_decay": [0, 0.1], "initial_accumulator_value": [0, 0.5]},
    "RMSprop": {"weight_decay": [0, 0.1], "momentum": [0, 0.9], "centered": [False, True]},
    "Adadelta": {"weight_decay": [0, 0.1], "maximize": [False, True]},
    "Adamax": {"weight_decay": [0, 0.1], "maximize": [False, True]},
    "NAdam": {"weight_decay": [0, 0.1], "decoupled_weight_decay": [False, True]},
    "RAdam": {"lr": [0.05], "weight_decay": [0, 0.1], "decoupled_weight_decay": [False, True]},
    "ASGD": {"weight_decay": [0, 0.1], "t0": [3, 1e6]},
    "Rprop": {"maximize": [False, True]},
}
CASES = [
    (name, dict(zip(table, values, strict=True)))
    for name, table in OPTIONS.items()
    for values in itertools.product(*table.values())
] + [("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True})]


def trajectory(lib: Any, name: str, options: dict[str, Any]) -> tuple[list[np.ndarray], Any]:
    """The parameters after 20 steps; the second one has no gradient at two of them."""
    rng = np.random.default_rng(1)
    params = [lib.from_numpy(rng.standard_normal(shape)).requires_grad_() for shape in ((3, 4), (5,))]
    goal = lib.from_numpy(rng.standard_normal((3, 4)))
    optimizer = getattr(lib.optim, name)(params, **options)
    for i in range(20):
        optimizer.zero_grad()
        loss = ((params[0] - goal) ** 2).sum()
        if i not in (0, 3):
            loss = loss + (params[1] ** 2).sum()
        loss.backward()
        optimizer.step()
        if i == 10:
            saved = optimizer.state_dict()
            optimizer = getattr(lib.optim, name)(params, **options)
            optimizer.load_state_dict(saved)
    return [p.detach().numpy() for p in params], optimizer


@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda v: "-".join(map(str, v.values())) if isinstance(v, dict) else v)
def test_trajectory_agrees_with_pytorch(name: str, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    ours, a = trajectory(rushlight, name, options)
    theirs, b = trajectory(torch, name, options)
    for x, y in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-6)
    assert repr(a) == repr(b)
    mine, reference = a.state_dict(), b.state_dict()
    assert {k: list(v) for k, v in mine["state"].items()} == {k: list(v) for k, v in reference["state"].items()}


SCHEDULES: dict[str, Any] = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.9**epoch),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, [lambda epoch: 0.95, lambda epoch: 0.9]),
    "StepLR": lambda s, o: s.StepLR(o, 7, 0.3),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 9, 9]),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.5, 6),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.2, 0.9, 11),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.9),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, 9, 2.0),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 8, 0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, 1.0, 5), s.CosineAnnealingLR(o, 10), s.ExponentialLR(o, 0.9)], [5, 20]
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.9)]),
    "ReduceLROnPlateau": lambda s, o: s.ReduceLROnPlateau(o, patience=2, cooldown=1, factor=0.5, min_lr=[0.01, 0.02]),
    "CyclicLR": lambda s, o: s.CyclicLR(o, [0.1, 0.2], 1.0, 5, 7, mode="triangular2"),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, [1.0, 2.0], total_steps=50),
}


def rates(lib: Any, make: Any) -> list[list[float]]:
    params = [lib.zeros(1).requires_grad_() for _ in range(2)]
    optimizer = lib.optim.SGD([{"params": params[:1]}, {"params": params[1:], "lr": 0.3}], lr=0.5, momentum=0.9)
    schedule = make(lib.optim.lr_scheduler, optimizer)
    rows = []
    for i in range(40):
        rows.append([g[key] for g in optimizer.param_groups for key in ("lr", "momentum")])
        optimizer.step()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # PyTorch's SequentialLR warns of its own calls
            schedule.step(*([abs(i % 7 - 3) + 1.0] if type(schedule).__name__ == "ReduceLROnPlateau" else []))
        if i == 10:
            schedule.load_state_dict(schedule.state_dict())
    return rows


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedule_agrees_with_pytorch(name: str) -> None:
    torch = pytest.importorskip("torch")
    np.testing.assert_allclose(rates(rushlight, SCHEDULES[name]), rates(torch, SCHEDULES[name]), rtol=1e-12)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_minimizes_a_quadratic(search: str | None) -> None:
    x = rushlight.tensor([3.0, -2.0], dtype=rushlight.float64).requires_grad_()
    scale = rushlight.tensor([1.0, 10.0], dtype=rushlight.float64)
    optimizer = optim.LBFGS([x], lr=0.5 if search is None else 1, line_search_fn=search, max_iter=60)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (scale * x * x).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert float(closure().detach()) < 1e-8


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda p: optim.SGD(p, lr=0.1), TypeError, "iterable"),
        (lambda p: optim.SGD([], lr=0.1), ValueError, "empty parameter list"),
        (lambda p: optim.SGD([3], lr=0.1), TypeError, "can only optimize Tensors"),
        (lambda p: optim.SGD([p * 2], lr=0.1), ValueError, "non-leaf"),
        (lambda p: optim.SGD([p], lr=-1), ValueError, "Invalid learning rate: -1"),
        (lambda p: optim.SGD([p], nesterov=True), ValueError, "Nesterov"),
        (lambda p: optim.Adam([p], betas=(1.0, 0.9)), ValueError, "beta parameter at index 0: 1.0"),
        (lambda p: optim.Adam([{"params": [p]}, {"params": [p]}]), ValueError, "more than one parameter group"),
        (lambda p: optim.Adam([p], fused=True, differentiable=True), RuntimeError, "differentiable"),
        (lambda p: optim.lr_scheduler.StepLR(3, 1), TypeError, "not an Optimizer"),
    ],
)
def test_errors(make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make(rushlight.ones(2).requires_grad_())


def test_step_hooks_and_closure() -> None:
    p = rushlight.ones(1).requires_grad_()
    optimizer = optim.SGD([p], lr=1.0)
    log: list[str] = []
    optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append("before"))
    optimizer.register_step_post_hook(lambda o, args, kwargs: log.append("after"))

    def closure() -> Any:
        log.append("closure")
        optimizer.zero_grad()
        loss = (p * 3).sum()
        loss.backward()
        return loss

    assert float(optimizer.step(closure).detach()) == 3.0
    assert log == ["before", "closure", "after"]
    assert p.tolist() == [-2.0]

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
    "SGD": {
        "lr": [0.1],
        "momentum": [0, 0.9],
        "dampening": [0, 0.3],
        "weight_decay": [0, 0.1],
        "maximize": [False, True],
    },
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


@pytest.mark.parametrize(
    ("name", "options"), CASES, ids=lambda v: "-".join(map(str, v.values())) if isinstance(v, dict) else v
)
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


def test_lbfgs_line_search_meets_the_strong_wolfe_conditions() -> None:
    from rushlight.optim.lbfgs import _Point, _StrongWolfe

    direction = rushlight.ones(1, dtype=rushlight.float64)

    def evaluate(x: float) -> tuple[float, Any]:
        # Hilly, with a minimum near 0.5 and higher ones beyond.
        value = np.sin(6 * x + 2.5) + 0.3 * x * x
        return float(value), rushlight.tensor([6 * np.cos(6 * x + 2.5) + 0.6 * x], dtype=rushlight.float64)

    loss, grad = evaluate(0.0)
    start = _Point(0.0, loss, grad, float(grad))
    assert start.slope < 0
    for first in (1e-3, 0.1, 0.4, 1.0, 3.0, 30.0):
        search = _StrongWolfe(evaluate, direction, start, 1e-9)
        found = search.run(first)
        assert 0 < found.at and search.evaluations <= 25
        assert found.loss <= start.loss + 1e-4 * found.at * start.slope and abs(found.slope) <= 0.9 * abs(
            start.slope
        ), first


def one_rate(schedule: Any) -> float:
    return schedule.get_last_lr()[0]


def plain() -> Any:
    return optim.SGD([rushlight.zeros(1).requires_grad_()], lr=1.0, momentum=0.9)


def test_schedules_where_pytorch_is_wrong() -> None:
    """See docs/differences.md."""
    schedules = optim.lr_scheduler
    restarts = schedules.CosineAnnealingWarmRestarts(plain(), 1, 3)
    for epoch, (length, passed) in {0: (1, 0), 1: (3, 0), 3: (3, 2), 4: (9, 0), 121: (243, 0), 364: (729, 0)}.items():
        restarts.step(epoch)
        assert (restarts.T_i, restarts.T_cur) == (length, passed)
    assert one_rate(schedules.ConstantLR(plain(), 0.5, 0)) == 1.0
    assert one_rate(schedules.OneCycleLR(plain(), 0.1, total_steps=10, pct_start=0.1)) == 0.1


def test_schedules_within_schedules() -> None:
    s = optim.lr_scheduler

    def rates(make: Any, steps: int) -> list[float]:
        optimizer = plain()
        schedule = make(optimizer)
        found = []
        for _ in range(steps):
            found.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        return found

    parts: list[Any] = [
        lambda o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)], [2]),
        lambda o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)]),
        lambda o: s.StepLR(o, 2, 0.5),
    ]
    for first, second in itertools.permutations(parts, 2):
        both = rates(lambda o, a=first, b=second: s.SequentialLR(o, [a(o), b(o)], [5]), 12)
        np.testing.assert_allclose(both, rates(first, 5) + rates(second, 7), rtol=1e-12)


def test_schedules_at_an_epoch_agree_with_their_steps() -> None:
    schedules = optim.lr_scheduler
    for make in (
        lambda o: schedules.StepLR(o, 3, 0.3),
        lambda o: schedules.MultiStepLR(o, [2, 5, 5], 0.5),
        lambda o: schedules.ConstantLR(o, 0.3, 4),
        lambda o: schedules.LinearLR(o, 0.2, 0.0, 6),
        lambda o: schedules.ExponentialLR(o, 0.9),
        lambda o: schedules.PolynomialLR(o, 6, 1.5),
        lambda o: schedules.CosineAnnealingLR(o, 5, 0.01),
    ):
        stepped, jumped = make(plain()), make(plain())
        for epoch in range(1, 13):
            stepped.optimizer.step()
            jumped.optimizer.step()
            stepped.step()
            with pytest.warns(UserWarning, match=r"lr_scheduler.step: the argument 'epoch' is deprecated"):
                jumped.step(epoch)
            np.testing.assert_allclose(one_rate(stepped), one_rate(jumped), rtol=1e-12, atol=1e-15)


def test_a_schedule_warns_when_it_comes_before_the_optimizer() -> None:
    schedule = optim.lr_scheduler.ExponentialLR(plain(), 0.9)
    with pytest.warns(UserWarning, match=r"^Detected call of `lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        schedule.step()


def test_a_plain_function_is_not_saved_but_an_object_is() -> None:
    class Factor:
        def __init__(self) -> None:
            self.base = 0.5

        def __call__(self, epoch: int) -> float:
            return self.base**epoch

    def make() -> Any:
        optimizer = optim.SGD(
            [{"params": rushlight.zeros(1).requires_grad_()}, {"params": rushlight.zeros(1).requires_grad_()}], lr=1.0
        )
        return optim.lr_scheduler.LambdaLR(optimizer, [Factor(), lambda epoch: 1.0])

    first, second = make(), make()
    first.lr_lambdas[0].base = 0.25
    saved = first.state_dict()
    assert saved["lr_lambdas"] == [{"base": 0.25}, None] and "optimizer" not in saved
    second.load_state_dict(saved)
    assert second.lr_lambdas[0].base == 0.25


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda s, o: s.LambdaLR(o, 3), "LambdaLR: 'lr_lambda' must be a function, or a list of them; found int"),
        (
            lambda s, o: s.LambdaLR(o, [abs, abs]),
            "LambdaLR: 'lr_lambda' must be one value or one for each of 1 groups; found 2",
        ),
        (lambda s, o: s.ConstantLR(o, 2.0), r"ConstantLR: 'factor' must be in \[0, 1\]; found 2.0"),
        (lambda s, o: s.LinearLR(o, 0), r"LinearLR: 'start_factor' must be in \(0, 1\]; found 0"),
        (
            lambda s, o: s.StepLR(o, 3, last_epoch=2),
            "StepLR: to resume after an epoch, every group must have .* 'initial_lr'; group 0 has none",
        ),
        (
            lambda s, o: s.CosineAnnealingWarmRestarts(o, 0),
            "CosineAnnealingWarmRestarts: 'T_0' must be a positive int; found 0",
        ),
        (
            lambda s, o: s.CosineAnnealingWarmRestarts(o, 1).step(-1),
            "CosineAnnealingWarmRestarts: 'epoch' must be at least 0; found -1",
        ),
        (
            lambda s, o: s.ChainedScheduler([3]),
            r"ChainedScheduler: schedulers\[0\] must be a schedule with an 'optimizer'; found int",
        ),
        (
            lambda s, o: s.ChainedScheduler([s.StepLR(o, 1), s.StepLR(plain(), 1)]),
            r"ChainedScheduler: .* that of schedulers\[1\], a StepLR, is another",
        ),
        (
            lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [3]),
            r"SequentialLR: 'milestones' must be 0 long, .*; found \[3\]",
        ),
        (
            lambda s, o: s.SequentialLR(o, [s.ReduceLROnPlateau(o)], []),
            "SequentialLR: 'schedulers' may not hold a ReduceLROnPlateau",
        ),
        (lambda s, o: s.ReduceLROnPlateau(o, factor=1.5), "ReduceLROnPlateau: 'factor' must be less than 1; found 1.5"),
        (lambda s, o: s.ReduceLROnPlateau(o, mode="x"), "ReduceLROnPlateau: 'mode' must be 'min' or 'max'; found 'x'"),
        (lambda s, o: s.CyclicLR(o, 0.1, 1, mode="x"), "CyclicLR: 'mode' must be one of triangular.*; found 'x'"),
        (
            lambda s, o: s.CyclicLR(optim.Adagrad(o.param_groups[0]["params"]), 0.1, 1),
            "CyclicLR: 'cycle_momentum' needs .*; found Adagrad",
        ),
        (
            lambda s, o: s.OneCycleLR(o, 0.1, epochs=3),
            "OneCycleLR: 'total_steps' or both of 'epochs' and 'steps_per_epoch' must be given",
        ),
        (lambda s, o: s.OneCycleLR(o, 0.1, total_steps=0), "OneCycleLR: 'total_steps' must be a positive int; found 0"),
        (
            lambda s, o: s.OneCycleLR(o, 0.1, total_steps=9, anneal_strategy="x"),
            "OneCycleLR: 'anneal_strategy' must be 'cos' or 'linear'; found 'x'",
        ),
    ],
)
def test_schedule_errors(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError, KeyError), match=words):
        make(optim.lr_scheduler, plain())


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda p: optim.SGD(p, lr=0.1), TypeError, "SGD: 'params' must be an iterable"),
        (lambda p: optim.SGD([], lr=0.1), ValueError, "SGD: 'params' must hold at least one parameter"),
        (lambda p: optim.SGD([3], lr=0.1), TypeError, "SGD: a parameter must be a Tensor; found int"),
        (lambda p: optim.SGD([p * 2], lr=0.1), ValueError, "SGD: a parameter must be a leaf"),
        (lambda p: optim.SGD([p], lr=-1), ValueError, "SGD: 'lr' must be one number, at least 0; found -1"),
        (lambda p: optim.SGD([p], nesterov=True), ValueError, "SGD: 'nesterov' needs a positive 'momentum'"),
        (
            lambda p: optim.Adam([p], betas=(1.0, 0.9)),
            ValueError,
            r"Adam: 'betas' must be numbers in \[0, 1\); found \(1.0, 0.9\)",
        ),
        (
            lambda p: optim.Adam([{"params": [p]}, {"params": [p]}]),
            ValueError,
            "Adam: a parameter may be in one group only",
        ),
        (
            lambda p: optim.Adam([p], fused=True, differentiable=True),
            RuntimeError,
            "Adam: 'fused' and 'differentiable' exclude each other",
        ),
        (
            lambda p: optim.NAdam([p], momentum_decay=-1),
            ValueError,
            "NAdam: 'momentum_decay' must be at least 0; found -1",
        ),
        (lambda p: optim.RMSprop([p], alpha=-1), ValueError, "RMSprop: 'alpha' must be at least 0"),
        (lambda p: optim.Adadelta([p], rho=2), ValueError, r"Adadelta: 'rho' must be in \[0, 1\]; found 2"),
        (lambda p: optim.Rprop([p], etas=(2, 3)), ValueError, r"Rprop: 'etas' must be .*; found \(2, 3\)"),
        (lambda p: optim.SGD([{"params": {p}}]), TypeError, "SGD: 'params' must have an order; found a set"),
        (
            lambda p: optim.SGD([("a", p), rushlight.ones(1)]),
            ValueError,
            "SGD: all parameters of a group must have names",
        ),
        (lambda p: optim.SGD([p]).add_param_group([p]), TypeError, "SGD.add_param_group: 'param_group' must be a dict"),
        (
            lambda p: optim.SGD([p]).load_state_dict({"state": {}, "param_groups": []}),
            ValueError,
            r"SGD.load_state_dict: the optimizer has groups of \[1\] parameters; found groups of \[\]",
        ),
        (lambda p: optim.lr_scheduler.StepLR(3, 1), TypeError, "StepLR: 'optimizer' must be an Optimizer; found int"),
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

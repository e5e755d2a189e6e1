"""Learning rates of every schedule, bit for bit: a program prints them, and what they are multiplied with compares."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

Settings = Callable[[random.Random], tuple[str, dict[str, Any]]]


def _of(name: str, **draw: Callable[[random.Random], Any]) -> Settings:
    return lambda rng: (name, {k: f(rng) for k, f in draw.items()})


def _count(low: int, high: int) -> Callable[[random.Random], int]:
    return lambda rng: rng.randint(low, high)


def _real(low: float, high: float) -> Callable[[random.Random], float]:
    return lambda rng: rng.choice((round(rng.uniform(low, high), 2), rng.uniform(low, high)))


def _one(*values: Any) -> Callable[[random.Random], Any]:
    return lambda rng: rng.choice(values)


SCHEDULES = (
    _of("StepLR", step_size=_count(1, 4), gamma=_real(0.1, 1.0)),
    _of("MultiStepLR", milestones=lambda rng: sorted(rng.sample(range(1, 15), 3)), gamma=_real(0.1, 1.0)),
    _of("ConstantLR", factor=_real(0.1, 1.0), total_iters=_count(1, 9)),
    _of("LinearLR", start_factor=_real(0.1, 1.0), end_factor=_real(0.0, 1.0), total_iters=_count(1, 12)),
    _of("ExponentialLR", gamma=_real(0.5, 1.1)),
    _of("PolynomialLR", total_iters=_count(1, 15), power=_real(0.3, 3.0)),
    _of("CosineAnnealingLR", T_max=_count(1, 12), eta_min=_real(0.0, 0.05)),
    _of("CosineAnnealingWarmRestarts", T_0=_count(1, 6), T_mult=_count(1, 3), eta_min=_real(0.0, 0.05)),
    _of(
        "CyclicLR",
        base_lr=_real(0.01, 0.1),
        max_lr=_real(0.1, 0.5),
        step_size_up=_count(1, 6),
        step_size_down=_count(1, 6),
        mode=_one("triangular", "triangular2", "exp_range"),
        gamma=_real(0.8, 1.0),
    ),
    _of(
        "OneCycleLR",
        max_lr=_real(0.05, 1.0),
        total_steps=_count(20, 30),
        pct_start=_real(0.1, 0.5),
        anneal_strategy=_one("cos", "linear"),
        three_phase=_one(True, False),
        div_factor=_real(2.0, 30.0),
    ),
    _of("swa_utils.SWALR", swa_lr=_real(0.01, 0.2), anneal_epochs=_count(0, 9), anneal_strategy=_one("cos", "linear")),
)


def rates(m: Any, name: str, settings: dict[str, Any], lr: float, several: bool) -> list[Any]:
    p, q = (m.nn.Parameter(m.ones(2)) for _ in range(2))
    groups = [{"params": [p]}, {"params": [q], "lr": lr / 3}]
    optimizer = m.optim.SGD(groups if several else [p], lr=lr, momentum=0.9)
    space = m.optim if name.startswith("swa_utils") else m.optim.lr_scheduler
    for part in name.split("."):
        space = getattr(space, part)
    schedule, found = space(optimizer, **settings), []
    for _ in range(18):
        optimizer.step()
        schedule.step()
        found.append([(g["lr"], g["momentum"]) for g in optimizer.param_groups])
        found.append(schedule.get_last_lr())
    return found


@pytest.mark.parametrize("seed", range(8))
def test_rates(seed: int) -> None:
    rng, unlike = random.Random(seed), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for draw in SCHEDULES:
            name, settings = draw(rng)
            lr, several = rng.choice((0.1, 1e-3, rng.random())), rng.random() < 0.5
            theirs, ours = (rates(m, name, settings, lr, several) for m in (torch, rushlight))
            if theirs != ours:
                unlike.append((name, settings, lr))
    assert unlike == []

"""Schedules that go up and down, a step per batch: CyclicLR and OneCycleLR."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from rushlight.core.checks import check_argument

from ._schedule import (
    LRScheduler,
    attributes,
    check_annealing,
    check_optimizer,
    function_state,
    per_group,
    set_option,
    warn_of_get_lr,
)
from .optimizer import Optimizer

# The height of a triangle, of gamma and a count; what is counted.
_HEIGHTS: dict[str, tuple[Callable[[float, float], float], str]] = {
    "triangular": (lambda gamma, cycle: 1.0, "cycle"),
    "triangular2": (lambda gamma, cycle: 0.5 ** (cycle - 1), "cycle"),
    "exp_range": (lambda gamma, batch: gamma**batch, "iterations"),
}


class _WithMomentum(LRScheduler):
    """A schedule that moves the optimizer's momentum, or the first of its betas, as well."""

    cycle_momentum: bool
    use_beta1: bool

    def _start_momentum_(self, low: Any, high: Any, fresh: bool) -> tuple[list[Any], list[Any]]:
        """Put fresh groups at the greatest momentum; return the least and the greatest of each group."""
        owner, optimizer = type(self).__name__, self.optimizer
        if optimizer.defaults.keys().isdisjoint(("momentum", "betas")):
            raise ValueError(
                f"{owner}: 'cycle_momentum' needs an optimizer with 'momentum' or 'betas'; "
                f"found {type(optimizer).__name__}"
            )
        self.use_beta1 = "betas" in optimizer.defaults
        lows = per_group(owner, optimizer, "base_momentum", low)
        highs = per_group(owner, optimizer, "max_momentum", high)
        if fresh:
            for group, least, most in zip(optimizer.param_groups, lows, highs, strict=True):
                self._set_momentum_(group, most)
                group.update(max_momentum=most, base_momentum=least)
        return lows, highs

    def _set_momentum_(self, group: dict[str, Any], value: float) -> None:
        group.update({"betas": (value, *group["betas"][1:])} if self.use_beta1 else {"momentum": value})


class CyclicLR(_WithMomentum):
    """Goes up and down between ``base_lr`` and ``max_lr`` (Smith 2015, arXiv:1506.01186), a step per batch.

    Args:
        optimizer: whose groups' ``lr`` is set.
        base_lr, max_lr: the ends, or a list of one for each group.
        step_size_up, step_size_down: batches in each half; the second like the first unless given.
        mode: ``"triangular"``, ``"triangular2"`` (height halved each cycle) or ``"exp_range"`` (times gamma^batch).
        gamma: for ``"exp_range"``.
        scale_fn: the height as a function of one's own, of the cycle or of the batch as ``scale_mode`` says.
        cycle_momentum: let momentum go the other way, between ``max_momentum`` and ``base_momentum``.

    Raises:
        ValueError: the mode is not known, or the optimizer has no momentum to cycle.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        owner, fresh = type(self).__name__, last_epoch == -1
        check_optimizer(owner, optimizer)
        if scale_fn is None:
            known = mode in _HEIGHTS
            check_argument(
                known,
                owner,
                "mode",
                f"be one of {', '.join(_HEIGHTS)} unless 'scale_fn' is given",
                lambda: repr(mode),
                ValueError,
            )
            scale_mode = _HEIGHTS[mode][1]
        self.optimizer = optimizer
        lows = per_group(owner, optimizer, "base_lr", base_lr)
        self.max_lrs = per_group(owner, optimizer, "max_lr", max_lr)
        if fresh:
            for group, low in zip(optimizer.param_groups, lows, strict=True):
                set_option(group, "lr", low)
        self.total_size = float(step_size_up + (step_size_up if step_size_down is None else step_size_down))
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma = mode, gamma
        self.scale_mode, self._scale_fn_custom = scale_mode, scale_fn
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._start_momentum_(base_momentum, max_momentum, fresh)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def scale_fn(self, x: float) -> float:
        """The height at a cycle or a batch."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return _HEIGHTS[self.mode][0](self.gamma, x)

    def get_lr(self) -> list[Any]:
        warn_of_get_lr(self)
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        part = 1.0 + self.last_epoch / self.total_size - cycle
        height = part / self.step_ratio if part <= self.step_ratio else (part - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            groups = self.optimizer.param_groups
            for group, least, most in zip(groups, self.base_momentums, self.max_momentums, strict=True):
                self._set_momentum_(group, most - (most - least) * height * scale)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        state = attributes(self, "optimizer", "_scale_fn_custom")
        return {**state, "_scale_fn_custom": function_state(self._scale_fn_custom)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        own, saved = self._scale_fn_custom, state_dict.get("_scale_fn_custom")
        super().load_state_dict({**state_dict, "_scale_fn_custom": own})
        if own is not None and saved is not None:
            vars(own).update(saved)


class OneCycleLR(_WithMomentum):
    """One rise and one long fall of the rate (Smith & Topin 2017, arXiv:1708.07120), a step per batch.

    Args:
        optimizer: whose groups' ``lr`` is set.
        max_lr: the top, or a list of one for each group.
        total_steps: steps in all; or give ``epochs`` and ``steps_per_epoch``.
        pct_start: the part of the steps in which the rate rises.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        cycle_momentum: let momentum go the other way, between ``max_momentum`` and ``base_momentum``.
        div_factor: the top over the first rate.
        final_div_factor: the first rate over the last.
        three_phase: fall as long as rise, then go on to the last rate.

    Raises:
        ValueError: the number of steps is not given or an option is out of its range.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        owner, fresh = type(self).__name__, last_epoch == -1
        check_optimizer(owner, optimizer)
        in_unit = isinstance(pct_start, float) and 0 <= pct_start <= 1
        check_argument(in_unit, owner, "pct_start", "be a float in [0, 1]", lambda: repr(pct_start), ValueError)
        self.optimizer = optimizer
        self.total_steps = total = self._count_(total_steps=total_steps, epochs=epochs, steps_per_epoch=steps_per_epoch)
        # The path: at which step, which of a group's rates, which of its momenta.
        low, high, least = ("initial_lr", "max_momentum"), ("max_lr", "base_momentum"), ("min_lr", "max_momentum")
        corners: list[tuple[float, tuple[str, str]]] = [(0.0, low), (float(pct_start * total) - 1, high)]
        if three_phase:
            corners.append((float(2 * pct_start * total) - 2, low))
        corners.append((total - 1, least))
        self._schedule_phases: list[dict[str, Any]] = [
            {
                "end_step": end,
                "start_lr": start[0],
                "end_lr": goal[0],
                "start_momentum": start[1],
                "end_momentum": goal[1],
            }
            for (_, start), (end, goal) in itertools.pairwise(corners)
        ]
        self._anneal_func_type = check_annealing(owner, anneal_strategy)
        if fresh:
            for group, top in zip(optimizer.param_groups, per_group(owner, optimizer, "max_lr", max_lr), strict=True):
                first = top / div_factor
                group.update(initial_lr=first, max_lr=top, min_lr=first / final_div_factor)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum_(base_momentum, max_momentum, fresh)
        super().__init__(optimizer, last_epoch)

    def _count_(self, **counts: int | None) -> int:
        """The number of steps, from ``total_steps`` or else the product of the other two."""
        owner = type(self).__name__
        total = counts.pop("total_steps")
        given = counts if total is None else {"total_steps": total}
        if None in given.values():
            raise ValueError(f"{owner}: 'total_steps' or both of 'epochs' and 'steps_per_epoch' must be given")
        for name, value in given.items():
            check_argument(
                isinstance(value, int) and value > 0, owner, name, "be a positive int", repr(value), ValueError
            )
        return math.prod(value for value in given.values() if value is not None)

    def get_lr(self) -> list[Any]:
        warn_of_get_lr(self)
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"{type(self).__name__}: the schedule has {self.total_steps} steps; found step {step}")
        phases = self._schedule_phases
        at = next((i for i, phase in enumerate(phases) if step <= phase["end_step"]), len(phases) - 1)
        phase, begin = phases[at], phases[at - 1]["end_step"] if at else 0.0
        end = phase["end_step"]
        part = 1.0 if end == begin else (step - begin) / (end - begin)
        fall = math.cos(math.pi * part) + 1

        def between(group: dict[str, Any], option: str) -> Any:
            start, goal = group[phase[f"start_{option}"]], group[phase[f"end_{option}"]]
            if self._anneal_func_type == "linear":
                return (goal - start) * part + start
            return goal + (start - goal) / 2.0 * fall

        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                self._set_momentum_(group, between(group, "momentum"))
        return [between(group, "lr") for group in self.optimizer.param_groups]

"""Schedules that go up and down, a step a batch: CyclicLR and OneCycleLR."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

from ._schedule import LRScheduler, check_optimizer, per_group, set_option
from .optimizer import Optimizer


class CyclicLR(LRScheduler):
    """Goes up and down between ``base_lr`` and ``max_lr`` (Smith 2015, arXiv:1506.01186), a step a batch.

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
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if last_epoch == -1:
            for group, low in zip(optimizer.param_groups, per_group(optimizer, "base_lr", base_lr), strict=True):
                set_option(group, "lr", low)
        self.max_lrs = per_group(optimizer, "max_lr", max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        if scale_fn is not None:
            self.scale_mode = scale_mode
        else:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = per_group(optimizer, "base_momentum", base_momentum)
            self.max_momentums = per_group(optimizer, "max_momentum", max_momentum)
            if last_epoch == -1:
                for high, low, group in zip(
                    self.max_momentums, self.base_momentums, optimizer.param_groups, strict=True
                ):
                    _set_momentum(group, high, self.use_beta1)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = per_group(optimizer, "base_lr", base_lr)

    def scale_fn(self, x: float) -> float:
        """The height at a cycle or a batch."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular2":
            return 1.0 / (2.0 ** (x - 1))
        return self.gamma**x if self.mode == "exp_range" else 1.0

    def get_lr(self) -> list[Any]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        lrs = [base + (high - base) * height * scale for base, high in zip(self.base_lrs, self.max_lrs, strict=True)]
        if self.cycle_momentum:
            for group, low, high in zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            ):
                _set_momentum(group, high - (high - low) * height * scale, self.use_beta1)
        return lrs

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        fn = state.pop("_scale_fn_custom")
        state["_scale_fn_custom"] = (
            fn.__dict__.copy() if fn is not None and not isinstance(fn, types.FunctionType) else None
        )
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        attributes = state.pop("_scale_fn_custom", None)
        super().load_state_dict(state)
        if attributes is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(attributes)


def _set_momentum(group: dict[str, Any], value: float, use_beta1: bool) -> None:
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


class OneCycleLR(LRScheduler):
    """One rise and one long fall of the rate (Smith & Topin 2017, arXiv:1708.07120), a step a batch.

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
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            if total_steps <= 0 or not isinstance(total_steps, int):
                raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
            self.total_steps = total_steps
        elif epochs is not None and steps_per_epoch is not None:
            if not isinstance(epochs, int) or epochs <= 0:
                raise ValueError(f"Expected positive integer epochs, but got {epochs}")
            if not isinstance(steps_per_epoch, int) or steps_per_epoch <= 0:
                raise ValueError(f"Expected positive integer steps_per_epoch, but got {steps_per_epoch}")
            self.total_steps = epochs * steps_per_epoch
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if not isinstance(pct_start, float) or pct_start < 0 or pct_start > 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        # (where the phase ends, from which rate, to which, from which momentum, to which)
        top = float(pct_start * self.total_steps) - 1
        phase = tuple[float, str, str, str, str]
        self._schedule_phases: list[phase] = [(top, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            end = float(2 * pct_start * self.total_steps) - 2
            self._schedule_phases.append((end, "max_lr", "initial_lr", "base_momentum", "max_momentum"))
            tail = ("initial_lr", "min_lr", "max_momentum", "max_momentum")
        else:
            tail = ("max_lr", "min_lr", "base_momentum", "max_momentum")
        self._schedule_phases.append((self.total_steps - 1, *tail))
        self._anneal_func_type = anneal_strategy
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, per_group(optimizer, "max_lr", max_lr), strict=True):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
            if last_epoch == -1:
                highs = per_group(optimizer, "max_momentum", max_momentum)
                lows = per_group(optimizer, "base_momentum", base_momentum)
                for high, low, group in zip(highs, lows, optimizer.param_groups, strict=True):
                    _set_momentum(group, high, self.use_beta1)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)
        return (end - start) * part + start

    def get_lr(self) -> list[Any]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        begin = 0.0
        last = len(self._schedule_phases) - 1
        for i, phase in enumerate(self._schedule_phases):
            end = phase[0]
            if step <= end or i == last:
                break
            begin = end
        part = (step - begin) / (end - begin)
        _, lr_from, lr_to, momentum_from, momentum_to = phase
        lrs = []
        for group in self.optimizer.param_groups:
            lrs.append(self._between(group[lr_from], group[lr_to], part))
            if self.cycle_momentum:
                _set_momentum(group, self._between(group[momentum_from], group[momentum_to], part), self.use_beta1)
        return lrs

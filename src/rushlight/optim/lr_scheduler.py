"""Learning rate schedules.

Most are written as the change from one step to the next, so that two schedules on one optimizer multiply; ``step`` with
an explicit epoch, long discouraged, uses the closed form where there is one.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, cast

from rushlight.core.checks import check_argument

from ._cyclic import CyclicLR, OneCycleLR
from ._schedule import (
    FactorLR,
    LRScheduler,
    attributes,
    check_optimizer,
    function_state,
    per_group,
    restore_first_rates,
    set_option,
    warn_of_epoch,
    warn_of_get_lr,
)
from .optimizer import Optimizer

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

_LRScheduler = LRScheduler


class _ByFunction(LRScheduler):
    """A schedule of the user's functions, one for each group; of them only callable objects' attributes are saved."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        owner = type(self).__name__
        check_optimizer(owner, optimizer)
        self.lr_lambdas = per_group(owner, optimizer, "lr_lambda", lr_lambda)
        for fn in self.lr_lambdas:
            check_argument(
                callable(fn), owner, "lr_lambda", "be a function, or a list of them", type(fn).__name__, TypeError
            )
        super().__init__(optimizer, last_epoch)

    def _products_(self, rates: Iterable[Any]) -> list[Any]:
        return [rate * fn(self.last_epoch) for rate, fn in zip(rates, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        functions = [function_state(fn) for fn in self.lr_lambdas]
        return {**attributes(self, "optimizer", "lr_lambdas"), "lr_lambdas": functions}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        for fn, saved in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if saved is not None:
                vars(fn).update(saved)
        super().load_state_dict({**state_dict, "lr_lambdas": self.lr_lambdas})


class LambdaLR(_ByFunction):
    """The initial rate times ``lr_lambda(epoch)``; one function, or one for each group."""

    def get_lr(self) -> list[Any]:
        warn_of_get_lr(self)
        return self._products_(self.base_lrs)


class MultiplicativeLR(_ByFunction):
    """The rate before times ``lr_lambda(epoch)``; one function, or one for each group."""

    def get_lr(self) -> list[Any]:
        warn_of_get_lr(self)
        return self._products_(self._lrs_()) if self.last_epoch > 0 else self._lrs_()


class StepLR(FactorLR):
    """The rate times ``gamma`` every ``step_size`` epochs."""

    step_size: int
    gamma: float

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        super().__init__(optimizer, last_epoch, step_size=step_size, gamma=gamma)

    def _factor_(self, epoch: int) -> float:
        return self.gamma ** (epoch // self.step_size)

    def _change_(self, epoch: int) -> float:
        return 1.0 if epoch == 0 or epoch % self.step_size else self.gamma


class MultiStepLR(FactorLR):
    """The rate times ``gamma`` at each of the epochs ``milestones``."""

    milestones: Counter[int]
    gamma: float

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        super().__init__(optimizer, last_epoch, milestones=Counter(milestones), gamma=gamma)

    def _factor_(self, epoch: int) -> float:
        return self.gamma ** sum(count for at, count in self.milestones.items() if at <= epoch)

    def _change_(self, epoch: int) -> float:
        return self.gamma ** self.milestones[epoch]


class ConstantLR(FactorLR):
    """The rate times ``factor`` for the first ``total_iters`` epochs."""

    factor: float
    total_iters: int

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        check_argument(0 <= factor <= 1, type(self).__name__, "factor", "be in [0, 1]", factor, ValueError)
        super().__init__(optimizer, last_epoch, factor=factor, total_iters=total_iters)

    def _factor_(self, epoch: int) -> float:
        return self.factor if epoch < self.total_iters else 1.0


class LinearLR(FactorLR):
    """The rate times a factor that goes from ``start_factor`` to ``end_factor`` in ``total_iters`` epochs."""

    start_factor: float
    end_factor: float
    total_iters: int

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        owner = type(self).__name__
        check_argument(0 < start_factor <= 1, owner, "start_factor", "be in (0, 1]", start_factor, ValueError)
        check_argument(0 <= end_factor <= 1, owner, "end_factor", "be in [0, 1]", end_factor, ValueError)
        super().__init__(
            optimizer, last_epoch, start_factor=start_factor, end_factor=end_factor, total_iters=total_iters
        )

    def _factor_(self, epoch: int) -> float:
        return self.start_factor + (self.end_factor - self.start_factor) * min(epoch, self.total_iters) / self._length_

    def _change_(self, epoch: int) -> float:
        if epoch == 0:
            return self.start_factor
        if epoch > self.total_iters:
            return 1.0
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (epoch - 1) * rise)

    @property
    def _length_(self) -> int:
        return max(1, self.total_iters)


class ExponentialLR(FactorLR):
    """The rate times ``gamma`` every epoch."""

    gamma: float

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        super().__init__(optimizer, last_epoch, gamma=gamma)

    def _factor_(self, epoch: int) -> float:
        return self.gamma**epoch

    def _change_(self, epoch: int) -> float:
        return self.gamma if epoch else 1.0


class PolynomialLR(FactorLR):
    """The initial rate times (1 - epoch / ``total_iters``) to the power ``power``."""

    total_iters: int
    power: float

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        super().__init__(optimizer, last_epoch, total_iters=total_iters, power=power)

    def _factor_(self, epoch: int) -> float:
        return cast("float", (1.0 - min(epoch, self.total_iters) / max(1, self.total_iters)) ** self.power)

    def _change_(self, epoch: int) -> float:
        if epoch == 0 or epoch > self.total_iters:
            return 1.0
        return cast("float", ((1.0 - epoch / self.total_iters) / (1.0 - (epoch - 1) / self.total_iters)) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial rate to ``eta_min`` in ``T_max`` epochs (arXiv:1608.03983, no restarts)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _height_(self, epoch: int) -> float:
        """How far the rate lies above ``eta_min``, as twice the part of the first rate's distance."""
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> list[Any]:
        warn_of_get_lr(self)
        rates, epoch, low = self._lrs_(), self.last_epoch, self.eta_min
        if epoch == 0:
            return rates
        if self._step_count == 1:  # resumed
            return self._get_closed_form_lr()
        if (epoch - 1) % (2 * self.T_max) == self.T_max:
            # From the bottom, where the ratio of heights is 0 / 0, it is the first rate that tells how far to rise.
            rise = 1 - math.cos(math.pi / self.T_max)
            return [rate + (first - low) * rise / 2 for rate, first in zip(rates, self.base_lrs, strict=True)]
        before, now = self._height_(epoch - 1), self._height_(epoch)
        return [now / before * (rate - low) + low for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        height, low = self._height_(self.last_epoch), self.eta_min
        return [low + (first - low) * height / 2 for first in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine over ``T_0`` epochs, then again over ``T_mult`` times as many (arXiv:1608.03983)."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        owner = type(self).__name__
        check_argument(
            isinstance(T_0, int) and T_0 > 0, owner, "T_0", "be a positive int", lambda: repr(T_0), ValueError
        )
        check_argument(
            isinstance(T_mult, int) and T_mult > 0,
            owner,
            "T_mult",
            "be a positive int",
            lambda: repr(T_mult),
            ValueError,
        )
        check_argument(
            isinstance(eta_min, (float, int)), owner, "eta_min", "be a number", lambda: repr(eta_min), ValueError
        )
        self.T_0 = T_0
        # The present cycle's length, and how much of it has passed.
        self.T_i: int = T_0
        self.T_mult, self.eta_min = T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        warn_of_get_lr(self)
        height, low = 1 + math.cos(math.pi * self.T_cur / self.T_i), self.eta_min
        return [low + (first - low) * height / 2 for first in self.base_lrs]

    def _locate_(self, epoch: float) -> tuple[int, float]:
        """The length of the cycle that an epoch lies in, and the epochs since that began."""
        if self.T_mult == 1:
            return self.T_0, epoch % self.T_0
        length = self.T_0
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return length, epoch

    def step(self, epoch: float | None = None) -> None:
        """Go to the next epoch, or to ``epoch``, which may be a fraction, and set the rates."""
        if epoch is not None:
            check_argument(epoch >= 0, type(self).__name__, "epoch", "be at least 0", epoch, ValueError)
        elif self.last_epoch < 0:
            epoch = 0
        if epoch is not None:
            self.T_i, self.T_cur = self._locate_(epoch)
            self.last_epoch = math.floor(epoch)
        else:
            self.last_epoch += 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        self._set_lrs_(self._asked_(self.get_lr))


class _Several(LRScheduler):
    """Made of schedules of one optimizer, which it steps."""

    _schedulers: list[LRScheduler]

    def _adopt_(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        """Keep the schedules and their optimizer, which is the first one's unless it is given."""
        owner = type(self).__name__
        check_argument(schedulers, owner, "schedulers", "hold at least one", "none", ValueError)
        for i, scheduler in enumerate(schedulers):
            own = getattr(scheduler, "optimizer", None)
            if own is None:
                raise TypeError(
                    f"{owner}: schedulers[{i}] must be a schedule with an 'optimizer'; found {type(scheduler).__name__}"
                )
            optimizer = own if optimizer is None else optimizer
            if own is not optimizer:
                raise ValueError(
                    f"{owner}: all schedules must share one optimizer; that of schedulers[{i}], a "
                    f"{type(scheduler).__name__}, is another"
                )
        assert optimizer is not None
        self.optimizer = optimizer
        self._schedulers = list(schedulers)

    def _begin_(self) -> None:
        restore_first_rates(self.optimizer)
        self._initial_step()

    def state_dict(self) -> dict[str, Any]:
        parts = [scheduler.state_dict() for scheduler in self._schedulers]
        return {**attributes(self, "optimizer", "_schedulers"), "_schedulers": parts}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(saved)
        super().load_state_dict({**state_dict, "_schedulers": self._schedulers})


class ChainedScheduler(_Several):
    """Steps several schedules of one optimizer together."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self._adopt_(schedulers, optimizer)
        self._last_lr = self._lrs_()

    def _initial_step(self) -> None:
        for scheduler in self._schedulers:
            scheduler._initial_step()
        self._last_lr = self._lrs_()

    def _rewind_(self) -> None:
        for scheduler in self._schedulers:
            scheduler._rewind_()

    def step(self) -> None:  # type: ignore[override]
        """Step all schedules."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._lrs_()


class SequentialLR(_Several):
    """Uses one schedule after another, changing at the epochs ``milestones``.

    Raises:
        ValueError: there are no schedules, their optimizers differ, or milestones are not one fewer.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        owner = type(self).__name__
        self._adopt_(schedulers, optimizer)
        if any(isinstance(scheduler, ReduceLROnPlateau) for scheduler in schedulers):
            raise ValueError(f"{owner}: 'schedulers' may not hold a ReduceLROnPlateau, whose step needs a quantity")
        expected = len(schedulers) - 1
        fitting = len(milestones) == expected
        check_argument(
            fitting, owner, "milestones", f"be {expected} long, one fewer than 'schedulers'", milestones, ValueError
        )
        self._milestones = list(milestones)
        self.last_epoch = last_epoch
        # Each schedule took its first step when it was made: undo all, then let the first one start.
        restore_first_rates(optimizer)
        for scheduler in self._schedulers:
            scheduler._rewind_()
        self._initial_step()

    def _initial_step(self) -> None:
        self.last_epoch += 1
        self._schedulers[0]._initial_step()
        self._last_lr = self._schedulers[0].get_last_lr()

    def _rewind_(self) -> None:
        self.last_epoch -= 1
        self._schedulers[0]._rewind_()  # the others have not begun

    def step(self) -> None:  # type: ignore[override]
        """Step the schedule whose turn it is."""
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[turn]
        if self.last_epoch in self._milestones[:turn]:
            scheduler._begin_()
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ReduceLROnPlateau(LRScheduler):
    """Scales the rate by ``factor`` when a quantity has stopped improving.

    Args:
        optimizer: whose groups' ``lr`` is set.
        mode: ``"min"`` or ``"max"``: which way is better.
        factor: less than 1.
        patience: bad epochs in a row that are borne.
        threshold: what counts as better.
        threshold_mode: whether the threshold is relative (``"rel"``) or absolute (``"abs"``).
        cooldown: epochs after a reduction in which none counts as bad.
        min_lr: a bound, or one for each group.
        eps: a smaller change of the rate is not made.

    Raises:
        ValueError: ``factor`` is not less than 1, or a mode is not known.
    """

    best: float
    cooldown_counter: int
    num_bad_epochs: int

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        owner = type(self).__name__
        check_optimizer(owner, optimizer)
        check_argument(factor < 1.0, owner, "factor", "be less than 1", factor, ValueError)
        check_argument(mode in ("min", "max"), owner, "mode", "be 'min' or 'max'", lambda: repr(mode), ValueError)
        check_argument(
            threshold_mode in ("rel", "abs"),
            owner,
            "threshold_mode",
            "be 'rel' or 'abs'",
            lambda: repr(threshold_mode),
            ValueError,
        )
        self.factor, self.optimizer = factor, optimizer
        # For groups that are added later; a list says nothing of those.
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = per_group(owner, optimizer, "min_lr", min_lr)
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = self._lrs_()
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self._reset()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether a reduction was made less than ``cooldown`` epochs ago."""
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Whether ``a`` is better than ``best`` by more than the threshold."""
        sign = -1.0 if self.mode == "min" else 1.0
        if self.threshold_mode == "rel":
            bound = best * (1.0 + sign * self.threshold)
        else:
            bound = best + sign * self.threshold
        return a < bound if self.mode == "min" else a > bound

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Tell the schedule the quantity of this epoch."""
        if epoch is not None:
            warn_of_epoch(3)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        value = float(metrics)
        better, resting = self.is_better(value, self.best), self.in_cooldown
        if better:
            self.best = value
        if resting:
            self.cooldown_counter -= 1
        self.num_bad_epochs = 0 if better or resting else self.num_bad_epochs + 1
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._lrs_()

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"{type(self).__name__}: 'min_lr' was given for {len(self.min_lrs)} groups; the optimizer now has "
                    f"{len(groups)}. Extend the attribute 'min_lrs'"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_option(group, "lr", new)

"""The base classes of learning rate schedules, and what they share."""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from rushlight import Tensor
from rushlight.core.checks import check_argument, check_type
from rushlight.core.warning import warn

from .optimizer import Optimizer


def set_option(group: dict[str, Any], key: str, value: Any) -> None:
    if isinstance(group[key], Tensor):
        group[key].fill_(value.item() if isinstance(value, Tensor) else value)
    else:
        group[key] = value


def own_copy(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def check_optimizer(owner: str, optimizer: Optimizer) -> None:
    check_type(owner, "optimizer", optimizer, Optimizer)


def per_group(owner: str, optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """One value for each group, from one value or a list of them."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"{owner}: '{name}' must be one value or one for each of {count} groups; found {len(value)}")
    return list(value)


def attributes(owner: object, *but: str) -> dict[str, Any]:
    """The attributes of an object, save those named."""
    return {name: value for name, value in vars(owner).items() if name not in but}


def function_state(fn: Any) -> dict[str, Any] | None:
    """What a state_dict keeps of a user's function: the attributes of an object, nothing of a plain function."""
    return None if fn is None or isinstance(fn, types.FunctionType) else dict(vars(fn))


class LRScheduler:
    """Base class: a subclass says in ``get_lr`` what the groups' rates are at ``last_epoch``.

    Args:
        optimizer: whose groups' ``lr`` is set.
        last_epoch: the epoch to resume after; -1 starts anew.

    Raises:
        TypeError: the first argument is not an optimizer.
        KeyError: a resumed group has no ``initial_lr``.
    """

    # For schedules whose rates are known at any epoch, not only after the one before.
    _get_closed_form_lr: Callable[[], list[Any]]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(type(self).__name__, optimizer)
        self.optimizer = optimizer
        self.base_lrs: list[Any] = [
            self._first_rate_(i, group, resumed=last_epoch != -1) for i, group in enumerate(optimizer.param_groups)
        ]
        self.last_epoch = last_epoch
        self._step_count = 0
        # Whether the first step is being taken, and whether it is `step` that calls `get_lr`: schedules of one's own
        # ask.
        self._is_initial = self._get_lr_called_within_step = False
        self._last_lr: list[Any] = []
        self._initial_step()

    def _first_rate_(self, index: int, group: dict[str, Any], resumed: bool) -> Any:
        if not resumed:
            group.setdefault("initial_lr", own_copy(group["lr"]))
        elif "initial_lr" not in group:
            raise KeyError(
                f"{type(self).__name__}: to resume after an epoch, every group must have its first learning rate as "
                f"'initial_lr'; group {index} has none. Load the optimizer's state_dict first"
            )
        return own_copy(group["initial_lr"])

    # A schedule takes its first step when it is made. Where it is a part of another one, that is undone and taken
    # later.

    def _initial_step(self) -> None:
        self._step_count, self._is_initial = 0, True
        try:
            self.step()
        finally:
            self._is_initial = False

    def _rewind_(self) -> None:
        """Go back before the first step; the rates are not touched."""
        self.last_epoch -= 1

    def _begin_(self) -> None:
        """Take the first step, after a rewind and in the middle of a run."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=_EPOCH_WARNING, category=UserWarning)
            counted = self._step_count
            self.step(0)
            self._step_count = counted

    def state_dict(self) -> dict[str, Any]:
        """Return all that the schedule needs to resume, the optimizer excepted."""
        return attributes(self, "optimizer")

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave."""
        vars(self).update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the rates that were set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the rate of each group at ``last_epoch``."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch and set the rates."""
        if self._step_count == 1 and not vars(self.optimizer).get("_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the schedule's first learning rate "
                "was never used. Step the optimizer first",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        rates = self.get_lr
        if epoch is None:
            self.last_epoch += 1
        else:
            warn_of_epoch(3)
            self.last_epoch = epoch
            rates = getattr(self, "_get_closed_form_lr", rates)
        self._set_lrs_(self._asked_(rates))

    def _asked_(self, rates: Callable[[], list[Any]]) -> list[Any]:
        """The rates that `get_lr`, or another method that computes them, gives within a step."""
        self._get_lr_called_within_step = True
        try:
            return rates()
        finally:
            self._get_lr_called_within_step = False

    def _set_lrs_(self, values: Iterable[Any]) -> None:
        for group, value in zip(self.optimizer.param_groups, values, strict=False):
            set_option(group, "lr", value)
        self._last_lr = self._lrs_()

    def _lrs_(self) -> list[Any]:
        return [own_copy(group["lr"]) for group in self.optimizer.param_groups]


_EPOCH_WARNING = "lr_scheduler.step: the argument 'epoch' is deprecated; without it, a step goes to the next epoch"


def warn_of_epoch(stacklevel: int) -> None:
    """Warn of a ``step`` that is given the epoch."""
    warnings.warn(_EPOCH_WARNING, UserWarning, stacklevel=stacklevel)


def warn_of_get_lr(schedule: LRScheduler) -> None:
    """Warn of a `get_lr` that is called by a program: within a step it gives the next rate, elsewhere its result has no
    meaning."""
    if not schedule._get_lr_called_within_step:
        warn("get_lr(): the rates that were set last are those of get_last_lr()")


def restore_first_rates(optimizer: Optimizer) -> None:
    for group in optimizer.param_groups:
        set_option(group, "lr", group["initial_lr"])


class FactorLR(LRScheduler):
    """A schedule of factors: the first rate of each group times ``_factor(epoch)``.

    A step multiplies the rate that it finds by ``_change(epoch)``, so that two such schedules on one optimizer
    multiply.

    Args:
        optimizer, last_epoch: as :class:`LRScheduler`.
        settings: what becomes the attributes that ``_factor`` reads.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int, **settings: Any) -> None:
        vars(self).update(settings)
        super().__init__(optimizer, last_epoch)

    def _factor_(self, epoch: int) -> float:
        raise NotImplementedError

    def _change_(self, epoch: int) -> float:
        if epoch == 0:
            return self._factor_(0)
        now, before = self._factor_(epoch), self._factor_(epoch - 1)
        return 1.0 if now == before else now / before  # even where both are 0

    def get_lr(self) -> list[Any]:
        warn_of_get_lr(self)
        change = self._change_(self.last_epoch)
        return [group["lr"] * change for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[Any]:
        return [first * self._factor_(self.last_epoch) for first in self.base_lrs]


def _cosine(part: float) -> float:
    return (1 - math.cos(math.pi * part)) / 2


def _linear(part: float) -> float:
    return part


# From 0 to 1 as the argument goes from 0 to 1.
ANNEALING: dict[str, Callable[[float], float]] = {"cos": _cosine, "linear": _linear}


def check_annealing(owner: str, strategy: str) -> str:
    check_argument(
        strategy in ANNEALING, owner, "anneal_strategy", "be 'cos' or 'linear'", lambda: repr(strategy), ValueError
    )
    return strategy

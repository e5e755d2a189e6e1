"""The base class of learning rate schedules, and what they share."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from rushlight import Tensor

from .optimizer import Optimizer


def set_option(group: dict[str, Any], key: str, value: Any) -> None:
    if isinstance(group[key], Tensor):
        group[key].fill_(value.item() if isinstance(value, Tensor) else value)
    else:
        group[key] = value


def own_copy(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def per_group(optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """One value for each group, from one value or a list of them."""
    count = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)):
        if len(value) != count:
            raise ValueError(f"{name} must have the same length as optimizer.param_groups: {len(value)} != {count}")
        return list(value)
    return [value] * count


class LRScheduler:
    """Base class: a subclass says in ``get_lr`` what the groups' rates are at ``last_epoch``.

    Args:
        optimizer: whose groups' ``lr`` is set.
        last_epoch: the epoch to resume after; -1 starts anew.

    Raises:
        TypeError: the first argument is not an optimizer.
        KeyError: a resumed group has no ``initial_lr``.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", own_copy(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    f"last_epoch >= 0. This typically happens when an optimizer was newly created: give its groups "
                    f"their first learning rates as 'initial_lr'"
                )
        self.base_lrs: list[Any] = [own_copy(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._last_lr: list[Any] = []
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self.step()

    def state_dict(self) -> dict[str, Any]:
        """Return all that the schedule needs to resume, the optimizer excepted."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the rates that were set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the rate of each group at ``last_epoch``."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch and set the rates."""
        if self._step_count == 1 and not self.optimizer.__dict__.get("_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite order: "
                "`optimizer.step()` before `lr_scheduler.step()`. Otherwise the first value of the learning rate "
                "schedule is skipped.",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        if epoch is None:
            self.last_epoch += 1
            self._set_lrs(self.get_lr())
            return
        warnings.warn(
            "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
            "Please use `scheduler.step()` to step the scheduler.",
            UserWarning,
            stacklevel=2,
        )
        self.last_epoch = epoch
        closed_form = getattr(self, "_get_closed_form_lr", None)
        self._set_lrs(self.get_lr() if closed_form is None else closed_form())

    def _set_lrs(self, values: Iterable[Any]) -> None:
        for group, value in zip(self.optimizer.param_groups, values, strict=False):
            set_option(group, "lr", value)
        self._last_lr = [own_copy(group["lr"]) for group in self.optimizer.param_groups]

    def _lrs(self) -> list[Any]:
        return [own_copy(group["lr"]) for group in self.optimizer.param_groups]

    def _scaled(self, factor: float) -> list[Any]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]

"""Averages of weights over training (Izmailov et al. 2018, arXiv:1803.05407; Polyak & Juditsky 1992), and their
schedule.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.checks import check_argument
from rushlight.nn import Module
from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.operators.table.types import Device

from ._schedule import ANNEALING, LRScheduler, check_annealing, per_group, warn_of_get_lr
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _check_decay(owner: str, decay: float) -> None:
    check_argument(0.0 <= decay <= 1.0, owner, "decay", "be in [0, 1]", decay, ValueError)


def _approach(averages: Iterable[Tensor], values: Iterable[Tensor], part: float) -> None:
    """Move each average by a part of the way to its value, in place."""
    for average, value in zip(averages, values, strict=True):
        if average.is_floating_point() or average.is_complex():
            average.lerp_(value, part)
        else:
            average.copy_(average + (value - average) * part)


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """A function that updates lists of averages in place by decay * average + (1 - decay) * current.

    Raises:
        ValueError: the decay is not in [0, 1].
    """
    _check_decay("get_ema_multi_avg_fn", decay)

    @rushlight.no_grad()
    def decay_all(averages: Iterable[Tensor], values: Iterable[Tensor], _: Any) -> None:
        _approach(averages, values, 1 - decay)

    return decay_all


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """A function that updates lists of averages in place to the mean of all values seen."""

    @rushlight.no_grad()
    def take_mean_of_all(averages: Iterable[Tensor], values: Iterable[Tensor], n_averaged: Any) -> None:
        _approach(averages, values, 1 / (float(n_averaged) + 1))

    return take_mean_of_all


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """A function of one average and one current value: decay * average + (1 - decay) * current."""
    _check_decay("get_ema_avg_fn", decay)

    @rushlight.no_grad()
    def decayed(average: Tensor, value: Tensor, _: Any) -> Tensor:
        return decay * average + (1 - decay) * value

    return decayed


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """A function of one average and one current value: the mean of all values seen."""

    @rushlight.no_grad()
    def mean_with(average: Tensor, value: Tensor, n_averaged: Tensor) -> Tensor:
        return average + (value - average) / (n_averaged + 1)

    return mean_with


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's.

    Args:
        model: copied.
        device: where the copy is kept.
        avg_fn: the new average from (average, current, number averaged so far); by default the mean.
        multi_avg_fn: the same for lists, in place.
        use_buffers: whether buffers are averaged as well, instead of taken over from the model.

    Raises:
        AssertionError: both functions are given.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Device = None,
        avg_fn: Callable[[Tensor, Tensor, Any], Tensor] | None = None,
        multi_avg_fn: Callable[[Any, Any, Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        if None not in (avg_fn, multi_avg_fn):
            raise AssertionError("AveragedModel: 'avg_fn' and 'multi_avg_fn' exclude each other; found both")
        super().__init__()
        own = copy.deepcopy(model)
        self.module = own if device is None else own.to(device)
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers
        self.register_buffer("n_averaged", rushlight.zeros((), dtype=rushlight.int64, device=device))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The averaged model's forward."""
        return self.module(*args, **kwargs)

    def _members_(self, model: Module) -> list[Tensor]:
        buffers: Iterable[Tensor] = model.buffers() if self.use_buffers else ()
        return [t.detach() for t in itertools.chain(model.parameters(), buffers)]

    @rushlight.no_grad()
    def update_parameters(self, model: Module) -> None:
        """Take a model's present parameters into the averages; the first ones are copied."""
        averages = self._members_(self.module)
        values = [value.to(own.device) for own, value in zip(averages, self._members_(model), strict=True)]
        if int(self.n_averaged) == 0:
            _copy(averages, values)
        elif self.avg_fn is None:
            (self.multi_avg_fn or get_swa_multi_avg_fn())(averages, values, self.n_averaged)
        else:
            means = (self.avg_fn(own, value, self.n_averaged) for own, value in zip(averages, values, strict=True))
            _copy(averages, means)
        if not self.use_buffers:
            _copy((own.detach() for own in self.module.buffers()), model.buffers())
        self.n_averaged += 1


def _copy(targets: Iterable[Tensor], values: Iterable[Tensor]) -> None:
    for target, value in zip(targets, values, strict=True):
        target.copy_(value)


@rushlight.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Device = None) -> None:
    """Compute the running statistics of all batch norms of a model anew, as plain averages over the loader's batches.

    Args:
        loader: gives inputs, or lists or tuples that begin with one.
        model: run on all of them in training mode; its mode is put back.
        device: where inputs are moved.
    """
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not norms:
        return
    settings = [norm.momentum for norm in norms]
    mode = model.training
    try:
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # a plain average
        model.train()
        for batch in loader:
            inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(inputs if device is None else inputs.to(device))
    finally:
        model.train(mode)
        for norm, momentum in zip(norms, settings, strict=True):
            norm.momentum = momentum


class SWALR(LRScheduler):
    """Anneals each group's learning rate to a fixed one, where it stays.

    Args:
        optimizer: whose groups.
        swa_lr: the last rate, or one for each group.
        anneal_epochs: how long that takes.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        last_epoch: the epoch to resume after.

    Raises:
        ValueError: the strategy is unknown, or the number of epochs negative.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        owner = type(self).__name__
        whole = isinstance(anneal_epochs, int) and anneal_epochs >= 0
        check_argument(whole, owner, "anneal_epochs", "be an int, at least 0", lambda: repr(anneal_epochs), ValueError)
        self._anneal_strategy = check_annealing(owner, anneal_strategy)
        self.anneal_epochs = anneal_epochs
        for group, last in zip(optimizer.param_groups, per_group(owner, optimizer, "swa_lr", swa_lr), strict=True):
            group["swa_lr"] = last
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates at the present step, from those before it."""
        warn_of_get_lr(self)
        # The constructor's step is the first, and none of the annealing's; without epochs to anneal in, it is the last.
        length = max(1, self.anneal_epochs)
        taken = max(self._step_count - 1, 1 - self.anneal_epochs)
        before, now = (ANNEALING[self._anneal_strategy](min(max(0.0, at / length), 1.0)) for at in (taken - 1, taken))
        return [self._between_(group["lr"], group["swa_lr"], before, now) for group in self.optimizer.param_groups]

    @staticmethod
    def _between_(rate: Any, last: Any, before: float, now: float) -> Any:
        # Where the annealing started, from where it had come to.
        first = last if before == 1 else (rate - before * last) / (1 - before)
        return last * now + first * (1 - now)

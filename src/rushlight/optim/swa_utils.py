"""Averages of weights over training (Izmailov et al. 2018, arXiv:1803.05407; Polyak & Juditsky 1992), and their schedule."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.nn import Module
from rushlight.nn.modules.normalization import _BatchNorm

from ._schedule import LRScheduler, per_group
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


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """A function that updates lists of averages in place by decay * average + (1 - decay) * current.

    Raises:
        ValueError: the decay is not in [0, 1].
    """
    _check_decay(decay)

    @rushlight.no_grad()
    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """A function that updates lists of averages in place to the mean of all values seen."""

    @rushlight.no_grad()
    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        weight = 1 / (float(num_averaged) + 1)
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, weight)
            else:
                average.add_((current - average).to(average.dtype) * weight)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """A function of one average and one current value: decay * average + (1 - decay) * current."""
    _check_decay(decay)

    @rushlight.no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """A function of one average and one current value: the mean of all values seen."""

    @rushlight.no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


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
        device: Any = None,
        avg_fn: Callable[[Tensor, Tensor, Any], Tensor] | None = None,
        multi_avg_fn: Callable[[Any, Any, Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", rushlight.tensor(0, dtype=rushlight.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The averaged model's forward."""
        return self.module(*args, **kwargs)

    def _members(self, model: Module) -> list[Tensor]:
        buffers: Iterable[Tensor] = model.buffers() if self.use_buffers else ()
        return [t.detach() for t in itertools.chain(model.parameters(), buffers)]

    def update_parameters(self, model: Module) -> None:
        """Take a model's present parameters into the averages; the first ones are copied."""
        average, current = self._members(self.module), self._members(model)
        with rushlight.no_grad():
            if int(self.n_averaged) == 0:
                for a, c in zip(average, current, strict=True):
                    a.copy_(c)
            elif self.avg_fn is not None:
                for a, c in zip(average, current, strict=True):
                    a.copy_(self.avg_fn(a, c.to(a.device), self.n_averaged))
            else:
                update = get_swa_multi_avg_fn() if self.multi_avg_fn is None else self.multi_avg_fn
                update(average, [c.to(a.device) for a, c in zip(average, current, strict=True)], self.n_averaged)
            if not self.use_buffers:
                for a, c in zip(self.module.buffers(), model.buffers(), strict=True):
                    a.detach().copy_(c.detach())
            self.n_averaged += 1


@rushlight.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of all batch norms of a model anew, as plain averages over the loader's batches.

    Args:
        loader: gives inputs, or lists or tuples that begin with one.
        model: run on all of them in training mode; its mode is put back.
        device: where inputs are moved.
    """
    momenta: dict[Any, Any] = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for batch in loader:
        x = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(x if device is None else x.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


def _linear(t: float) -> float:
    return t


def _cosine(t: float) -> float:
    return (1 - math.cos(math.pi * t)) / 2


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
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for rate, group in zip(per_group(optimizer, "swa_lr", swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _shape(self, t: float) -> float:
        return _cosine(t) if self._anneal_strategy == "cos" else _linear(t)

    def get_lr(self) -> list[Any]:
        """The rates at the present step, from those before it."""
        # The first rate is found from the present one and how far the annealing had come.
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before = self._shape(max(0.0, min(1.0, (step - 1) / max(1, self.anneal_epochs))))
        now = self._shape(max(0.0, min(1.0, step / max(1, self.anneal_epochs))))
        rates = []
        for group in self.optimizer.param_groups:
            last = group["swa_lr"]
            start = last if before == 1 else (group["lr"] - before * last) / (1 - before)
            rates.append(last * now + start * (1 - now))
        return rates

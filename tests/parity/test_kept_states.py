"""What optimizers and schedules keep has PyTorch's names, order and kinds, and goes on in the other library.

Programs print param_groups, read `state` by name, and write schedules that look at the attributes of the base class.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9},
    "Adam": {"amsgrad": True},
    "AdamW": {},
    "Adamax": {},
    "NAdam": {},
    "RAdam": {},
    "Adadelta": {},
    "Adagrad": {},
    "RMSprop": {"momentum": 0.1, "centered": True},
    "Rprop": {},
    "ASGD": {},
    "Adafactor": {},
    "Muon": {},
    "LBFGS": {"max_iter": 3},
}
SCHEDULES: dict[str, dict[str, Any]] = {
    "StepLR": {"step_size": 2},
    "MultiStepLR": {"milestones": [1, 3]},
    "ConstantLR": {},
    "LinearLR": {},
    "ExponentialLR": {"gamma": 0.9},
    "PolynomialLR": {},
    "CosineAnnealingLR": {"T_max": 3},
    "CosineAnnealingWarmRestarts": {"T_0": 2},
    "CyclicLR": {"base_lr": 0.1, "max_lr": 0.2},
    "OneCycleLR": {"max_lr": 0.1, "total_steps": 9, "three_phase": True},
    "LambdaLR": {"lr_lambda": lambda epoch: 0.9},
    "MultiplicativeLR": {"lr_lambda": lambda epoch: 0.9},
    "ReduceLROnPlateau": {},
    "SequentialLR": {},
    "ChainedScheduler": {},
}


def trained(lib: Any, name: str, steps: int = 3, saved: Any = None) -> tuple[Any, Any]:
    """A parameter and its optimizer after some steps; `saved` is a state_dict to go on from."""
    x = lib.nn.Parameter(lib.arange(6.0).reshape(2, 3) / 5 - 0.3)
    optimizer = getattr(lib.optim, name)([x], **OPTIMIZERS[name])
    if saved is not None:
        optimizer.load_state_dict(saved)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((x - 1) ** 4).sum()
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)
    return x, optimizer


def kinds(value: Any) -> Any:
    """A value with type, dtype and size in the place of numbers."""
    if isinstance(value, (torch.Tensor, rushlight.Tensor)):
        return "Tensor", str(value.dtype).split(".")[-1], tuple(value.shape)
    if isinstance(value, (dict, OrderedDict)):
        return [(k, kinds(v)) for k, v in value.items()]
    return [kinds(v) for v in value] if isinstance(value, (list, tuple)) else type(value).__name__


def theirs(value: Any, lib: Any) -> Any:
    """A state with the tensors of the other library."""
    if isinstance(value, (torch.Tensor, rushlight.Tensor)):
        return lib.tensor(value.tolist(), dtype=getattr(lib, str(value.dtype).split(".")[-1]))
    if isinstance(value, dict):
        return {k: theirs(v, lib) for k, v in value.items()}
    return [theirs(v, lib) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name: str) -> None:
    (_, ours), (_, reference) = trained(rushlight, name), trained(torch, name)
    assert list(ours.defaults) == list(reference.defaults)
    assert str(ours) == str(reference)
    assert kinds(ours.state_dict()) == kinds(reference.state_dict())


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_go_on_in_pytorch(name: str) -> None:
    _, ours = trained(rushlight, name)
    mine, theirs_ = (
        trained(rushlight, name, 2, ours.state_dict())[0],
        trained(torch, name, 2, theirs(ours.state_dict(), torch))[0],
    )
    assert mine.detach().numpy() == pytest.approx(theirs_.detach().numpy(), rel=1e-3, abs=1e-4)


def scheduled(lib: Any, name: str) -> Any:
    optimizer = lib.optim.SGD([lib.nn.Parameter(lib.ones(2))], lr=0.1, momentum=0.9)
    module = lib.optim.lr_scheduler
    if name in ("SequentialLR", "ChainedScheduler"):
        parts = [module.ConstantLR(optimizer), module.StepLR(optimizer, 2)]
        schedule = (
            module.ChainedScheduler(parts)
            if name == "ChainedScheduler"
            else module.SequentialLR(optimizer, parts, milestones=[2])
        )
    else:
        schedule = getattr(module, name)(optimizer, **SCHEDULES[name])
    for _ in range(3):
        optimizer.step()
        schedule.step(1.0) if name == "ReduceLROnPlateau" else schedule.step()
    return schedule


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 12)
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return [rounded(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name: str) -> None:
    ours, reference = scheduled(rushlight, name).state_dict(), scheduled(torch, name).state_dict()
    assert list(ours) == list(reference)
    assert rounded(ours) == rounded(reference)


@pytest.mark.parametrize("lib", [rushlight, torch], ids=["rushlight", "torch"])
def test_a_schedule_of_ones_own_may_ask_who_calls(lib: Any) -> None:
    asked: list[tuple[bool, bool]] = []

    class Own(lib.optim.lr_scheduler.LRScheduler):
        def get_lr(self) -> list[Any]:
            asked.append((self._get_lr_called_within_step, self._is_initial))
            return [group["lr"] / 2 for group in self.optimizer.param_groups]

    optimizer = lib.optim.SGD([lib.nn.Parameter(lib.ones(2))], lr=0.1)
    own = Own(optimizer)
    optimizer.step()
    own.step()
    own.get_lr()
    assert asked == [(True, True), (True, False), (False, False)]

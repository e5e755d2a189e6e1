"""Averages of weights and their schedule, against PyTorch's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.optim import swa_utils


def network(lib: Any) -> Any:
    net = lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.BatchNorm1d(4), lib.nn.Linear(4, 1)).double()
    rng = np.random.default_rng(0)
    with lib.no_grad():
        for p in net.parameters():
            p.copy_(lib.from_numpy(rng.standard_normal(tuple(p.shape))))
    return net


def averaged(lib: Any, kind: str, use_buffers: bool) -> dict[str, np.ndarray]:
    if lib is not rushlight:
        import torch.optim.swa_utils

        utils = torch.optim.swa_utils
    else:
        utils = swa_utils
    options: dict[str, Any] = {
        "mean": {},
        "ema": {"avg_fn": utils.get_ema_avg_fn(0.7)},
        "multi ema": {"multi_avg_fn": utils.get_ema_multi_avg_fn(0.7)},
        "swa": {"avg_fn": utils.get_swa_avg_fn()},
        "multi swa": {"multi_avg_fn": utils.get_swa_multi_avg_fn()},
    }[kind]
    net = network(lib)
    mean = utils.AveragedModel(net, use_buffers=use_buffers, **options)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.1)
    schedule = utils.SWALR(optimizer, 0.02, anneal_epochs=3)
    rng = np.random.default_rng(1)
    batches = [lib.from_numpy(rng.standard_normal((5, 3))) for _ in range(6)]
    for batch in batches:
        optimizer.zero_grad()
        (net(batch) ** 2).mean().backward()
        optimizer.step()
        if use_buffers:
            net[1].num_batches_tracked.fill_(8)  # the average of equal integers: PyTorch's may round down otherwise
        mean.update_parameters(net)
        schedule.step()
    utils.update_bn([(batch, 0) for batch in batches], mean)
    assert mean.training and mean.module[1].momentum == 0.1 and int(mean.n_averaged) == 6
    state = {name: value.detach().numpy() for name, value in mean.state_dict().items()}
    return state | {"lr": np.array(optimizer.param_groups[0]["lr"]), "out": mean.eval()(batches[0]).detach().numpy()}


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("kind", ["mean", "ema", "multi ema", "swa", "multi swa"])
def test_averages_agree_with_pytorch(kind: str, use_buffers: bool) -> None:
    torch = pytest.importorskip("torch")
    # PyTorch's own get_swa_multi_avg_fn refuses integer buffers; it computes what the default does.
    ours, theirs = (
        averaged(rushlight, kind, use_buffers),
        averaged(torch, "mean" if kind == "multi swa" else kind, use_buffers),
    )
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        np.testing.assert_allclose(value, theirs[name], rtol=1e-9, atol=1e-12, err_msg=name)


def test_an_average_of_equal_integers_stays() -> None:
    average, value = [rushlight.tensor([3, 7])], [rushlight.tensor([3, 17])]
    swa_utils.get_ema_multi_avg_fn(0.999)(average, value, 1)
    assert average[0].tolist() == [3, 7]
    swa_utils.get_swa_multi_avg_fn()(average, value, 1)
    assert average[0].tolist() == [3, 12]


def test_update_bn_puts_back_mode_and_momentum_after_an_error() -> None:
    net = network(rushlight).eval()
    with pytest.raises(RuntimeError):
        swa_utils.update_bn([rushlight.ones(2, 5, dtype=rushlight.float64)], net)
    assert not net.training and net[1].momentum == 0.1


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: swa_utils.get_ema_avg_fn(2), ValueError, r"get_ema_avg_fn: 'decay' must be in \[0, 1\]; found 2"),
        (
            lambda: swa_utils.get_ema_multi_avg_fn(-1),
            ValueError,
            r"get_ema_multi_avg_fn: 'decay' must be in \[0, 1\]; found -1",
        ),
        (
            lambda: swa_utils.AveragedModel(network(rushlight), avg_fn=max, multi_avg_fn=max),
            AssertionError,
            "'avg_fn' and 'multi_avg_fn' exclude",
        ),
        (
            lambda: swa_utils.SWALR(rushlight.optim.SGD(network(rushlight).parameters()), 0.1, -1),
            ValueError,
            "SWALR: 'anneal_epochs' must be an int",
        ),
        (
            lambda: swa_utils.SWALR(rushlight.optim.SGD(network(rushlight).parameters()), [0.1, 0.2]),
            ValueError,
            "SWALR: 'swa_lr' must be one value or",
        ),
    ],
)
def test_errors(make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(
    "name", ["OneCycleLR", "CyclicLR", "SequentialLR", "CosineAnnealingWarmRestarts", "ReduceLROnPlateau"]
)
def test_a_schedule_goes_on_from_pytorchs_state(name: str) -> None:
    torch = pytest.importorskip("torch")
    make: Any = {
        "OneCycleLR": lambda s, o: s.OneCycleLR(o, 1.0, total_steps=20, three_phase=True),
        "CyclicLR": lambda s, o: s.CyclicLR(o, 0.1, 1.0, 4, mode="exp_range", gamma=0.9),
        "SequentialLR": lambda s, o: s.SequentialLR(o, [s.ExponentialLR(o, 0.9), s.StepLR(o, 2)], [7]),
        "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2),
        "ReduceLROnPlateau": lambda s, o: s.ReduceLROnPlateau(o, patience=1),
    }[name]

    def begin(lib: Any) -> tuple[Any, Any]:
        optimizer = lib.optim.SGD([lib.zeros(1).requires_grad_()], lr=0.5, momentum=0.9)
        return optimizer, make(lib.optim.lr_scheduler, optimizer)

    def run(optimizer: Any, schedule: Any, steps: range) -> list[float]:
        rates = []
        for i in steps:
            optimizer.step()
            schedule.step(*([float(i % 3)] if name == "ReduceLROnPlateau" else []))
            rates += [optimizer.param_groups[0][key] for key in ("lr", "momentum")]
        return rates

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch's SequentialLR warns of its own calls
        source = begin(torch)
        run(*source, range(5))
        optimizer, schedule = begin(rushlight)
        optimizer.load_state_dict(source[0].state_dict())
        schedule.load_state_dict(source[1].state_dict())
        np.testing.assert_allclose(run(optimizer, schedule, range(5, 18)), run(*source, range(5, 18)), rtol=1e-12)

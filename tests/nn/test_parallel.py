"""Modules for several devices and processes, where there is one of each; and functions of flat lists of weights."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl
from rushlight import nn


def test_sync_batch_norm_is_batch_norm_in_one_process() -> None:
    rl.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.Sequential(nn.BatchNorm2d(3, affine=False)))
    x = rl.randn(4, 2, 5, 5)
    wanted = net(x)
    made = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert (
        isinstance(made[1], nn.SyncBatchNorm)
        and isinstance(made[2][0], nn.SyncBatchNorm)
        and made[1].weight is net[1].weight
    )
    assert (
        made[1].num_batches_tracked == 1
        and rl.allclose(made(x), wanted)
        and made.state_dict().keys() == net.state_dict().keys()
    )
    made.eval()
    assert made(x).shape == wanted.shape and repr(made[1]).startswith("SyncBatchNorm(3, eps=1e-05")
    assert nn.SyncBatchNorm.convert_sync_batchnorm(net).training is False
    with pytest.raises(ValueError, match="2-d"):
        made[1](rl.ones(3))
    with pytest.raises(ValueError, match="process_group"):
        nn.SyncBatchNorm(3, process_group="x")


def test_cross_map_normalization_is_as_in_pytorch() -> None:
    torch = pytest.importorskip("torch")
    for size, alpha, beta, k in ((3, 1e-2, 0.75, 1), (4, 0.5, 0.5, 2)):
        data = rl.randn(2, 7, 3, 2).tolist()
        ours, theirs = (
            module.nn.CrossMapLRN2d(size, alpha, beta, k)(module.tensor(data)).numpy() for module in (rl, torch)
        )
        assert abs(ours - theirs).max() < 1e-5
        # PyTorch's own gradient is not that of its function.
        assert rl.autograd.gradcheck(
            nn.CrossMapLRN2d(size, alpha, beta, k), (rl.tensor(data, dtype=rl.float64, requires_grad=True),)
        )
    assert repr(nn.CrossMapLRN2d(3)) == repr(torch.nn.CrossMapLRN2d(3))


def test_wrappers_call_their_module() -> None:
    net = nn.Linear(3, 2)
    x = rl.randn(4, 3)
    assert rl.equal(nn.parallel.data_parallel(net, x), net(x)) and rl.equal(nn.DataParallel(net)(x), net(x))
    parts = nn.parallel.scatter({"a": x, "b": [x, 1]}, ["cpu", "cpu"])
    assert len(parts) == 2 and rl.equal(parts[1]["b"][0], x[2:]) and parts[0]["b"][1] == 1
    copies = nn.parallel.replicate(net, ["cpu", "cpu"])
    assert copies[0] is not copies[1] and copies[1].weight is net.weight
    out = nn.parallel.parallel_apply(copies, [(p["a"],) for p in parts])
    assert rl.allclose(nn.parallel.gather(out, "cpu"), net(x))
    assert rl.equal(nn.parallel.gather([rl.tensor(1.0), rl.tensor(2.0)], "cpu"), rl.tensor([1.0, 2.0]))
    with pytest.raises(RuntimeError, match="must be the CPU"):
        nn.parallel.scatter(x, [0])


@pytest.mark.parametrize(("name", "kind"), [("lstm", "LSTM"), ("gru", "GRU"), ("rnn_tanh", "RNN"), ("rnn_relu", "RNN")])
@pytest.mark.parametrize(("layers", "both", "bias", "first"), [(1, False, True, False), (2, True, False, True)])
def test_functions_of_flat_weights(name: str, kind: str, layers: int, both: bool, bias: bool, first: bool) -> None:
    rl.manual_seed(1)
    options: dict[str, Any] = {"nonlinearity": name.removeprefix("rnn_")} if kind == "RNN" else {}
    net = getattr(nn, kind)(3, 4, layers, bias=bias, bidirectional=both, batch_first=first, **options)
    x = rl.randn(5, 2, 3)
    state = rl.randn(layers * (2 if both else 1), 5 if first else 2, 4)
    hx = (state, state * 2) if kind == "LSTM" else state
    wanted, last = net(x, hx)
    params = list(net.parameters())
    found = getattr(rl, name)(x, hx, params, bias, layers, 0.0, False, both, first)
    assert rl.equal(found[0], wanted) and all(
        rl.equal(a, b) for a, b in zip(found[1:], last if kind == "LSTM" else (last,), strict=True)
    )
    if not first:
        packed = nn.utils.rnn.pack_padded_sequence(x, rl.tensor([5, 3]))
        wanted, last = net(packed, hx)
        found = getattr(rl, name)(packed.data, packed.batch_sizes, hx, params, bias, layers, 0.0, False, both)
        assert rl.equal(found[0], wanted.data)
    with pytest.raises(RuntimeError, match="'params' must be"):
        getattr(rl, name)(x, hx, params[:-1], bias, layers, 0.0, False, both, first)
    with pytest.raises(TypeError, match="must be called with"):
        getattr(rl, name)(x, hx)


def test_reparametrized_for_a_block() -> None:
    torch = pytest.importorskip("torch")
    for module in (rl, torch):
        net = module.nn.Linear(2, 1)
        w, own = module.full((1, 2), 3.0), net.weight
        with module.nn.utils.stateless._reparametrize_module(net, {"weight": w}):
            assert net.weight is w
        assert net.weight is own
        bn = module.nn.BatchNorm1d(2)
        values = {"running_mean": module.zeros(2)}
        with module.nn.utils.stateless._reparametrize_module(bn, values):
            bn.running_mean = module.ones(2)
        assert values["running_mean"].tolist() == [1.0, 1.0] and bn.running_mean.tolist() == [0.0, 0.0]

"""Modules, operators and nodes under copy, pickle and introspection."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import rushlight
from rushlight import nn
from rushlight.nn import functional as F
from rushlight.nn.utils import parametrizations, parametrize


def test_operators_are_copied_as_themselves_and_pickled_by_name() -> None:
    for op in (rushlight.add, F.gelu, F.softmax, rushlight.Tensor.add_, F.relu):
        assert copy.deepcopy(op) is op and pickle.loads(pickle.dumps(op)) is op
    layer = nn.TransformerEncoderLayer(4, 2, 8, activation=F.gelu)
    assert copy.deepcopy(layer).activation is F.gelu and pickle.loads(pickle.dumps(layer)).activation is F.gelu


def test_a_copy_of_a_parametrized_module_lives_on_its_own() -> None:
    first = parametrizations.weight_norm(nn.Linear(3, 2))
    second = copy.deepcopy(first)
    want = second.weight.detach().clone()
    parametrize.remove_parametrizations(first, "weight")
    assert type(first) is nn.Linear and parametrize.is_parametrized(second)
    assert rushlight.equal(second.weight, want)
    with pytest.raises(RuntimeError, match="state_dict"):
        pickle.dumps(second)
    with rushlight.no_grad():
        first.weight.zero_()
    assert rushlight.equal(second.weight, want)


def test_lazy_modules_in_copies_files_and_optimizers() -> None:
    lazy = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())
    copied, sent = copy.deepcopy(lazy), pickle.loads(pickle.dumps(lazy))
    for module in (lazy, copied, sent):
        assert repr(module[0]) == "LazyLinear(in_features=0, out_features=4, bias=True)"
        with pytest.raises(RuntimeError, match="uninitialized"):
            module[0].weight.shape  # noqa: B018
        held = module[0].weight
        optimizer = rushlight.optim.SGD(module.parameters(), lr=0.1)
        module(rushlight.ones(3, 5)).sum().backward()
        assert type(module[0]) is nn.Linear and module[0].weight is held and held.shape == (4, 5)
        assert type(module[1]) is nn.BatchNorm1d and int(module[1].num_batches_tracked) == 1
        optimizer.step()
    with pytest.raises(RuntimeError, match="LazyConv3d: the input must be 5-d"):
        nn.LazyConv3d(2, 1)(rushlight.ones(1, 2))


def test_nodes_of_functions_have_their_names_and_their_context() -> None:
    class Twice(rushlight.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.factor = 2
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.factor

    x = rushlight.ones(2, requires_grad=True)
    node: Any = Twice.apply(x).grad_fn
    assert type(node).__name__ == "TwiceBackward" and node.name() == "TwiceBackward" and node.factor == 2
    assert node.saved_tensors[0] is x and not hasattr(node, "missing")


def test_batch_norms_without_statistics_run_under_vmap() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.InstanceNorm1d(2, track_running_stats=True))
    x = rushlight.randn(5, 6, 3)
    with pytest.raises(RuntimeError):
        rushlight.func.vmap(net[:2])(x)
    assert rushlight.func.replace_all_batch_norm_modules_(net) is net
    assert (
        net[1].running_mean is None
        and net[2].running_mean is not None
        and list(net[1].state_dict()) == ["weight", "bias"]
    )
    rushlight.testing.assert_close(rushlight.func.vmap(net[:2])(x), rushlight.stack([net[:2](row) for row in x]))

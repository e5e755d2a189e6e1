"""Weights that a program gives an RNN module by `_flat_weights`, as packages for meta-learning do."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_calls_use_them_and_the_parameters_stay(kind: str) -> None:
    rl.manual_seed(0)
    module: Any = getattr(rl.nn, kind)(3, 4, num_layers=2, bidirectional=True)
    other: Any = getattr(rl.nn, kind)(3, 4, num_layers=2, bidirectional=True)
    x = rl.randn(5, 2, 3)
    own = module(x)[0]
    module._flat_weights = [w * 1 for w in other._flat_weights]
    assert rl.equal(module(x)[0], other(x)[0])
    module(x)[0].sum().backward()
    assert other.weight_ih_l0.grad is not None and module.weight_ih_l0.grad is None
    module._flat_weights = [getattr(module, name) for name in module._flat_weights_names]
    assert rl.equal(module(x)[0], own)


def test_a_weight_that_is_assigned_counts_again() -> None:
    module = rl.nn.RNN(3, 4)
    module._flat_weights = [w * 0 for w in module._flat_weights]
    assert not module(rl.ones(1, 1, 3))[0].any()
    module.bias_ih_l0 = rl.nn.Parameter(rl.ones(4))
    assert module(rl.ones(1, 1, 3))[0].ne(0).all()


def test_wrong_ones() -> None:
    module = rl.nn.RNN(3, 4)
    with pytest.raises(TypeError, match="'_flat_weights' must be 4 tensors"):
        module._flat_weights = [rl.ones(3)]

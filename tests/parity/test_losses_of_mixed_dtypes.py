"""Losses of an input and a target of two floating dtypes: PyTorch's dtype, or a refusal where PyTorch refuses."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import rushlight

LOSSES = (
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "multilabel_soft_margin_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
)
DTYPES = ("float64", "float32", "float16")


def _given(library: Any, name: str, input: str, target: str, reduction: str) -> str:
    x, y = ([0.3, -0.2, 0.9], getattr(library, input)), ([1.0, 0.25, 0.5], getattr(library, target))
    tensors = [library.tensor(values, dtype=dtype) for values, dtype in (x, y)]
    try:
        return str(getattr(library.nn.functional, name)(*tensors, reduction=reduction).dtype).rpartition(".")[2]
    except (RuntimeError, TypeError, ValueError) as error:
        return type(error).__name__


@pytest.mark.parametrize("name", LOSSES)
def test_dtype(name: str) -> None:
    for input in DTYPES:
        for target in DTYPES:
            for reduction in ("none", "mean"):
                call = (name, input, target, reduction)
                assert _given(rushlight, *call) == _given(torch, *call), call


@pytest.mark.parametrize("weight", DTYPES)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_classes_of_probabilities(weight: str, smoothing: float) -> None:
    """Gradients too: each is of its operand's dtype."""
    found = []
    for library in (torch, rushlight):
        x = library.tensor([[0.3, -0.2, 0.9], [1.5, 0.1, 0.4]], requires_grad=True)
        t = library.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]], dtype=library.float64, requires_grad=True)
        w = library.tensor([1.0, 2.0, 0.5], dtype=getattr(library, weight))
        y = library.nn.functional.cross_entropy(x, t, w, label_smoothing=smoothing)
        y.backward()
        grads = [(str(g.dtype).rpartition(".")[2], g.flatten().tolist()) for g in (x.grad, t.grad)]
        found.append((str(y.dtype).rpartition(".")[2], y.item(), grads))
    (dtype, value, grads), (own_dtype, own_value, own_grads) = found
    assert dtype == own_dtype
    assert value == pytest.approx(own_value, rel=1e-6)
    for (d, numbers), (own, own_numbers) in zip(grads, own_grads, strict=True):
        assert d == own
        assert numbers == pytest.approx(own_numbers, rel=1e-5, abs=1e-7)

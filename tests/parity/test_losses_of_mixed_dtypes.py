"""Losses of an input and a target of two floating dtypes: PyTorch's dtype, or a refusal where PyTorch refuses."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import rushlight

LOSSES = (
    "binary_cross_entropy_with_logits",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
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

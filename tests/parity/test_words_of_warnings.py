"""Programs filter warnings by their first words, and tests look for words in errors: those are PyTorch's here too."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import rushlight


def _early_step(t: Any) -> None:
    t.optim.lr_scheduler.StepLR(t.optim.SGD([t.ones(2, requires_grad=True)], lr=0.1), 1).step()


CASES: list[tuple[str, Callable[[Any], Any]]] = [
    ("Detected call of `lr_scheduler.step()` before `optimizer.step()`", _early_step),
    ("enable_nested_tensor is True", lambda t: t.nn.TransformerEncoder(t.nn.TransformerEncoderLayer(4, 2), 1)),
    ("Low df values detected", lambda t: t.distributions.Wishart(t.tensor(2.5), t.eye(3))),
    ("`torch.jit.script` is deprecated", lambda t: t.jit.script(t.nn.Identity())),
    ("`torch.jit.trace` is deprecated", lambda t: t.jit.trace(t.nn.Identity(), t.ones(1))),
]


@pytest.mark.parametrize("library", [torch, rushlight], ids=["torch", "rushlight"])
@pytest.mark.parametrize(("words", "call"), CASES, ids=[words for words, _ in CASES])
def test_a_warning_begins_with_them(library: Any, words: str, call: Callable[[Any], Any]) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call(library)
    assert any(re.match(re.escape(words), str(w.message)) for w in seen), [str(w.message) for w in seen]


@pytest.mark.parametrize("library", [torch, rushlight], ids=["torch", "rushlight"])
def test_errors_of_distributions(library: Any) -> None:
    normal = library.distributions.Normal
    with pytest.raises(ValueError, match=r"to satisfy the constraint .* but found invalid values:"):
        normal(0.0, -1.0, validate_args=True)
    with pytest.raises(ValueError, match=r"Expected value argument .* but found invalid values:"):
        normal(0.0, 1.0, validate_args=True).log_prob(library.tensor(float("nan")))

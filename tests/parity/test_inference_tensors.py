"""Tensors made in inference mode against PyTorch: what may be done with them outside of it, and what of them a call
refuses to save.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from inference_cases import cases
from test_operators import to_torch
from test_saved_values import NAMES, find

import rushlight
from rushlight.core import dtypes as dt
from rushlight.core import tensor as core
from rushlight.testing.samples import REGISTRY

torch = pytest.importorskip("torch")

from checks import chosen  # noqa: E402
from test_operators import counterpart  # noqa: E402

# Here more is kept as it is than in PyTorch, whose call is a composition (or has no derivative at all). The list may
# only shrink.
MORE = frozenset(
    {
        "batch_norm",
        "instance_norm",
        "nn.functional.batch_norm",
        "nn.functional.conv2d",
        "nn.functional.conv3d",
        "nn.functional.cross_entropy",
        "nn.functional.ctc_loss",
        "nn.functional.instance_norm",
        "nn.functional.nll_loss",
        "nn.functional.scaled_dot_product_attention",
    }
)

OURS, THEIRS = cases(rushlight), cases(torch)


def plain(value: Any) -> Any:
    """A result that is the same in both libraries."""
    if hasattr(value, "requires_grad"):
        return [value.requires_grad, value.is_inference(), value.detach().clone().tolist()]
    return [plain(x) for x in value] if isinstance(value, (tuple, list)) else value


def outcome(program: Callable[[], Any], library: Any) -> Any:
    library.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(program())
        except Exception as error:
            return type(error).__name__


@pytest.mark.parametrize("name", sorted(OURS))
def test_program(name: str) -> None:
    assert outcome(OURS[name], rushlight) == outcome(THEIRS[name], torch)


def refused(library: Any, function: Any, sample: Any, at: int) -> bool | None:
    """Whether a call is refused whose tensor `at` is an inference tensor while all others require grad; None where
    there is no such call.
    """
    n = 0

    def made(x: Any) -> Any:
        nonlocal n
        if type(x) in (tuple, list):
            return type(x)(map(made, x))
        if not isinstance(x, core.Tensor):
            return to_torch(x) if library is torch else x
        n += 1
        t = to_torch(x).clone() if library is torch else x.detach().clone()
        if n - 1 == at:
            with library.inference_mode():
                return t.clone()
        return t.requires_grad_() if t.is_floating_point() or t.is_complex() else t

    args, kwargs = made(list(sample.args)), {k: made(v) for k, v in sample.kwargs.items()}
    if n <= at:
        return None
    try:
        function(*args, **kwargs)
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        return "nference" in str(error)
    return False


def test_what_operators_save() -> None:
    """No call refuses an inference tensor that it takes in PyTorch, but for those listed above."""
    unlike, both = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in NAMES:
            if name in MORE or name.startswith(("masked.", "special.")) or counterpart(name) is None:
                continue
            for sample in chosen(REGISTRY[name], dt.float64, 2)[:1]:
                for at in range(4):
                    ours = refused(rushlight, find(name), sample, at)
                    if ours:
                        both += 1
                        if not refused(torch, counterpart(name), sample, at):
                            unlike.append((name, at))
    assert not unlike, str(unlike)
    assert both > 100

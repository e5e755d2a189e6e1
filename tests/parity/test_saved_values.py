"""What a call keeps for its backward: for every operator, the tensors that may be written to in between, and whether a
backward may be repeated.

PyTorch refuses a backward when a value that it has saved was written to. Here no value may be kept that PyTorch does
without; keeping fewer is better (docs/differences.md).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_operators import counterpart, to_torch, torch_flat

import rushlight
from rushlight.core import dtypes as dt
from rushlight.core import tensor as core
from rushlight.testing.samples import REGISTRY, load

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "operators"))

from checks import chosen, label  # noqa: E402
from support import copy, find, flat, map_tensors  # noqa: E402

load()

# Operators whose derived backward reads an input or a result that PyTorch's does without (docs/differences.md). The
# lists may only shrink.
KEPT = frozenset(
    {
        "corrcoef",
        "cosine_embedding_loss",
        "cov",
        "cumulative_trapezoid",
        "frexp",
        "gru_cell",
        "hinge_embedding_loss",
        "instance_norm",
        "kl_div",
        "kron",
        "ldexp",
        "linalg.cond",
        "linalg.vander",
        "lstm_cell",
        "margin_ranking_loss",
        "masked.amax",
        "masked.amin",
        "masked.cumprod",
        "masked.cumsum",
        "masked.log_softmax",
        "masked.logaddexp",
        "masked.logsumexp",
        "masked.mean",
        "masked.median",
        "masked.norm",
        "masked.normalize",
        "masked.prod",
        "masked.softmax",
        "masked.softmin",
        "masked.std",
        "masked.sum",
        "masked.var",
        "matmul",
        "nanquantile",
        "nn.functional.cosine_embedding_loss",
        "nn.functional.cross_entropy",
        "nn.functional.ctc_loss",
        "nn.functional.hinge_embedding_loss",
        "nn.functional.instance_norm",
        "nn.functional.linear_cross_entropy",
        "nn.functional.margin_ranking_loss",
        "nn.functional.poisson_nll_loss",
        "nn.functional.triplet_margin_loss",
        "pairwise_distance",
        "polar",
        "quantile",
        "nn.functional.scaled_dot_product_attention",
        "special.ndtr",
        "std_mean",
        "stft",
        "take_along_dim",
        "tensordot",
        "trapezoid",
        "trapz",
        "triplet_margin_loss",
        "var_mean",
    }
)
NAMES = [
    n
    for n in sorted(REGISTRY)
    if REGISTRY[n].grad
    and dt.float64 in REGISTRY[n].dtypes
    and not n.rpartition(".")[2].endswith("_")
    and "out" not in n
]


class Side:
    """One library's way to do an operator on a sample, with gradients."""

    def __init__(
        self, M: Any, fn: Callable[..., Any], prepare: Callable[[Any], Any], tensors: Callable[[Any], list[Any]]
    ) -> None:
        self.M, self.fn, self.prepare, self.tensors = M, fn, prepare, tensors

    def forward(self, sample: Any) -> tuple[list[Any], list[Any]] | None:
        """The input tensors and the results that require a gradient; None where there are none or the call is
        refused.
        """
        args, kwargs = self.prepare(sample)
        inputs = self.tensors([args, kwargs])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.M.manual_seed(0)
            try:
                outputs = self.tensors(self.fn(*args, **kwargs))
            except (RuntimeError, TypeError, NotImplementedError, IndexError, ValueError):
                return None
        if not any(o.requires_grad for o in outputs):
            return None
        return inputs, outputs

    def backward(self, outputs: list[Any]) -> bool:
        """Whether the backward is refused."""
        roots = [o for o in outputs if o.requires_grad]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.M.autograd.backward(roots, [self.M.ones_like(o) for o in roots])
            except RuntimeError as error:
                if "modified by an inplace" not in str(error) and "second time" not in str(error):
                    raise
                return True
        return False

    def kept(self, sample: Any) -> list[bool] | None:
        """Of each input, then output: whether a write to it makes the backward fail."""
        found = []
        at, n = 0, 1
        while at < n:
            both = self.forward(sample)
            if both is None:
                return None
            inputs, outputs = both
            n = len(inputs) + len(outputs)
            self.M.autograd.graph.increment_version([*inputs, *outputs][at])
            found.append(self.backward(outputs))
            at += 1
        return found

    def once(self, sample: Any) -> bool | None:
        """Whether a second backward is refused."""
        both = self.forward(sample)
        if both is None:
            return None
        self.backward(both[1])
        return self.backward(both[1])


def node(t: Any, M: Any) -> Any:
    """A result in the place of a leaf, which may be written to."""
    return t.requires_grad_() * M.ones((), dtype=t.dtype) if t.dtype in (M.float64, M.complex128) else t


def sides(name: str) -> tuple[Side, Side]:
    def ours(s: Any) -> tuple[Any, Any]:
        made: dict[int, Any] = {}
        own = map_tensors(lambda t: made.setdefault(id(t), node(copy(t), rushlight)), s)
        return own.args, own.kwargs

    def theirs(s: Any) -> tuple[Any, Any]:
        made: dict[int, Any] = {}

        def convert(x: Any) -> Any:
            if isinstance(x, core.Tensor):
                return made.setdefault(id(x), node(to_torch(x), torch))
            if type(x) in (tuple, list):
                return type(x)(map(convert, x))
            return to_torch(x)

        return convert(s.args), {k: convert(v) for k, v in s.kwargs.items()}

    def listed(x: Any) -> Any:
        """A dictionary, or a list of arguments and a dictionary of them, as a list."""
        if isinstance(x, dict):
            return list(x.values())
        return [*x[0], *x[1].values()] if isinstance(x, list) and len(x) == 2 and isinstance(x[1], dict) else x

    return Side(torch, counterpart(name), theirs, lambda x: torch_flat(listed(x))), Side(
        rushlight, find(name), ours, lambda x: flat(listed(x))
    )


def differences(name: str, limit: int) -> tuple[list[str], list[str]]:
    """What is kept here and not by PyTorch; where a second backward is refused here and not there."""
    if counterpart(name) is None:
        return [], []
    a, b = sides(name)
    kept, twice = [], []
    for s in chosen(REGISTRY[name], dt.float64, limit):
        try:
            x = a.kept(s)
            y = None if x is None else b.kept(s)
        except RuntimeError:  # one of many views that are written: both refuse that for another reason
            continue
        if x is None or y is None or len(x) != len(y):
            continue
        extra = [i for i, (p, q) in enumerate(zip(x, y, strict=True)) if q and not p]
        if extra:
            kept.append(f"{label(s)}: {extra} of {len(x)}")
        if b.once(s) and not a.once(s):
            twice.append(label(s))
    return kept, twice


@pytest.mark.parametrize("name", NAMES)
def test_no_more_is_kept_than_by_pytorch(name: str) -> None:
    kept, twice = differences(name, 3)
    assert bool(kept) == (name in KEPT), kept or "no longer kept: take it out of the list"
    assert not twice or name in KEPT, twice


@pytest.mark.parametrize("at", ["x", "y"])
@pytest.mark.parametrize(
    "expression",
    [
        "1 / x",
        "2 / x",
        "x ** 0.5",
        "x ** -0.5",
        "x ** -1",
        "x ** -2",
        "x ** 2",
        "x ** 3",
        "x ** 1.5",
        "2 ** x",
        "x / 2",
        "x * x",
        "x @ x",
        "x % 0.2",
        "-x",
        "abs(x)",
    ],
)
def test_syntax_keeps_no_more_than_pytorch(expression: str, at: str) -> None:
    refused = []
    for M in (torch, rushlight):
        x = M.full((3,), 0.3, dtype=M.float64, requires_grad=True) * 1
        y = eval(expression, {"x": x})
        M.autograd.graph.increment_version({"x": x, "y": y}[at])
        try:
            y.sum().backward()
            refused.append(False)
        except RuntimeError as error:
            assert "modified by an inplace" in str(error)
            refused.append(True)
    theirs, ours = refused
    assert theirs or not ours

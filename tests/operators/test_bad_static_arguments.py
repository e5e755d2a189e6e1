"""What can stand in the place of no number, flag or word is refused in the operator's name, whether it has a hash or
not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import find
from wrong_calls import sample_of, tried

import rushlight
from rushlight.testing.samples import load


class WithoutHash:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


class HashRaises:
    def __hash__(self) -> int:
        raise ValueError("no hash")


BAD: dict[str, Callable[[], Any]] = {
    "dict": dict,
    "list": list,
    "set": set,
    "list of dicts": lambda: [{}],
    "tuple of sets": lambda: (set(),),
    "array": lambda: np.ones(2),
    "object without a hash": WithoutHash,
    "object whose hash raises": HashRaises,
}
NAMES = [name for name in sorted(load()) if tried(name) and sample_of(load()[name]) is not None]


def refusals(name: str) -> list[tuple[str, str]]:
    """Which argument is what, and what is said of it, of the calls that are refused."""
    op, sample = find(name), sample_of(load()[name])
    given = [a.detach().clone() if isinstance(a, rushlight.Tensor) else a for a in sample.args]
    named = [p.name for p in op.params][len(given) :] if hasattr(op, "params") else []
    found = []
    for kind, make in BAD.items():
        calls = {
            str(i): ([*given[:i], make(), *given[i + 1 :]], sample.kwargs)
            for i, a in enumerate(given)
            if not isinstance(a, rushlight.Tensor)
        } | {
            p: (given, {**sample.kwargs, p: make()})
            for p in named
            if not isinstance(sample.kwargs.get(p), rushlight.Tensor)
        }
        for place, (args, kwargs) in calls.items():
            try:
                op(*args, **kwargs)
            except Exception as error:
                found.append((f"{place}: {kind}", f"{type(error).__name__}: {error}"))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_refused_by_name(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = refusals(name)
    word = name.rpartition(".")[2].strip("_")
    assert [s for s in said if word not in s[1] or "unhashable" in s[1] or "no hash" in s[1]] == []


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize(
    "name",
    "l1_loss mse_loss kl_div hinge_embedding_loss multilabel_soft_margin_loss soft_margin_loss smooth_l1_loss".split(),
)
def test_reduction(name: str, kind: str) -> None:
    x = rushlight.ones(2)
    with pytest.raises(TypeError, match=rf"{name}\(\): argument 'reduction' .* must be str, not"):
        getattr(rushlight.nn.functional, name)(x, x, reduction=BAD[kind]())

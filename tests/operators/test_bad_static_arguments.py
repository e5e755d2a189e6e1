"""What can stand in the place of no number, flag or word is refused in the operator's name, whether it has a hash or
not.
"""

from __future__ import annotations

import re
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


# What is said of another name, which the argument has in the call's other form (`arange(end)`), or in the operator that
# a call stands for; or of what a list, which is one of the things that the argument may be, does not fit.
SAID_OF_ANOTHER = {
    ("arange", "start"): "end",
    ("conv_tbc", "pad"): "padding",
    ("fft.hfftn", "s"): "dim",
    ("fft.irfftn", "s"): "dim",
    ("hsplit", "indices_or_sections"): "sections|indices",
    ("ones", "dtype"): "size",
    ("split_copy", "split_size"): "split_sizes",
}
_NO_LISTS = ("array", "object without a hash", "object whose hash raises")
# What names no argument: numbers of groups, turns and places that are given as an empty list, and
# what is taken apart before anything is asked of it. It may only shrink.
UNNAMED = {
    ("cov", "correction"): {"list"},
    ("group_norm", "num_groups"): {"list"},
    ("nn.functional.local_response_norm", "size"): {"list"},
    ("rot90", "k"): {"list"},
    ("gradient", "spacing"): {"dict", "set", *_NO_LISTS},
    ("gradient", "dim"): {"array"},
    ("tensordot", "dims"): {"dict", "set", *_NO_LISTS},
    ("as_strided", "size"): {"object without a hash", "object whose hash raises"},
    ("as_strided", "stride"): {"object without a hash", "object whose hash raises"},
}


@pytest.mark.parametrize("name", NAMES)
def test_the_argument_is_named(name: str) -> None:
    op = find(name)
    params = [p.name for p in op.params] if hasattr(op, "params") else []
    silent, spoken = [], {key: set(kinds) for key, kinds in UNNAMED.items() if key[0] == name}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = refusals(name)
    for label, text in said:
        place, kind = label.split(": ", 1)
        if place.isdigit() and int(place) >= len(params):
            continue
        argument = params[int(place)] if place.isdigit() else place
        words = f"{re.escape(argument)}|{SAID_OF_ANOTHER.get((name, argument), re.escape(argument))}"
        named = re.search(rf"\b({words})\b", text.partition(":")[2])
        if not named and kind not in UNNAMED.get((name, argument), ()):
            silent.append((argument, kind, text))
        if not named and (name, argument) in spoken:
            spoken[name, argument].discard(kind)
    assert silent == []
    assert not any(spoken.values()), f"they are named, or taken, by now: {spoken}"


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize(
    "name",
    "l1_loss mse_loss kl_div hinge_embedding_loss multilabel_soft_margin_loss soft_margin_loss smooth_l1_loss".split(),
)
def test_reduction(name: str, kind: str) -> None:
    x = rushlight.ones(2)
    with pytest.raises(TypeError, match=rf"{name}\(\): argument 'reduction' .* must be str, not"):
        getattr(rushlight.nn.functional, name)(x, x, reduction=BAD[kind]())

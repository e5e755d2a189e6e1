"""Errors speak of the call that was made: the operator by its name, sizes as numbers, nothing of how it is carried
out.
"""

from __future__ import annotations

import re
import warnings

import pytest
from support import find
from wrong_calls import sample_of, tried, wrong_calls

import rushlight
from rushlight.testing.samples import load

TYPES = (TypeError, ValueError, RuntimeError, NotImplementedError, IndexError, OverflowError)
# A symbol of a program, a primitive as the one who speaks.
INSIDE = re.compile(r"\bs\d+\b|^internal|: \w+: (expected|not defined)")
NAMES = [name for name in sorted(load()) if not name.rpartition(".")[2].startswith("_") and tried(name)]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_refused(name: str) -> None:
    sample = sample_of(load()[name])
    op = find(name)
    spoken = {name.rpartition(".")[2].strip("_"), getattr(op, "name", name).strip("_")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for what, args, kwargs in wrong_calls(sample) if sample is not None else ():
            try:
                op(*[a.detach().clone() if isinstance(a, rushlight.Tensor) else a for a in args], **kwargs)
            except Exception as error:
                text = str(error)
                assert isinstance(error, TYPES), f"{what}: {error!r}"
                assert any(word in text for word in spoken), f"{what}: {error!r} does not name the operator"
                assert not INSIDE.search(text), f"{what}: {error!r}"


def test_something_is_tried() -> None:
    assert len(NAMES) > 150


def test_keywords_that_are_mistyped() -> None:
    for call, meant in (
        (lambda x: x.softmax(dimm=0), "dim"),
        (lambda x: x.sum(dim=0, keepdimm=True), "keepdim"),
        (lambda x: rushlight.nn.functional.conv2d(x, x, strid=2), "stride"),
        (lambda x: rushlight.add(x, x, aplha=2), "alpha"),
        (lambda x: rushlight.exp(x, ot=x), "out"),
    ):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '.*', did you mean '{meant}'"):
            call(rushlight.ones(2, 2))
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'xyzzy' \(expected"):
        rushlight.softmax(rushlight.ones(2), xyzzy=0)

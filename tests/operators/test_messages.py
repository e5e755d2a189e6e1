"""Errors speak of the call that was made: the operator by its name, sizes as numbers, nothing of how it is carried
out.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

import pytest
from support import find
from wrong_calls import sample_of, tried, wrong_calls

import rushlight
from rushlight.autograd import forward_ad
from rushlight.operators.table.define import IN_PLACE
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
    assert len(WRITTEN) > 30


def _spread(x: rushlight.Tensor) -> rushlight.Tensor:
    """A tensor of x's shape in which the elements of the first dimension share one place."""
    return x.narrow(0, 0, 1).expand((max(2, x.shape[0]), *x.shape[1:]))


WRITTEN = [name for name in NAMES if getattr(find(name), "op", find(name)) in IN_PLACE]


@pytest.mark.parametrize("name", WRITTEN)
def test_what_cannot_be_written_in_forward_mode(name: str) -> None:
    """A transform of an operator writes its result by another one, which nobody called."""
    twin = IN_PLACE[getattr(find(name), "op", find(name))]
    sample = sample_of(load()[name])
    x, rest = sample.args[0].detach(), sample.args[1:]
    if not x.ndim or not x.numel() or not x.dtype.is_floating_point:
        pytest.skip("has no sample of a tensor with dimensions")
    with forward_ad.dual_level(), pytest.raises(Exception, match=rf"^{twin.name.rstrip('_')}_?\(") as caught:
        twin(_spread(forward_ad.make_dual(x.clone(), x.clone())), *rest, **sample.kwargs)
    assert "copy_()" not in str(caught.value)


def test_a_tangent_for_out() -> None:
    x = rushlight.ones(2)
    with forward_ad.dual_level(), pytest.raises(RuntimeError, match=r"add\(\) writes a value that has a tangent"):
        rushlight.add(forward_ad.make_dual(x, x), 1, out=rushlight.empty(2))


@pytest.mark.parametrize("twice", [lambda x: x.float().sum() + x[0].float().sum(), lambda x: _sum_of_parts(x)])
def test_gradients_that_cannot_be_added(twice: Callable[[rushlight.Tensor], rushlight.Tensor]) -> None:
    x = rushlight.ones(4, 4).to(rushlight.float8_e4m3fn).requires_grad_()
    with pytest.raises(NotImplementedError, match=r"^backward\(\): gradients .*float8_e4m3fn"):
        twice(x).backward()
    x.float().sum().backward()
    with pytest.raises(NotImplementedError, match=r"^backward\(\): gradients .*float8_e4m3fn"):
        x.float().sum().backward()


def _sum_of_parts(x: rushlight.Tensor) -> rushlight.Tensor:
    left, right = rushlight.hsplit(x, 2)
    return left.float().sum() + right.float().sum()


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

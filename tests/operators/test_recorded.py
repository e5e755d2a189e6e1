"""Every operator below torch.compile: between others that are recorded with it, a call gives the bits of the call
alone, in results, what it writes to, and gradients.
"""

from __future__ import annotations

from typing import Any

import pytest
from checks import pick
from jitted import _copied
from support import differentiable, find, flat, inputs_of, map_tensors, plain, same_bits

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.testing.samples import REGISTRY, OperatorSamples, load

load()
_VALUES = "its values are whatever the memory held"
FACTOR = rl.tensor(0.75, requires_grad=True)
NOT_COMPARED = {"empty": _VALUES, "empty_like": _VALUES, "new_empty": _VALUES}


def _more(t: Any) -> Any:
    return t + 0.5 if t.dtype.kind == "f" and t.layout is rl.strided and type(t) is rl.Tensor else t


def _among_others(op: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The call on tensors that are made there, and something made of its results and of what requires grad."""
    args, kwargs = map_tensors(_more, args), {k: map_tensors(_more, v) for k, v in kwargs.items()}
    result = op(*args, **kwargs)
    found = [y for y in flat(result) if y.dtype.kind == "f"]
    return result, [_more(y) * FACTOR if y.layout is rl.strided else y for y in found], args, list(kwargs.values())


@pytest.mark.parametrize("spec", REGISTRY.values(), ids=lambda spec: spec.name)
def test_calls_among_others(spec: OperatorSamples) -> None:
    if spec.name in NOT_COMPARED:
        pytest.skip(NOT_COMPARED[spec.name])
    op = find(spec.name)
    samples = spec.samples(pick(spec, dt.float32)[0])
    for s in samples[:1]:
        mine, theirs = _copied(s, True), _copied(s, True)
        rl.manual_seed(0)
        try:
            expected = _among_others(op, list(theirs.args), dict(theirs.kwargs))
        except Exception as error:
            rl.manual_seed(0)
            with pytest.raises(type(error)):
                rl.compile(_among_others, options={"always": True})(op, list(mine.args), dict(mine.kwargs))
            continue
        rl.manual_seed(0)
        got = rl.compile(_among_others, options={"always": True})(op, list(mine.args), dict(mine.kwargs))
        assert plain(got) == plain(expected)
        pairs = list(zip(flat(got), flat(expected), strict=True))
        for g, e in pairs:
            assert g.requires_grad == e.requires_grad and g.stride() == e.stride()
            same_bits(g.detach(), e.detach(), s.label if hasattr(s, "label") else spec.name)
        leaves = [(x, y) for x, y in zip(inputs_of(mine), inputs_of(theirs), strict=True) if y.requires_grad]
        due = [(g, e) for g, e in pairs if e.requires_grad and differentiable(e)]
        if not leaves or not due:
            continue
        found = [
            rl.autograd.grad(
                [pair[k] for pair in due],
                [pair[k] for pair in leaves],
                [rl.ones_like(pair[1]).detach() for pair in due],
                allow_unused=True,
            )
            for k in (0, 1)
        ]
        for g, e in zip(*found, strict=True):
            assert (g is None) == (e is None), spec.name
            if g is not None:
                same_bits(g, e, f"{spec.name}: a gradient")


def _with_its_backward(op: Any, args: list[Any], kwargs: dict[str, Any], leaves: list[Any]) -> Any:
    """The gradients of a number that is made of a call's results, and the number."""
    _, results, *_ = _among_others(op, args, kwargs)
    due = [y for y in results if y.requires_grad]
    if not due or not leaves:
        return None
    total = due[0].square().sum()
    for y in due[1:]:
        total = total + y.square().sum()
    return total, rl.autograd.grad(total, leaves, allow_unused=True)


@pytest.mark.parametrize("spec", REGISTRY.values(), ids=lambda spec: spec.name)
def test_calls_with_their_backward(spec: OperatorSamples) -> None:
    if spec.name in NOT_COMPARED:
        pytest.skip(NOT_COMPARED[spec.name])
    op = find(spec.name)
    for s in spec.samples(pick(spec, dt.float32)[0])[:1]:
        found = []
        for fn in (_with_its_backward, rl.compile(_with_its_backward, options={"always": True})):
            own = _copied(s, True)
            leaves = [x for x in inputs_of(own) if x.requires_grad and x.is_leaf and x.layout is rl.strided]
            rl.manual_seed(0)
            try:
                found.append(fn(op, list(own.args), dict(own.kwargs), leaves))
            except Exception as error:
                found.append(type(error))
        expected, got = found
        if not isinstance(expected, tuple):
            assert got is expected
            continue
        same_bits(got[0].detach(), expected[0].detach(), spec.name)
        for g, e in zip(got[1], expected[1], strict=True):
            assert (g is None) == (e is None), spec.name
            if g is not None:
                assert g.stride() == e.stride() or not e.is_contiguous()
                same_bits(g, e, f"{spec.name}: a gradient")

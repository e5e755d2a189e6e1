"""Programs on fake tensors see what they see in PyTorch: shapes, devices, classes, refusals."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")


def facts(module: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    space = importlib.import_module(f"{module.__name__}._subclasses.fake_tensor")
    mode = space.FakeTensorMode()
    x = module.randn(2, 3)
    f = mode.from_tensor(x)
    yield "text", lambda: repr(f)
    yield "what it is", lambda: (type(f).__name__, str(f.device), tuple(f.shape), str(f.fake_device), f.is_meta)
    yield "its mode", lambda: (f.fake_mode is mode, space.maybe_get_fake_mode(f) is mode, space.is_fake(x))
    yield "strides", lambda: (f.stride(), f.storage_offset(), f.element_size(), f.is_contiguous())
    for name, call in {
        "sum": lambda: f + 1,
        "product": lambda: f @ f.t(),
        "beside a real one": lambda: f + module.ones(3),
        "item": lambda: f.sum().item(),
        "bool": lambda: bool(f.sum() > 0),
        "numpy": lambda: f.numpy(),
        "list": lambda: f.tolist(),
        "nonzero": lambda: f.nonzero(),
        "equal": lambda: module.equal(f, f),
        "copies": lambda: (f.clone(), f.detach(), copy.deepcopy(f), f.cpu(), f.new_zeros(2), module.zeros_like(f)),
        "int64": lambda: f.long(),
        "views": lambda: (f.view(-1), f[0], f[:, 1:], module.cat([f, f]), f.max(0).values, f.split(1)[0]),
    }.items():
        yield name, lambda call=call: repr(call())
    yield "the same for the same", lambda: mode.from_tensor(x) is f
    p = module.nn.Parameter(module.ones(2))
    yield "parameter", lambda: (isinstance(mode.from_tensor(p), module.nn.Parameter), mode.from_tensor(p).requires_grad)
    other = space.FakeTensorMode(allow_non_fake_inputs=True)
    yield "allowed beside a real one", lambda: repr(other.from_tensor(x) + module.ones(3))
    yield "of another mode", lambda: repr(other.from_tensor(f))
    with mode:
        a = module.empty(3, 4)
        layer = module.nn.Linear(4, 2)
        y = layer(a)
        y.sum().backward()
        yield "made inside", lambda: (repr(a), type(layer.weight).__name__, str(layer.weight.device))
        yield "a layer's", lambda: (type(y).__name__, tuple(y.shape), y.requires_grad, type(layer.weight.grad).__name__)
        yield "written", lambda: (a.add_(1) is a, repr(a.to(module.float64)))
        yield "of numbers", lambda: (repr(module.tensor([1, 2])), module.tensor(3).item())
        yield "a real one inside", lambda: repr(x + 1)
        constant = module.tensor(3)
        constant.add_(1)
        yield "a constant that was written", lambda: constant.item()
        yield "meta", lambda: str(module.empty(2, device="meta").device)


def outcomes(module: Any) -> dict[str, Any]:
    found = {}
    for name, call in facts(module):
        try:
            found[name] = call()
        except (RuntimeError, AssertionError) as error:
            found[name] = type(error).__name__
    return found


@pytest.mark.filterwarnings("ignore")
def test_what_programs_see() -> None:
    ours, theirs = outcomes(rushlight), outcomes(torch)
    assert len(ours) > 25
    assert {
        k: (v, theirs[k]) for k, v in ours.items() if str(v).replace("rushlight.", "torch.") != str(theirs[k])
    } == {}


@pytest.mark.parametrize("module", [rushlight, torch], ids=["rushlight", "torch"])
def test_which_mode_is_at_work(module: Any) -> None:
    guards, space = (importlib.import_module(f"{module.__name__}.{n}") for n in ("_guards", "_subclasses.fake_tensor"))
    mode = space.FakeTensorMode()
    with mode:
        assert guards.active_fake_mode() is mode
        t = module.ones(2)
    assert guards.active_fake_mode() is None and guards.detect_fake_mode(module.ones(1)) is None
    assert all(guards.detect_fake_mode(found) is mode for found in (t, [t], {"a": (1, t)}))
    with space.FakeTensorMode(), pytest.raises(AssertionError, match="fake"):
        guards.detect_fake_mode([t])

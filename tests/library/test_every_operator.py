"""Every operator of the table below `__torch_dispatch__`: as overloads of aten's, handed on by a mode or a wrapper,
calls give what they give without, gradients too.

One sample of each operator; RUSHLIGHT_SAMPLES=9 in the environment takes more.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from wrapping import Wrapper

import rushlight as rl
from rushlight.core import tensor as core
from rushlight.operators.table.define import METHODS
from rushlight.testing.samples import REGISTRY, Sample, load
from rushlight.utils._python_dispatch import TorchDispatchMode

sys.path.append(str(Path(__file__).parents[1] / "operators"))
from support import call, copy, find, flat, inputs_of, map_tensors

pytestmark = pytest.mark.filterwarnings("ignore")
load()

# What reads values in Python, or lays itself over memory: a wrapper has none.
NEED_MEMORY = {
    "histogramdd",
    "nn.functional.ctc_loss",
    "segment_reduce",
    "masked_select",
    "from_file",
    "set_",
    "nn.functional.grouped_mm",
    "_grouped_mm",
}
# Whose results are random, or of no defined values.
UNDEFINED = {
    "empty",
    "empty_like",
    "empty_strided",
    "empty_permuted",
    "new_empty",
    "new_empty_strided",
    "resize_",
    "resize",
    "resize_as",
    "resize_as_",
}


class HandsOn(TorchDispatchMode):
    """Does what it is asked to."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def wide(t: rl.Tensor) -> rl.Tensor:
    return t.detach().to(rl.complex128 if t.dtype.is_complex else rl.float64)


def same(a: Any, b: Any, name: str) -> bool:
    a = getattr(a, "elem", a)
    if a.shape != b.shape or a.dtype is not b.dtype:
        return False
    return a.is_meta or name in UNDEFINED or rl.allclose(wide(a), wide(b), rtol=1e-8, atol=1e-10, equal_nan=True)


def run(function: Any, sample: Sample, below: str) -> tuple[list[rl.Tensor], list[rl.Tensor]]:
    """The tensors that a call gives, and those that it takes and are to be differentiated by."""
    rl.manual_seed(0)
    if below == "wrapper":
        sample = map_tensors(lambda t: Wrapper(t.detach(), requires_grad=t.requires_grad), sample)
        result = call(function, sample)
    elif below == "mode":
        with HandsOn():
            result = call(function, sample)
    else:
        result = call(function, sample)
    return flat(result), [t for t in inputs_of(sample) if t.requires_grad]


def check(name: str, function: Any, sample: Sample, below: str, grad: bool) -> None:
    def fresh() -> Sample:
        return map_tensors(lambda t: copy(t, grad), sample)

    try:
        expected, leaves = run(function, fresh(), "nothing")
    except Exception:  # what another test looks at
        return
    found, ours = run(function, fresh(), below)
    assert len(found) == len(expected) and all(same(a, b, name) for a, b in zip(found, expected, strict=True)), (
        f"{found} for {expected}"
    )
    if below == "wrapper":
        assert all(type(t) is Wrapper for t in found if t.requires_grad or not grad)
    if not grad:
        return
    assert [t.requires_grad for t in found] == [t.requires_grad for t in expected]
    tops = [i for i, t in enumerate(expected) if t.requires_grad]
    if not tops or not leaves:
        return
    try:
        wanted = rl.autograd.grad(
            [expected[i] for i in tops], leaves, [rl.ones_like(expected[i]) for i in tops], allow_unused=True
        )
    except Exception:
        return
    grads = rl.autograd.grad([found[i] for i in tops], ours, [rl.ones_like(found[i]) for i in tops], allow_unused=True)
    for a, b in zip(grads, wanted, strict=True):
        assert (a is None) == (b is None) and (a is None or same(a, b, name)), f"gradient {a} for {b}"


NAMES = sorted(n for n in REGISTRY if n not in NEED_MEMORY)


@functools.cache
def samples(name: str) -> list[Sample]:
    spec = REGISTRY[name]
    found = spec.samples(rl.float64 if rl.float64 in spec.dtypes else spec.dtypes[0])
    return [s for s in found if inputs_of(s)][: int(os.environ.get("RUSHLIGHT_SAMPLES", "1"))]


@pytest.mark.parametrize("below", ["mode", "wrapper"])
@pytest.mark.parametrize("part", range(8))
def test_operators(below: str, part: int) -> None:
    for name in NAMES[part::8]:
        try:
            function = find(name)
        except AttributeError:
            continue
        for k, sample in enumerate(samples(name)):
            try:
                check(name, function, sample, below, REGISTRY[name].grad)
            except Exception as error:
                raise AssertionError(f"{name}, sample {k}, below a {below}: {error}") from error


@pytest.mark.parametrize("below", ["mode", "wrapper"])
def test_in_place(below: str) -> None:
    """Where the operator has samples, its in-place variant on a copy of what they begin with, and on a view of it; the
    rest of the graph follows.
    """
    tried = 0
    for name in NAMES:
        method = METHODS.get(name.rpartition(".")[2] + "_")
        if (
            method is None
            or not (method.inplace or below == "mode")
            or not REGISTRY[name].grad
            or name.rpartition(".")[0] not in ("", "nn.functional")
        ):
            continue
        for sample in samples(name)[:1]:
            if not sample.args or not isinstance(sample.args[0], core.Tensor):
                continue
            for view in (False, True) if method.inplace else (False,):  # the others give the tensor other sizes

                def function(x: Any, *args: Any, method: Any = method, view: bool = view, **kwargs: Any) -> Any:
                    y = x * 1
                    z = (
                        y.as_strided(y.shape, y.stride())
                        if view and below == "mode"
                        else y.view(y.shape)
                        if view
                        else y
                    )
                    method(z, *args, **kwargs)
                    return y * 2

                try:
                    check(name, function, sample, below, True)
                except Exception as error:
                    raise AssertionError(
                        f"{method.name}{' of a view' if view else ''}, below a {below}: {error}"
                    ) from error
                tried += 1
    assert tried > 120

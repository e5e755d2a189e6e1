"""Calls on disk: what a second process loads is what the first one traced, and nothing is taken that is another's."""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from checks import pick
from support import find, flat, inputs_of

import rushlight as rl
from processes import printed
from rushlight.compiler import watching
from rushlight.compiler.counters import stats
from rushlight.compiler.kernels import cache
from rushlight.compiler.kernels.kernel import Kernel
from rushlight.compiler.written import written, written_loops
from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.record import CompiledCall
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table import kept, trace
from rushlight.operators.table.compile import compile_backward
from rushlight.operators.table.define import TABLE, operator
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.tracer import set_default
from rushlight.testing.samples import REGISTRY, OperatorSamples, load

load()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, and nobody who watches: where somebody does, every call is traced."""
    monkeypatch.setattr(watching, "_watches", [])
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path / "kernels"))
    cache.forget()
    yield tmp_path / "kernels"
    cache.forget()


def miss(op: Any, *values: Any, out: Any = None, grad: bool = False) -> tuple[CompiledCall, bool]:
    """The compiled call of an operator that knows none yet, and whether it was on disk."""
    before = stats()["calls_loaded_from_disk"]
    bound = [*values, *(p.default for p in op.params[len(values) :])]
    call = trace.miss(op, bound, out, grad)
    return call, stats()["calls_loaded_from_disk"] > before


def told(plan: Any) -> str:
    """A plan with its kernels, as one text."""

    def kernel(x: Kernel) -> Any:
        return json.dumps(written_loops(x.loops))

    return json.dumps(written(plan, kernel))


def same_call(made: CompiledCall, loaded: CompiledCall) -> None:
    """Assert that two compiled calls are the same, down to the programs."""
    assert told(loaded.executable.plan) == told(made.executable.plan)
    assert loaded.n_outputs == made.n_outputs and loaded.warned == made.warned and repr(loaded.wrap) == repr(made.wrap)
    assert str(loaded.program) == str(made.program) and repr(loaded.program.env.guards) == repr(made.program.env.guards)
    d, e = made.derivative, loaded.derivative
    assert (d is None) == (e is None)
    if d is None or e is None:
        return
    for name in (*kept._PLAIN, "label", "old"):
        assert getattr(e, name) == getattr(d, name), name
    assert upcalls.edge_places(e) == upcalls.edge_places(d) and upcalls.edge_visits(e) == upcalls.edge_visits(d)
    assert str(e.backward) == str(d.backward) and (e.again is None) == (d.again is None)
    if d.again is not None:
        first, second = d.again(), e.again()
        assert str(first.forward) == str(second.forward) and str(first.backward) == str(second.backward)
    assert e.origin.op is d.origin.op and repr(e.origin.structure) == repr(d.origin.structure)
    assert [v.dtype for v in e.origin.outputs] == [v.dtype for v in d.origin.outputs]
    assert repr(e.origin.bound) == repr(d.origin.bound)


@pytest.mark.parametrize("spec", REGISTRY.values(), ids=lambda spec: spec.name)
def test_calls_of_the_table(spec: OperatorSamples, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call that samples come to, with its derivative, is the one that a trace gives when it is loaded."""
    first, first_backward = upcalls.miss, upcalls.compile_backward
    seen = []

    def twice(op: Operator, values: Any, out: Any, grad: bool) -> CompiledCall:
        made = first(op, values, out, grad)
        before = stats()
        loaded = first(op, values, out, grad)
        now = stats()
        assert now["calls_traced"] == before["calls_traced"], f"{op.name} is not kept"
        assert now["calls_loaded_from_disk"] == before["calls_loaded_from_disk"] + 1
        same_call(made, loaded)
        seen.append(op)
        return loaded

    def backward_twice(d: Any, args: Any) -> CompiledCall:
        made = first_backward(d, args)
        before = stats()["calls_loaded_from_disk"]
        loaded = first_backward(d, args)
        assert stats()["calls_loaded_from_disk"] == before + (d.origin is not None and d.origin.name is not None)
        assert told(loaded.executable.plan) == told(made.executable.plan)
        assert (loaded.n_outputs, loaded.wrap) == (made.n_outputs, made.wrap)
        assert str(loaded.program) == str(made.program)
        return loaded

    monkeypatch.setattr(upcalls, "miss", twice)
    monkeypatch.setattr(upcalls, "compile_backward", backward_twice)
    op = find(spec.name)
    for s in spec.samples(pick(spec, dt.float32)[0])[:3]:
        leaves = [t.requires_grad_() for t in inputs_of(s) if t.dtype.kind in "fc" and t.is_leaf and not t.is_sparse]
        try:
            found = flat(op(*s.args, **s.kwargs))
        except RuntimeError:  # a write to a leaf, or no derivative
            for t in leaves:
                t.requires_grad_(False)
            op(*s.args, **s.kwargs)
            continue
        due = [y for y in found if y.requires_grad and y.dtype.kind in "fc" and y.layout is rl.strided]
        if leaves and due:
            try:
                rl.autograd.grad(due, leaves, [rl.ones_like(y).detach() for y in due], allow_unused=True)
            except RuntimeError as error:
                assert "derivative" in str(error), error

"""Segments: what a recorder has noted, as the program of one operator.

The calls of a segment, in their order, are the body of an operator; its operands are the tensors that they take. Equal
segments are one operator, which is traced, differentiated and compiled once, for whatever sizes, as every operator is.
Where that gives what the calls one by one would not, or cannot be done, they are made one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import prims
from rushlight.core import raw as _raw
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param
from rushlight.core.tensor import Tensor
from rushlight.jit.recording import At, Call, Recorder
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.define import Definition
from rushlight.operators.table.tracer import Tracer, tracer

_FEWEST = 2  # calls that are worth a program
_MOST = 64  # segments of one function; more are made one by one


class Plan:
    """The operator of a segment, and which results of it are the segment's live values."""

    def __init__(self, name: str, recorder: Recorder, wanted: Sequence[int]) -> None:
        self.calls, self.wanted = list(recorder.calls), list(wanted)
        self.places = [k for k, _, _ in reversed(recorder.operands)]
        params = [Param("operands", Kind.P_TENSORS), Param("ints", Kind.P_INTS)]
        params += [Param(f"number{i}", kind) for i, kind in enumerate(recorder.kinds)]
        self.op: Operator = Operator(name, params, Definition(name, self.body, None, "other"))
        self.refused = ""  # why the calls are made one by one

    def body(self, operands: list[Tracer], ints: Sequence[Any], *numbers: Any) -> list[Tracer]:
        """The calls on tracers."""
        env: dict[int, Tracer] = dict(zip(self.places, operands, strict=True))
        for at, call in enumerate(self.calls):
            values = [_filled(v, env, ints, numbers) for v in call.values]
            own = values if call.op.is_view else [_operand(v, at) for v in values]
            _name(call, _dispatch.inline(call.op, own, None), env)
        return [tracer(env[k].var) for k in self.wanted]

    def run(self, recorder: Recorder) -> list[Tensor]:
        """The wanted values."""
        operands = [t for _, t, _ in reversed(recorder.operands)]
        found: list[Tensor] = self.op(operands, tuple(recorder.ints), *recorder.numbers)
        return found


class Segments:
    """The plans of a function's segments by their keys."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.plans: dict[Any, Plan | None] = {}
        self.made = self.runs = self.one_by_one = 0

    def run(self, recorder: Recorder, held: list[int]) -> list[tuple[int, Tensor]]:
        """What the recorder has noted: the values that are held, as new tensors."""
        if len(recorder.calls) < _FEWEST:
            return self.each(recorder, held)
        wanted, views = _roots(recorder, held)
        if wanted is None:
            return self.each(recorder, held)
        key = (recorder.state, tuple(recorder.calls), tuple(wanted), tuple(recorder.kinds), len(recorder.ints))
        try:
            plan = self.plans.get(_Exact(key))
        except TypeError:  # an argument that has no hash
            return self.each(recorder, held)
        if plan is None:
            if len(self.plans) >= _MOST:
                return self.each(recorder, held)
            plan = self.plans[_Exact(key)] = Plan(self.name, recorder, wanted)
            self.made += 1
        if plan.refused:
            return self.each(recorder, held)
        for _, t, version in recorder.operands:
            if _raw.version(t) != version:
                raise RuntimeError(
                    "torch.compile: a tensor was written to in a way that is not recorded, and after a call that "
                    "reads it; keep the function that does it out by torch.compiler.disable()"
                )
        try:
            found = dict(zip(wanted, plan.run(recorder), strict=True))
        except Exception as error:  # what a trace refuses, single calls may do: they say what is wrong, if they do not
            plan.refused = f"{type(error).__name__}: {error}"
            return self.each(recorder, held)
        shadows = recorder.shadows
        if not all(_raw.lies_alike(shadows[k], t) for k, t in found.items()) or _shared(recorder, list(found.values())):
            plan.refused = "its results would lie in another way than those of single calls"
            return self.each(recorder, held)
        self.runs += 1
        for at in sorted({recorder.views[k][1] for k in views}):
            call = recorder.calls[at]
            values = [_filled(v, found, recorder.ints, recorder.numbers) for v in call.values]
            _name(call, _call(call.op, values), found)
        return [(k, found[k]) for k in held]

    def each(self, recorder: Recorder, held: list[int]) -> list[tuple[int, Tensor]]:
        """The calls one by one."""
        self.one_by_one += 1
        env: dict[int, Tensor] = {k: t for k, t, _ in recorder.operands}
        last: dict[int, int] = {}
        for i, call in enumerate(recorder.calls):
            for k in _numbers_in(call.values):
                last[k] = i
        keep = set(held)
        for i, call in enumerate(recorder.calls):
            values = [_filled(v, env, recorder.ints, recorder.numbers) for v in call.values]
            _name(call, _call(call.op, values), env)
            del values
            for k in _numbers_in(call.values):
                if last[k] == i and k not in keep:
                    env.pop(k, None)
        return [(k, env[k]) for k in held]


class _Exact:
    """A key that tells 1 from 1.0 and True, and 0.0 from -0.0."""

    __slots__ = ("key", "said")

    def __init__(self, key: Any) -> None:
        self.key, self.said = key, hash(key)

    def __hash__(self) -> int:
        return self.said

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Exact) and _same(self.key, other.key)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float):
        return a.hex() == b.hex()
    return bool(a == b)


def _filled(v: Any, env: dict[int, Any], ints: Sequence[Any], numbers: Sequence[Any]) -> Any:
    """An argument of a recorded call with what it is given."""
    if type(v) is At:
        return env[v.k] if v.kind == "value" else ints[v.k] if v.kind == "int" else numbers[v.k]
    if type(v) is tuple:
        return tuple([_filled(x, env, ints, numbers) for x in v])
    return v


def _operand(v: Any, call: int) -> Any:
    """A value as the operand of one call: see `prims.operand`."""
    if isinstance(v, (list, tuple)):
        return type(v)([_operand(x, call) for x in v])
    if isinstance(v, Tracer) and not v.number and v.dtype.kind in "fc":
        return tracer(prims.operand(v.var, call=call))
    return v


def _numbers_in(values: Sequence[Any]) -> list[int]:
    found: list[int] = []
    for v in values:
        if type(v) is At:
            if v.kind == "value":
                found.append(v.k)
        elif type(v) is tuple:
            found += _numbers_in(v)
    return found


def _name(call: Call, result: Any, env: dict[int, Any]) -> None:
    """Take a call's results under their numbers."""
    if isinstance(call.results, tuple):
        env.update(zip(call.results, result, strict=True))
    else:
        env[call.results] = result


def _call(op: Operator, values: list[Any]) -> Any:
    args, kwargs = _dispatch.arguments(op, values)
    return op(*args, **kwargs)


def _roots(recorder: Recorder, held: Sequence[int]) -> tuple[list[int] | None, list[int]]:
    """The values that a program has to give for those that are held, and the views that are made of them afterwards.

    A view shares the memory of what it is of: that is given, and the view is made of it again. None where a gradient
    would be summed in another order then: what the view is of is used otherwise as well.
    """
    views = recorder.views
    wanted: dict[int, None] = {}
    again: dict[int, None] = {}
    for k in held:
        chain = []
        while k in views:
            chain.append(k)
            k = views[k][0]
        wanted[k] = None
        for v in reversed(chain):
            again[v] = None
    if again and recorder.state is not None and recorder.state.grad:
        uses: dict[int, int] = {}
        for call in recorder.calls:
            for k in _numbers_in(call.values):
                uses[k] = uses.get(k, 0) + 1
        for v in again:
            base = views[v][0]
            if recorder.shadows[v].requires_grad and (uses[base] > 1 or uses.get(v, 0) > (v in again and _made_of(v, again, views))):
                return None, []
    return list(wanted), sorted(again)


def _made_of(v: int, again: dict[int, None], views: dict[int, tuple[int, int]]) -> int:
    """How many of the views that are made again are of this one."""
    return sum(views[w][0] == v for w in again)


def _shared(recorder: Recorder, found: list[Tensor]) -> bool:
    """Whether results share memory with one another or with operands, which single calls' do not."""
    tensors = found + [t for _, t, _ in recorder.operands]
    return any(_raw.same_memory(a, b) for i, a in enumerate(found) for b in tensors[i + 1 :] if a is not b)


"""Calls that need no Python the next time: what is known of them, and how.

A call runs by the syntax trees of what it reaches (`interpreter.py`) while its operators are recorded. Where that
comes to its end, the call has done nothing but what was noted, and depends on nothing but what was read: so one that
finds all of that as it was makes the same calls of operators (`core/replay.pyx`). Where it does not, nothing has
happened, and the call is made as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight._dynamo.interpreter import Interpreter, Reads
from rushlight._dynamo.source import NotKnown
from rushlight.compiler import marks
from rushlight.core import devices
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.replay import Guard, Line, Replay, has_attributes
from rushlight.core.tape import From, Place, is_shared_outside
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten
from rushlight.jit.checks import asking
from rushlight.jit.recording import PENDING, Recorder, recording
from rushlight.jit.segments import Segments
from rushlight.nn.modules import _hooks
from rushlight.operators.random.generators import Generator, default_generator
from rushlight.operators.table import dispatch as _dispatch

_PLAIN = (int, float, str, bool, type(None))
_FEW = 16  # elements of a count that is written to at once, and put back where the call is made as it is written


class _Proving(Recorder):
    """Records a call of which nothing may happen until all of it is known; NotKnown where something would."""

    proves = True

    def __init__(self, segments: Segments, roots: dict[Any, Place]) -> None:
        super().__init__(self.ran, roots, defers=True)
        self.busy = True  # the core leaves each call to `record`
        self.segments = segments
        self.before: list[tuple[Operator, list[Any], list[Tensor], bool]] = []  # calls made at once, with their results
        self.asked_of: list[tuple[Operator, list[Any]]] = []
        self.counts: list[tuple[Tensor, Tensor]] = []
        self.stream = default_generator.snapshot()
        self.result: Any = None
        self.made: tuple[list[Any], int, dict[int, int], list[tuple[int, Tensor]], list[Any], list[Any]] | None = None

    def record(self, op: Operator, values: list[Any], out: Any, keys: int, called: Any, written: Any) -> Any:
        if out is not None or op.definition.shape_class == "data-dependent":
            raise NotKnown(f"{op.name}() depends on values, or has out=")
        return super().record(op, values, out, keys, called, written)

    def foreign(self, op: Operator, values: list[Any], out: Any, keys: int, called: Any, written: Any) -> Any:
        raise NotKnown(f"{op.name}() takes what is no plain tensor")

    def flush(self, why: str) -> None:
        if why:
            raise NotKnown(why)
        super().flush(why)

    def asked(self) -> None:
        raise NotKnown("Python needs memory or the graph")

    def fits(self, op: Operator, values: list[Any]) -> bool:
        found = super().fits(op, values)
        if found:
            self.asked_of.append(asking(op, values))
        return found

    def composed(self, op: Operator, values: list[Any], out: Any) -> Any:
        where = op.definition.body.__module__
        if where.startswith("rushlight.operators.creation") and not _dispatch.tensors_in(values):
            return self.apart(op, values, out, f"{op.name}() makes a tensor")
        return super().composed(op, values, out)

    def apart(self, op: Operator, values: list[Any], out: Any, why: str) -> Any:
        tensors = _dispatch.tensors_in(values)
        if any(t._keys_ & PENDING for t in tensors) or any(isinstance(v, Generator) for v in values):
            raise NotKnown(why or f"{op.name}() takes memory")
        if op.inplace:
            count = values[0]
            if count.dtype.kind not in "iub" or count.numel() > _FEW or is_shared_outside(count):
                raise NotKnown(why)
            _dispatch.leave_mode(self)
            try:
                self.counts.append((count, count.clone()))
            finally:
                _dispatch.enter_mode(self)
        result = super().apart(op, values, out, why)
        several = type(result) in (tuple, list)
        results = list(result) if several else [result]
        if not all(type(t) is Tensor for t in results) and not (op.inplace and result is values[0]):
            raise NotKnown(f"{op.name}() gives what is no tensor")
        self.before.append((op, [tuple(v) if isinstance(v, list) else v for v in values], results, several))
        return result

    def writing(self, op: Operator, values: list[Any], out: Any) -> Any:
        if op.eager is not None or not op.inplace:
            raise NotKnown(f"{op.name}() writes to memory")
        return super().writing(op, values, out)

    def undo(self) -> None:
        """Nothing has happened: what was noted is forgotten, and what was made at once is as it was."""
        self.arrive()
        self.clear()
        _dispatch.leave_mode(self)
        try:
            for count, was in self.counts:
                count.copy_(was)
        finally:
            _dispatch.enter_mode(self)
        default_generator.restore(self.stream)

    def ran(self, recorder: Recorder, held: tuple[int, ...]) -> None:
        """Run the segment, and note how."""
        values = {id(t): k for k, t in enumerate(recorder.values) if recorder.versions[k] is None}
        operands = recorder.operands
        ints, numbers = list(recorder.ints), list(recorder.numbers)
        self.segments.run(recorder, held)
        plan = self.segments.plan(recorder, held)
        steps = plan.single if plan.refused else [*plan.steps, *plan.again]
        self.made = steps, len(recorder.values), values, operands, ints, numbers


def asks_too_much(args: Sequence[Any]) -> bool:
    """Whether arguments are such that calls with them are not looked into."""
    return not all(type(x) in _PLAIN or type(x) is Tensor and _is_plain(x) for x in args)


def _is_plain(t: Tensor) -> bool:
    return not t._keys_ and not has_attributes(t)


def proven(fn: Callable[..., Any], args: tuple[Any, ...], segments: Segments) -> tuple[Any, Replay | None, str]:
    """The result of a call, what makes further ones, and why nothing does. NotKnown: nothing has happened."""
    if _core.in_modes():
        raise NotKnown("a mode is in force")
    reads = Reads()
    recorder = _Proving(segments, segments.roots)
    interpreter = Interpreter(reads)
    with recording(recorder):
        try:
            result = interpreter.call(fn, args, {})
        except Exception as error:  # the call itself says it
            recorder.undo()
            raise NotKnown(f"{type(error).__name__}: {error}") from None
        except BaseException:
            recorder.undo()
            raise
        finally:
            interpreter.forget()
    try:
        return result, _replay(recorder, reads, args, result), ""
    except NotKnown as why:
        return result, None, str(why)


class _Sources:
    """Where each value of a replay comes from, as `Line` names it."""

    def __init__(self, args: tuple[Any, ...], first: int, reads: Reads) -> None:
        self.numbers: dict[int, int] = {}
        self.places = []
        self.size, self.reads = first, reads
        for x in args:
            self.places.append(self.fresh(x) if isinstance(x, Tensor) else self.fresh(None))

    def fresh(self, x: Tensor | None) -> int:
        """A number for one more value."""
        k, self.size = self.size, self.size + 1
        if x is not None:
            self.numbers.setdefault(id(x), k)
        return k

    def of(self, v: Any) -> tuple[int, Any]:
        """That of an argument of a call."""
        if isinstance(v, Tensor):
            if id(v) in self.numbers:
                return 1, self.numbers[id(v)]
            if id(v) not in self.reads.tensors:
                raise NotKnown("a tensor is read of which is not known where it is from")
            return 0, v
        if type(v) in (tuple, list) and any(isinstance(x, Tensor) for x in v):
            return 2, tuple([self.of(x) for x in v])
        return 0, v


def _replay(recorder: _Proving, reads: Reads, args: tuple[Any, ...], result: Any) -> Replay:
    """What makes further calls; NotKnown."""
    if recorder.made is None:
        raise NotKnown("nothing is recorded")
    steps, size, values, operands, ints, numbers = recorder.made
    # Of a tensor that is read elsewhere the sizes count, whether or not an operator takes it.
    for t in reads.tensors.values():
        if any(t is x for x in args):
            raise NotKnown("a tensor is given that is read elsewhere, too")
        if not _is_plain(t):
            raise NotKnown("a tensor is read that is more than memory")
    sources = _Sources(args, size, reads)
    first, later, asked = _at_once(recorder, sources)
    lines = [*first, *asked, *later]
    env: dict[int, tuple[int, Any]] = {k: sources.of(t) for k, t in operands}

    def source(pair: tuple[From, Any]) -> tuple[int, Any]:
        how, x = pair
        if how == From.FROM_STEP:
            return 0, x
        if how == From.FROM_VALUE:
            return env.get(x, (1, x))
        if how == From.FROM_INT:
            return 0, ints[x]
        if how == From.FROM_NUMBER:
            return 0, numbers[x]
        if how == From.FROM_INTS:
            return 0, tuple(ints)
        return 2, tuple([source(p) for p in x])

    written = []
    for step in steps:
        if step.labels:
            raise NotKnown("a graph was run")
        own = [source(p) for p in step.args]
        out = None if step.out is None else source(step.out)
        if step.results is None:
            for how, x in [own[0]] if out is None else out[1]:
                if how != 0:
                    raise NotKnown("an argument is written to")
                written.append(x)
        lines.append(Line(step.op, own, step.results, out, tuple([k for k in step.drops if k not in env])))
    leaves, spec = flatten(result)
    given_back = []
    for x in leaves:
        if isinstance(x, Tensor):
            given_back.append((1, values[id(x)]) if id(x) in values else sources.of(x))
        elif type(x) in _PLAIN:
            given_back.append((0, x))
        else:
            raise NotKnown(f"a {type(x).__name__} is returned")
    single = given_back[0][1] if spec.is_leaf() and given_back[0][0] == 1 else -1
    guard = Guard(
        args,
        list(reads.tensors.values()),
        written,
        list(reads.stands.values()),
        [(cls, name, value) for (cls, name), value in reads.types.items()],
        [(x, type(x)) for x in reads.objects.values()],
        list(reads.contents.values()),
        [*reads.items.values(), *[(x, tuple(x)) for x in (marks.said, devices.chosen)]],
        [*reads.attributes(), *([] if _hooks.state.hooks_seen else [(_hooks.state, "hooks_seen", False)])],
        list(reads.empty.values()),
    )
    return Replay(guard, lines, sources.size, tuple(sources.places), single, tuple(given_back), spec.rebuild)


def _at_once(recorder: _Proving, sources: _Sources) -> tuple[list[Line], list[Line], list[Line]]:
    """The calls that are made at once: those that may be made once more, the others, and what is asked in between:
    whether indices are inside.
    """
    counts = {id(t.untyped_storage()) for t, _ in recorder.counts}
    early: set[int] = set()  # the numbers of what the first calls give
    late: set[int] = set()
    first: list[Line] = []
    later: list[Line] = []
    for op, given, results, several in recorder.before:
        own = [sources.of(v) for v in given]
        tensors = _dispatch.tensors_in(given)
        numbered = [sources.fresh(t) for t in results]
        idle = (
            not op.inplace
            and not op.definition.body.__module__.startswith("rushlight.operators.random")
            and not any(sources.numbers.get(id(t)) in late for t in tensors)
            and not any(id(t.untyped_storage()) in counts for t in (*tensors, *results))
        )
        (early if idle else late).update(numbered)
        (first if idle else later).append(Line(op, own, tuple(numbered) if several else numbered[0]))
    asked = []
    for op, given in recorder.asked_of:
        whole = _dispatch.tensors_in(given)
        if any(sources.numbers.get(id(t)) in late for t in whole if t.dtype.kind in "iu"):
            raise NotKnown(f"{op.name}() takes what comes after a change")
        # (Of what is no integer the sizes count, which a tensor of `checks` has.)
        own = [_of_check(v, sources) for v in given]
        asked.append(Line(op, own, None, asks=True))
    return first, later, asked


def _of_check(v: Any, sources: _Sources) -> tuple[int, Any]:
    if type(v) is tuple:
        return 2, tuple([_of_check(x, sources) for x in v])
    return sources.of(v) if isinstance(v, Tensor) and v.dtype.kind in "iu" else (0, v)

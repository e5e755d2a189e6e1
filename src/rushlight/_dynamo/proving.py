"""Calls that need no Python the next time: what is known of them, and how.

A call runs by the syntax trees of what it reaches (`interpreter.py`) while its operators are recorded. Where that
comes to its end, the call has done nothing but what was noted, and depends on nothing but what was read: so one that
finds all of that as it was makes the same calls of operators (`core/replay.pyx`). Where it does not, nothing has
happened, and the call is made as it is written.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rushlight._dynamo.interpreter import Interpreter
from rushlight._dynamo.reads import Reads, dict_of
from rushlight._dynamo.source import NotKnown
from rushlight._dynamo.values import SCALARS
from rushlight.compiler import marks
from rushlight.core import devices
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.replay import Guard, Line, Replay, flat, has_attributes
from rushlight.core.tape import From, Step, is_shared_outside
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten
from rushlight.jit.checks import asking
from rushlight.jit.recording import PENDING, Recorder, recording
from rushlight.jit.segments import Segments
from rushlight.nn import Module, Parameter
from rushlight.nn.modules import _hooks
from rushlight.operators.random import samplers
from rushlight.operators.random.generators import Generator, default_generator
from rushlight.operators.table import dispatch as _dispatch

_CREATION = ("rushlight.operators.creation", "rushlight.operators.tensors.interop")
_RANDOM = "rushlight.operators.random"
_PLAIN = (int, float, str, bool, type(None))
_FEW = 16  # elements of a count that is written to at once, and put back where the call is made as it is written


class _Segment(NamedTuple):
    """What was recorded and has run: how."""

    steps: list[Step]
    size: int
    held: dict[int, Tensor]  # what it has given, by number
    operands: list[tuple[int, Tensor]]
    ints: list[int]
    numbers: list[Any]
    grad: bool
    writes: bool


class _Epoch:
    """Calls that are made at once, before a segment, and the segment."""

    def __init__(self) -> None:
        self.before: list[tuple[Operator, list[Any], list[Tensor], bool, bool]] = []  # with results; in grad mode
        self.asked: list[tuple[Operator, list[Any]]] = []
        self.segment: _Segment | None = None


class _Proving(Recorder):
    """Records a call of which nothing may happen until all of it is known; NotKnown where something would."""

    proves = True

    def __init__(self, segments: Segments, reads: Reads, args: list[Any]) -> None:
        super().__init__(self.ran, segments.roots, defers=True)
        self.busy = True  # the core leaves each call to `record`
        self.segments, self.reads_, self.args = segments, reads, args
        self.epochs = [_Epoch()]
        self.saved: list[tuple[Tensor, Tensor]] = []  # what is written to, and what it was
        self.counts: set[int] = set()  # the storages of what is written to at once
        self.stream = default_generator.snapshot()
        self.thread = threading.get_ident()
        self.inside = False  # a call that is made at once

    def record(self, op: Operator, values: list[Any], out: Any, keys: int, called: Any, written: Any) -> Any:
        if out is not None or op.definition.shape_class == "data-dependent":
            raise NotKnown(f"{op.name}() depends on values, or has out=")
        if _dispatch.casts and not all(cast(op, values) is values for cast in _dispatch.casts):
            raise NotKnown(f"{op.name}() is called under autocast")
        return super().record(op, values, out, keys, called, written)

    def foreign(self, op: Operator, values: list[Any], out: Any, keys: int, called: Any, written: Any) -> Any:
        raise NotKnown(f"{op.name}() takes what is no plain tensor")

    def asked(self) -> None:
        raise NotKnown("Python needs memory or the graph")

    def fits(self, op: Operator, values: list[Any]) -> bool:
        found = super().fits(op, values)
        if found:
            self.epochs[-1].asked.append(asking(op, values))
        return found

    def composed(self, op: Operator, values: list[Any], out: Any) -> Any:
        where = op.definition.body.__module__
        # What makes memory that operators then fill is one call.
        if where.startswith(_RANDOM) or (
            where.startswith(_CREATION)
            and (not _dispatch.tensors_in(values) or op.name.startswith("new_") or op.name.endswith("_like"))
        ):
            return self.apart(op, values, out, f"{op.name}() makes a tensor")
        return super().composed(op, values, out)

    def lets_go(self, t: Tensor) -> bool:
        return False

    def apart(self, op: Operator, values: list[Any], out: Any, why: str) -> Any:
        if any(isinstance(v, Generator) for v in values):
            raise NotKnown(f"{op.name}() has a generator")
        if any(t._keys_ & PENDING for t in _dispatch.tensors_in(values)):
            self.flush(why or f"{op.name}() takes memory")
        writes = op.inplace or op.name == "__setitem__" or (op.name.endswith("_") and not op.name.endswith("__"))
        if writes:
            self.may_write(op, values[0], why)
        outer, self.inside = self.inside, True
        try:
            result = super().apart(op, values, out, why)
        finally:
            self.inside = outer
        several = type(result) in (tuple, list)
        results: list[Any] = list(result) if several else [] if result is None and writes else [result]
        if not all(type(t) is Tensor for t in results) and not (writes and result is values[0]):
            raise NotKnown(f"{op.name}() gives what is no tensor")
        given = [tuple(v) if isinstance(v, list) else v for v in values]
        self.epochs[-1].before.append((op, given, results, several, _core.is_grad_enabled()))
        return result

    def may_write(self, op: Operator, dest: Any, why: str) -> None:
        """NotKnown unless a tensor that is to be written to is the call's own, or a count that can be put back."""
        if not isinstance(dest, Tensor):
            raise NotKnown(why)
        storage = dest.untyped_storage()
        others = [x for x in (*self.args, *self.reads_.tensors.values()) if isinstance(x, Tensor)]
        if any(t.untyped_storage() is storage for t in others if not t.is_meta):
            if dest.dtype.kind not in "iub" or dest.numel() > _FEW or is_shared_outside(dest):
                raise NotKnown(why)
            self.save(dest)
        elif is_shared_outside(dest):
            raise NotKnown(why)
        self.counts.add(id(storage))

    def save(self, t: Tensor) -> None:
        """Keep what a tensor is, to put it back."""
        _dispatch.leave_mode(self)
        try:
            self.saved.append((t, t.clone()))
        finally:
            _dispatch.enter_mode(self)

    def writing(self, op: Operator, values: list[Any], out: Any) -> Any:
        if out is not None:
            raise NotKnown(f"{op.name}() has out=")
        return super().writing(op, values, out)

    def drawn(self, mask: Tensor, name: str, p: float, size: tuple[int, ...], generator: Any) -> None:
        """A mask of random numbers was made."""
        if threading.get_ident() == self.thread and not self.inside:
            if generator is not None:
                raise NotKnown(f"{name}() has a generator")
            given = [name, p, size, tuple(mask.stride())]
            self.epochs[-1].before.append((samplers.MASK, given, [mask], False, _core.is_grad_enabled()))

    def undo(self) -> None:
        """Nothing has happened: what was noted is forgotten, and what was made at once is as it was."""
        self.arrive()
        self.clear()
        _dispatch.leave_mode(self)
        try:
            for t, was in reversed(self.saved):
                t.copy_(was)
        finally:
            _dispatch.enter_mode(self)
        default_generator.restore(self.stream)

    def ran(self, recorder: Recorder, held: tuple[int, ...]) -> None:
        """Run the segment, and note how."""
        operands, n, state = recorder.operands, len(recorder.values), recorder.state
        ints, numbers, writes = list(recorder.ints), list(recorder.numbers), bool(recorder.deferred)
        self.saved += [(t, t.clone()) for t in recorder.deferred]
        self.segments.run(recorder, held)
        plan = self.segments.plan(recorder, held)
        steps = plan.single if plan.refused else [*plan.steps, *plan.again]
        found = {k: recorder.values[k] for k in held}
        if state.inference != _core.is_inference_mode_enabled():
            raise NotKnown("inference mode changes")
        self.epochs[-1].segment = _Segment(steps, n, found, operands, ints, numbers, state.grad, writes)
        self.epochs.append(_Epoch())


def leaves_of(args: tuple[Any, ...]) -> list[Any] | None:
    """The tensors and other values in the arguments of a call; None where they are such that calls with them are not
    looked into.
    """
    found: list[Any] = flat(args)
    for x in found:
        if isinstance(x, Tensor):
            if type(x) not in (Tensor, Parameter) or x._keys_ or has_attributes(x):
                return None
        elif type(x) not in SCALARS and not _is_object(x):
            return None
    return found


def _is_object(x: Any) -> bool:
    """Whether a value is an object of the program's, which is recognised by its identity."""
    return isinstance(x, Module) or (
        type(type(x)) is type and type(x).__flags__ & _HEAP != 0 and hasattr(x, "__weakref__") and not callable(x)
    )


_HEAP = 1 << 9  # of a class that is written in Python


def proven(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    names: tuple[str, ...],
    leaves: list[Any],
    segments: Segments,
    died: Callable[[Any], None],
) -> tuple[Any, Replay | None, str]:
    """The result of a call, what makes further ones, and why nothing does. NotKnown: nothing has happened.

    Args:
        fn: the function.
        args: its arguments, those by name last.
        names: of these.
        leaves: the tensors and other values in the arguments.
        segments: the function's.
        died: is called when an object among the arguments is no more.
    """
    reads = Reads()
    recorder = _Proving(segments, reads, leaves)
    interpreter = Interpreter(reads)
    for x in leaves:
        if _is_object(x):
            reads.objects[id(x)] = x
    first = len(args) - len(names)
    with recording(recorder):
        samplers.watching.append(recorder.drawn)
        try:
            result = interpreter.call(fn, args[:first], dict(zip(names, args[first:], strict=True)))
            known, spec = flatten(result)
            _check_given_back(result, interpreter, set())
        except Exception as error:  # the call itself says it
            recorder.undo()
            raise NotKnown(f"{type(error).__name__}: {error}") from None
        except BaseException:
            recorder.undo()
            raise
        finally:
            samplers.watching.remove(recorder.drawn)
            interpreter.forget()
    try:
        return result, _Lines(recorder, reads, leaves).replay(args, names, known, spec, died), ""
    except NotKnown as why:
        return result, None, str(why)


def _check_given_back(x: Any, interpreter: Interpreter, seen: set[int]) -> None:
    """NotKnown where a result has a container that others have as well, as each call makes new ones."""
    if isinstance(x, (list, dict)):
        if not interpreter.is_mine(x) or id(x) in seen:
            raise NotKnown(f"a {type(x).__name__} is returned that was there before, or twice")
        seen.add(id(x))
    if isinstance(x, (list, tuple, dict)):
        for part in x.values() if isinstance(x, dict) else x:
            _check_given_back(part, interpreter, seen)


class _Lines:
    """The lines of a replay, and where each value comes from, as `Line` names it."""

    def __init__(self, recorder: _Proving, reads: Reads, leaves: list[Any]) -> None:
        self.recorder, self.reads, self.leaves = recorder, reads, leaves
        self.numbers: dict[int, int] = {}  # by the id of a tensor, all of which are held
        self.size = 0
        self.lines: list[Line] = []
        self.late: set[int] = set()  # the numbers of what depends on a change
        self.changed = False
        self.written: list[Tensor] = []
        self.grad = _core.is_grad_enabled()
        self.places = tuple([self.fresh(x) if isinstance(x, Tensor) else self.fresh(None) for x in leaves])

    def fresh(self, x: Tensor | None) -> int:
        """A number for one more value."""
        k, self.size = self.size, self.size + 1
        if x is not None:
            self.numbers.setdefault(id(x), k)
        return k

    def of(self, v: Any) -> tuple[int, Any]:
        """Where an argument of a call comes from."""
        if isinstance(v, Tensor):
            if id(v) in self.numbers:
                return 1, self.numbers[id(v)]
            if id(v) not in self.reads.tensors:
                raise NotKnown("a tensor is read of which is not known where it is from")
            return 0, v
        if type(v) in (tuple, list) and any(True for x in _tensors_in(v)):
            return 2, tuple([self.of(x) for x in v])
        if any(True for x in _tensors_in(v)):
            raise NotKnown(f"a tensor is in a {type(v).__name__}")
        return 0, v

    def mode(self, grad: bool) -> int:
        """Of a line: whether grad mode is on; -1: as it was."""
        return -1 if grad == self.grad else int(grad)

    def replay(
        self, args: tuple[Any, ...], names: tuple[str, ...], known: list[Any], spec: Any, died: Callable[[Any], None]
    ) -> Replay:
        """What makes further calls; NotKnown."""
        reads, leaves = self.reads, self.leaves
        # Of a tensor that is read elsewhere the sizes count, whether or not an operator takes it.
        for t in reads.tensors.values():
            if any(t is x for x in leaves):
                raise NotKnown("a tensor is given that is read elsewhere, too")
            if t._keys_ or has_attributes(t):
                raise NotKnown("a tensor is read that is more than memory")
        for epoch in self.recorder.epochs:
            self.at_once(epoch)
            if epoch.segment is not None:
                self.of_segment(epoch.segment)
        if not self.lines:
            raise NotKnown("nothing is called")
        given_back = []
        for x in known:
            if isinstance(x, Tensor):
                given_back.append(self.of(x))
            elif type(x) in _PLAIN:
                given_back.append((0, x))
            else:
                raise NotKnown(f"a {type(x).__name__} is returned")
        objects = {id(x): (weakref.ref(x, died), dict_of(x)) for x in leaves if _is_object(x)}
        guard = Guard(
            args,
            names,
            objects,
            list(reads.tensors.values()),
            self.written,
            list(reads.stands.values()),
            [(cls, name, value) for (cls, name), value in reads.types.items()],
            [row for row in reads.kinds() if id(row[0]) not in objects],
            list(reads.contents.values()),
            [*reads.items.values(), *[(x, tuple(x)) for x in (marks.said, devices.defaults)]],
            [*reads.attributes(), *([] if _hooks.state.hooks_seen else [(_hooks.state, "hooks_seen", False)])],
            list(reads.empty.values()),
        )
        single = given_back[0][1] if spec.is_leaf() and given_back[0][0] == 1 else -1
        return Replay(guard, self.lines, self.size, self.places, single, tuple(given_back), spec.rebuild)

    def at_once(self, epoch: _Epoch) -> None:
        """The calls that are made at once: first those that may be made once more, then what is asked of them (whether
        indices are inside), then the others.
        """
        counts = self.recorder.counts
        later: list[Line] = []
        changed = self.changed
        for op, given, results, several, grad in epoch.before:
            own = [self.of(v) for v in given]
            tensors = list(_tensors_in(given))
            numbered = [self.fresh(t) for t in results]
            draws = op is samplers.MASK or op.definition.body.__module__.startswith(_RANDOM)
            touches = any(id(t.untyped_storage()) in counts for t in (*tensors, *results))
            late = draws or touches or any(self.numbers.get(id(t)) in self.late for t in tensors)
            changed = changed or draws or any(t is given[0] for t, _ in self.recorder.saved)
            result = tuple(numbered) if several else numbered[0] if numbered else None
            line = Line(op, own, result, grad=self.mode(grad))
            if late:
                self.late.update(numbered)
            (later if late else self.lines).append(line)
        for op, given in epoch.asked:
            if self.changed or any(self.numbers.get(id(t)) in self.late for t in _tensors_in(given)):
                raise NotKnown(f"{op.name}() takes what comes after a change")
            # (Of what is no integer the sizes count, which a tensor of `checks` has.)
            self.lines.append(Line(op, [self.of_check(v) for v in given], None, asks=True))
        self.lines += later
        self.changed = changed

    def of_check(self, v: Any) -> tuple[int, Any]:
        """Where an argument of what is asked comes from."""
        if type(v) is tuple:
            return 2, tuple([self.of_check(x) for x in v])
        return self.of(v) if isinstance(v, Tensor) and v.dtype.kind in "iu" else (0, v)

    def of_segment(self, s: _Segment) -> None:
        """The steps of a segment."""
        first, self.size = self.size, self.size + s.size
        env: dict[int, tuple[int, Any]] = {k: self.of(t) for k, t in s.operands}

        def source(pair: tuple[From, Any]) -> tuple[int, Any]:
            how, x = pair
            if how == From.FROM_STEP:
                return 0, x
            if how == From.FROM_VALUE:
                return env.get(x, (1, first + x))
            if how == From.FROM_INT:
                return 0, s.ints[x]
            if how == From.FROM_NUMBER:
                return 0, s.numbers[x]
            if how == From.FROM_INTS:
                return 0, tuple(s.ints)
            return 2, tuple([source(p) for p in x])

        for step in s.steps:
            if step.labels:
                raise NotKnown("a graph was run")
            own = [source(p) for p in step.args]
            out = None if step.out is None else source(step.out)
            if step.results is None:
                for how, x in [own[0]] if out is None else out[1]:
                    if how != 0:
                        raise NotKnown("an argument is written to")
                    self.written.append(x)
            results = step.results
            given: Any = None
            if results is not None:
                given = tuple([first + k for k in results]) if isinstance(results, tuple) else first + results
            drops = tuple([first + k for k in step.drops if k not in env])
            self.lines.append(Line(step.op, own, given, out, drops, grad=self.mode(s.grad)))
        for k, t in s.held.items():
            self.numbers.setdefault(id(t), first + k)
        self.changed = self.changed or s.writes


def _tensors_in(v: Any) -> Iterator[Tensor]:
    """The tensors in an argument, however deep."""
    if isinstance(v, Tensor):
        yield v
    elif isinstance(v, (tuple, list)):
        for x in v:
            yield from _tensors_in(x)
    elif isinstance(v, slice):
        yield from _tensors_in((v.start, v.stop, v.step))

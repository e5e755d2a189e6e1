"""Finding out which calls need no Python the next time, and what they depend on.

A call runs by the syntax trees of what it reaches (`interpreter.py`) while its operators are recorded. Where the
inspection reaches the end of the call, the call has had no effects but the noted ones, and depends on nothing but what
was read. So a later call that finds everything read unchanged makes the same calls of operators (`core/replay.pyx`).
Where the inspection ends early, its effects are undone, and the call is made as it is written.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rushlight._dynamo.effects import Effects, Gradients, Later
from rushlight._dynamo.interpreter import Interpreter
from rushlight._dynamo.memory import available
from rushlight._dynamo.reads import Reads, dict_of
from rushlight._dynamo.source import NotKnown
from rushlight._dynamo.values import SCALARS
from rushlight.amp.autocast_mode import in_force, keep_cast, kept_casts
from rushlight.autograd.grad_mode import no_grad
from rushlight.autograd.running import Asked, Done
from rushlight.compiler import marks
from rushlight.core import devices, locks
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.dtypes import dtype
from rushlight.core.engine import edge_of, edges_behind
from rushlight.core.errors import is_of_library
from rushlight.core.nesting import reached
from rushlight.core.pending import is_shared_outside
from rushlight.core.replay import Act, Guard, Leaf, Line, Replay, Store, Turn, flat, has_attributes
from rushlight.core.tape import From, Step
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten
from rushlight.jit.backward import CUT, RUN
from rushlight.jit.calls import DETACH
from rushlight.jit.checks import asking
from rushlight.jit.graphs import Gone
from rushlight.jit.recording import PENDING, Recorder, record_calls
from rushlight.jit.segments import Segments
from rushlight.nn import Module, Parameter
from rushlight.nn.modules import _hooks
from rushlight.operators.random import samplers
from rushlight.operators.random.generators import Generator, default_generator
from rushlight.operators.table import dispatch as _dispatch

_CREATION = ("rushlight.operators.creation", "rushlight.operators.tensors.interop")
_RANDOM = "rushlight.operators.random"
_PLAIN = (int, float, str, bool, type(None))
_LITTLE = 1 << 24  # bytes that are kept whatever memory there is
_FEW = 16  # most elements of a count, which is written at once, and put back where an inspection ends early


class _Segment(NamedTuple):
    """A segment that was recorded and has run, and how it ran."""

    steps: list[Step]
    size: int
    held: dict[int, Tensor]  # what it has given, by number
    operands: list[tuple[int, Tensor]]
    ints: list[int]
    numbers: list[Any]
    grad: bool
    writes: bool
    shadows: list[Tensor]
    dtype: dtype  # the default one
    rewritten: dict[int, int]  # how often results were written in place, by the numbers that stand for them


class _Act(NamedTuple):
    """A call of a function that is known by its changes."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    result: Any
    grad: bool
    changes: bool  # things that existed before the call


class _Epoch:
    """Calls that are made at once, then a segment or such a function, then the gradients as they are after it."""

    def __init__(self) -> None:
        self.gradients: Gradients = {}
        self.act: _Act | None = None
        self.before: list[tuple[Operator, list[Any], list[Tensor], bool, bool]] = []  # with results; in grad mode
        self.asked: list[tuple[Operator, list[Any]]] = []
        self.segment: _Segment | None = None


class _Proving(Recorder):
    """Records a call whose effects must be undoable until all of it is known; NotKnown where one would not be."""

    proves = True

    def __init__(self, segments: Segments, reads: Reads, args: list[Any]) -> None:
        super().__init__(self.ran, segments.roots, defers=True)
        self.busy = True  # the core leaves each call to `record`
        self.segments, self.reads_, self.args = segments, reads, args
        self.epochs = [_Epoch()]
        self.saved: list[tuple[Tensor, Tensor, int]] = []  # a written tensor, its old values, its old count of writes
        self.kept = 0  # bytes of that
        self.written_now: list[Tensor] = []  # what was written to at once
        self.counted: list[Tensor] = []  # tensors that are written at once and are not the call's own
        self.owners: list[Tensor] = []  # those among them that must have their memory for themselves
        self.ones: dict[int, Tensor] = {}  # with which backwards begin
        self.effects = Effects(reads, self.holds, self.acts, self.is_own, self.save)
        self.stream = default_generator.snapshot()
        self.casts = dict(kept_casts())
        self.thread = threading.get_ident()
        self.inside = False  # a call that is made at once

    def record(self, op: Operator, values: list[Any], out: Any, keys: int, called: Any, written: Any) -> Any:
        if out is not None or op.definition.shape_class == "data-dependent":
            raise NotKnown(f"{op.name}() depends on values, or has out=")
        if any(t._keys_ & PENDING and not self.holds(t) and self.waits(t) for t in _dispatch.tensors_in(values)):
            self.flush(f"{op.name}() takes what is to be written")
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
        if op is DETACH:
            return self.apart(op, values, out, "")
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
            self.may_write(values, why)
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

    def may_write(self, values: list[Any], why: str) -> None:
        """NotKnown unless a tensor that is to be written to is the call's own, or can be put back: a count, a gradient,
        or one that is read and has its memory for itself.
        """
        dest = values[0]
        if not isinstance(dest, Tensor):
            raise NotKnown(why)
        before = [place.before for place in self.effects.places.values()]
        others = [x for x in (*self.args, *self.reads_.tensors.values(), *before) if isinstance(x, Tensor)]
        if any(_raw.same_memory(t, dest) for t in others if not t._keys_):  # (what waits has it for itself)
            little = dest.dtype.kind in "iub" and dest.numel() <= _FEW and not is_shared_outside(dest)
            gradient = any(place.known and place.before is dest for place in self.effects.places.values())
            alone = id(dest) in self.reads_.tensors and self.alone(dest)
            if not (little or gradient or alone) or (_core.is_grad_enabled() and _any_requires_grad(values)):
                raise NotKnown(why)
            self.save([dest])
            self.counted.append(dest)
            if alone:
                self.owners.append(dest)
        elif is_shared_outside(dest):
            raise NotKnown(why)
        self.written_now.append(dest)

    def save(self, tensors: Sequence[Tensor]) -> None:
        """Keep the values of tensors, to put them back; NotKnown where that takes much of the memory that there is."""
        self.check_room(tensors)
        with locks.left(self):
            self.saved += map(_kept, tensors)

    def check_room(self, tensors: Sequence[Tensor]) -> None:
        """NotKnown where copies of these, together with the copies so far, take more than half of the memory that is
        left."""
        more = sum([t.nbytes for t in tensors])
        self.kept += more
        if self.kept > _LITTLE and self.kept > (left := available() + self.kept - more) // 2:
            raise NotKnown(f"to put back what it writes takes {self.kept} bytes, of {left} that were left")

    def goes_on(self, leaves: Sequence[Tensor], cotangents: Sequence[Tensor], accumulate: bool) -> None:
        self.ones.update((id(g), g) for g in cotangents if not g._keys_)
        self.effects.reached(leaves, accumulate)

    def is_own(self, t: Tensor) -> bool:
        """Whether the call has made a tensor."""
        others = [*self.args, *[place.before for place in self.effects.places.values()]]
        return id(t) not in self.reads_.tensors and not any(t is x for x in others)

    def may_note_run(self) -> bool:
        return all(
            edge_of(t)[0] is t for k, t in self.operands if self.shadows[k].requires_grad
        )  # (Where one has a graph, the call may have made that.)

    def runs_graph(
        self, outputs: list[Any], cotangents: list[Any], asked: Asked, why: str
    ) -> tuple[list[Any], list[Any]]:
        if asked.create and not self.segments.singly:
            self.segments.singly = True
            raise NotKnown("gradients are differentiated: calls are made one by one from the next call on")
        self.flush("a graph is run that is kept, or is of several segments")
        nodes, leaves = self.graph_of(outputs)
        wanted = leaves
        if asked.inputs is not None:
            if asked.accumulate and not all(t.is_leaf for t in asked.inputs):
                raise NotKnown("the gradients of results are kept")
            wanted = list({id(t): t for t in asked.inputs if id(edge_of(t)[0]) in nodes}.values())
        if asked.create and asked.accumulate:
            raise NotKnown("gradients are kept with their graph")
        if not wanted or not all(type(g) is Tensor and not g._keys_ for g in cotangents):
            raise NotKnown("a backward comes to nothing")
        self.effects.reached([t for t in wanted if edge_of(t)[0] is t], asked.accumulate)
        given = [id(g) in self.effects.given for g in cotangents]
        self.ones.update((id(g), g) for g, known in zip(cotangents, given, strict=True) if not known)
        more = tuple([not known for known in given]), asked.keep, asked.create
        try:
            with locks.left(self):
                found = RUN(outputs, cotangents, wanted, *more)
        except Exception as error:  # the program may catch it; some leaves have their gradients then
            if not is_of_library(error):
                raise
            raise NotKnown(f"{type(error).__name__}: {error}") from error
        values = [tuple(outputs), tuple(cotangents), tuple(wanted), *more]
        self.epochs[-1].before.append((RUN, values, list(found), True, _core.is_grad_enabled()))
        if not asked.accumulate:
            of = dict(zip(map(id, wanted), found, strict=True))
            raise Done([of.get(id(t)) for t in asked.inputs or ()])
        pairs = [(t, g) for t, g in zip(wanted, found, strict=True) if g is not None]
        return [t for t, _ in pairs], [g for _, g in pairs]

    def graph_of(self, outputs: Sequence[Tensor]) -> tuple[set[int], list[Tensor]]:
        """The ids of the nodes behind these, and the leaves; NotKnown where one was there before the call."""
        others = [*self.args, *self.reads_.tensors.values()]
        before = {id(edge_of(t)[0]) for t in others if isinstance(t, Tensor) and t.requires_grad and not t.is_leaf}

        def behind(node: Any) -> list[Any]:
            if isinstance(node, Tensor):
                return []
            if id(node) in before:
                raise NotKnown("a backward comes to a graph that was there before the call")
            return [edge[0] for edge in edges_behind(node)]

        nodes = list(reached([edge_of(t)[0] for t in outputs], behind))
        return set(map(id, nodes)), [node for node in nodes if isinstance(node, Tensor)]

    def acts(self, function: Callable[..., Any], args: Sequence[Any], changes: bool = True, later: bool = False) -> Any:
        """Call a function of the library's own, after the pending calls have run. later: its result is a number of a
        tensor."""
        if changes and in_force() is not None:
            raise NotKnown("a function changes gradients, or parameters, under autocast")
        self.flush("a function changes gradients, or parameters")
        with locks.left(self):
            result = function(*[x.value if type(x) is Later else x for x in args])
        if later:
            result = Later(result)
        epoch = self.epochs[-1]
        epoch.gradients = self.effects.gradients()
        epoch.act = _Act(function, tuple(args), result, _core.is_grad_enabled(), changes)
        self.epochs.append(_Epoch())
        return result

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

    def release(self) -> None:
        """Let go of everything, since this would count among the holders of a gradient."""
        del (
            self.run,
            self.epochs,
            self.saved,
            self.counted,
            self.owners,
            self.written_now,
            self.ones,
            self.args,
            self.reads_,
        )
        del self.effects

    def drop(self) -> None:
        """Forget what was noted and has not run."""
        self.arrive()
        self.clear()

    def undo(self) -> None:
        """Put back what was changed at once, and take the mode out of force; also where an interrupt comes in its
        midst.
        """
        try:
            self._put_back()
        except BaseException:
            self._put_back()
            raise

    def _put_back(self) -> None:
        self.effects.undo()
        kept_casts().clear()
        kept_casts().update(self.casts)
        with no_grad():
            for t, was, version in reversed(self.saved):
                t.copy_(was)
                _raw.set_version(t, version)
        default_generator.restore(self.stream)

    def ran(self, recorder: Recorder, held: tuple[int, ...]) -> None:
        """Run the segment, and note how."""
        operands, n, state = recorder.operands, len(recorder.values), recorder.state
        ints, numbers, writes = list(recorder.ints), list(recorder.numbers), bool(recorder.deferred)
        rewritten = dict(recorder.writes)
        self.check_room(recorder.deferred)
        self.saved += map(_kept, recorder.deferred)
        self.segments.run(recorder, held)
        plan = self.segments.plan(recorder, held)
        steps = plan.single if plan.refused or self.segments.by_calls(recorder) else [*plan.steps, *plan.again]
        found = {k: recorder.values[k] for k in held}
        if state.inference != _core.is_inference_mode_enabled():
            raise NotKnown("inference mode changes")
        self.epochs[-1].segment = _Segment(
            steps, n, found, operands, ints, numbers, state.grad, writes, recorder.shadows, state.dtype, rewritten
        )
        self.epochs[-1].gradients = self.effects.gradients()
        self.epochs.append(_Epoch())


def _any_requires_grad(values: list[Any]) -> bool:
    return any(t.requires_grad for t in _dispatch.tensors_in(values))


def _kept(t: Tensor) -> tuple[Tensor, Tensor, int]:
    """A tensor, what it is, and how often it has been written to."""
    with no_grad():
        return t, t.clone(), t._version


def leaves_of(args: tuple[Any, ...]) -> list[Any] | None:
    """The tensors and other values in a call's arguments; None where calls with such arguments are not inspected."""
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
    """The result of a call, the replay that makes further calls, and why there is none. NotKnown: its effects were
    undone.

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
    interpreter = Interpreter(reads, recorder.effects)
    for x in leaves:
        if _is_object(x):
            reads.objects[id(x)] = x
    first = len(args) - len(names)
    whole = False

    def look() -> tuple[Any, list[Any], Any]:
        try:
            with samplers.watched(recorder.drawn):
                result = interpreter.call(fn, args[:first], dict(zip(names, args[first:], strict=True)))
                known, spec = flatten(result)
                _check_given_back(result, interpreter, set())
                interpreter.forget()
                recorder.flush("")
                recorder.epochs[-1].gradients = recorder.effects.gradients()
            return result, known, spec
        except BaseException:
            recorder.drop()
            raise
        finally:
            interpreter.forget()

    try:
        result, known, spec = record_calls(recorder, look)
        whole = True
        if any(type(x) is Later for x in known):
            result = spec.rebuild([x.value if type(x) is Later else x for x in known])
        try:
            return result, _Lines(recorder, reads, leaves).replay(args, names, known, spec, died), ""
        except NotKnown as why:
            return result, None, str(why)
    except BaseException as error:
        if not whole:
            recorder.undo()
            called = {f.__code__ for f in reads.functions.values()}
            if isinstance(error, Exception) and is_of_library(error, called):
                raise NotKnown(f"{type(error).__name__}: {error}") from None  # the call itself says it
        raise
    finally:
        recorder.release()


def _check_given_back(x: Any, interpreter: Interpreter, seen: set[int]) -> None:
    """NotKnown where a result has a container that others hold as well, since each replay makes new containers."""
    if isinstance(x, (list, dict)):
        if not interpreter.is_mine(x) or id(x) in seen:
            raise NotKnown(f"a {type(x).__name__} is returned that was there before, or twice")
        seen.add(id(x))
    if isinstance(x, (list, tuple, dict)):
        for part in x.values() if isinstance(x, dict) else x:
            _check_given_back(part, interpreter, seen)


_UNKNOWN = object()  # in the place of a gradient that was there before the call, and does not count


class _Planned(NamedTuple):
    """A line of a replay in the making: its class and arguments, and the numbers of the values that it takes and
    makes."""

    kind: type[Turn]
    args: tuple[Any, ...]
    more: dict[str, Any]
    numbers: set[int]


class _Lines:
    """The lines of a replay, and where each value comes from, as `Line` names it."""

    def __init__(self, recorder: _Proving, reads: Reads, leaves: list[Any]) -> None:
        self.recorder, self.reads, self.leaves = recorder, reads, leaves
        self.numbers: dict[int, int] = {}  # by the id of a tensor, or of a number of one: all of them are held
        self.size = 0
        self.lines: list[_Planned] = []
        self.late: set[int] = set()  # the numbers of values that depend on a change
        self.changed = False
        self.written: list[Tensor] = list(recorder.owners)
        self.grad = _core.is_grad_enabled()
        self.places = tuple([self.fresh(x) if isinstance(x, Tensor) else self.fresh(None) for x in leaves])
        self.owners = {id(x): k for k, x in enumerate(leaves) if not isinstance(x, Tensor) and _is_object(x)}
        self.now: dict[int, Any] = {}  # what the gradients are after the lines so far, by their leaves' ids
        for key, place in recorder.effects.places.items():
            self.now[key] = place.before if place.known else _UNKNOWN
            if place.known and place.before is not None:
                self.fresh(place.before)

    def fresh(self, x: Tensor | Later | None) -> int:
        """A number for one more value."""
        k, self.size = self.size, self.size + 1
        if x is not None:
            self.numbers.setdefault(id(x), k)
        return k

    def of(self, v: Any) -> tuple[int, Any]:
        """Where an argument of a call comes from."""
        if type(v) is Later:
            return 1, self.numbers[id(v)]
        if isinstance(v, Tensor):
            if id(v) in self.numbers:
                return 1, self.numbers[id(v)]
            if id(v) not in self.reads.tensors and id(v) not in self.recorder.ones:
                raise NotKnown("a tensor is read of which is not known where it is from")
            return 0, v
        if id(v) in self.owners:
            return 1, self.places[self.owners[id(v)]]
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
        # The sizes of a tensor that is read elsewhere count, whether or not an operator takes it.
        for t in reads.tensors.values():
            if any(t is x for x in leaves):
                raise NotKnown("a tensor is given that is read elsewhere, too")
            if t._keys_ or has_attributes(t):
                raise NotKnown("a tensor is read that is more than memory")
        for epoch in self.recorder.epochs:
            self.at_once(epoch)
            self.let_go(epoch.gradients)
            if epoch.segment is not None:
                self.of_segment(epoch.segment)
            self.gradients(epoch.gradients)
            if epoch.act is not None:
                self.of_act(epoch.act)
        for key, (t, _, to, recorded, made) in kept_casts().items():
            if key not in self.recorder.casts:
                self.of_act(_Act(keep_cast, (t, to, recorded, made), None, self.grad, False))
        if not any(x.kind is Line for x in self.lines):
            raise NotKnown("nothing is called")
        given_back = []
        for x in known:
            if isinstance(x, (Tensor, Later)):
                given_back.append(self.of(x))
            elif type(x) in _PLAIN:
                given_back.append((0, x))
            else:
                raise NotKnown(f"a {type(x).__name__} is returned")
        wanted = {k for pair in given_back for k in _numbers_in(pair)}
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
            self.leaf_rows({k for x in self.lines for k in x.numbers} | wanted),
        )
        single = given_back[0][1] if spec.is_leaf() and given_back[0][0] == 1 else -1
        lines = self.dropping(wanted)
        return Replay(guard, lines, self.size, self.places, single, tuple(given_back), spec.rebuild)

    def line(
        self, kind: type[Turn], *args: Any, taken: Sequence[tuple[int, Any]], made: Sequence[int] = (), **more: Any
    ) -> _Planned:
        """A line that is to be, which takes values from these sources, and makes those of these numbers."""
        return _Planned(kind, args, more, {*made, *(k for pair in taken for k in _numbers_in(pair))})

    def dropping(self, wanted: set[int]) -> list[Turn]:
        """The lines, each of which lets go of the values that no later line takes."""
        wanted = {*wanted, *self.places}
        found: list[Turn] = []
        for x in reversed(self.lines):
            found.append(x.kind(*x.args, drops=tuple(sorted(x.numbers - wanted)), **x.more))
            wanted |= x.numbers
        return found[::-1]

    def leaf_rows(self, wanted: set[int]) -> list[Leaf]:
        """What the guard must know about leaves. wanted: the numbers of values that a line takes."""
        found = []
        for place in self.recorder.effects.places.values():
            if id(place.leaf) not in self.reads.tensors and not any(place.leaf is x for x in self.leaves):
                continue  # the call has made it
            at = next((i for i, x in enumerate(self.leaves) if x is place.leaf), place.leaf)
            before = place.before if place.known else None
            k = -1 if before is None else self.numbers[id(before)]
            found.append(Leaf(at, place.gets, place.known, before, k if k in wanted else -1))
        return found

    def let_go(self, gradients: Gradients) -> None:
        """Let go of gradients that will be replaced, before the new ones are computed."""
        for key, (leaf, now) in gradients.items():
            if now is not self.now[key] and self.now[key] is not None:
                self.store(leaf, None)

    def gradients(self, gradients: Gradients) -> None:
        """Let the gradients be these."""
        for key, (leaf, now) in gradients.items():
            if now is not self.now[key]:
                self.store(leaf, now)

    def store(self, leaf: Tensor, value: Any) -> None:
        """Let a leaf have this gradient."""
        self.now[id(leaf)] = value
        pairs = self.of(leaf), self.of(value)
        self.lines.append(self.line(Store, *pairs, taken=pairs))
        self.changed = True

    def of_act(self, act: _Act) -> None:
        """The call of a function that is known by its changes."""
        args = tuple([self.of(v) for v in act.args])
        k = self.fresh(act.result) if isinstance(act.result, (Tensor, Later)) else -1
        made = [] if k < 0 else [k]
        self.lines.append(self.line(Act, act.function, args, k, taken=args, made=made, grad=self.mode(act.grad)))
        self.changed = self.changed or act.changes

    def at_once(self, epoch: _Epoch) -> None:
        """The calls that are made at once: first those that may be made once more, then the checks of indices, then the
        others.
        """
        later: list[_Planned] = []
        changed = self.changed
        for op, given, results, several, grad in epoch.before:
            own = [self.of(v) for v in given]
            tensors = list(_tensors_in(given))
            numbered = [self.fresh(t) for t in results]
            found = [t for t in results if t is not None]
            draws = op is samplers.MASK or op.definition.body.__module__.startswith(_RANDOM)
            touches = any(_raw.same_memory(t, w) for t in (*tensors, *found) for w in self.recorder.written_now)
            late = op is RUN or draws or touches or any(self.numbers.get(id(t)) in self.late for t in tensors)
            changed = changed or draws or any(t is given[0] for t in self.recorder.counted)
            result = tuple(numbered) if several else numbered[0] if numbered else None
            line = self.line(Line, op, own, result, taken=own, made=numbered, grad=self.mode(grad))
            if late:
                self.late.update(numbered)
            (later if late else self.lines).append(line)
        for op, given in epoch.asked:
            # (Of what is no integer the sizes count, which a tensor of `checks` has.)
            checked = [self.of_check(v) for v in given]
            line = self.line(Line, op, checked, None, taken=checked, asks=True)
            indices = [t for t in _tensors_in(given) if t.dtype.kind in "iu"]
            if not self.changed and not any(self.numbers.get(id(t)) in self.late for t in indices):
                self.lines.append(line)
            elif all(map(self.stays, indices)):
                self.lines.insert(0, line)
            else:
                raise NotKnown(f"{op.name}() takes what comes after a change")
        self.lines += later
        self.changed = changed

    def stays(self, t: Tensor) -> bool:
        """Whether a tensor existed before the call, and was not changed by it."""
        written = [*self.recorder.written_now, *[was[0] for was in self.recorder.saved]]
        there = id(t) in self.reads.tensors or any(t is x for x in self.leaves)
        return there and not any(_raw.same_memory(t, w) for w in written)

    def of_check(self, v: Any) -> tuple[int, Any]:
        """Where an argument of a check comes from."""
        if type(v) is tuple:
            return 2, tuple([self.of_check(x) for x in v])
        return self.of(v) if isinstance(v, Tensor) and v.dtype.kind in "iu" else (0, v)

    def of_segment(self, s: _Segment) -> None:
        """The steps of a segment."""
        first, self.size = self.size, self.size + s.size
        env: dict[int, tuple[int, Any]] = {k: self.of(t) for k, t in s.operands}
        for step in s.steps:
            if step.op is CUT:  # (a backward that comes to a graph beyond is not known)
                continue
            own = [_source(p, s, env, first) for p in step.args]
            out = None if step.out is None else _source(step.out, s, env, first)
            if step.results is None:
                for how, x in [own[0]] if out is None else out[1]:
                    if how == 0:
                        self.written.append(x)
                    elif x in self.places:
                        raise NotKnown("an argument is written to")
            results = step.results
            given: Any = None
            made: Sequence[int] = ()
            if results is not None:
                made = [first + k for k in (results if isinstance(results, tuple) else (results,))]
                given = tuple(made) if isinstance(results, tuple) else made[0]
            gone: Any = step.lets_go
            if gone is not None:
                places = tuple([first + k for k in gone.spots])
                gone = Gone(gone, s.shadows, s.ints, s.numbers, s.dtype), places, tuple([env[k] for k in gone.operands])
            grad = self.mode(s.grad if step.grad < 0 else bool(step.grad))
            sources = own if out is None else [*own, out]
            again = {k: s.rewritten[k - first] for k in made if k - first in s.rewritten} or None
            lies = {k: s.shadows[k - first] for k in made if step.program and _is_free(s.shadows[k - first])} or None
            more: dict[str, Any] = {"grad": grad, "lets_go": gone, "writes": again, "lies": lies}
            if gone is not None:  # (The graph that a backward lets go is of calls before.)
                made, sources = [*made, *gone[1]], [*sources, *gone[2]]
            self.lines.append(self.line(Line, step.op, own, given, out, taken=sources, made=made, **more))
        for k, t in s.held.items():
            self.numbers.setdefault(id(t), first + k)
        self.changed = self.changed or s.writes


def _is_free(shadow: Tensor) -> bool:
    """Whether some of a tensor's strides reach nothing, so that a program may give it others."""
    return 1 in shadow.shape or 0 in shadow.shape


def _source(pair: tuple[From, Any], s: _Segment, env: dict[int, tuple[int, Any]], first: int) -> tuple[int, Any]:
    """Where an argument of a segment's step comes from. env: its operands; first: the number of its first value."""
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
    return 2, tuple([_source(p, s, env, first) for p in x])


def _numbers_in(pair: tuple[int, Any]) -> Iterable[int]:
    """The numbers of the values in a source."""
    how, x = pair
    if how == 1:
        yield x
    elif how == 2:
        for part in x:
            yield from _numbers_in(part)


def _tensors_in(v: Any) -> Iterator[Tensor]:
    """The tensors in an argument, however deep."""
    if isinstance(v, Tensor):
        yield v
    elif isinstance(v, (tuple, list)):
        for x in v:
            yield from _tensors_in(x)
    elif isinstance(v, slice):
        yield from _tensors_in((v.start, v.stop, v.step))

"""Recording: the calls of a compiled function are noted and run together, where Python asks for a value or at its end.

A call on plain tensors gives pending tensors: metadata, found by the same call on meta tensors, and no memory yet. The
core notes calls that are known (core/tape.pyx); this file handles all others. A request for memory or history of a
pending tensor (the core's `settle`) runs everything that was noted, as a segment (`segments.py`). So does each call
that cannot wait: one that writes, may fail by values, or has an argument that is no plain tensor. It runs at once then,
after the segment, as
it would without a recorder. docs/design/compile.md tells more.
"""

from __future__ import annotations

import operator
import sys
import weakref
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from rushlight.amp.autocast_mode import in_force, left_out
from rushlight.compiler import marks
from rushlight.core import dtypes as dt
from rushlight.core import locks
from rushlight.core import raw as _raw
from rushlight.core import record as _record
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator, Taken
from rushlight.core.engine import edge_of
from rushlight.core.errors import is_of_handler, is_of_library
from rushlight.core.flatten import Kind, Param, is_special_number
from rushlight.core.pending import is_shared_outside
from rushlight.core.tape import Exact, Place, set_taken
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.jit.asking import OF_VALUES, SAID, line_of_program
from rushlight.jit.calls import DETACH, MAKERS, ONE_BY_ONE, At, Call, is_view, kept_by, numbers_in, results_of
from rushlight.jit.parts import Rewriter
from rushlight.jit.placing import MOST as MOST_PLACED
from rushlight.jit.placing import PLACE, place_in
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.trace import NUMBERS, is_real, python_value
from rushlight.operators.table.tracer import with_default

_KEYS = _core.get_keys_flag_mask()
PENDING, SUBCLASS, _TRANSFORMED = _KEYS["PENDING"], _KEYS["SUBCLASS"], _KEYS["TRANSFORM"] | _KEYS["TRACE"]
_MOST_NUMBERS = 16  # of a segment that are given when it runs; the rest are parts of its key
_WRITES = frozenset(("__setitem__",))  # compositions that write, beside those whose names end in "_"
_TENSORS = (Kind.P_TENSOR, Kind.P_OPERAND, Kind.P_TENSORS)
_INTS = (Kind.P_INT, Kind.P_INTS, Kind.P_SIZES)
# Modules of operators that may refuse a matrix for its values.
_BY_VALUES = tuple(
    f"rushlight.operators.linalg.{name}" for name in ("factors", "iterative", "norms", "solvers", "spectra")
)
_BY_FORMULA = ("vector_norm", "dist")  # beside those, in the same modules

_WHY: dict[Operator, str] = {}


def _why_not(op: Operator) -> str:
    """Why calls of an operator are not noted; "" where they are."""
    where = op.definition.body.__module__
    if where.startswith(_BY_VALUES) and op.name not in _BY_FORMULA:
        return f"{op.name}() may refuse a matrix for its values"
    if where.startswith("rushlight.operators.random"):
        return f"{op.name}() makes random numbers"
    if op not in MAKERS and not any(p.kind in _TENSORS for p in op.params):
        return f"{op.name}() makes a tensor"
    if where.startswith("rushlight.jit") and op not in ONE_BY_ONE:
        return f"{op.name}() is a function that jit() traced"
    return f"{op.name}() is of a transform" if op.definition.shape_class == "internal" else ""


class Break(NamedTuple):
    """Why a segment ended, and in which line of the program."""

    reason: str
    where: str


class State(NamedTuple):
    """What the calls of a segment have in common."""

    grad: bool
    inference: bool
    dtype: dt.dtype


def _has_a_say(values: list[Any]) -> bool:
    """Whether a class among the arguments may handle the call itself."""
    return any(
        v._keys_ & SUBCLASS if isinstance(v, Tensor) else _dispatch.overrides(type(v))
        for v in _dispatch.leaves_of(values)
    )


def _anomaly() -> bool:
    """Whether errors of the backward are to name the forward's call."""
    found = sys.modules.get("rushlight.autograd.anomaly_mode")
    return found is not None and found.is_anomaly_enabled()


class Recorder(Rewriter):
    """The mode in which a compiled function runs: it notes calls.

    Args:
        run: runs a segment: calls `give` for each of its values that somebody holds.
        roots: of the trees of calls that the function is known to make, by what calls have in common.
        whole: the error to raise where Python needs a value (`fullgraph=True`).
        listed: whether `breaks` is to say why each segment ended.
        defers: whether calls that write may wait, see `deferred_call`.
    """

    sees_functions = sees_traces = False
    notes_calls = notes_parts = True
    proves = False  # whether further calls are made without a recorder, so that a program is worth it always

    def __init__(
        self,
        run: Any,
        roots: dict[Any, Place],
        whole: type[Exception] | None = None,
        listed: bool = False,
        defers: bool = False,
    ) -> None:
        super().__init__(roots)
        self.run, self.whole, self.listed, self.defers = run, whole, listed, defers
        self.singly = False  # calls are made one by one: their derivatives are differentiated again
        self.writes_next = False  # a tensor that the segment reads is written as soon as it has run
        self.grads: list[weakref.ref[Tensor]] = []  # the gradients that the function has read
        # A part of the segment's graph is run as soon as it is there, and the rest may be later; or gradients are to
        # lie where single calls' gradients do.
        self.in_parts = False
        self.places: list[tuple[Tensor, int]] = []  # the tensors to whose parts pending calls write, and their numbers
        self.over = False  # the function has ended; what waits runs where it is asked for
        self.breaks: list[Break] = []

    # ---- the pending calls, as a segment
    @property
    def state(self) -> State:
        """What the calls have in common."""
        return State(*self.common)

    @property
    def calls(self) -> list[Call]:
        """The calls."""
        return [p.call for p in self.path]

    @property
    def kinds(self) -> list[Kind]:
        """Those of the numbers that are given."""
        return [kind for p in self.path for kind in p.kinds]

    @property
    def views(self) -> dict[int, tuple[int, int]]:
        """Number of a view -> the number of what it is of, and of the call."""
        return {k: p.view for p in self.path if p.view is not None for k in results_of(p.call)}

    @property
    def operands(self) -> list[tuple[int, Tensor]]:
        """The tensors in memory that are read, each with its number."""
        return [(k, t) for k, (t, v) in enumerate(zip(self.values, self.versions, strict=True)) if v is not None]

    # ------------------------------------------------------------------------------------------------------- the calls
    def record(self, op: Operator, values: list[Any], out: Any, keys: int, called: Any, written: Any) -> Any:
        """A call, with this mode in force as the innermost; see `special` in operators/table/dispatch.py."""
        plain = True
        tensors = 0
        ints = False
        for v in values:
            if isinstance(v, Tensor):
                tensors += 1
                # (what a class of the program's own is asked for, its __torch_function__ sees)
                plain = plain and not v._keys_ & ~PENDING and v.layout is dt.strided
                ints = plain and (ints or v.dtype.kind in "iu")
            elif type(v) in (list, tuple):
                for x in v:
                    if isinstance(x, Tensor):
                        tensors += 1
                        plain = plain and not x._keys_ & ~PENDING
                        ints = plain and (ints or x.dtype.kind in "iu")
        if not plain or keys & _TRANSFORMED or (keys & SUBCLASS and _has_a_say([*values, out])):
            return self.foreign(op, values, out, keys, called, written)
        if op.name in _WRITES and self.placed(*values):
            return None
        for t in _dispatch.tensors_in([*values, out]):
            if t._keys_ & PENDING and not self.holds(t):  # it is to be written to, or another thread's
                settle(t)
        if _anomaly() or _record.SAVED_HOOKS:
            return self.apart(op, values, out, f"{op.name}() is called below hooks for saved tensors")
        if _dispatch.casts and out is None:
            for cast in _dispatch.casts:
                values = cast(op, values)
        if op is DETACH:
            set_taken(op, Taken.ALIASED)
            if values[0]._keys_ & PENDING and self.holds(values[0]):
                with self.lock:
                    return self.noted(op, values)
        if op.eager is not None:
            return self.composed(op, values, out)
        if op.inplace:
            set_taken(op, Taken.WRITES)
        if out is not None or op.inplace:
            return self.writing(op, values, out)
        why = _WHY.get(op)
        if why is None:
            why = _WHY[op] = _why_not(op)
            set_taken(op, Taken.APART if why else Taken.NOTED)
        if (not tensors and op not in MAKERS) or why:
            return self.apart(op, values, out, why)
        if ints and not op.is_view and not self.fits(op, values):
            return self.apart(op, values, out, f"{op.name}() of integers may refuse their values")
        with self.lock:
            return self.noted(op, values)

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """A function of the program's own (`custom_op`) runs without this mode, after what was noted: it may write."""
        if getattr(func, "__wrapped__", None) is None:
            self.flush(f"{getattr(func, '__name__', func)}() is no operator of the table")
        return super().__torch_function__(func, types, args, kwargs)

    def goes_on(self, leaves: Sequence[Tensor], cotangents: Sequence[Tensor], accumulate: bool) -> None:
        """Called when a backward was noted: the engine goes on at `leaves`. accumulate: to their `.grad`."""

    def may_note_run(self) -> bool:
        """Whether a backward may be noted, where the pending calls have one."""
        return True

    def runs_graph(
        self, outputs: list[Any], cotangents: list[Any], asked: Any, why: str
    ) -> tuple[list[Any], list[Any]]:
        """Called when a backward can't be noted, with the tensors at which the engine is to begin, and their
        cotangents. why: it can't."""
        self.singly = self.singly or asked.create
        if any(t._keys_ & PENDING for t in outputs):
            self.flush(f"{'backward' if asked.accumulate else 'grad'}(): {why}")
        return outputs, cotangents

    def lets_go(self, t: Tensor) -> bool:
        """Whether views of a tensor are made at once. They take their place in the graph after what reads it."""
        if t._keys_ & PENDING:
            return False
        if self._reads_what_is_recorded([t]):
            self.flush("views take a place in the graph")
        self.runs_at_once()
        return True

    def foreign(self, op: Operator, values: list[Any], out: Any, keys: int, called: Any, written: Any) -> Any:
        """A call with an argument that is no plain tensor, made without this mode."""
        if not self.makes_now(_dispatch.tensors_in([*values, out])):
            self.flush(f"{op.name}() takes what is no plain tensor beside one that waits")
        args, kwargs = _dispatch.arguments(op, values, out)
        with locks.left(self):
            if op.eager is not None and not _has_a_say([*values, out]):
                return op(*args, **kwargs)
            return _dispatch.special(op, values, out, keys & ~PENDING, called, written)

    def notes_all(self) -> bool:
        """Whether no mode but this recorder is in force, and pending calls may write."""
        modes = 1 + (in_force() is not None)
        return self.defers and _core.modes_in_force() == modes and not _anomaly() and not _record.SAVED_HOOKS

    def apart(self, op: Operator, values: list[Any], out: Any, why: str) -> Any:
        """A call that runs now, without this mode. The noted calls run first, where this call needs them."""
        tensors = _dispatch.tensors_in([*values, out])
        if not self.makes_now(tensors):
            self.flush(why or f"{op.name}() takes memory")
        elif self.n_calls and self._reads_what_is_recorded(tensors):
            self.flush(why or f"{op.name}() takes a place in the graph")
        self.runs_at_once()
        args, kwargs = _dispatch.arguments(op, values, out)
        with locks.left(self):
            return operator.setitem(*args) if op.name == "__setitem__" else op(*args, **kwargs)

    def fits(self, op: Operator, values: list[Any]) -> bool:
        """Whether a call on integers may wait: it takes pending tensors or belongs to the graph, and refuses none of
        the integers."""
        found = _dispatch.tensors_in(values)
        if any(t.dtype.kind in "iu" and (t._keys_ or is_shared_outside(t)) for t in found) or not any(
            t._keys_ or (t.requires_grad and _core.is_grad_enabled()) for t in found
        ):
            return False
        from rushlight.jit.checks import fits

        try:
            with locks.left(self):
                return fits(op, values)
        except Exception as error:
            if not is_of_library(error):
                raise
            return False  # the call itself says what is wrong with it

    def _reads_what_is_recorded(self, tensors: Sequence[Tensor]) -> bool:
        """Whether a call on these would stand in the graph before what was noted earlier, and reads the same."""
        return _core.is_grad_enabled() and any(t.requires_grad and self.reads(t) for t in tensors)

    def writing(self, op: Operator, values: list[Any], out: Any) -> Any:
        """A call that writes runs now; the noted calls run first, where they read the memory, or give the tensor that
        is written."""
        if out is None and op.functional is not None:
            with self.lock:
                if self._rewritten(op.functional, values):
                    return values[0]
        dests = _dispatch.tensors_in([out] if out is not None else values[:1])
        self.makes_now(_dispatch.tensors_in([*values, out]))
        if out is not None and self.ended and self._writes_again(op, values, dests):
            return tuple(dests)
        if self.n_calls and self._may_wait(op, values, out, dests):
            with self.lock:
                if self.deferred_call(op, values, out, dests):
                    return values[0] if out is None else tuple(dests)
        if self.n_calls and (
            any(t._keys_ & PENDING for t in _dispatch.tensors_in([*values, out]))
            or any(self.reads_memory_of(d) or is_shared_outside(d) for d in dests)
            or self._reads_what_is_recorded(_dispatch.tensors_in(values))
        ):
            # (A program may keep for its backward what single calls do not.)
            self.writes_next = any(map(self.reads_memory_of, dests))
            try:
                self.flush(f"{op.name}() writes to memory")
            finally:
                self.writes_next = False
        return self.apart(op, values, out, f"{op.name}() writes to memory")

    def _rewritten(self, pure: Operator, values: list[Any]) -> bool:
        """Let a pending result that is written to stand for the result of the same call out of place."""
        t = values[0]
        if not (
            isinstance(t, Tensor) and self.holds(t) and pure.eager is None and self.notes_all() and self.begins(False)
        ):
            return False
        if _why_not(pure):
            return False
        return self.rewritten(pure, values)

    def may_be_written(self) -> bool:
        """Whether a program may keep for its backward what is written to before that, as single calls do not."""
        grads = [t for t in (r() for r in self.grads) if t is not None]
        return self.writes_next or any(map(self.reads_memory_of, grads))

    def kept_for(self, wanted: Sequence[int]) -> set[int]:
        """The values that the graph of single calls keeps for the values that are `wanted`, and the bases of which they
        are views."""
        kept: set[int] = set()
        behind = set(wanted)
        for p in reversed(self.path):
            if not behind.isdisjoint(results_of(p.call)):
                behind.update(numbers_in(p.call.values))
                kept |= p.kept
        for k in [*kept]:
            while k in self.views:
                kept.add(k := self.views[k][0])
        return kept

    def clear(self) -> None:
        """Forget all."""
        self.in_parts, self.places = False, []
        super().clear()

    def _writes_again(self, op: Operator, values: list[Any], dests: list[Tensor]) -> bool:
        """Note a call with destinations that was noted here before, of tensors of the same kinds."""
        with self.lock:
            return (
                not _core.is_grad_enabled()
                and self.begins(False)
                and self.notes_all()
                and self.note_write(op, values, dests)
            )

    def _may_wait(self, op: Operator, values: list[Any], out: Any, dests: list[Tensor]) -> bool:
        """Whether a write may be left to the segment's end: no graph keeps the memory, no other tensor lies on it, no
        pending call reads it for the graph, and the written values are pending.
        """
        others = _dispatch.tensors_in(values if out is not None else values[1:])
        found = [*dests, *others]
        return (
            (op.functional is not None if out is None else op.definition is not None and op.name == "optimizer_step")
            and self.notes_all()
            and len(set(map(id, dests))) == len(dests) > 0
            and all(self.alone(d) and (self.ended or not self.reads_memory_of(d)) for d in dests)
            and any(t._keys_ & PENDING for t in others)
            and all(self.holds(t) if t._keys_ & PENDING else not is_shared_outside(t) for t in others)
            and not (_core.is_grad_enabled() and any(t.requires_grad for t in found))
            and self.begins(False)
        )

    def deferred_call(self, op: Operator, values: list[Any], out: Any, dests: list[Tensor]) -> bool:
        """Note a call that writes to memory, such as to the running statistics of a batch normalization; False where it
        may fail. Until it has run, the destination is pending, so that asking for its values runs the write.
        """
        given = _Given(self, op, values, True)
        pure = op if out is not None else op.functional
        assert pure is not None
        found = self.on_meta(pure, given.shown)
        results = list(found) if isinstance(found, (tuple, list)) else [found]
        if len(results) != len(dests) or not all(
            type(y) is Tensor and y.shape == d.shape and y.dtype is d.dtype
            for y, d in zip(results, dests, strict=False)
        ):
            given.take_back()
            return False
        before, slots = self.place, iter(given.slots)
        to = () if out is None else tuple(map(self.slot, dests))
        given.note(None, None if out is None else tuple([At("value", k) for k in to]), tuple(dests))
        if out is not None and before is not None and all(type(x) in (list, tuple, int, float) for x in values):
            assert self.place is not None
            key = [x for v in values for x in ([next(slots) for _ in v] if isinstance(v, (list, tuple)) else [type(v)])]
            if len(numbers_in(given.template)) + len(given.numbers) == len(key):
                before.writes[op, tuple(key), to] = self.place
        return True

    def placed(self, t: Any, index: Any, value: Any) -> bool:
        """Note t[index] = value, of a pending value: a part of a tensor in memory that no other tensor lies on and no
        pending call reads, where no gradient is due.
        """
        if not (isinstance(t, Tensor) and isinstance(value, Tensor) and self.holds(value)) or self.proves:
            return False
        with self.lock:  # (another thread that reads the tensor runs what waits)
            at = next((k for x, k in self.places if x is t), -1)
            if (
                len(self.places) >= MOST_PLACED
                or not (self.alone(t) if at < 0 else _raw.has_own_memory(t, PENDING))
                or (_core.is_grad_enabled() and (t.requires_grad or value.requires_grad))
                or (at < 0 and self.reads_memory_of(t))
                or not (self.notes_all() and self.begins(False))
            ):
                return False
            like = _raw.empty_meta(t.dtype, tuple(t.shape), t.stride()) if at < 0 else self.shadows[at]
            with locks.left(self):
                where = place_in(like, index, value)
            if where is None:
                return False
            given = _Given(self, PLACE, [t if at < 0 else like, value, *where], True, at)
            given.note(None, None, (t,) if at < 0 else ())
            self.places.append((t, given.slots[0]))
        return True

    def composed(self, op: Operator, values: list[Any], out: Any) -> Any:
        """A composition: Python makes its calls, which are noted."""
        assert op.eager is not None
        writes = out is not None or (op.name.endswith("_") and not op.name.endswith("__")) or op.name in _WRITES
        if writes and (
            out is not None
            or not (isinstance(values[0], Tensor) and self.holds(values[0]))
            or (op.functional is None and op.name not in _WRITES)
        ):
            return self.writing(op, values, out)
        if op.name in _WRITES:
            return op.eager(*values)
        if op is not DETACH and not writes:  # (where it writes to what waits, its calls do)
            set_taken(op, Taken.COMPOSED if op.noted is None else Taken.MADE)
            if out is None and op.noted is not None and self.begins(False):
                made = op.as_program(values)
                if made is not None:
                    args, kwargs = _dispatch.arguments(made[0], list(made[1]))
                    return made[0](*args, **kwargs)
        at = self.slot(values[0]) if writes else -1
        try:
            with nullcontext() if in_force() is None else left_out():  # (its arguments were cast for all)
                return op.eager(*values)
        except Exception as error:
            if writes and is_of_library(error) and (not self.holds(values[0]) or self.slot(values[0]) == at):
                return self.writing(op, values, out)  # (nothing was written: the call itself says what is wrong)
            better = upcalls.eager_error(op, values, error, None)
            if better is error:
                raise
            if isinstance(better, tuple):
                return better[0]
            raise better from error

    def noted(self, op: Operator, values: list[Any]) -> Any:
        """Note a call, and give its pending results."""
        if not self.begins(any(t.requires_grad for t in _dispatch.tensors_in(values))):
            self.flush("the grad mode, or the default dtype, changed" if self.under_way is None else "interrupted")
            self.begins()
        for t in _dispatch.tensors_in(values):
            if not t._keys_ & PENDING:
                if is_shared_outside(t):
                    return self.apart(op, values, None, f"{op.name}() reads memory that others may write to")
                if t.requires_grad and _core.is_grad_enabled() and t._base is not None:
                    edge_of(t)  # a view that has lost its place in the graph is refused where it is used
                if is_view(op) and t is values[0]:
                    return self.apart(op, values, None, f"{op.name}() of a tensor in memory")
        given = _Given(self, op, values)
        found = self.on_meta(op, given.shown)
        if op in MAKERS and found is not None:
            found = _raw.empty_meta(found.dtype, tuple(found.shape))
        several = isinstance(found, (tuple, list))
        results = list(found) if several else [found]
        if any(type(y) is not Tensor or not y.is_meta or any(y is x for x in given.shown) for y in results):
            given.take_back()
            return self.apart(op, values, None, f"{op.name}() gives what cannot wait")
        first = len(self.values)
        kept = kept_by(op, results, given.slots, first)
        label = next((y.grad_fn.name() for y in results if y.requires_grad and y.grad_fn is not None), "")
        made = self.results(results)
        given.note(tuple(range(first, first + len(made))) if several else first, kept=kept, label=label)
        if not several:
            return made[0]
        kind = type(found)
        return kind(made) if kind in (tuple, list) else kind(*made)

    # -------------------------------------------------------------------------------------------------------- the runs
    def flush(self, why: str) -> None:
        """Run what was noted; its tensors that somebody holds get their values. why: "" at the function's end."""
        with self.lock:
            if self.n_calls:
                if why and self.listed:
                    self.breaks.append(Break(why, line_of_program()[0]))
                self.forget_unfinished()
                held = self.held()
                if held or self.deferred:
                    try:
                        self.arrive()
                        self._run(held)
                    except BaseException as error:
                        if not isinstance(error, Exception) or not is_of_library(error):
                            self.wait()  # (interrupted: it goes on where it has stopped)
                        raise
            self.clear()

    def asked(self) -> None:
        """The memory or history of a pending tensor is asked for."""
        line, function, values = line_of_program()
        if self.whole is not None and function in OF_VALUES:
            raise self.whole(
                f"torch.compile(fullgraph=True): Python needs the values of a tensor, in {line}; leave this out of the "
                "function, write a choice between tensors as torch.where(condition, a, b), or compile the function "
                "without fullgraph"
            )
        said = f"{SAID.get(function, function or 'Python')}()"
        self.flush(f"{said} asks for values of a tensor" if values else f"{said} needs memory or the graph")

    def _run(self, held: tuple[int, ...]) -> None:
        busy, self.busy = self.busy, True
        try:
            with locks.below(0):
                if self.in_state():
                    self.run(self, held)
                else:
                    state = self.state
                    own = locks.switched()
                    own.set_to(state.grad, state.inference)
                    with own, with_default(state.dtype):
                        self.run(self, held)
        finally:
            self.busy = busy


class _Given:
    """The arguments of a call that is to be noted, as the recorded call has them, and as meta tensors."""

    def __init__(
        self, recorder: Recorder, op: Operator, values: list[Any], writes: bool = False, first: int = -1
    ) -> None:
        self.recorder, self.op, self.writes = recorder, op, writes  # (a call that writes is a step of its own)
        self.mark = len(recorder.values), len(recorder.ints), len(recorder.numbers)
        self.kinds: list[Kind] = []
        self.numbers: list[int] = []  # the places of numbers that are given
        self.slots: list[int] = []
        self.template: list[Any] = []
        self.shown: list[Any] = []
        for at, (p, v) in enumerate(zip(op.params, values, strict=True)):
            if at == 0 and first >= 0:  # (the number of the first operand, which waits to be written to)
                self.slots.append(first)
                given, shown = At("value", first), recorder.shadows[first]
            else:
                given, shown = self._argument(at, p, v)
            self.template.append(given)
            self.shown.append(shown)

    def take_back(self) -> None:
        """Let the recorder forget them."""
        self.recorder.forget(*self.mark)

    def note(
        self,
        results: Any,
        out: tuple[At, ...] | None = None,
        dests: tuple[Tensor, ...] = (),
        kept: frozenset[int] = frozenset(),
        label: str = "",
    ) -> None:
        """Note the call.

        Args:
            results: the numbers of what it gives.
            out: its destinations, where they are no argument.
            dests: the tensors to which it writes.
            kept: the numbers of the values that the graph keeps for its backward.
            label: the name of its node.
        """
        r, op = self.recorder, self.op
        first, ints, _ = self.mark
        call = Call(op, tuple(self.template), results, out)
        fresh = tuple(
            [
                (k, r.values[k].dtype, r.values[k].requires_grad)
                for k in range(first, len(r.values))
                if r.versions[k] is not None
            ]
        )
        before = r.place
        assert before is not None
        view = (self.template[0].k, r.n_calls) if is_view(op) else None
        try:
            key = Exact((call, fresh))
        except TypeError:  # an argument that has no hash
            after, key = Place(before, call, tuple(self.kinds), view), None
        else:
            after = before.child(key, call, tuple(self.kinds), view)
        # (The place has all before the call is noted, and known: an interrupt may come in between.)
        after.kept |= kept
        after.label = after.label or label
        r.advance(after, dests)
        if results is None or key is None:
            return
        shown = [tuple(x) if isinstance(x, list) else x for x in self.shown]
        r.learn(before, after, op, shown, self.slots, r.ints[ints:], tuple(self.numbers))

    def _argument(self, at: int, p: Param, v: Any) -> tuple[Any, Any]:
        """An argument as the recorded call has it, and as the call on meta tensors gets it."""
        if isinstance(v, Tensor):
            return self._tensor(v)
        if p.kind == Kind.P_TENSORS and isinstance(v, (tuple, list)):
            pairs = [(None, None) if x is None else self._tensor(x) for x in v]
            return tuple(a for a, _ in pairs), [b for _, b in pairs]
        if v is None or (p.fixed and v is p.default) or is_special_number(p, v):
            return v, v
        if p.kind in NUMBERS or p.kind == Kind.P_REAL or p.kind in _INTS:
            v = python_value(v)
        if p.kind in _INTS:
            return self._ints(v), v
        if (p.kind in NUMBERS and type(v) in (int, float) and not (p.by_sign and type(v) is int)) or (
            p.kind == Kind.P_REAL and is_real(v)
        ):
            numbers = self.recorder.numbers
            if len(numbers) < _MOST_NUMBERS or self.writes:
                numbers.append(v)
                self.numbers.append(at)
                self.kinds.append(Kind.P_REAL if p.kind == Kind.P_REAL else Kind.P_SCALAR)
                return At("number", len(numbers) - 1), v
        # The list is the caller's, who may change it before the call is made.
        return (tuple(v), tuple(v)) if isinstance(v, list) else (v, v)

    def _tensor(self, x: Tensor) -> tuple[At, Tensor]:
        k = self.recorder.slot(x)
        self.slots.append(k)
        return At("value", k), self.recorder.shadows[k]

    def _ints(self, v: Any) -> Any:
        if type(v) is int:
            self.recorder.ints.append(v)
            return At("int", len(self.recorder.ints) - 1)
        if isinstance(v, (tuple, list)):
            return tuple([self._ints(x) if type(x) is int else x for x in v])
        return v


# ------------------------------------------------------------------------------------------------ in force, and settled
_recorders: list[Recorder] = []  # those that have pending tensors or may get some, in all threads


def settle(t: Tensor) -> None:
    """Run the calls that a pending tensor waits for."""
    for r in list(_recorders):
        if r.waits(t):
            with r.lock:
                if not r.makes_now([t]):
                    r.asked()
            _forget_those_over()
            return


def innermost() -> Recorder | None:
    """The recorder in force in this thread, None where there is none."""
    for mode in reversed(_dispatch.modes.stack):
        if getattr(mode, "notes_calls", False):
            return mode  # type: ignore[no-any-return]
    return None


def record_calls(recorder: Recorder, call: Callable[[], Any]) -> Any:
    """The result of a call whose operators are noted; what is left of them at its end is run."""
    block = _recorded(recorder)
    with block:
        try:
            with locks.entered(recorder):
                return call()
        except BaseException as error:
            block.error, recorder.whole = error, None
            raise


class _recorded(locks.Block[None]):
    """The call that a recorder notes; an interrupt at its end, too, leaves nothing that waits.

    Attributes:
        error: what the call raised.
    """

    error: BaseException | None = None

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def _before_(self) -> None:
        pass

    def _begin_(self) -> None:
        self.recorder.over = False
        self.recorder.grads.clear()
        _recorders.append(self.recorder)

    def _end_(self, before: None) -> None:
        if not self.recorder.over:
            try:
                self.recorder.flush("")
            except BaseException as other:
                interrupt = not isinstance(other, Exception) or is_of_handler(other)
                # (What waits reads memory that the program may write to from now on: it runs all the same, when this is
                # called again. But a backend of the program's own is not called a second time.)
                if interrupt and self.recorder.defers:
                    raise
                self.recorder.over = True
                if interrupt or self.error is None:
                    raise
                self.error.add_note(f"what was recorded before it could not be run: {other}")
            self.recorder.over = True
        _forget_those_over()


def _forget_those_over() -> None:
    """Forget the recorders that have ended and of which nobody waits for anything."""
    _recorders[:] = [r for r in _recorders if not r.over or (r.n_calls and (r.deferred or r.held()))]


class paused(locks.Block[None]):
    """Run the calls that were noted in this thread, and note none in the block."""

    def __init__(self, why: str) -> None:
        self.why = why
        self.out: list[locks.left] = []

    def _before_(self) -> None:
        pass

    def _begin_(self) -> None:
        found = [m for m in _dispatch.modes.stack if getattr(m, "notes_calls", False)]
        for m in found:
            m.flush(self.why)
        for m in found:
            self.out.append(locks.left(m))
            self.out[-1].__enter__()

    def _end_(self, before: None) -> None:
        while self.out:
            self.out[-1].__exit__(None, None, None)
            self.out.pop()


def _settled(op: Operator, values: list[Any], out: Any) -> Any:
    """A call on pending tensors where nothing is recorded: it is made once they have their values."""
    for t in _dispatch.tensors_in([*values, out]):
        if t._keys_ & PENDING:
            settle(t)
            if t._keys_ & PENDING:
                raise RuntimeError(f"{op.name}(): a recorded call has not run: the tensor has no values")
    args, kwargs = _dispatch.arguments(op, values, out)
    return op(*args, **kwargs)


def flush(why: str) -> None:
    """Run the calls that were noted in this thread."""
    recorder = innermost()
    if recorder is not None:
        recorder.flush(why)


def grad_read(t: Tensor) -> None:
    """A function reads a gradient: a backward may add to it before that of the calls that take it."""
    recorder = innermost()
    if recorder is not None:
        recorder.grads.append(weakref.ref(t))


upcalls.settle, upcalls.flush, upcalls.grad_read = settle, flush, grad_read
marks.paused.append(paused)
_dispatch.handlers.insert(0, (PENDING, _settled))

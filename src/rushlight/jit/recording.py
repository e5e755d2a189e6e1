"""Recording: the calls of a compiled function are noted and run together, where Python asks for a value or at its end.

A call on plain tensors gives pending tensors: metadata, found by the same call on meta tensors, and no memory yet. What
asks for memory or history of one (the core's `settle`) runs all that was noted, as a segment (`segments.py`), and so
does each call that cannot wait: one that writes, may fail by values, or meets what is no plain tensor. It runs at once
then, after the segment, as it would without a recorder. docs/design/compile.md tells more.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from rushlight.compiler import marks
from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core import record as _record
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param, is_special_number
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.trace import NUMBERS, is_real
from rushlight.operators.table.tracer import default_dtype, set_default

_KEYS = _core.get_keys_flag_mask()
PENDING, _TRANSFORMED = _KEYS["PENDING"], _KEYS["TRANSFORM"] | _KEYS["TRACE"]
_MOST_NUMBERS = 16  # of a segment that are given when it runs; the rest are parts of its key
_WRITES = frozenset(("__setitem__",))  # compositions that write, beside those whose names say it
_INTS = (Kind.P_INT, Kind.P_INTS, Kind.P_SIZES)
# Modules of operators that may refuse a matrix for its values.
_BY_VALUES = tuple(
    f"rushlight.operators.linalg.{name}" for name in ("factors", "iterative", "norms", "solvers", "spectra")
)


_WHY: dict[Operator, str] = {}


def _why_not(op: Operator) -> str:
    """Why calls of an operator are not noted; "" where they are."""
    where = op.definition.body.__module__
    if where.startswith(_BY_VALUES):
        return f"{op.name}() may refuse a matrix for its values"
    if where.startswith("rushlight.operators.random"):
        return f"{op.name}() makes random numbers"
    if where.startswith("rushlight.jit"):
        return f"{op.name}() is a function that jit() traced"
    return f"{op.name}() is of a transform" if op.definition.shape_class == "internal" else ""


class At(NamedTuple):
    """In a recorded call: the value number k of the segment; int k, or number k, of those that it is given."""

    kind: str  # "value", "int" or "number"
    k: int


class Call(NamedTuple):
    """A recorded call: its operator, its arguments with `At` in the place of what is given, and its results' numbers
    (None for a result that is no tensor; a single result is no tuple).
    """

    op: Operator
    values: tuple[Any, ...]
    results: Any


class Break(NamedTuple):
    """Why a segment ended, and in which line of the program."""

    reason: str
    where: str


class State(NamedTuple):
    """What the calls of a segment have in common."""

    grad: bool
    inference: bool
    dtype: dt.dtype


def _anomaly() -> bool:
    """Whether errors of the backward are to name the forward's call."""
    found = sys.modules.get("rushlight.autograd.anomaly_mode")
    return found is not None and found.is_anomaly_enabled()


def _state() -> State:
    return State(_core.is_grad_enabled(), _core.is_inference_mode_enabled(), default_dtype())


class Recorder(_dispatch.CallMode):
    """The mode in which a compiled function runs.

    Args:
        run: runs a segment: calls `give` for each of its values that somebody holds.
        whole: the error to raise where Python needs a value (`fullgraph=True`).
    """

    sees_functions = sees_traces = False
    notes_calls = True

    def __init__(self, run: Any, whole: type[Exception] | None = None) -> None:
        self.run, self.whole = run, whole
        self.lock = threading.RLock()
        self.breaks: list[Break] = []
        self.depth = 0  # of compositions whose calls are noted
        self._clear()

    def _clear(self) -> None:
        self.calls: list[Call] = []
        self.state: State | None = None
        self.slots: dict[int, int] = {}  # id of a tensor -> its number
        self.operands: list[tuple[int, Tensor, int]] = []  # number, tensor, its version
        self.pending: list[tuple[int, Tensor]] = []  # number, result
        self.shadows: dict[int, Tensor] = {}  # number -> meta tensor
        self.views: dict[int, tuple[int, int]] = {}  # number of a view -> the number of what it is of, and of the call
        self.ints: list[int] = []
        self.numbers: list[Any] = []
        self.kinds: list[Kind] = []
        self.count = 0

    # ------------------------------------------------------------------------------------------------------- the calls
    def record(self, op: Operator, values: list[Any], out: Any, keys: int, called: Any, written: Any) -> Any:
        """A call, with this mode in force as the innermost; see `special` in operators/table/dispatch.py."""
        plain = True
        tensors = 0
        ints = False
        for v in values:
            if isinstance(v, Tensor):
                tensors += 1
                plain = plain and not v._keys_ & ~PENDING and v.layout is dt.strided
                ints = ints or v.dtype.kind in "iu"
            elif type(v) in (list, tuple):
                for x in v:
                    if isinstance(x, Tensor):
                        tensors += 1
                        plain = plain and not x._keys_ & ~PENDING
                        ints = ints or x.dtype.kind in "iu"
        if not plain or keys & _TRANSFORMED:
            return self.foreign(op, values, out, keys, called, written)
        if _anomaly() or _record.SAVED_HOOKS:
            return self.apart(op, values, out, f"{op.name}() is called below hooks for saved tensors")
        if op.eager is not None:
            return self.composed(op, values, out)
        if out is not None or op.inplace:
            return self.writing(op, values, out)
        why = _WHY.get(op)
        if why is None:
            why = _WHY[op] = _why_not(op)
        if not tensors or why:
            return self.apart(op, values, out, why)
        if _dispatch.casts:
            for cast in _dispatch.casts:
                values = cast(op, values)
        if ints and not op.is_view:
            return self.apart(op, values, out, f"{op.name}() of integers may refuse their values")
        with self.lock:
            return self.noted(op, values)

    def foreign(self, op: Operator, values: list[Any], out: Any, keys: int, called: Any, written: Any) -> Any:
        """A call on what is no plain tensor, without this mode."""
        if any(t._keys_ & PENDING for t in _dispatch.tensors_in([*values, out])):
            self.flush(f"{op.name}() takes what is no plain tensor beside one that waits")
        _dispatch.leave_mode(self)
        try:
            return _dispatch.special(op, values, out, keys & ~PENDING, called, written)
        finally:
            _dispatch.enter_mode(self)

    def apart(self, op: Operator, values: list[Any], out: Any, why: str) -> Any:
        """A call that runs now, without this mode. What was noted runs before, where the call needs it."""
        tensors = _dispatch.tensors_in([*values, out])
        if any(t._keys_ & PENDING for t in tensors):
            self.flush(why or f"{op.name}() takes memory")
        elif self.calls and self._reads_what_is_recorded(tensors):
            self.flush(why or f"{op.name}() takes a place in the graph")
        args, kwargs = _dispatch.arguments(op, values, out)
        _dispatch.leave_mode(self)
        try:
            return op(*args, **kwargs)
        finally:
            _dispatch.enter_mode(self)

    def _reads_what_is_recorded(self, tensors: Sequence[Tensor]) -> bool:
        """Whether a call on these would stand in the graph before what was noted earlier, and reads the same."""
        return _core.is_grad_enabled() and any(t.requires_grad and id(t) in self.slots for t in tensors)

    def writing(self, op: Operator, values: list[Any], out: Any) -> Any:
        """A call that writes: now; after what was noted, where that reads the memory, or is what is written."""
        dests = _dispatch.tensors_in([out] if out is not None else values[:1])
        if self.calls and (
            any(t._keys_ & PENDING for t in _dispatch.tensors_in([*values, out]))
            or any(_raw.same_memory(d, t) for d in dests for _, t, _ in self.operands)
            or any(_raw.is_shared_outside(d) for d in dests)
            or self._reads_what_is_recorded(_dispatch.tensors_in(values))
        ):
            self.flush(f"{op.name}() writes to memory")
        return self.apart(op, values, out, f"{op.name}() writes to memory")

    def composed(self, op: Operator, values: list[Any], out: Any) -> Any:
        """A composition: Python makes its calls, which are noted."""
        if out is not None or (op.name.endswith("_") and not op.name.endswith("__")) or op.name in _WRITES:
            return self.writing(op, values, out)
        assert op.eager is not None
        try:
            return op.eager(*values)
        except Exception as error:
            better = upcalls.eager_error(op, values, error, None)
            if better is error:
                raise
            if isinstance(better, tuple):
                return better[0]
            raise better from error

    def noted(self, op: Operator, values: list[Any]) -> Any:
        """Note a call, and give its pending results."""
        state = _state()
        if state != self.state:
            if self.calls:
                self.flush("the grad mode, or the default dtype, changed")
            self.state = state
        for t in _dispatch.tensors_in(values):
            if not t._keys_ & PENDING:
                if _raw.is_shared_outside(t):
                    return self.apart(op, values, None, f"{op.name}() reads memory that others may write to")
                if op.is_view and t is values[0]:
                    return self.apart(op, values, None, f"{op.name}() of a tensor in memory")
        mark = len(self.operands), self.count, len(self.ints), len(self.numbers)
        template: list[Any] = []
        shadows: list[Any] = []
        for p, v in zip(op.params, values, strict=True):
            given, shown = self._given(p, v, state.grad)
            template.append(given)
            shadows.append(shown)
        args, kwargs = _dispatch.arguments(op, shadows)
        _dispatch.leave_mode(self)
        try:
            found = op(*args, **kwargs)
        except Exception:  # whatever it is, the call itself says it, or gives a result
            found = None
        finally:
            _dispatch.enter_mode(self)
        several = isinstance(found, (tuple, list))
        results = list(found) if several else [found]
        if any(type(y) is not Tensor or not y.is_meta or any(y is x for x in shadows) for y in results):
            self._forget(mark)
            return self.apart(op, values, None, f"{op.name}() gives what cannot wait")
        made, numbers = [], []
        for y in results:
            t = _raw.pending(y)
            self.slots[id(t)] = self.count
            self.pending.append((self.count, t))
            self.shadows[self.count] = _raw.shadow(y)
            if op.is_view:
                base = template[0].k
                self.views[self.count] = (base, len(self.calls))
            numbers.append(self.count)
            made.append(t)
            self.count += 1
        self.calls.append(Call(op, tuple(template), tuple(numbers) if several else numbers[0]))
        if not several:
            return made[0]
        kind = type(found)
        return kind(made) if kind in (tuple, list) else kind(*made)

    def _forget(self, mark: tuple[int, int, int, int]) -> None:
        """Take back the operands of a call that is not noted."""
        n, self.count, ints, numbers = mark
        for k, t, _ in self.operands[n:]:
            self.slots.pop(id(t), None)
            self.shadows.pop(k, None)
        del self.operands[n:], self.ints[ints:], self.numbers[numbers:], self.kinds[numbers:]

    def _given(self, p: Param, v: Any, grad: bool) -> tuple[Any, Any]:
        """An argument as a recorded call has it, and as the call on meta tensors gets it."""
        if isinstance(v, Tensor):
            k = self._slot(v, grad)
            return At("value", k), self.shadows[k]
        if p.kind == Kind.P_TENSORS and isinstance(v, (tuple, list)):
            pairs = [(None, None) if x is None else self._given_tensor(x, grad) for x in v]
            return tuple(a for a, _ in pairs), [b for _, b in pairs]
        if v is None or (p.fixed and v is p.default) or is_special_number(p, v):
            return v, v
        if p.kind in _INTS:
            return self._ints(v), v
        if (p.kind in NUMBERS and type(v) in (int, float) and not (p.by_sign and type(v) is int)) or (
            p.kind == Kind.P_REAL and is_real(v)
        ):
            if len(self.numbers) < _MOST_NUMBERS:
                self.numbers.append(v)
                self.kinds.append(Kind.P_REAL if p.kind == Kind.P_REAL else Kind.P_SCALAR)
                return At("number", len(self.numbers) - 1), v
        # The list is the caller's, who may change it before the call is made.
        return (tuple(v), tuple(v)) if isinstance(v, list) else (v, v)

    def _given_tensor(self, x: Tensor, grad: bool) -> tuple[At, Tensor]:
        k = self._slot(x, grad)
        return At("value", k), self.shadows[k]

    def _ints(self, v: Any) -> Any:
        if type(v) is int:
            self.ints.append(v)
            return At("int", len(self.ints) - 1)
        if isinstance(v, (tuple, list)):
            return tuple([self._ints(x) if type(x) is int else x for x in v])
        return v

    def _slot(self, t: Tensor, grad: bool) -> int:
        """The number of a tensor. One that gets a gradient is an operand of its own each time that it is used: the
        graph sums what flows back to it then, in the order in which it does for single calls.
        """
        found = self.slots.get(id(t))
        if found is not None and (t._keys_ & PENDING or not (grad and t.requires_grad)):
            return found
        k = self.slots[id(t)] = self.count
        self.count += 1
        self.operands.append((k, t, _raw.version(t)))
        self.shadows[k] = _raw.shadow(t)
        return k

    # -------------------------------------------------------------------------------------------------------- the runs
    def flush(self, why: str) -> None:
        """Run what was noted; its tensors that somebody holds get their values. why: "" at the function's end."""
        with self.lock:
            if self.calls:
                if why:
                    self.breaks.append(Break(why, _line()[0]))
                held = [k for k, t in self.pending if sys.getrefcount(t) > _OURS]
                if held:
                    self._run(held)
            self._clear()

    def asked(self) -> None:
        """The memory or history of a pending tensor is asked for."""
        line, function = _line()
        if self.whole is not None and function in _OF_VALUES:
            raise self.whole(
                f"torch.compile(fullgraph=True): Python needs the values of a tensor, in {line}; leave this out of the "
                "function, write a choice between tensors as torch.where(condition, a, b), or compile the function "
                "without fullgraph"
            )
        self.flush(f"{function or 'Python'}() needs memory or the graph")

    def _run(self, held: list[int]) -> None:
        assert self.state is not None
        modes = _core.add_modes(0)
        _core.add_modes(-modes)
        old = _core.set_no_subclass(0)
        try:
            with _in_state(self.state):
                self.run(self, held)
        finally:
            _core.set_no_subclass(old)
            _core.add_modes(modes)

    def give(self, k: int, t: Tensor) -> Tensor:
        """The pending tensor of a number, with what `t` has, a tensor that nobody else holds."""
        waiting = self.value(k)
        if waiting._keys_ & PENDING:
            _raw.fulfil(waiting, t)
        return waiting

    def value(self, k: int) -> Tensor:
        """The result of a number."""
        return next(t for n, t in self.pending if n == k)

    def holds(self, t: Tensor) -> bool:
        """Whether a pending tensor is one of this recorder's."""
        return id(t) in self.slots


# References to a pending tensor that only its recorder holds: the pair in the list, the variable, the question's.
_OURS = 3


@contextmanager
def _in_state(state: State) -> Iterator[None]:
    from rushlight.autograd.grad_mode import inference_mode

    now = _state()
    if now == state:
        yield
        return
    with inference_mode(state.inference) if now.inference != state.inference else nullcontext():
        old = _core.set_grad_enabled_raw(state.grad)
        set_default(state.dtype)
        try:
            yield
        finally:
            set_default(now.dtype)
            _core.set_grad_enabled_raw(old)


# What a program calls, or reads, when it needs values; "" is a method of the core's, such as data_ptr().
_OF_VALUES = frozenset(("", "local_scalar_dense", "tensor_repr", "repr_of", "numpy", "tolist", "nonzero"))


_BETWEEN = frozenset((__name__, _dispatch.__name__))


def _line() -> tuple[str, str]:
    """The line of the program that is being run, the innermost outside of the package; and the function of the package
    that it calls, "" where it is one of the core's.
    """
    frame: Any = sys._getframe(2)
    name = ""
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith("rushlight."):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}", name
        if frame.f_globals["__name__"] not in _BETWEEN:
            name = frame.f_code.co_name
        frame = frame.f_back
    return "?", name


# ------------------------------------------------------------------------------------------------ in force, and settled
_recorders: list[Recorder] = []  # those that have pending tensors or may get some, in all threads


def settle(t: Tensor) -> None:
    """Run what a pending tensor waits for."""
    for r in list(_recorders):
        if r.holds(t):
            with r.lock:
                if t._keys_ & PENDING:
                    r.asked()
            return


def innermost() -> Recorder | None:
    """The recorder in force in this thread, None where there is none."""
    for mode in reversed(_dispatch.modes.stack):
        if getattr(mode, "notes_calls", False):
            return mode  # type: ignore[no-any-return]
    return None


@contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Note the calls of the block, and run what is left of them at its end."""
    _recorders.append(recorder)
    _dispatch.enter_mode(recorder)
    try:
        yield
    except BaseException as error:
        _dispatch.leave_mode(recorder)
        recorder.whole = None
        _ended(recorder, error)
        raise
    else:
        _dispatch.leave_mode(recorder)
        _ended(recorder, None)


def _ended(recorder: Recorder, error: BaseException | None) -> None:
    try:
        recorder.flush("")
    except Exception as other:
        if error is None:
            raise
        error.add_note(f"what was recorded before it could not be run: {other}")
    finally:
        if not recorder.calls:
            _recorders.remove(recorder)


@contextmanager
def paused(why: str) -> Iterator[None]:
    """Run what was noted in this thread, and note nothing in the block."""
    found = [m for m in _dispatch.modes.stack if getattr(m, "notes_calls", False)]
    if not found:
        yield
        return
    for m in found:
        m.flush(why)
    stack = list(_dispatch.modes.stack)
    for m in found:
        _dispatch.leave_mode(m)
    try:
        yield
    finally:
        _core.add_modes(len(found))
        _dispatch.modes.stack[:] = stack


def _settled(op: Operator, values: list[Any], out: Any) -> Any:
    """A call on pending tensors where nothing is recorded: when they have their values."""
    for t in _dispatch.tensors_in([*values, out]):
        if t._keys_ & PENDING:
            settle(t)
            if t._keys_ & PENDING:
                raise RuntimeError(f"{op.name}(): a recorded call has not run: the tensor has no values")
    args, kwargs = _dispatch.arguments(op, values, out)
    return op(*args, **kwargs)


def exposed() -> None:
    """Others are about to see memory, and may write to it: what reads it and waits runs before."""
    recorder = innermost()
    if recorder is not None:
        recorder.flush("memory is shown to others")


upcalls.settle, upcalls.exposed = settle, exposed
marks.paused.append(paused)
_dispatch.handlers.insert(0, (PENDING, _settled))

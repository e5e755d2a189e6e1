"""The recorder of a traced function: it runs the function's calls on tracers, and keeps book of the memory that tensors
share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from rushlight import prims
from rushlight.autograd import no_grad
from rushlight.core import dtypes as dt
from rushlight.core import locks
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.jit.draws import Draw, places_of
from rushlight.jit.operands import marked
from rushlight.operators.indexing.getitem import assign
from rushlight.operators.random.generators import Generator, default_generator
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.define import METHODS
from rushlight.operators.table.tracer import RealNumber, Tracer, pinned, tracer, watched
from rushlight.program.ir import Var, aside
from rushlight.program.sym import Sym, hint, hints, prod

_TRANSFORM = _core.get_keys_flag_mask()["TRANSFORM"]


class _Memory:
    """The memory that tensors of a trace share: the values that were written to one of them, in order, each with the
    views that lead to its place.

    Whether a call copies may depend on strides, which a trace does not know (`contiguous`, `reshape`), and some views
    change what an element is (`real`). Their results have a memory of their own that may be this one (`perhaps`): after
    a write to one of these, the values of the others are not known, and using them is an error.
    """

    def __init__(self, root: Tracer) -> None:
        self.root = root
        self.written: list[tuple[tuple[_View, ...], Var, bool]] = []  # (the views, the value, whether it is recorded)
        self.recorded = False  # whether a write was made while gradients are recorded
        self.perhaps: set[_Memory] = set()
        self.unknown_since = ""  # the operator of a write to a memory that may be this one

    def link(self, other: _Memory) -> None:
        """From now on this may be the same memory as another one, and as all those that the other may be."""
        for m in {other, *other.perhaps}:
            self.perhaps.add(m)
            m.perhaps.add(self)

    def write(self, views: tuple[_View, ...], value: Var, name: str) -> None:
        """Note a write, by the operator of that name."""
        self.written.append((views, value, recording()))
        self.recorded |= recording()
        for m in self.perhaps:
            m.unknown_since = name

    def check(self) -> None:
        """RuntimeError where the values are not known."""
        if self.unknown_since:
            raise RuntimeError(
                f"jit: {self.unknown_since}(): the tensor may share memory with another one that is used after it, "
                "which depends on strides; write to a clone() of it"
            )


_View = tuple[Operator, list[Any], int | None]  # the operator, its arguments behind the tensor, which of its results
_SAME_MEMORY = frozenset(("stop_gradient",))  # operators that are no views in a program, but share memory
_PERHAPS = frozenset(("contiguous", "flatten", "ravel", "reshape", "reshape_as"))  # a view or a copy
# Compositions that give views with elements of another kind than the tensor's, which no view of a program has.
_OTHER_ELEMENTS = frozenset(("imag", "real", "view", "view_as_complex", "view_as_real"))
_BY_STRIDES = frozenset(("as_strided", "as_strided_copy", "as_strided_scatter"))
_REPEATING = frozenset(("broadcast_to", "expand", "unfold"))  # views with several elements in one place


class _Place:
    """Where a tensor of a trace lies: the memory, the views that lead there, and how many writes its value knows of."""

    def __init__(self, memory: _Memory, views: tuple[_View, ...], silent: bool = False) -> None:
        self.memory, self.views, self.known = memory, views, len(memory.written)
        self.silent = silent  # a view that was made while gradients are not recorded


class Recorder(_dispatch.CallMode):
    """Runs the calls of a function on tracers, as a mode of its thread.

    Args:
        given: pairs of a tensor and the tracer that stands for it.
        missing: gets the tensors that a call takes and that were not given.
        constants: tracers of tensors that the function makes itself, by their contents.
        operands: all operands of the program; the last `drawn` of them are random numbers.
    """

    sees_functions = False  # it sees the operators that they call,
    sees_traces = True  # on tracers too
    notes_parts = True

    def __init__(
        self,
        given: Sequence[tuple[Tensor, Tracer]],
        missing: list[Tensor],
        constants: dict[Any, Tracer],
        operands: Sequence[Tracer] = (),
        drawn: int = 0,
    ) -> None:
        self.tracers = {id(t): x for t, x in given}
        self.missing, self.constants, self.kept = missing, constants, [t for t, _ in given]
        self.operands, self.random = operands, list(operands[len(operands) - drawn :])
        self.draws: list[Draw] = []
        # For each tensor one without memory and with the same strides, where the given operands lie row by row.
        self.lying: dict[int, Tensor] = {id(x): _meta(x) for x in operands} if drawn else {}
        self.places: dict[int, _Place] = {}
        self.first = {id(x): x.var for _, x in given}
        self.fresh: set[int] = set()  # tracers in memory that is nobody else's
        self.operand: Tracer | None = None  # the operand of a primitive that is emitted without a call
        self.records = recording()
        self.before: list[Any] = []
        self.depth = 0
        self.calls = 0

    # ------------------------------------------------------------------------------------------------------- the calls
    def of_operator(self, op: Operator, values: list[Any], out: Any) -> Any:
        """A call: on tracers in the place of tensors."""
        _refuse_generators(op, values)
        if out is not None:
            raise RuntimeError(f"jit: {op.name}(out=...): a traced function writes in place, or returns; not to out=")
        tensors = _dispatch.tensors_in(values)
        if tensors and all(isinstance(t, RealNumber) for t in tensors):  # its dtype would not be theirs
            values, tensors = [_pinned(v) for v in values], []
        with self:
            if any(t._keys_ & _TRANSFORM for t in tensors):
                return self.transformed(op, values)
            if not tensors and not _has_sizes(values):
                return self.made(op, values)
            if op.name in _BY_STRIDES:
                raise RuntimeError(f"jit: {op.name}(): its result depends on strides, which a trace does not know")
            values = [self.lifted(v) for v in values]
            for cast in _dispatch.casts:
                values = cast(op, values)
            if op.name == "__setitem__":
                return assign(*values)
            outermost = op.eager is None and self.depth == 0
            if op.inplace or not outermost:
                own = values
            else:
                self.calls += 1
                own = marked(values, self.calls, op.is_view)
            before = values[0].var if op.inplace and op.eager is None else None
            self.depth += op.eager is None
            try:
                with watched(None if self.depth else self):
                    result = _dispatch.inline(op, own, None)
            finally:
                self.depth -= op.eager is None
        if self.depth:
            return result
        if op.eager is not None:
            result = self.composed(op, values, result)
            if op.name in _PERHAPS:
                self.lie(op, values, result)
            return result
        if before is not None:
            self.write(op.name, values[0])
            if self.records and not recording():
                values[0].var = _silently(before, values[0].var)
            return result
        if not op.is_view:
            result = _apart(result, _dispatch.tensors_in(own))
        self.lie(op, values, result)
        return self.placed(op, values, result)

    def lie(self, op: Operator, values: list[Any], result: Any) -> None:
        """Note the strides of results."""
        if not self.lying:
            return
        args, kwargs = _dispatch.arguments(op, [self.without_memory(v) for v in values])
        try:
            with no_grad(), aside():
                found = op(*args, **kwargs)
        except RuntimeError:
            if op.name == "view":
                return  # in a reshape, which copies what lies so
            raise
        for y, like in zip(_dispatch.leaves_of([result]), _dispatch.leaves_of([found]), strict=True):
            if isinstance(y, Tracer) and isinstance(like, Tensor):
                self.lying[id(y)] = like
                self.kept.append(y)

    def without_memory(self, v: Any) -> Any:
        """An argument with numbers in the place of the trace's, and tensors without memory in that of its tensors."""
        if isinstance(v, (list, tuple)):
            return type(v)(map(self.without_memory, v)) if not hasattr(v, "_fields") else v
        if isinstance(v, RealNumber):
            return v.value
        if isinstance(v, Tracer):
            return self.lies(v)
        return hint(v) if isinstance(v, Sym) else v

    def lies(self, x: Tensor) -> Tensor:
        """A tensor without memory that has the strides of `x`: row by row, where nothing else is known."""
        return self.lying[id(x)] if id(x) in self.lying else _meta(x)

    def __enter__(self) -> Self:
        self.before.append(Var.called)
        Var.called = self.variance
        return super().__enter__()

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        Var.called = self.before.pop()

    def variance(self, var: Var, *args: Any, **kwargs: Any) -> Tensor:
        """`x.var(...)`, of a tensor of the trace with this value."""
        among = [*self.operands, *self.kept, *self.tracers.values()]
        found = list({id(x): x for x in among if isinstance(x, Tracer) and x.var is var}.values())
        places = [place for x in found if (place := self.places.get(id(x))) is not None]
        if len(found) > 1 and any(place.known < len(place.memory.written) for place in places):
            raise RuntimeError(
                "jit: x.var(): the tensor, or another one of the same value, has been written to through a view; write "
                "torch.var(x)"
            )
        return METHODS["var"](found[0] if found else tracer(var), *args, **kwargs)

    def used(self, x: Tracer) -> None:
        """The operand of a primitive that is emitted without a call."""
        self.refresh(x)
        self.operand = x

    def emitted(self, y: Tracer) -> Tracer:
        """The result of an emitted primitive, in memory of its own."""
        if self.records and not recording() and y.dtype.kind in "fc":
            y.var = prims.stop_gradient(y.var)
        self.fresh.add(id(y))
        self.kept.append(y)  # lest another has its id
        like = self.lying.get(id(self.operand))
        if like is not None and id(y) not in self.lying and hints(like.shape) == hints(y.shape):
            self.lying[id(y)] = like
        return y

    def transformed(self, op: Operator, values: list[Any]) -> Any:
        """A call on wrapped tensors: their transform does it, and its calls come here in their turn."""
        for mask, handler in _dispatch.handlers:
            if mask & _TRANSFORM:
                result = handler(op, values, None)
                if result is not NotImplemented:
                    return result
        raise RuntimeError(f"jit: {op.name}(): no transform takes the call")

    def made(self, op: Operator, values: list[Any]) -> Any:
        """A call without operands: a tensor of constants, which is a value of the program from now on."""
        args, kwargs = _dispatch.arguments(op, values)
        before = default_generator.snapshot()
        with locks.left(self), no_grad():
            result = op(*args, **kwargs)
        if not isinstance(result, Tensor) or isinstance(result, Tracer):
            return result
        if default_generator.snapshot() == before:
            return self.lifted(result)
        default_generator.restore(before)
        said = op.name, tuple(map(repr, args)), tuple([(k, repr(v)) for k, v in kwargs.items()])
        return self.drawn(lambda _: op(*args, **kwargs), said, tuple(result.shape), result.dtype)

    def drawn(
        self, make: Callable[[tuple[int, ...]], Tensor], said: Any, size: tuple[Any, ...], dtype: dt.dtype
    ) -> Tracer:
        """The tracer that stands for random numbers: an operand, if they are among the operands."""
        k = len(self.draws)
        self.draws.append(Draw(make, said, size, places_of(size, self.operands)))
        given = self.random[k] if k < len(self.random) else None
        fits = given is not None and given.dtype is dtype and hints(given.shape) == hints(size)
        x = given if fits and given is not None else tracer(Var(size, dtype, "tensor"))
        self.fresh.add(id(x))
        self.kept.append(x)
        return x

    def lifted(self, value: Any) -> Any:
        """A value with tracers in the place of tensors, each with what was written to its memory."""
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.lifted, value)) if not hasattr(value, "_fields") else value
        if not isinstance(value, Tensor):
            return value
        if isinstance(value, Tracer):
            self.refresh(value)
            return value
        found = self.tracers.get(id(value))
        if found is None:
            if not _raw.initialised(value):
                raise RuntimeError(
                    "jit: a traced function takes no derivatives inside; take func.grad and the like of what jit gives"
                )
            if value.is_meta or value.layout.name != "strided":
                raise RuntimeError(
                    "jit: a tensor that a traced function refers to must be strided memory of the CPU; found layout "
                    f"{value.layout}, device {value.device}"
                )
            constant = self.constants.get(contents_of(value)) if self.constants else None
            if constant is not None:
                found = tracer(constant.var)
            else:  # a value for the rest of this trace, which is made again with the tensor among the operands
                found = tracer(Var([int(n) for n in value.shape], value.dtype, "tensor"))
                self.missing.append(value)
            self.tracers[id(value)] = found
            self.first[id(found)] = found.var
            self.kept.append(value)
        self.refresh(found)
        return found

    # ------------------------------------------------------------------------------------------------ shared memory
    def placed(self, op: Operator, values: list[Any], result: Any) -> Any:
        """Note where the results of a call of a program lie."""
        for k, y in enumerate(result if isinstance(result, (tuple, list)) else (result,)):
            if not isinstance(y, Tracer) or y.number or y is values[0]:
                continue
            self.emitted(y)
            if op.is_view or op.name in _SAME_MEMORY:
                at = self.place(values[0])
                view = (op, list(values[1:]), None if y is result else k)
                self.places[id(y)] = _Place(at.memory, (*at.views, view), self.records and not recording())
        return result

    def write(self, name: str, dest: Tracer) -> None:
        """Note that a tensor has a new value."""
        place = self.place(dest)
        repeating = next((view.name for view, _, _ in place.views if view.name in _REPEATING), None)
        if repeating is not None:
            raise RuntimeError(
                f"jit: {name}(): the tensor is a view by {repeating}(), whose elements may share a place; write to a "
                "clone() of it"
            )
        place.memory.write(place.views, dest.var, name)
        place.known = len(place.memory.written)

    def composed(self, op: Operator, values: list[Any], result: Any) -> Any:
        """Note where the results of a composition lie, where the calls in it have left that open."""
        operands = [x for x in _dispatch.tensors_in(values) if isinstance(x, Tracer) and not x.number]
        several = isinstance(result, (tuple, list))
        made = []
        for y in result if several else (result,):
            if isinstance(y, Tracer) and not y.number:
                if op.name in _PERHAPS and operands:
                    y = tracer(y.var)
                    self.perhaps(y, operands[:1])
                elif id(y) not in self.places and not any(y is x for x in operands):
                    if op.name in _OTHER_ELEMENTS or id(y) not in self.fresh:
                        self.perhaps(y, operands)
            made.append(y)
        if not several:
            return made[0]
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)

    def perhaps(self, y: Tracer, operands: Sequence[Tracer]) -> None:
        """A result in memory that may be its operands'."""
        memory = self.place(y).memory
        for x in operands:
            memory.link(self.place(x).memory)

    def place(self, x: Tracer) -> _Place:
        """Where a tensor lies: in memory of its own where nothing else is known."""
        found = self.places.get(id(x))
        if found is None:
            found = self.places[id(x)] = _Place(_Memory(x), ())
            self.kept.append(x)  # lest another has its id
        return found

    def refresh(self, x: Tracer) -> None:
        """Give a tensor the values that were written to its memory through others."""
        place = self.places.get(id(x))
        if place is None:
            return
        memory = place.memory
        memory.check()
        if place.known == len(memory.written):
            return
        if x is memory.root:
            for views, value, recorded in memory.written[place.known :]:
                new = _written(x.var, views, value)
                x.var = new if recorded or not self.records else _silently(x.var, new)
        else:
            self.place(memory.root)
            self.refresh(memory.root)
            x.var = _seen(memory.root.var, place.views)
            if place.silent and x.dtype.kind in "fc":
                x.var = prims.stop_gradient(x.var)
        place.known = len(memory.written)

    def changed(self, x: Tracer) -> bool:
        """Whether a given tensor was written to, through whichever view. RuntimeError where that is not known."""
        self.refresh(x)
        return x.var is not self.first[id(x)]


def _meta(x: Tensor) -> Tensor:
    """A tensor without memory, of the sizes that the trace has by way of example."""
    return _raw.empty_meta(x.dtype, tuple(hints(x.shape)))


def recording() -> bool:
    """Whether gradients are recorded in this thread."""
    return _core.is_grad_enabled() and not _core.is_inference_mode_enabled()


def _silently(before: Var, after: Var) -> Var:
    """A value that was written while gradients are not recorded: for the graph it is the value from before the
    write."""

    def rule(inputs: Any, outputs: Any, tangents: Any) -> tuple[Var | None]:
        return (tangents[0],)

    found: Any = prims.custom_call(before, after, body=lambda x, y: y, jvp=rule, name="written")
    return found[0]  # type: ignore[no-any-return]


def contents_of(x: Tensor) -> tuple[dt.dtype, tuple[int, ...], tuple[int, ...], int, bytes]:
    """A key for a constant: its bits, and how they lie."""
    return x.dtype, tuple(x.shape), x.stride(), x.storage_offset(), bytes(memoryview(x.untyped_storage()))


def _refuse_generators(op: Operator, values: list[Any]) -> None:
    if any(isinstance(v, Generator) for v in values):
        raise RuntimeError(
            f"jit: {op.name}(): a traced function draws random numbers of the default generator alone; draw others "
            "outside, and hand them in"
        )


def _pinned(v: Any) -> Any:
    """An argument in which numbers given at launch are replaced by their values in this call."""
    if isinstance(v, (list, tuple)):
        return type(v)(map(_pinned, v)) if not hasattr(v, "_fields") else v
    return pinned(v)


def _has_sizes(values: Sequence[Any]) -> bool:
    return any(isinstance(v, (Sym, RealNumber)) for v in _dispatch.leaves_of(values))


def _apart(result: Any, operands: Sequence[Tensor]) -> Any:
    """A result whose tensors are none of the operands: the same value of a program may be other memory."""
    if isinstance(result, Tracer):
        return tracer(result.var) if any(result is x for x in operands) else result
    if isinstance(result, (tuple, list)) and any(y is x for y in result for x in operands):
        made = [_apart(y, operands) for y in result]
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    return result


def _seen(root: Var, views: Sequence[_View]) -> Var:
    """The part of a value to which views lead."""
    x = tracer(root)
    for op, rest, which in views:
        found = _dispatch.inline(op, [x, *rest], None)
        x = found if which is None else found[which]
    return x.var


def _written(root: Var, views: Sequence[_View], value: Var) -> Var:
    """A value with another one in the part to which views lead."""
    if not views:
        return value
    count = prod(root.shape)
    places = _seen(prims.reshape(prims.iota(shape=(count,), dim=0, dtype=dt.int64), shape=root.shape), views)
    flat = prims.reshape(root, shape=(count,))
    many = prod(value.shape)
    at, new = prims.reshape(places, shape=(many,)), prims.reshape(value, shape=(many,))
    return prims.reshape(prims.scatter(flat, at, new, dims=(0,), mode="set"), shape=root.shape)

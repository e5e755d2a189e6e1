"""A function of tensors as one program: what `rushlight.jit(f)` gives.

The function runs once on tracers for each kind of call, and what it does becomes the body of an operator: so it is
fused, differentiated, batched, guarded on sizes and cached as every operator is. Tensors that it refers to and is not
given (parameters, buffers) are operands too, read anew at each call. Writes in place are values of the program; what
was there before gets them when the program has run.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rushlight import prims
from rushlight.amp.autocast_mode import in_force
from rushlight.autograd import enable_grad, no_grad
from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param
from rushlight.core.tensor import Tensor
from rushlight.core.watch import Watch
from rushlight.func.tree import Spec, flatten
from rushlight.jit.draws import Draw, alike, ones_in, places_of
from rushlight.jit.operands import marked
from rushlight.jit.references import Place, References
from rushlight.operators.indexing.getitem import assign
from rushlight.operators.random.generators import Generator, default_generator, noted
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.define import Definition
from rushlight.operators.table.tracer import RealNumber, Tracer, tracer, var_of, watched
from rushlight.program.ir import Builder, Var
from rushlight.program.sym import Sym, hint, hints, prod

_TRANSFORM = _core.get_keys_flag_mask()["TRANSFORM"]


class _More(BaseException):
    """The function refers to tensors that its operator was not given: it is to be called again, with them."""


class _Memory:
    """What tensors of a trace share: the values that were written to one of them, in order, with the views that lead
    to its place.

    Whether a call copies may depend on strides, which a trace does not know (`contiguous`, `reshape`), and some views
    change what an element is (`real`). Their results have a memory of their own that may be this one (`perhaps`): after
    a write to one of these, the others have no value that is known, and nobody may ask for it.
    """

    def __init__(self, root: Tracer) -> None:
        self.root = root
        self.written: list[tuple[tuple[_View, ...], Var, bool]] = []  # the last: whether it is recorded
        self.recorded = False  # whether a write was made while gradients are recorded
        self.perhaps: set[_Memory] = set()
        self.unknown_since = ""  # the write to what may be the same memory

    def link(self, other: _Memory) -> None:
        """From now on this may be the same memory as another one, and as what that one may be."""
        for m in {other, *other.perhaps}:
            self.perhaps.add(m)
            m.perhaps.add(self)

    def write(self, views: tuple[_View, ...], value: Var, name: str) -> None:
        """Note a write, by the operator of that name."""
        self.written.append((views, value, _recording()))
        self.recorded |= _recording()
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
_SAME_MEMORY = frozenset(("stop_gradient",))  # operators that are no views in a program, and are in memory
_PERHAPS = frozenset(("contiguous", "flatten", "ravel", "reshape", "reshape_as"))  # a view or a copy
# Compositions that give views whose elements are others than the tensor's, which no view of a program is.
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
        missing: gets the tensors that are met and were not given.
        constants: tracers of tensors that the function makes itself, by what is in them.
        operands: all that the program is given; the last `drawn` of them are random numbers.
    """

    sees_functions = False  # it sees the operators that they call,
    sees_traces = True  # on tracers too

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
        # Of each tensor one without memory that lies alike, where what is given lies row by row.
        self.lying: dict[int, Tensor] = {id(x): _meta(x) for x in operands} if drawn else {}
        self.places: dict[int, _Place] = {}
        self.first = {id(x): x.var for _, x in given}
        self.fresh: set[int] = set()  # tracers in memory that is nobody else's
        self.operand: Tracer | None = None  # of what is emitted without a call
        self.records = _recording()
        self.depth = 0
        self.calls = 0

    # ------------------------------------------------------------------------------------------------------- the calls
    def of_operator(self, op: Operator, values: list[Any], out: Any) -> Any:
        """A call: on tracers in the place of tensors."""
        _refuse_generators(op, values)
        if out is not None:
            raise RuntimeError(f"jit: {op.name}(out=...): a traced function writes in place, or returns; not to out=")
        tensors = _dispatch.tensors_in(values)
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
            if self.records and not _recording():
                values[0].var = _silently(before, values[0].var)
            return result
        if not op.is_view:
            result = _apart(result, _dispatch.tensors_in(own))
        self.lie(op, values, result)
        return self.placed(op, values, result)

    def lie(self, op: Operator, values: list[Any], result: Any) -> None:
        """Note how results lie."""
        if not self.lying:
            return
        args, kwargs = _dispatch.arguments(op, [self.without_memory(v) for v in values])
        try:
            with no_grad(), Builder.aside():
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
        """A tensor without memory that lies as `x` does: row by row, where nothing else is known."""
        return self.lying[id(x)] if id(x) in self.lying else _meta(x)

    def used(self, x: Tracer) -> None:
        """An operand of what is emitted without a call."""
        self.refresh(x)
        self.operand = x

    def emitted(self, y: Tracer) -> Tracer:
        """The result of what is emitted, in memory of its own."""
        if self.records and not _recording() and y.dtype.kind in "fc":
            y.var = prims.stop_gradient(y.var)
        self.fresh.add(id(y))
        self.kept.append(y)  # lest another has its id
        like = self.lying.get(id(self.operand))
        if like is not None and id(y) not in self.lying and hints(like.shape) == hints(y.shape):
            self.lying[id(y)] = like
        return y

    def transformed(self, op: Operator, values: list[Any]) -> Any:
        """A call on wrapped tensors: their transform's, whose calls come here in their turn."""
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
        _dispatch.leave_mode(self)
        try:
            with no_grad():
                result = op(*args, **kwargs)
        finally:
            _dispatch.enter_mode(self)
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
        """What stands for random numbers: an operand, where it is among them."""
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
            constant = self.constants.get(_contents(value)) if self.constants else None
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
                self.places[id(y)] = _Place(at.memory, (*at.views, view), self.records and not _recording())
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
        """Note where the results of a composition lie, which the calls in it have not said for certain."""
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


def _recording() -> bool:
    """Whether gradients are recorded in this thread."""
    return _core.is_grad_enabled() and not _core.is_inference_mode_enabled()


def _silently(before: Var, after: Var) -> Var:
    """The value that was written while gradients are not recorded: to the graph it is what stood there before."""

    def rule(inputs: Any, outputs: Any, tangents: Any) -> tuple[Var | None]:
        return (tangents[0],)

    found: Sequence[Var] = prims.custom_call(before, after, body=lambda x, y: y, jvp=rule, name="written")  # type: ignore[assignment]
    return found[0]


def _contents(x: Tensor) -> Any:
    """What tells a constant from others: its bits, and how they lie."""
    return x.dtype, tuple(x.shape), x.stride(), x.storage_offset(), bytes(memoryview(x.untyped_storage()))


def _refuse_generators(op: Operator, values: list[Any]) -> None:
    if any(isinstance(v, Generator) for v in values):
        raise RuntimeError(
            f"jit: {op.name}(): a traced function draws random numbers of the default generator alone; draw others "
            "outside, and hand them in"
        )


def _has_sizes(values: Sequence[Any]) -> bool:
    return any(isinstance(v, (Sym, RealNumber)) for v in _dispatch.leaves_of(values))


def _apart(result: Any, operands: Sequence[Tensor]) -> Any:
    """A result whose tensors are none of the operands: what a program takes for the same value is other memory."""
    if isinstance(result, Tracer):
        return tracer(result.var) if any(result is x for x in operands) else result
    if isinstance(result, (tuple, list)) and any(y is x for y in result for x in operands):
        made = [_apart(y, operands) for y in result]
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    return result


def _seen(root: Var, views: Sequence[_View]) -> Var:
    """The part of a value that views lead to."""
    x = tracer(root)
    for op, rest, which in views:
        found = _dispatch.inline(op, [x, *rest], None)
        x = found if which is None else found[which]
    return x.var


def _written(root: Var, views: Sequence[_View], value: Var) -> Var:
    """A value with another one where views lead."""
    if not views:
        return value
    count = prod(root.shape)
    places = _seen(prims.reshape(prims.iota(shape=(count,), dim=0, dtype=dt.int64), shape=root.shape), views)
    flat = prims.reshape(root, shape=(count,))
    many = prod(value.shape)
    at, new = prims.reshape(places, shape=(many,)), prims.reshape(value, shape=(many,))
    return prims.reshape(prims.scatter(flat, at, new, dims=(0,), mode="set"), shape=root.shape)


# ------------------------------------------------------------------------------------------------- the function's calls
class _Made(NamedTuple):
    """What a traced call returns and changes.

    leaves: for each leaf of the result what it is: ("value", k), the program's k-th; ("number", k), its number;
        ("given", k), the k-th operand as it is; ("static", x), x.
    spec: the result's shape.
    writes: (operand, value, recorded) of what was written in place, and whether gradients were recorded then.
    single: the result is the first value, and nothing is written.
    draws: the random numbers among the operands.
    """

    leaves: list[tuple[str, Any]]
    spec: Spec
    writes: list[tuple[int, int, bool]]
    single: bool
    draws: Sequence[Draw] = ()


class _Values(tuple[Tensor, ...]):
    """The program's values; each trace has a subclass, which says what they are."""

    made: _Made


class _Calls:
    """The operator for calls of one kind: one shape of the arguments, and one value of each that is static."""

    def __init__(
        self, fn: Callable[..., Any], name: str, spec: Spec, leaves: Sequence[Any], references: References
    ) -> None:
        self.fn, self.spec, self.references = fn, spec, references
        self.static = [None if isinstance(x, Tensor) else x for x in leaves]
        self.given = [isinstance(x, Tensor) for x in leaves]
        self.tensors_alone = all(self.given)
        self.others: list[Tensor] = []  # the tensors that the function refers to
        self.places: list[tuple[int, Place]] = []  # of those that may be replaced: where each stands now
        self.constants: dict[Any, int] = {}  # those that the function makes itself, by what is in them
        # What it draws: by which sizes are 1, for so programs differ; and of the call in hand.
        self.draws_of: dict[Any, Sequence[Draw]] = {}
        self.draws: Sequence[Draw] = ()
        definition = Definition(name, self.body, None, "other")
        self.op: Operator = Operator(name, [Param("operands", Kind.P_TENSORS)], definition)

    def run(self, leaves: Sequence[Any], known: bool = False) -> Any:
        """A call with these leaves. known: all that it refers to is what it was at the call before."""
        tensors = leaves if self.tensors_alone else [x for x in leaves if isinstance(x, Tensor)]
        if not known:
            for k, place in self.places:
                self.others[k] = place()
        for _ in range(_TRACES):
            operands = [*tensors, *self.others]
            draws: Sequence[Draw] = ()
            if self.draws_of:
                ones = ones_in(tensors)
                draws = self.draws = self.draws_of.get(ones, self.draws)
            if draws:
                # A transform has a say in what is drawn, and so has how tensors lie.
                if any(t._keys_ & _TRANSFORM or not t.is_contiguous() for t in operands):
                    args, kwargs = self.spec.rebuild(list(leaves))
                    return self.fn(*args, **kwargs)
                stream = default_generator.snapshot()
                for d in draws:
                    operands.append(d.drawn(operands))
            try:
                values = self.op(operands)
            except _More:
                pass
            else:
                if type(values).made.draws is draws:
                    break
                self.draws = type(values).made.draws  # those of the program for these sizes
            if draws or self.draws:
                self.draws_of[ones_in(tensors)] = self.draws
            if draws:
                default_generator.restore(stream)
        else:
            raise RuntimeError(
                f"jit: {self.op.name} refers to new tensors each time it is traced; make them with operators, or hand "
                "them in"
            )
        made = type(values).made
        if made.single:
            return values[0]
        if made.writes:
            _write(self.op.name, made, values, operands)
        return made.spec.rebuild([_result(leaf, values, operands) for leaf in made.leaves])

    def body(self, operands: list[Tracer]) -> _Values:
        """The function on tracers, as the operator's body."""
        given = iter(operands)
        args, kwargs = self.spec.rebuild(
            [next(given) if tensor else x for tensor, x in zip(self.given, self.static, strict=True)]
        )
        missing: list[Tensor] = []
        others = list(given)[: len(self.others)]
        drawn = len(operands) - sum(self.given) - len(others)
        constants = {contents: others[k] for contents, k in self.constants.items()}
        pairs = list(zip(self.others, others, strict=True))
        recorder = Recorder(pairs, missing, constants, operands, drawn)
        recorder.first.update((id(x), x.var) for x in operands)
        before = default_generator.snapshot()
        with recorder, watched(recorder), noted(recorder):
            result = self.fn(*args, **kwargs)
        for x in flatten(result)[0]:  # what it returns as it is, is an operand too
            recorder.lifted(x)
        if default_generator.snapshot() != before:
            default_generator.restore(before)
            raise RuntimeError(
                f"jit: {self.op.name}: a traced function draws no random numbers that depend on values of tensors; "
                "draw them outside, and hand them in"
            )
        others_draw = not alike(recorder.draws, self.draws) or len(recorder.draws) != drawn
        if others_draw:
            self.draws = recorder.draws
        if missing:
            del recorder, result
            self.add(missing)
            raise _More
        if others_draw:
            raise _More
        first = sum(self.given)
        own = {first + k for k in self.constants.values()} | set(range(first + len(others), len(operands)))
        return _values(recorder, operands, result, own, self.draws)

    def add(self, missing: list[Tensor]) -> None:
        """Take tensors among the operands. What nobody else holds is a constant of the function, made at each trace."""
        known = {id(t) for t in self.others}
        while missing:
            t = missing.pop(0)
            if id(t) in known:
                continue
            place = self.references.place(t)
            if place is not None:
                self.places.append((len(self.others), place))
            elif sys.getrefcount(t) <= _OURS and sys.getrefcount(t.untyped_storage()) <= _OURS:
                self.constants[_contents(t)] = len(self.others)
            self.others.append(t)


# References to a tensor that only `add` holds, and to memory that only this tensor has: one, and the question's own.
_OURS = 2
_TRACES = 5  # of one call, each with the tensors that the one before has met


def _key(x: Any) -> Any:
    """A leaf of the arguments as a part of the key: numbers by their bits, 1 apart from 1.0 and True."""
    if isinstance(x, Tensor):
        return Tensor
    return (type(x), x.hex() if type(x) is float else repr(x) if type(x) is complex else x)


def _values(recorder: Recorder, operands: list[Tracer], result: Any, own: set[int], draws: Sequence[Draw]) -> _Values:
    """The values that a program has to have for a function's result, and for what it wrote to operands but its own."""
    values: list[Tracer] = []
    places = {id(x): k for k, x in enumerate(operands)}
    writes = []
    for k, x in enumerate(operands):
        if k not in own and recorder.changed(x):
            writes.append((k, len(values), recorder.place(x).memory.recorded))
            values.append(tracer(x.var))
    leaves: list[tuple[str, Any]] = []
    found, spec = flatten(result)
    for x in found:
        if isinstance(x, Tensor):
            x = recorder.lifted(x)
        if isinstance(x, Tracer) and not x.number:
            given = places.get(id(x))
            if given is not None and given not in own:
                leaves.append(("given", given))
                continue
            leaves.append(("value", len(values)))
            values.append(x)
        elif isinstance(x, (Sym, RealNumber)):
            leaves.append(("number", len(values)))
            values.append(tracer(var_of(x)))
        else:
            leaves.append(("static", x))
    single = spec.is_leaf() and leaves == [("value", 0)] and not writes
    if not values:
        values.append(tracer(prims.constant(value=0, dtype=dt.int64)))
    kind = type("_Values", (_Values,), {"made": _Made(leaves, spec, writes, single, draws), "__new__": _collect})
    made: _Values = kind(*values)
    return made


def _collect(cls: type[tuple[Any, ...]], *values: Any) -> Any:
    return tuple.__new__(cls, values)


def _result(leaf: tuple[str, Any], values: Sequence[Tensor], operands: Sequence[Tensor]) -> Any:
    kind, x = leaf
    if kind == "value":
        return values[x]
    if kind == "given":
        return operands[x]
    return values[x].item() if kind == "number" else x


def _write(name: str, made: _Made, values: Sequence[Tensor], operands: Sequence[Tensor]) -> None:
    """Give the operands what was written to them."""
    for k, value, recorded in made.writes:
        for other, x in enumerate(operands):
            if other != k and _raw.same_memory(x, operands[k]):
                raise RuntimeError(
                    f"jit: {name} writes to a tensor that shares memory with another of its operands; hand in a clone"
                )
        with enable_grad() if recorded and _core.is_grad_enabled() else no_grad():
            operands[k].copy_(values[value])


class Jitted:
    """A function that runs as one program for each kind of call; see `jit`."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fn)
        self._fn = fn
        self._name = getattr(fn, "__name__", type(fn).__name__)
        self._references: References | None = None
        self._calls: dict[Any, _Calls] = {}
        self._watches: dict[Any, Watch | None] = {}  # by the key of the calls
        self._last: tuple[Watch, _Calls] | None = None  # of the call before
        self._at = f"{self._name}_traced_"  # where an object keeps what is made of its method

    @property
    def by_operators(self) -> Callable[..., Any]:
        """The function itself, which runs operator by operator."""
        return self._fn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        last = self._last
        if last is not None and not kwargs and last[0].holds(args):
            return last[1].run(args, True)
        references = self._references
        if references is None or not references.current():
            # At the first call, for what it refers to may be made after the function; and where that has changed.
            references = self._references = References(self._fn)
            self._calls.clear()
            self._watches.clear()
        self._last = None
        state = (
            _core.is_grad_enabled(),
            in_force() if _dispatch.casts else None,
            tuple([m.training for m in references.modules]),
        )
        if not kwargs and all(type(x) is Tensor for x in args):
            key: Any = (len(args), state)
            calls = self._calls.get(key)
            leaves: Any = args
        else:
            leaves, spec = flatten((args, kwargs))
            key = (spec, state, tuple([_key(x) for x in leaves]))
            try:
                calls = self._calls.get(key)
            except TypeError as error:
                raise TypeError(
                    f"{self._name}(): jit: an argument that is no tensor must be hashable, for it is a part of the "
                    f"program; {error}"
                ) from None
        if calls is None:
            calls = _Calls(self._fn, self._name, flatten((args, kwargs))[1], leaves, references)
            self._calls[key] = calls
        result = calls.run(leaves)
        if leaves is args and not _dispatch.casts:
            watch = self._watches.get(key)
            if watch is None or not watch.holds(args):
                watch = self._watches[key] = references.watch(len(args), _core.is_grad_enabled())
            if watch is not None and watch.holds(args):
                self._last = watch, calls
        return result

    def __repr__(self) -> str:
        return f"jit({self._fn!r})"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method, for a function in a class: a program of its own for each object, which keeps it."""
        if instance is None:
            return self
        held = getattr(instance, "__dict__", None)
        if held is None:
            raise TypeError(
                f"{self._name}(): jit: an object with a traced method must have a __dict__; {owner} has none"
            )
        found = held.get(self._at)
        if found is None:
            found = held[self._at] = Jitted(types.MethodType(self._fn, instance))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Jitted, (self._fn,)  # a copy traces anew


def jit(fn: Callable[..., Any]) -> Jitted:
    """A function of tensors that runs as one program: fused over its operators, one node of the graph, and derivatives,
    batches and sizes as every operator has them.

    The function promises that what it returns depends on its arguments, and on the values of tensors that it refers to,
    alone. Python runs when a kind of call is new, and not again: what it prints, counts or reads elsewhere is what it
    was then. Results and gradients have the bits that they have without `jit`.

    A kind of call is: which arguments there are, dtypes and ranks, which sizes are 1, each argument that is no tensor
    (hand a number that changes in as a tensor), autocast, whether gradients are recorded, and `training` of the modules
    that the function refers to. New sizes compile nothing, unless the function compares them.

    Tensors that it refers to (parameters, buffers) are read anew at each call, and get what the function writes to
    them. One that is replaced by another object is seen where it is a parameter or buffer of a module, a global, a
    variable of the closure or an attribute of the method's object; elsewhere the first one is used. Where a module, or
    a part of one, is another than it was, the function is traced anew.

    Strides are none of what a program knows: `stride()` says how a tensor would lie row by row. Modes of dispatch and
    classes of tensors see one call.

    Args:
        fn: a function, a method or a module. It takes and returns tensors in containers, and whatever else is hashable.

    Returns:
        A callable with the same arguments.

    Raises:
        TypeError: `fn` is no callable; later, for an argument that is neither a tensor nor hashable.
        RuntimeError: later, where the function needs the value of a tensor (`item()`, `if x > 0`), draws random
            numbers, calls `backward()`, or applies an `autograd.Function`.

    Examples:
        >>> @rushlight.jit
        ... def step(x, w):
        ...     return (x @ w).relu().sum()
    """
    if not callable(fn):
        raise TypeError(f"jit(): argument 'fn' must be a function or a module, not {type(fn).__name__}")
    return Jitted(fn)

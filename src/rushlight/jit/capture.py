"""A function of tensors as one program: `rushlight.jit(f)`.

The function runs once on tracers for each kind of call, and becomes the body of an operator: so it is fused,
differentiated, batched, guarded on sizes and cached as every operator is. Tensors that it refers to without being given
them (parameters, buffers) are operands too, read anew at each call. Values that it writes in place are values of the
program; tensors that existed before get them when the program has run.
"""

from __future__ import annotations

import functools
import math
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from rushlight import prims
from rushlight.amp.autocast_mode import in_force
from rushlight.autograd import enable_grad, no_grad
from rushlight.compiler import events
from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.errors import is_of_handler
from rushlight.core.flatten import Kind, Param
from rushlight.core.tensor import Tensor
from rushlight.core.watch import Watch
from rushlight.func.tree import Spec, flatten, leaf_of_result
from rushlight.jit.draws import Draw, alike, ones_in
from rushlight.jit.numbers import Number
from rushlight.jit.references import Place, References
from rushlight.jit.tracing import Recorder, contents_of
from rushlight.operators.random.generators import default_generator, noted
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.tracer import RealNumber, Tracer, tracer, var_of, watched
from rushlight.program.ir import Builder, Program
from rushlight.program.sym import Sym

_TRANSFORM = _core.get_keys_flag_mask()["TRANSFORM"]


class _More(BaseException):
    """The function refers to tensors that its operator was not given: it is to be called again, with them."""


class _Made(NamedTuple):
    """The results and the effects of a traced call.

    leaves: for each leaf of the result what it is: ("value", k), the program's k-th; ("number", k), its number;
        ("given", k), the k-th operand as it is; ("static", x), x.
    spec: the result's shape.
    writes: (operand, value, recorded) for each write in place; recorded: whether gradients were recorded then.
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
        self,
        fn: Callable[..., Any],
        name: str,
        spec: Spec,
        leaves: Sequence[Any],
        references: References,
        numbers: Sequence[int],
    ) -> None:
        """numbers: the places of leaves that are numbers given at launch."""
        self.fn, self.spec, self.references, self.numbers = fn, spec, references, numbers
        self.static = [None if isinstance(x, Tensor) else x for x in leaves]
        self.given = [isinstance(x, Tensor) for x in leaves]
        self.tensors_alone = all(self.given)
        self.others: list[Tensor] = []  # the tensors that the function refers to
        self.places: list[tuple[int, Place]] = []  # of those that may be replaced: where each stands now
        self.constants: dict[Any, int] = {}  # those that the function makes itself, by their contents
        # Its draws, by which sizes are 1, since programs differ in that; and those of the call in hand.
        self.draws_of: dict[Any, Sequence[Draw]] = {}
        self.draws: Sequence[Draw] = ()
        definition = Definition(name, self.body, None, "other")
        self.params = [Param("operands", Kind.P_TENSORS), *[Param(f"number{k}", Kind.P_REAL) for k in numbers]]
        self.op: Operator = Operator(name, self.params, definition)
        # The operands that the last call has written to, and the operators whose programs write to just these.
        self.written: tuple[int, ...] = ()
        self.writers: dict[tuple[int, ...], Operator] = {}

    def run(self, leaves: Sequence[Any], known: bool = False) -> Any:
        """A call with these leaves. known: nothing that it refers to has changed since the call before."""
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
                # Transforms and strides influence what is drawn.
                if any(t._keys_ & _TRANSFORM or not t.is_contiguous() for t in operands):
                    args, kwargs = self.spec.rebuild(list(leaves))
                    return self.fn(*args, **kwargs)
                stream = default_generator.snapshot()
                for d in draws:
                    operands.append(d.drawn(operands))
            numbers = [leaves[k] for k in self.numbers]
            into = self.written if self.written and not draws and not _records(operands) else ()
            try:
                if into:
                    _check_apart(self.op.name, into, operands)
                    values = self.writer(into)(operands, *numbers, out=[operands[k] for k in into])
                else:
                    values = self.op(operands, *numbers)
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
        if made.writes and not into:
            _write(self.op.name, made, values, operands)
            self.written = tuple([k for k, _, recorded in made.writes])
        return made.spec.rebuild([leaf_of_result(leaf, values, operands) for leaf in made.leaves])

    def writer(self, into: tuple[int, ...]) -> Operator:
        """The operator whose first results are what is written to these operands."""
        found = self.writers.get(into)
        if found is None:

            def body(operands: list[Tracer], *numbers: Any) -> _Values:
                values = self.body(operands, *numbers)
                if tuple([k for k, _, _ in values.made.writes]) != into:  # for these sizes it writes to others
                    self.written = ()
                    raise _More
                return values

            definition = Definition(self.op.name, body, None, "other", some_out=True)
            found = self.writers[into] = Operator(self.op.name, self.params, definition, takes_out=True)
        return found

    def body(self, operands: list[Tracer], *numbers: Any) -> _Values:
        """The function on tracers, as the operator's body."""
        given = iter(operands)
        leaves = [next(given) if tensor else x for tensor, x in zip(self.given, self.static, strict=True)]
        for k, x in zip(self.numbers, numbers, strict=True):
            leaves[k] = Number.of(x.var, x.value, x.place, x.found)
        args, kwargs = self.spec.rebuild(leaves)
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
        for x in flatten(result)[0]:  # a tensor that it returns unchanged is an operand too
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
        made = _values(recorder, operands, result, own, self.draws)
        if events.heard("graphs"):
            builder = Builder.current()
            program = Program(builder.env, [x.var for x in operands], builder.eqns, [x.var for x in made])
            events.tell("graphs", f"{self.op.name}, a program of jit:\n{program}")
        return made

    def add(self, missing: list[Tensor]) -> None:
        """Add tensors to the operands. A tensor that nobody else holds is a constant of the function, made at each
        trace."""
        known = {id(t) for t in self.others}
        while missing:
            t = missing.pop(0)
            if id(t) in known:
                continue
            place = self.references.place(t)
            if place is not None:
                self.places.append((len(self.others), place))
            elif sys.getrefcount(t) <= _OURS and sys.getrefcount(t.untyped_storage()) <= _OURS:
                self.constants[contents_of(t)] = len(self.others)
            self.others.append(t)


# References to a tensor that only `add` holds, and to memory that only this tensor has: one, and the question's own.
_OURS = 2
_TRACES = 5  # of one call, each with the tensors that the one before has met


def _is_given(x: Any) -> bool:
    """Whether a leaf of the arguments is a number that a program is given at launch."""
    return type(x) is float and math.isfinite(x)


def _key(x: Any, static: bool) -> Any:
    """A leaf of the arguments as a part of the key. A float that is given at launch is there by its type only, other
    leaves by their bits, so that 1, 1.0 and True differ.
    """
    if isinstance(x, Tensor):
        return Tensor
    if not static and _is_given(x):
        return float
    return (type(x), x.hex() if type(x) is float else repr(x) if type(x) is complex else x)


def _values(recorder: Recorder, operands: list[Tracer], result: Any, own: set[int], draws: Sequence[Draw]) -> _Values:
    """The values that a program must give for a function's result, and for its writes to operands that are not its
    own."""
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


def _collect(cls: type[tuple[Any, ...]], *values: Any) -> tuple[Any, ...]:
    return tuple.__new__(cls, values)


def _records(operands: Sequence[Tensor]) -> bool:
    """Whether a call on these operands is recorded, or a transform handles it."""
    recorded = _core.is_grad_enabled() and any(t.requires_grad for t in operands)
    return recorded or any(t._keys_ & _TRANSFORM for t in operands)


def _check_apart(name: str, written: Iterable[int], operands: Sequence[Tensor]) -> None:
    """RuntimeError where one of these operands shares memory with another one."""
    for k in written:
        for other, x in enumerate(operands):
            if other != k and _raw.same_memory(x, operands[k]):
                raise RuntimeError(
                    f"jit: {name} writes to a tensor that shares memory with another of its operands; hand in a clone"
                )


def _write(name: str, made: _Made, values: Sequence[Tensor], operands: Sequence[Tensor]) -> None:
    """Write the values to the operands to which the function wrote them."""
    _check_apart(name, [k for k, _, _ in made.writes], operands)
    for k, value, recorded in made.writes:
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
        self._static = False  # whether floats are, since the function needs more of them than a traced number can tell
        self._at = f"{self._name}_traced_"  # the attribute in which an object keeps its method, traced

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
            # At the first call, since things that it refers to may be made after the function; and where these have
            # changed.
            references = self._references = References(self._fn)
            self._static = references.asks_types
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
            key = (spec, state, tuple([_key(x, self._static) for x in leaves]))
            try:
                calls = self._calls.get(key)
            except TypeError as error:
                raise TypeError(
                    f"{self._name}(): jit: an argument that is no tensor must be hashable, for it is a part of the "
                    f"program; {error}"
                ) from None
        if calls is None:
            spec = flatten((args, kwargs))[1]
            numbers = [] if self._static or leaves is args else [k for k, x in enumerate(leaves) if _is_given(x)]
            calls = _Calls(self._fn, self._name, spec, leaves, references, numbers)
            self._calls[key] = calls
        try:
            result = calls.run(leaves)
        except Exception as error:
            # A call that writes to its operands may have written already: it is not run a second time.
            if not calls.numbers or calls.written or is_of_handler(error):
                raise
            # It may succeed with Python's own numbers; then these are a part of the program from now on.
            del self._calls[key]
            result = _Calls(self._fn, self._name, calls.spec, leaves, references, []).run(leaves)
            self._static = True
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
    alone. Python runs only when a kind of call is new: later calls print and count nothing, and see other things that
    the function reads as they were then. Results and gradients have the bits that they have without `jit`.

    A kind of call is: which arguments there are, dtypes and ranks, which sizes are 1, each argument that is neither a
    tensor nor a float, autocast, whether gradients are recorded, and `training` of the modules that the function refers
    to. New sizes compile nothing, unless the function compares them; nor do new floats, unless it compares them, asks
    for their type, or needs their values (`math.sqrt(x)`, a probability of dropout).

    Random numbers are drawn at each call, in the function's order: they are those that it draws without `jit`.

    Tensors that it refers to (parameters, buffers) are read anew at each call, and get what the function writes to
    them. One that is replaced by another object is seen where it is a parameter or buffer of a module, a global, a
    variable of the closure or an attribute of the method's object; elsewhere the first one is used. Where a module, or
    a part of one, has been replaced, the function is traced anew.

    A program does not know strides: `stride()` says how a tensor would lie row by row. Modes of dispatch and
    classes of tensors see one call.

    Args:
        fn: a function, a method or a module. It takes and returns tensors in containers, and whatever else is hashable.

    Returns:
        A callable with the same arguments.

    Raises:
        TypeError: `fn` is no callable; later, for an argument that is neither a tensor nor hashable.
        RuntimeError: later, where the function needs the value of a tensor (`item()`, `if x > 0`), draws random
            numbers by such a value or from a generator of its own, calls `backward()`, or applies an
            `autograd.Function`.

    Examples:
        >>> @rushlight.jit
        ... def step(x, w):
        ...     return (x @ w).relu().sum()
    """
    if not callable(fn):
        raise TypeError(f"jit(): argument 'fn' must be a function or a module, not {type(fn).__name__}")
    return Jitted(fn)

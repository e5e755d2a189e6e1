"""A backward of pending tensors: `loss.backward()` and `autograd.grad()` in a compiled function.

Pending calls have no graph yet. So a run of it is noted as one more call (`Backward`), which gives the gradients of the
tensors in memory that the calls took. While these gradients are pending, the engine goes on with them: to `.grad`, to
hooks, and into the graph that the tensors have. Calls that follow belong to the segment as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rushlight import prims
from rushlight.autograd import running
from rushlight.core import engine, locks
from rushlight.core import raw as _raw
from rushlight.core.dispatch import Operator
from rushlight.core.errors import is_of_library
from rushlight.core.flatten import Kind, Param
from rushlight.core.replay import gradients, is_plain_leaf
from rushlight.core.tape import Exact, From, Step
from rushlight.core.tensor import Tensor
from rushlight.jit.calls import (
    MAKERS,
    ONE_BY_ONE,
    At,
    Backward,
    Call,
    is_view,
    name_results,
    numbers_in,
    results_of,
    supplied,
    taken,
)
from rushlight.jit.graphs import LetGo, spots_of
from rushlight.jit.operands import marked
from rushlight.jit.recording import PENDING, Recorder, innermost
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.tracer import Tracer, tracer, var_of
from rushlight.program.ir import Builder, Var

if TYPE_CHECKING:
    from rushlight.transforms.vjp import Derivative

_NEWEST = (1 << 63) - 1  # above all places in the order of calls

__all__ = ["CUT", "GRADIENTS", "RUN", "Whole", "recorded"]


def _run(outputs: Sequence[Tensor], cotangents: Sequence[Tensor], operands: Sequence[Tensor]) -> list[Tensor | None]:
    """Run the graph, and let it go; the gradients of operands."""
    found = engine.run_backward(list(outputs), list(cotangents), False, False, list(operands), False)
    assert found is not None
    return found


_TENSORS = [Param(name, Kind.P_TENSORS) for name in ("outputs", "cotangents", "operands")]
GRADIENTS = Operator("backward", _TENSORS, Definition("backward", _run, None, "internal"), eager=gradients)
"""What a `Backward` is where calls are made one by one: a run of the graph that they have made."""


def _cut(operands: Sequence[Tensor]) -> list[Tensor]:
    """Leaves in the place of operands that have a graph of their own, or hooks: the engine calls these."""
    found: dict[int, Tensor] = {}
    for t in operands:
        if id(t) not in found:
            own = not t.requires_grad or is_plain_leaf(t)
            found[id(t)] = t if own else _raw.alias_of(t).requires_grad_()
    return [found[id(t)] for t in operands]


_OPERANDS = [Param("operands", Kind.P_TENSORS)]
CUT = Operator("cut", _OPERANDS, Definition("cut", _cut, None, "internal"), eager=_cut)
"""Where a run of the graph that calls have made one by one has to end: the engine goes on from there, with all of the
gradient.
"""


def _run_graph(
    outputs: Sequence[Tensor],
    cotangents: Sequence[Tensor],
    operands: Sequence[Tensor],
    made: Sequence[bool],
    keep: bool,
    create: bool,
) -> list[Tensor | None]:
    """Run the graph as it was noted; the gradients of operands. made: for each cotangent whether no program has it, so
    that no gradient may lie on its memory.
    """
    starts = [g.clone() if own else g for g, own in zip(cotangents, made, strict=True)]
    found = engine.run_backward(list(outputs), starts, keep, create, list(operands), False)
    assert found is not None
    return found


_ASKED = [Param(name, Kind.P_STATIC) for name in ("made", "keep", "create")]
RUN = Operator(
    "run_graph", [*_TENSORS, *_ASKED], Definition("run_graph", _run_graph, None, "internal"), eager=_run_graph
)
"""A run of a graph that has been made: kept, or recorded itself, or of several segments."""


# ------------------------------------------------------------------------------------------------------------ recording
def recorded(
    recorder: Recorder, outputs: Sequence[Tensor], cotangents: Sequence[Tensor], asked: running.Asked
) -> tuple[list[Tensor], list[Tensor], list[int] | None] | str:
    """Note a run of the graph of pending calls. Returns the tensors from which the engine has to go on, their
    cotangents, and their order, as the engine takes it; or why it can't be noted.

    Args:
        recorder: the one in force.
        outputs: where the run begins.
        cotangents: those of `outputs`.
        asked: what the run is to do; with `inputs`, the gradients of these alone.
    """
    before, inputs = recorder.place, asked.inputs
    grad, inference, _ = recorder.common
    if before is None or not grad or inference:
        return "the graph of what waits was run already"
    if recorder.under_way is not None:
        return "the run of what waits was interrupted"
    if not recorder.notes_all():
        return "it is called under a mode, under hooks for saved tensors, or for a backend of the program's own"
    if not all(recorder.holds(t) and t.requires_grad for t in outputs) or len(set(map(id, outputs))) < len(outputs):
        return "it begins at several tensors, of which one does not wait or comes twice"
    if not all(type(g) is Tensor and (recorder.holds(g) if g._keys_ else not g.requires_grad) for g in cotangents):
        return "a cotangent requires grad, or is no plain tensor"
    if any(t._keys_ for t in inputs or ()):
        return "the gradient of what waits is asked for"
    groups: dict[int, list[int]] = {}
    operands: dict[int, Tensor] = {}
    for k, t in recorder.operands:
        if recorder.shadows[k].requires_grad:
            groups.setdefault(id(t), []).append(k)
            operands[k] = t
    recorder.forget_unfinished()
    mark = len(recorder.values), len(recorder.ints), len(recorder.numbers)
    roots, cts = [tuple([recorder.slot(t) for t in ts]) for ts in (outputs, cotangents)]
    key = Exact(("backward", roots, cts, tuple(map(tuple, groups.values()))))
    place = before.children.get(key)
    if place is None:
        place = before.child(key, _learned(recorder, roots, cts, list(groups.values()), operands), (), None)
    call = place.call
    if call is None:
        recorder.forget(*mark)
        return "a gradient would have another dtype, or lie in another way, than its tensor"
    if not _lets_all_go(recorder, call, operands, inputs):
        recorder.in_parts = inputs is not None
        recorder.forget(*mark)
        return "it leaves a part of the graph of what is held, which may be run later"
    uses = [operands[group[0].k] for group in call.values[2]]
    if _shows_memory(call, uses, asked):
        recorder.in_parts = True
        recorder.forget(*mark)
        return "a gradient lies on the memory of a tensor that the program has, or of another gradient"
    given = recorder.results([_raw.empty_meta(t.dtype, tuple(t.shape)) for t in uses])
    recorder.advance(place, ended=True)
    rows = list(zip(uses, given, call.last, strict=True))
    if inputs is not None:
        ids = set(map(id, inputs))
        rows = [row for row in rows if id(row[0]) in ids or engine.edge_of(row[0])[0] is not row[0]]
    # (The engine runs leaves that it is handed in their order, as single calls have them ready, so where a hook raises
    # the same leaves have their gradients. Nodes beyond come after all leaves, but for those that are newer than the
    # call to which a leaf belongs.)
    ends = [row for row in rows if engine.edge_of(row[0])[0] is row[0]]
    rows = [*[row for row in rows if engine.edge_of(row[0])[0] is not row[0]], *ends]
    order = None
    if recorder.at_once:
        order = [next((seq for n, seq in recorder.at_once if n > last), _NEWEST) for _, _, last in rows]
    return [t for t, _, _ in rows], [g for _, g, _ in rows], order


def _lets_all_go(
    recorder: Recorder, backward: Backward, operands: dict[int, Tensor], inputs: Sequence[Tensor] | None
) -> bool:
    """Whether a run reaches all that is behind the results that somebody holds. A graph that it does not reach may be
    run later, and so may parts that the requested gradients do not need.
    """
    reached = backward.reached
    if inputs is not None:
        asked = {id(engine.edge_of(t)[0]) for t in inputs}
        needed = {k for k, t in operands.items() if _leads_to(engine.edge_of(t)[0], asked)}
        for call in recorder.calls:
            if not needed.isdisjoint(numbers_in(call.values)):
                needed.update(_recorded(recorder, call))
        reached = reached & needed
    behind = {k for k in recorder.held() if recorder.shadows[k].requires_grad}
    for call in reversed(recorder.calls):
        own = _recorded(recorder, call)
        if not behind.isdisjoint(own) and reached.isdisjoint(own):
            return False
        if not behind.isdisjoint(own):
            behind.update(numbers_in(call.values))
    return True


def _shows_memory(backward: Backward, uses: Sequence[Tensor], asked: running.Asked) -> bool:
    """Whether gradients that the run delivers may be seen to lie on the memory of one another, or of other tensors: a
    program gives each its own. (A sum into `.grad` copies such a gradient.)

    Args:
        backward: the call.
        uses: the tensors whose gradients it gives.
        asked: what the run is to do.
    """
    ids = None if asked.inputs is None else set(map(id, asked.inputs))
    given = [
        (memory, not (asked.accumulate and is_plain_leaf(t)))
        for t, memory in zip(uses, backward.lies, strict=True)
        if ids is None or id(t) in ids or engine.edge_of(t)[0] is not t
    ]
    shared = Counter(memory for memory, _ in given)
    theirs = -1 if asked.given else -1 - len(backward.values[1])  # (of a cotangent of ours nobody else has the memory)
    return any(seen and (memory <= theirs or shared[memory] > 1) for memory, seen in given)


def _leads_to(node: Any, asked: set[int]) -> bool:
    """Whether one of the nodes and leaves with these ids is a node, or behind it."""
    left, seen = [node], set()
    while left:
        node = left.pop()
        if id(node) in asked:
            return True
        if isinstance(node, engine.Node) and id(node) not in seen:
            seen.add(id(node))
            left += [edge[0] for edge in engine.edges_behind(node)]
    return False


def differentiate(
    outputs: list[Any], cotangents: list[Any], asked: running.Asked
) -> tuple[list[Any], list[Any], list[int] | None]:
    """Note a run of the graph of pending calls, where that is possible; see `recorded`."""
    recorder = innermost()
    if recorder is None or (recorder.busy and not recorder.proves):
        return outputs, cotangents, None
    with recorder.lock:
        found: Any = ""
        if asked.create:
            found = "what it does is differentiated again (create_graph=True)"
        elif asked.keep:
            found = "it keeps its graph (retain_graph=True)"
        elif any(t._keys_ & PENDING for t in outputs) and recorder.may_note_run():
            found = recorded(recorder, outputs, cotangents, asked)
        if isinstance(found, str):
            return *recorder.runs_graph(outputs, cotangents, asked, found), None
        recorder.goes_on(found[0], cotangents, asked.accumulate)
        return found[0], found[1], found[2]


def _learned(
    recorder: Recorder, roots: Sequence[int], cts: Sequence[int], groups: list[list[int]], operands: dict[int, Tensor]
) -> Backward | None:
    """The results of a run of the graph, found by the same calls on meta tensors; None where it can't be recorded."""
    env: dict[int, Any] = {k: recorder.shadows[k] for k, _ in recorder.operands}
    # With one leaf for all uses of a tensor, as single calls have it.
    again: dict[int, Any] = {k: _raw.marked(t) for k, t in env.items()}
    slots = [k for group in groups for k in group]
    ready: list[int] = []  # the numbers of the groups, in the order in which a run has their gradients
    try:
        with locks.left(recorder), locks.below(grad=True):  # (without autocast: its casts were recorded)
            leaves = [_raw.marked(recorder.shadows[group[0]]).requires_grad_() for group in groups]
            for i, (group, leaf) in enumerate(zip(groups, leaves, strict=True)):
                # (What has a graph is no leaf: the engine takes it after all of these.)
                t = operands[group[0]]
                again.update(dict.fromkeys(group, leaf if engine.edge_of(t)[0] is t else leaf.clone()))
                leaf.register_hook(lambda _, i=i: ready.append(i))
            _made_again(recorder, env, {})
            graph = spots_of(recorder.calls, env)
            found = _run([env[k] for k in roots], [recorder.shadows[k] for k in cts], [env[k] for k in slots])
            with locks.marking():
                _made_again(recorder, again, ONE_BY_ONE)
                whole = _run([again[k] for k in roots], [again[k].detach() for k in cts], leaves)
    except Exception as error:
        if not is_of_library(error):
            raise
        return None  # the engine itself will raise the error
    gradients = {k: g for k, g in zip(slots, found, strict=True) if g is not None}
    takes = {k: i for i, call in reversed(list(enumerate(recorder.calls))) for k in numbers_in(call.values)}
    memory = _Memory(again, cts)
    uses, last, lies = [], [], []
    for i in ready:  # (see `recorded`)
        group = groups[i]
        own = [k for k in group if k in gradients]
        if not own:
            continue
        t = operands[own[0]]
        is_end = engine.edge_of(t)[0] is t
        if any(gradients[k].dtype is not t.dtype or not (is_end or gradients[k].is_contiguous()) for k in own):
            return None
        uses.append(_values(own))
        last.append(min([takes[k] for k in own]))
        lies.append(memory.of(whole[i]))
    first = len(recorder.values)
    given = _values(roots), _values(cts), tuple(uses)
    reached = set(roots)
    for call in reversed(recorder.calls):
        if not reached.isdisjoint(results_of(call)):
            reached.update(k for k in numbers_in(call.values) if recorder.shadows[k].requires_grad)
    results = tuple(range(first, first + len(uses)))
    return Backward(GRADIENTS, given, results, tuple(last), graph, frozenset(reached), tuple(lies))


def _made_again(recorder: Recorder, env: dict[int, Any], instead: dict[Operator, Operator]) -> None:
    """Make the pending calls, of the operands in `env`, and store their results there. instead: other operators for
    some of the calls.
    """
    for call in recorder.calls:
        if call.op in MAKERS:
            env[call.results] = recorder.shadows[call.results]
        elif not writes(call):
            values = [supplied(v, env, recorder.ints, recorder.numbers) for v in call.values]
            op = instead.get(call.op, call.op)
            args, kwargs = _dispatch.arguments(op, values)
            name_results(call, op(*args, **kwargs), env)


class _Memory:
    """On whose memory gradients lie, see `Backward.lies`.

    Args:
        env: all values by their numbers, on meta storages.
        cts: the numbers of the cotangents.
    """

    def __init__(self, env: dict[int, Tensor], cts: Sequence[int]) -> None:
        self.env, self.cts = env, cts
        self.gradients: list[Tensor | None] = []

    def of(self, g: Tensor | None) -> int:
        """That of the next gradient."""
        self.gradients.append(g)
        if g is None:
            return len(self.gradients) - 1
        for i, k in enumerate(self.cts):
            if _raw.same_memory(self.env[k], g):
                return -1 - i
        if any(_raw.same_memory(t, g) for t in self.env.values()):
            return -1 - len(self.cts)
        return next(i for i, t in enumerate(self.gradients) if t is g or (t is not None and _raw.same_memory(t, g)))


def _values(numbers: Sequence[int]) -> tuple[At, ...]:
    return tuple([At("value", k) for k in numbers])


def _recorded(recorder: Recorder, call: Call) -> list[int]:
    """The results of a call that require grad."""
    return [k for k in results_of(call) if recorder.shadows[k].requires_grad]


# ---------------------------------------------------------------------------------------------------------- the program
class Whole:
    """A segment with a backward as one program, which gives values without history.

    Args:
        name: the operator's.
        recorder: the one that has noted it.
        gives: the numbers of the values that the program gives.
        inner: those of values that have no memory.
    """

    def __init__(self, name: str, recorder: Recorder, gives: Sequence[int], inner: list[int]) -> None:
        calls: list[Any] = recorder.calls
        at = next(i for i, call in enumerate(calls) if isinstance(call, Backward))
        self.backward: Backward = calls[at]
        self.before = [call for call in calls[:at] if not writes(call)]
        self.after = [call for call in calls[at + 1 :] if not writes(call)]
        self.gives, self.inner = list(gives), inner
        self.lets_go = lets_go(recorder, at, gives)
        tensors: dict[int, list[int]] = {}
        for k, t in recorder.operands:
            tensors.setdefault(id(t), []).append(k)
        self.groups = list(tensors.values())
        self.numbers = sorted({k for call in (*self.before, *self.after) for k in taken(call.values, "number")})
        kinds = recorder.kinds
        params = [Param("operands", Kind.P_TENSORS), Param("ints", Kind.P_INTS)]
        params += [Param(f"number{k}", kinds[k]) for k in self.numbers]
        self.op = Operator(name, params, Definition(name, self.body, None, "other"))

    def steps(self) -> Iterator[Step]:
        """The program as a step of a plan."""
        operands = tuple([(From.FROM_VALUE, group[0]) for group in self.groups])
        args: list[tuple[From, Any]] = [(From.FROM_SEVERAL, operands), (From.FROM_INTS, None)]
        args += [(From.FROM_NUMBER, k) for k in self.numbers]
        yield Step(self.op, args, tuple(self.gives), True, (), self.lets_go)

    def in_words(self, word: Callable[[Any], Any]) -> Any:
        """All that the body depends on, each of it in words (operators/table/kept.py)."""
        of = self.backward.values, self.backward.results
        return [word(x) for x in (self.before, of, self.after, self.gives, self.groups, self.numbers)]

    def body(self, operands: list[Tracer], ints: Sequence[Any], *given: Any) -> list[Tracer]:
        """The calls on tracers, their derivative, and the calls after it."""
        from rushlight.transforms import vjp

        numbers = dict(zip(self.numbers, given, strict=True))
        env: dict[int, Any] = {k: x for group, x in zip(self.groups, operands, strict=True) for k in group}
        inputs = [x.var for x in operands] + [v for v in map(var_of, given) if v.kind == "scalar"]
        roots, cts = numbers_in(self.backward.values[0]), numbers_in(self.backward.values[1])
        later = {*self.gives, *cts, *(k for call in self.after for k in numbers_in(call.values))}
        wanted = [*roots]
        b = Builder.current()
        with Builder(b.env, b.of_body) as f:
            f.inputs = inputs
            for at, call in enumerate(self.before):
                values = [supplied(v, env, ints, numbers) for v in call.values]
                name_results(call, _dispatch.inline(call.op, marked(values, at, is_view(call.op)), None), env)
                wanted += [k for k in results_of(call) if k in later and k not in roots]
            program = f.build([env[k].var for k in wanted])
        of = {k: i for i, group in enumerate(self.groups) for k in group}
        active = [of[uses[0].k] for uses in self.backward.values[2]]
        d = vjp(program, active, range(len(roots)), env=b.env)
        outputs = _emitted(b, d, inputs)
        env.update((k, tracer(v)) for k, v in zip(wanted, outputs, strict=False))
        gradients = _gradients_of(b, d, inputs, outputs, len(wanted), [env[k].var for k in cts], active)
        env.update((k, tracer(v)) for k, v in zip(self.backward.results, gradients, strict=True))
        for call in self.after:
            values = [supplied(v, env, ints, numbers) for v in call.values]
            name_results(call, _dispatch.inline(call.op, values, None), env)
        given_once: set[Var] = set()
        results = []
        for k in self.gives:
            v = env[k].var
            if v in given_once:
                v = prims.buffered(v)
            given_once.add(v)
            results.append(tracer(v))
        return results


def lets_go(recorder: Recorder, at: int, gives: Iterable[int]) -> LetGo | None:
    """What results that somebody holds have of the graph that call number `at`, a backward, has let go; None where none
    of them is in it.
    """
    calls = recorder.calls
    backward: Any = calls[at]
    operands = [k for k, _ in recorder.operands if recorder.shadows[k].requires_grad]
    found = LetGo(calls[:at], backward.graph, operands, gives)
    return found if found.spots else None


def writes(call: Call | Backward) -> bool:
    """Whether a recorded call writes to memory."""
    return call.results is None


def _gradients_of(
    b: Builder,
    d: Derivative,
    inputs: Sequence[Var],
    outputs: Sequence[Var],
    n_outputs: int,
    cotangents: Sequence[Var],
    active: Sequence[int],
) -> list[Var]:
    """Emit the backward program; the gradients of the inputs `active`.

    Args:
        b: the current builder.
        d: the derivative.
        inputs: those of the forward program.
        outputs: its outputs; behind the first n_outputs are the extras.
        n_outputs: see `outputs`.
        cotangents: those of the first outputs.
        active: numbers of inputs.
    """
    sources = {"input": inputs, "output": outputs, "extra": outputs[n_outputs:]}
    values = [sources[source][index] for source, index in d.residuals]
    values += [cotangents[j] for j in d.cotangent_outputs]
    values += [inputs[i] for i in d.scalars]
    found = b.inline(d.backward, values)
    gradients = []
    for i, k in zip(active, d.grads, strict=True):
        if k is None:  # (single calls have a gradient of zeros)
            zero = prims.constant(value=0.0, dtype=inputs[i].dtype)
            gradients.append(prims.broadcast_in_dim(zero, shape=inputs[i].shape, dims=()))
        else:
            gradients.append(found[k])
    return gradients


def _emitted(b: Builder, d: Derivative, inputs: Sequence[Var]) -> list[Var]:
    """Emit the forward program. The values that the backward keeps get buffers of their own, from which everything
    reads them: the derivative has decided against computing them again.
    """
    outputs = d.forward.outputs
    n = len(outputs) - sum(source == "extra" for source, _ in d.residuals)
    first = {"output": 0, "extra": n}
    kept = {outputs[first[source] + index] for source, index in d.residuals if source != "input"}
    value: dict[Var, Var] = dict(zip(d.forward.inputs, inputs, strict=True))
    for e in d.forward.eqns:
        for v, x in zip(e.outputs, b.results(e.prim, [value[v] for v in e.inputs], e.params), strict=True):
            value[v] = prims.buffered(x) if v in kept and e.prim.kind in ("pointwise", "reduce", "gather") else x
    return [value[v] for v in outputs]


running.of_recorders.append(differentiate)

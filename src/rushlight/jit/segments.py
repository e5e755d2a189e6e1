"""Segments: the calls that a recorder has noted, as programs of operators.

The calls of a segment, in their order, are the body of an operator; its operands are the tensors that they take. Equal
segments are one operator, which is traced, differentiated and compiled once, for whatever sizes, as every operator is.
Where that would give other results than the calls one by one, or is not possible, they are made one by one.

In the graph an operator is one node: what flows back to one of its results flows through all of it. So a segment of
which several values that require grad are held is cut into parts, each of which gives one of them (`_Cut`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rushlight import prims
from rushlight.core.dispatch import Operator
from rushlight.core.errors import is_of_library
from rushlight.core.flatten import Kind, Param
from rushlight.core.tape import From, Place, Refused, Step
from rushlight.core.warning import warn
from rushlight.jit.backward import CUT, Whole, lets_go
from rushlight.jit.calls import (
    LAST_USES,
    ONCE,
    ONE_BY_ONE,
    VANISHES,
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
from rushlight.jit.graphs import LetGo
from rushlight.jit.operands import marked
from rushlight.jit.recording import Recorder
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.tracer import Tracer, tracer

_FEWEST = 2  # calls that are worth a program
_MOST_WHOLE = 16  # values that kernels share in one program with its derivative: to plan it takes ever longer
MOST = 64  # segments of one function that are kept; more are made one by one
# In nanoseconds: what a program saves for each byte that it keeps in registers instead of a cache (instead of memory,
# up to four times that); what noting a call and making it later costs; what a segment costs; and a backward in one.
# `python -m benchmarks.jit costs` measures all but the last, which is from a small network's steps (`steps`). Whichever
# way is taken, the bits are the same.
_A_BYTE, _A_CALL, _A_SEGMENT, _A_BACKWARD = 0.025, 500, 6_000, 40_000
_A_PLACE = 25_000  # and what a write to a part of memory costs that waits (jit/placing.py): it is noted in Python


class _Part:
    """Calls that are one program: the operator, its operands, and its results.

    Args:
        name: the operator's.
        calls: the calls.
        takes: (number in the calls, number of the value that it is) of each operand.
        gives: numbers of values.
        kinds: of the segment's numbers.
        free: numbers of the segment's values that may be written to before the backward, since single calls keep none
            of them: the backward keeps what it needs of them elsewhere.
        once: the node of one of the calls refuses a second run.
        label: the name of its node, which is that of the last of the calls' nodes; "" for one without.
    """

    def __init__(
        self,
        name: str,
        calls: list[Call],
        takes: list[tuple[int, int]],
        gives: list[int],
        kinds: Sequence[Kind],
        free: Iterable[int],
        once: bool,
        label: str,
    ) -> None:
        self.calls, self.takes, self.gives, self.free = calls, takes[::-1], gives, frozenset(free)
        self.numbers = sorted({k for call in calls for k in taken(call.values, "number")})
        self.op: Operator | None = None
        self.inner: list[int] = []  # values that have no memory
        if sum(not is_view(call.op) for call in calls) >= _FEWEST:
            fused = [call for call in calls if not is_view(call.op) and _kind(call.op)]
            self.inner = [k for call in fused for k in results_of(call) if k not in gives]
            params = [Param("operands", Kind.P_TENSORS), Param("ints", Kind.P_INTS)]
            params += [Param(f"number{k}", kinds[k]) for k in self.numbers]
            found = Definition(name, self.body, None, "other", label, runs_once=once, of_calls=True)
            self.op = Operator(name, params, found)

    def in_words(self, word: Callable[[Any], Any]) -> Any:
        """All that the body depends on, each of it in words (operators/table/kept.py)."""
        kept = self.calls, self.takes, self.gives, sorted(self.free), self.numbers
        return [word(x) for x in kept]

    def body(self, operands: list[Tracer], ints: Sequence[Any], *given: Any) -> list[Tracer]:
        """The calls on tracers."""
        numbers = dict(zip(self.numbers, given, strict=True))
        env: dict[int, Tracer] = {
            k: tracer(prims.kept(prims.given(x.var))) if source in self.free else x
            for (k, source), x in zip(self.takes, operands, strict=True)
        }
        for at, call in enumerate(self.calls):
            values = [supplied(v, env, ints, numbers) for v in call.values]
            own = marked(values, at, is_view(call.op))
            name_results(call, _dispatch.inline(call.op, own, None), env)
        return [tracer(prims.given(env[k].var) if k in self.free else env[k].var) for k in self.gives]

    def steps(self, grad: bool | None = None) -> Iterator[Step]:
        """The program as a step, or its calls one by one. grad: whether the graph records them."""
        if self.op is None:
            named = dict(self.takes)
            for call in self.calls:
                yield step_of(call, named, (), grad)
            return
        # In the order of the uses, the last first: what flows back to one tensor from several is summed in the order of
        # the edges, as from single calls' nodes.
        operands = [(From.FROM_VALUE, source) for _, source in self.takes]
        numbers = [(From.FROM_NUMBER, k) for k in self.numbers]
        args: list[tuple[From, Any]] = [(From.FROM_SEVERAL, tuple(operands)), (From.FROM_INTS, None), *numbers]
        yield Step(self.op, args, tuple(self.gives), True, (), None, grad)


def step_of(
    call: Call | Backward,
    named: dict[int, int],
    gives: tuple[int, ...] = (),
    grad: bool | None = None,
    graph: LetGo | None = None,
) -> Step:
    """A recorded call as a step of a plan. named: the values that numbers stand for, where they differ."""
    values = call.values
    if isinstance(call, Backward):  # an operand has its gradient from all uses at once
        values = *values[:2], tuple([uses[0] for uses in values[2]])
    out = None if isinstance(call, Backward) or call.out is None else _from(call.out, named)
    return Step(call.op, [_from(v, named) for v in values], call.results, False, gives, graph, grad, out)


def _ending(recorder: Recorder) -> Step:
    """The step that makes a run of the graph end at the tensors that were in memory before."""
    operands = [k for k, _ in recorder.operands if recorder.shadows[k].requires_grad]
    return Step(CUT, [(From.FROM_SEVERAL, tuple([(From.FROM_VALUE, k) for k in operands]))], tuple(operands))


def _one_by_one(recorder: Recorder, held: Sequence[int]) -> list[Step]:
    """The calls as steps. Calls before a backward are in the graph, later ones are not."""
    calls: list[Any] = recorder.calls
    at = next((i for i, call in enumerate(calls) if isinstance(call, Backward)), -1)
    graph = None if at < 0 else lets_go(recorder, at, held)
    steps = [] if at < 0 else [_ending(recorder)]
    last = {k: i for i, call in enumerate(calls) for k in numbers_in(call.values)}
    for i, call in enumerate(calls):
        gives = tuple([k for k in results_of(call) if k in held])
        op = ONE_BY_ONE.get(call.op, call.op)
        if call.op in LAST_USES and last[call.values[0].k] == i and call.values[0].k not in held:
            op = LAST_USES[call.op]
        one = call._replace(op=op)
        steps.append(step_of(one, {}, gives, None if at < 0 else i < at, graph if i == at else None))
    return steps


def _from(v: Any, named: dict[int, int]) -> tuple[From, Any]:
    """Where an argument of a recorded call comes from."""
    if type(v) is At:
        if v.kind == "value":
            return From.FROM_VALUE, named.get(v.k, v.k)
        return (From.FROM_INT if v.kind == "int" else From.FROM_NUMBER), v.k
    if type(v) is tuple and any(_gives(x) for x in v):
        return From.FROM_SEVERAL, tuple([_from(x, named) for x in v])
    return From.FROM_STEP, v


def _gives(v: Any) -> bool:
    return type(v) is At or (type(v) is tuple and any(map(_gives, v)))


def _dropping(steps: list[Step], keep: Iterable[int]) -> list[Step]:
    """The steps, each of which lets go of the values that no later step takes."""
    wanted = set(keep)
    for step in reversed(steps):
        made = step.results if isinstance(step.results, tuple) else () if step.results is None else (step.results,)
        last = {k for k in (*step.takes(), *made) if k not in wanted}
        step.drops = tuple(sorted(last))
        wanted |= last
    return steps


def _differentiated(
    name: str, recorder: Recorder, wanted: Sequence[int], at: int
) -> tuple[list[_Part | Whole], list[Step]]:
    """The parts and the steps of a segment whose call number `at` is a backward: one program, or parts before it, in
    the graph that the backward then runs, and parts after it.
    """
    calls: list[Any] = recorder.calls
    backward, after = calls[at], [call for call in calls[at + 1 :] if call.results is not None]
    fused = [k for call in calls[:at] if call.results is not None and _kind(call.op) for k in results_of(call)]
    if len(fused) <= _MOST_WHOLE and not any(VANISHES in p.kept for p in recorder.path[:at]):
        # (A value that has no memory in the forward has none in the backward.)
        whole = Whole(name, recorder, wanted, 2 * [k for k in fused if k not in wanted])
        return [whole], list(whole.steps())
    made = {k for call in calls[:at] for k in results_of(call)}
    later = [k for call in after for k in numbers_in(call.values)]
    first = [k for k in dict.fromkeys([*numbers_in(backward.values[:2]), *wanted, *later]) if k in made]
    before = list(_Cut(recorder, first, calls[:at], True).parts(name))
    made = {k for call in after for k in results_of(call)}
    last = [k for k in wanted if k in made]
    rest = list(_Cut(recorder, last, after, False).parts(name)) if last else []
    steps = [_ending(recorder), *[step for part in before for step in part.steps(True)]]
    steps.append(step_of(backward, {}, (), False, lets_go(recorder, at, wanted)))
    steps += [step for part in rest for step in part.steps(False)]
    return [*before, *rest], steps


class Plan:
    """How a segment is run: its parts, in order, and the views that are made of their values again."""

    def __init__(self, name: str, recorder: Recorder, held: tuple[int, ...], programs: bool) -> None:
        self.refused = "" if programs else "of a function that has many others"  # why single calls are made
        self.parts: list[_Part | Whole] = []
        self.held = tuple([k for k in held if k not in recorder.views])  # views are made of these
        self.steps: list[Step] = []
        self.again: list[Step] = []
        calls = recorder.calls
        self.single = _dropping(_one_by_one(recorder, held), held)
        writes = [call for call in calls if call.results is None]
        if len(calls) - len(writes) < _FEWEST:
            self.refused = "of few calls"
        if self.refused:
            return
        made = {k for call in calls for k in results_of(call)}
        try:
            wanted, views = _roots(recorder, [*held, *(k for w in writes for k in numbers_in(w.values) if k in made)])
            again = [calls[at] for at in sorted({recorder.views[k][1] for k in views})]
            at = next((i for i, call in enumerate(calls) if isinstance(call, Backward)), -1)
            if at < 0:
                self.parts += _Cut(recorder, wanted, calls, recorder.state.grad, True).parts(name)
                steps = [step for part in self.parts for step in part.steps()]
            elif any(recorder.shadows[k].requires_grad for k in views):
                raise Refused("a view is held that has a place in the graph")
            else:
                self.parts, steps = _differentiated(name, recorder, wanted, at)
        except Refused as why:
            self.refused = str(why)
            return
        self.again = [step_of(call, {}, tuple([k for k in results_of(call) if k in held])) for call in again]
        self.again += [step_of(call, {}) for call in writes]
        later = {k for step in self.again for k in step.takes()}
        self.steps = _dropping(steps, {*wanted, *held, *later})
        self.inner = tuple([k for part in self.parts for k in part.inner])

    def run(self, recorder: Recorder) -> None:
        """Return the values that are held. Refused: single calls would give others."""
        recorder.run_steps(self.steps, self.held, self.again)

    def saves(self, recorder: Recorder) -> float:
        """About how many nanoseconds it saves, at these sizes."""
        return recorder.bytes_of(self.inner) * _A_BYTE


class Segments:
    """The plans of a function's segments by their keys.

    Args:
        name: the function's.
        always: run a program wherever there can be one, also where recording costs more than it saves.
    """

    def __init__(self, name: str, always: bool = True) -> None:
        self.name, self.always = name, always
        self.roots: dict[Any, Place] = {}
        self.plans: list[Plan] = []
        self.runs = self.one_by_one = 0
        self.singly = False  # a program's second derivatives are rounded in other ways than those of single calls
        self.saved = 0.0  # by all runs, less what recording cost

    def run(self, recorder: Recorder, held: tuple[int, ...]) -> None:
        """Run what the recorder has noted, and give it the values that are held. A run that was interrupted goes on by
        the plan that it was begun with, whatever is held by now: another plan would make its writes again.
        """
        if recorder.under_way is None:
            if recorder.written():
                raise RuntimeError(
                    "torch.compile: a tensor was written to in a way that is not recorded, after a call that reads it; "
                    "keep the function that does so out of the compiled one by torch.compiler.disable()"
                )
            plan = self.plan(recorder, held)
            saves = plan.saves(recorder) if not plan.refused else 0.0
            if not recorder.proves:
                self.saved += saves - _A_CALL * recorder.n_calls - _A_SEGMENT - _A_BACKWARD * recorder.ended
                self.saved -= _A_PLACE * len(recorder.places)
            self.singly = self.singly or recorder.singly
            programs = not plan.refused and not self.by_calls(recorder)
            recorder.under_way = plan, programs and (self.always or recorder.proves or saves > 0)
        plan, whole = recorder.under_way
        if whole and not plan.refused:
            try:
                plan.run(recorder)
            except Refused as why:
                plan.refused = str(why)
            except Exception as error:  # where single calls raise as well, they raise the error
                if recorder.done >= len(plan.steps) or not is_of_library(error):  # (the first: writes, that come last)
                    raise
                plan.refused = f"{type(error).__name__}: {error}"
                self.each(recorder, plan)
                warn(f"torch.compile: calls of {self.name}() are made one by one, no program of them: {plan.refused}")
                return
            else:
                self.runs += 1
                return
        self.each(recorder, plan)

    def by_calls(self, recorder: Recorder) -> bool:
        """Whether a segment's calls must be made one by one, whatever its plan is, since programs give other nodes."""
        return self.singly or recorder.in_parts or (recorder.state.grad and recorder.may_be_written())

    def plan(self, recorder: Recorder, held: tuple[int, ...]) -> Plan:
        """The plan of a segment."""
        assert recorder.place is not None
        plans = recorder.place.plans
        found = plans.get(held)
        if found is None:
            found = Plan(self.name, recorder, held, len(self.plans) < MOST)
            if len(self.plans) < MOST:
                plans[held] = found
                self.plans.append(found)
        return found

    def each(self, recorder: Recorder, plan: Plan) -> None:
        """The calls one by one."""
        self.one_by_one += 1
        recorder.run_steps(plan.single, (), [])


class _Cut:
    """Cuts the calls of a segment into parts, each of which gives one value that requires grad, and others that are
    wanted.

    A value that two parts need is given by a part of its own. Views are made from their bases in each part that uses
    them. Where at most one value requires grad, all is one part, but for calls whose derivative vanishes: these are
    parts of their own, whose nodes give gradients of zeros. Otherwise a call with several results that require grad is
    a part of its own, as it is a node of its own; and so is a call that would be a step of its own in a program
    (products, sorts). free: the wanted values may be written to before the backward.
    """

    def __init__(
        self, recorder: Recorder, wanted: Sequence[int], calls: Sequence[Call], grad: bool, free: bool = False
    ) -> None:
        self.recorder, self.wanted, self.calls, self.grad, self.free = recorder, wanted, calls, grad, free
        self.path = recorder.path
        self.maker: dict[int, int] = {}
        for i, call in enumerate(self.calls):
            for k in results_of(call):
                self.maker[k] = i
        self.views = recorder.views
        self.vanishing = {i for i, p in enumerate(self.path) if self.grad and VANISHES in p.kept}
        self.alone: dict[int, int] = {}  # result -> call, of calls that are a part of their own
        for i, call in enumerate(self.calls):
            if not is_view(call.op) and (
                not _kind(call.op)
                or i in self.vanishing
                or (self.grad and sum(self.recorded(k) for k in results_of(call)) > 1)
            ):
                self.alone.update((k, i) for k in results_of(call))

    def recorded(self, k: int) -> bool:
        return self.recorder.shadows[k].requires_grad

    def parts(self, name: str) -> Iterator[_Part]:
        """The parts, in the order in which they are run."""
        roots = {k for k in self.wanted if self.grad and self.recorded(k)}
        if len(roots) <= 1 and not self.vanishing:
            calls = [i for i, call in enumerate(self.calls) if call.results is not None]
            yield self.part(name, calls, self.wanted, set())
            return
        while True:
            owned, gives, more = self.owners(roots)
            if not more:
                break
            if more <= roots:
                raise Refused("values that require grad depend on one another in a way that has no order")
            roots |= more
        groups: dict[int, list[int]] = {}
        for i, root in owned.items():
            groups.setdefault(root, []).append(i)
        given = {k for found in gives.values() for k in found} | set(self.alone)
        self.check_order(groups, given)
        for root in gives:  # in this order each takes what those before it give
            yield self.part(name, self.with_views(sorted(groups[root])), gives[root], given)

    def owners(self, roots: set[int]) -> tuple[dict[int, int], dict[int, list[int]], set[int]]:
        """Which root each call is for, what each part gives, and the values that have to be roots as well."""
        owned: dict[int, int] = {}
        gives: dict[int, list[int]] = {}
        more: set[int] = set()
        # (Wanted values that require no grad come last: most of them are computed on the way to others.)
        for root in [*sorted(roots), *sorted(k for k in self.wanted if k not in roots)]:
            if self.maker[root] in owned:
                found = gives[owned[self.maker[root]]]
                if root not in found:
                    found.append(root)
                continue
            gives[root] = [root]
            left = [root]
            while left:
                k = left.pop()
                i = self.maker.get(k)
                if i is None or (k != root and k in roots):
                    continue
                if i in owned and owned[i] != root:
                    if self.recorded(k) and self.grad:
                        more.add(k)
                    elif k not in gives[owned[i]]:
                        gives[owned[i]].append(k)
                    continue
                if k in self.alone and k != root:
                    more.add(k)
                    continue
                if i in owned:
                    continue
                if not is_view(self.calls[i].op) or k == root:
                    owned[i] = root
                if k in self.alone:
                    more |= {b for b in map(self.base, numbers_in(self.calls[i].values)) if b in self.maker} - roots
                else:
                    left += numbers_in(self.calls[i].values)
        return owned, gives, more

    def base(self, k: int) -> int:
        """The base of a view, through all views; other values as they are."""
        while k in self.views:
            k = self.views[k][0]
        return k

    def with_views(self, own: list[int]) -> list[int]:
        """Calls with the views that they use."""
        found = dict.fromkeys(own)
        left = list(own)
        while left:
            for k in numbers_in(self.calls[left.pop()].values):
                i = self.maker.get(k)
                if i is not None and i not in found and is_view(self.calls[i].op):
                    found[i] = None
                    left.append(i)
        return sorted(found)

    def part(self, name: str, calls: Iterable[int], gives: Sequence[int], given: set[int]) -> _Part:
        """A part of these calls."""
        made: set[int] = set()
        takes: list[tuple[int, int]] = []
        own: list[Call] = []
        named: dict[int, int] = {}
        fresh = len(self.recorder.values)

        def place(v: Any) -> Any:
            nonlocal fresh
            if type(v) is At and v.kind == "value":
                if v.k in made:
                    return v
                if v.k in named and not (self.grad and self.recorded(v.k)):
                    return At("value", named[v.k])
                k = v.k
                if k in named or k in given:  # another use, which is another operand
                    k, fresh = fresh, fresh + 1
                named[v.k] = k
                takes.append((k, v.k))
                return At("value", k)
            # From the last on, as the parts take all uses: then those of one call come in order.
            return tuple([place(x) for x in v[::-1]][::-1]) if type(v) is tuple else v

        for i in calls:
            call = self.calls[i]
            own.append(Call(call.op, place(call.values), call.results))
            made.update(results_of(call))
        # (What single calls keep must not be written to; that is found at the backward.)
        free = set(self.wanted) - self.recorder.kept_for(self.wanted) if self.free and self.grad else ()
        once = self.grad and any(ONCE in self.path[i].kept for i in calls)
        last = next((self.maker[k] for k in gives if self.grad and self.recorded(k) and k in self.maker), None)
        label = "" if last is None else self.path[last].label
        return _Part(name, own, takes, list(gives), self.recorder.kinds, free, once, label)

    def check_order(self, groups: dict[int, list[int]], given: set[int]) -> None:
        """Refused where three gradients of one value would be summed in another order than those of single calls.

        A value that is in memory, or that is held, may have gradients from outside as well: two of the segment's are
        enough there. (Two alone may come in any order.)
        """
        inside = given - set(self.wanted)
        part_of: dict[int, int] = {}
        for root, calls in groups.items():
            for i in self.with_views(sorted(calls)):
                if i in part_of and any(self.recorded(k) for k in results_of(self.calls[i])) and self.grad:
                    raise Refused("a view that requires grad is used in several parts")
                part_of[i] = root
        uses: dict[int, list[int]] = {}
        ids = {k: id(t) for k, t in self.recorder.operands}
        for i, call in enumerate(self.calls):
            for k in numbers_in(call.values):
                if (k in ids or k in given) and self.recorded(k) and i in part_of:
                    uses.setdefault(ids.get(k, k), []).append(part_of[i])
        for k, parts in uses.items():
            if len(parts) > (2 if k in inside else 1) and parts != sorted(parts):
                raise Refused("gradients would be summed in another order than those of single calls")


def _kind(op: Operator) -> str:
    """The operator's declared shape class; "" where a program makes no kernel of it and its neighbours. (To derive one
    takes a trace of its samples.)
    """
    if op.name in _SHORT:
        return "pointwise"
    found = op.definition.shape_class
    fuses = found == "pointwise" or (found == "reduction" and not op.definition.body.__module__.endswith(".pooling"))
    return found if fuses else ""


# Pointwise operators of few operations; all others are sums of many terms.
_SHORT = frozenset(
    "abs add add_ bitwise_and bitwise_not bitwise_or clamp div eq fill ge gt hardtanh le leaky_relu lerp logical_and "
    "logical_not logical_or lt masked_fill maximum minimum mul ne neg positive reciprocal relu rsqrt rsub sign square "
    "sqrt sub threshold true_divide where _to_copy _dropout addcmul addcdiv".split()
)


def _roots(recorder: Recorder, held: Sequence[int]) -> tuple[list[int], list[int]]:
    """The values that programs have to give for those that are held, and the views that are made of them afterwards.

    A view shares the memory of its base: the program gives the base, and the view is made from it again. Refused where
    the view, or its base, has other uses as well, so that a gradient would be summed in another order.
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
        again.update(dict.fromkeys(reversed(chain)))
    if again and recorder.state.grad:
        uses: dict[int, int] = {}
        for call in recorder.calls:
            for k in numbers_in(call.values):
                uses[k] = uses.get(k, 0) + 1
        for v in again:
            if recorder.shadows[v].requires_grad and (
                uses[views[v][0]] > 1 or uses.get(v, 0) > sum(views[w][0] == v for w in again)
            ):
                raise Refused("a view is held, and what it is of is used otherwise as well")
    return list(wanted), sorted(again)

"""Segments: what a recorder has noted, as programs of operators.

The calls of a segment, in their order, are the body of an operator; its operands are the tensors that they take. Equal
segments are one operator, which is traced, differentiated and compiled once, for whatever sizes, as every operator is.
Where that gives what the calls one by one would not, or cannot be done, they are made one by one.

In the graph an operator is one node: what flows back to one of its results flows through all of it. So a segment of
which several values that require grad are held is cut into parts, each of which gives one of them (`_Cut`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rushlight.core import raw as _raw
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.jit.operands import marked
from rushlight.jit.recording import At, Call, Recorder
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.define import Definition
from rushlight.operators.table.tracer import Tracer, tracer

_FEWEST = 2  # calls that are worth a program
MOST = 64  # segments of one function that are kept; more are made one by one
# What a program saves where it keeps a value in registers, and what it costs to record a call, both in nanoseconds and
# about: a byte written and read again in a cache, and a call of `Recorder.record`, in Python. Whichever way is taken,
# the bits are the same.
_A_BYTE, _A_CALL = 0.05, 15_000


class _Refused(Exception):
    """The calls of a segment are to be made one by one; why."""


class _Part:
    """Calls that are one program: the operator, what it takes, and what it gives.

    Args:
        name: the operator's.
        calls: the calls.
        takes: (number in the calls, number of the value that it is) of each operand.
        gives: numbers of values.
        kinds: of the segment's numbers.
    """

    def __init__(
        self, name: str, calls: list[Call], takes: list[tuple[int, int]], gives: list[int], kinds: Sequence[Kind]
    ) -> None:
        self.calls, self.takes, self.gives = calls, takes[::-1], gives
        self.op: Operator | None = None
        self.inner: list[int] = []  # values that have no memory
        if sum(not call.op.is_view for call in calls) >= _FEWEST:
            self.inner = [k for call in calls if not call.op.is_view for k in _results(call) if k not in gives]
            params = [Param("operands", Kind.P_TENSORS), Param("ints", Kind.P_INTS)]
            params += [Param(f"number{i}", kind) for i, kind in enumerate(kinds)]
            self.op = Operator(name, params, Definition(name, self.body, None, "other"))

    def body(self, operands: list[Tracer], ints: Sequence[Any], *numbers: Any) -> list[Tracer]:
        """The calls on tracers."""
        env: dict[int, Tracer] = {k: x for (k, _), x in zip(self.takes, operands, strict=True)}
        for at, call in enumerate(self.calls):
            values = [filled(v, env, ints, numbers) for v in call.values]
            own = marked(values, at, call.op.is_view)
            _name(call, _dispatch.inline(call.op, own, None), env)
        return [tracer(env[k].var) for k in self.gives]

    def run(self, env: dict[int, Tensor], recorder: Recorder) -> None:
        """Compute its values."""
        if self.op is None:
            for k, source in self.takes:
                env[k] = env[source]
            for call in self.calls:
                _make(call, env, recorder)
            return
        # In the order of the uses, the last first: what flows back to one tensor from several is summed in the order of
        # the edges, as from single calls' nodes.
        operands = [env[source] for _, source in self.takes]
        found = self.op(operands, tuple(recorder.ints), *recorder.numbers)
        env.update(zip(self.gives, found, strict=True))


class Plan:
    """How a segment is run: its parts, in order, and the views that are made of their values again."""

    def __init__(self, name: str, recorder: Recorder, held: Sequence[int]) -> None:
        self.refused = ""  # why the calls are made one by one
        self.parts: list[_Part] = []
        self.again: list[Call] = []
        self.calls = len(recorder.calls)
        try:
            wanted, views = _roots(recorder, held)
            self.again = [recorder.calls[at] for at in sorted({recorder.views[k][1] for k in views})]
            self.parts = list(_Cut(recorder, wanted).parts(name))
        except _Refused as why:
            self.refused = str(why)

    def run(self, recorder: Recorder, held: Sequence[int]) -> None:
        """Give the values that are held. _Refused: single calls would give others."""
        env: dict[int, Tensor] = {k: t for k, t, _ in recorder.operands}
        shadows = recorder.shadows
        for part in self.parts:
            part.run(env, recorder)
            if part.op is not None:
                if not all(_raw.lies_alike(shadows[k], env[k]) for k in part.gives):
                    raise _Refused("the results would lie in another way than those of single calls")
                if _shared(env, part):
                    raise _Refused("results would share memory that those of single calls do not")
        for k in held:
            if k in env:
                env[k] = recorder.give(k, env[k])
        for call in self.again:  # of the very tensors that the program has, which are their bases
            _make(call, env, recorder)
            for k in _results(call):
                if k in held:
                    env[k] = recorder.give(k, env[k])

    def saves(self, recorder: Recorder) -> float:
        """About how many nanoseconds it saves, at these sizes."""
        return sum(recorder.shadows[k].nbytes for part in self.parts for k in part.inner) * _A_BYTE


class Segments:
    """The plans of a function's segments by their keys.

    Args:
        name: the function's.
        always: run a program wherever there can be one, also where recording costs more than it saves.
    """

    def __init__(self, name: str, always: bool = True) -> None:
        self.name, self.always = name, always
        self.plans: dict[Any, Plan] = {}
        self.runs = self.one_by_one = 0
        self.saved = 0.0  # by all runs, less what recording cost

    def run(self, recorder: Recorder, held: list[int]) -> None:
        """Run what the recorder has noted, and give it the values that are held."""
        for _, t, version in recorder.operands:
            if _raw.version(t) != version:
                raise RuntimeError(
                    "torch.compile: a tensor was written to in a way that is not recorded, after a call that reads it; "
                    "keep the function that does so out of the compiled one by torch.compiler.disable()"
                )
        plan = self.plan(recorder, held) if len(recorder.calls) >= _FEWEST else None
        saves = plan.saves(recorder) if plan is not None and not plan.refused else 0.0
        self.saved += saves - _A_CALL * len(recorder.calls)
        if plan is not None and not plan.refused and (self.always or saves > _A_CALL * len(recorder.calls)):
            try:
                plan.run(recorder, held)
            except _Refused as why:
                plan.refused = str(why)
            except Exception as error:  # where single calls raise as well, they say what is wrong
                plan.refused = f"{type(error).__name__}: {error}"
                self.each(recorder, held)
                warn(f"torch.compile: calls of {self.name}() are made one by one, no program of them: {plan.refused}")
                return
            else:
                self.runs += 1
                return
        self.each(recorder, held)

    def plan(self, recorder: Recorder, held: list[int]) -> Plan | None:
        """The plan of a segment, None where there are too many."""
        key = exact(
            (
                recorder.state,
                tuple(recorder.calls),
                tuple(held),
                tuple(recorder.kinds),
                len(recorder.ints),
                tuple([(k, t.dtype, t.requires_grad) for k, t, _ in recorder.operands]),
            )
        )
        try:
            found = self.plans.get(key)
        except TypeError:  # an argument that has no hash
            return None
        if found is None and len(self.plans) < MOST:
            found = self.plans[key] = Plan(self.name, recorder, held)
        return found

    def each(self, recorder: Recorder, held: list[int]) -> None:
        """The calls one by one."""
        self.one_by_one += 1
        env: dict[int, Tensor] = {k: t for k, t, _ in recorder.operands}
        last: dict[int, int] = {}
        for i, call in enumerate(recorder.calls):
            for k in numbers_in(call.values):
                last[k] = i
        keep = set(held)
        for i, call in enumerate(recorder.calls):
            _make(call, env, recorder)
            for k in _results(call):
                if k in keep:
                    env[k] = recorder.give(k, env[k])
            for k in numbers_in(call.values):
                if last[k] == i and k not in keep:
                    env.pop(k, None)


class _Cut:
    """Cuts the calls of a segment into parts that give one value that requires grad each, and what else is wanted.

    A value that two parts need is one that a part gives. Views are made in each part that uses them, of what they are
    of. A call with several results that require grad is a part of its own, as it is a node of its own; and so is what
    would be a step of its own in a program (products, sorts): with what they need, and what comes back, kept for all
    of it, a program of many is slower than they are.
    """

    def __init__(self, recorder: Recorder, wanted: Sequence[int]) -> None:
        self.recorder, self.wanted = recorder, wanted
        self.calls = recorder.calls
        self.maker: dict[int, int] = {}
        for i, call in enumerate(self.calls):
            for k in _results(call):
                self.maker[k] = i
        self.grad = recorder.state is not None and recorder.state.grad
        self.alone: dict[int, int] = {}  # result -> call, of calls that are a part of their own
        for i, call in enumerate(self.calls):
            if not call.op.is_view and (
                not _kind(call.op) or (self.grad and sum(self.recorded(k) for k in _results(call)) > 1)
            ):
                self.alone.update((k, i) for k in _results(call))

    def recorded(self, k: int) -> bool:
        return self.recorder.shadows[k].requires_grad

    def parts(self, name: str) -> Iterator[_Part]:
        """The parts, in the order in which they are run."""
        roots = {k for k in self.wanted if self.grad and self.recorded(k)}
        if len(roots) <= 1 and not self.alone:
            yield self.part(name, range(len(self.calls)), self.wanted, set())
            return
        while True:
            owned, gives, more = self.owners(roots)
            if not more:
                break
            if more <= roots:
                raise _Refused("values that require grad depend on one another in a way that has no order")
            roots |= more
        groups: dict[int, list[int]] = {}
        for i, root in owned.items():
            groups.setdefault(root, []).append(i)
        given = {k for found in gives.values() for k in found} | set(self.alone)
        self.check_order(groups, given)
        for root in sorted(groups):
            yield self.part(name, self.with_views(sorted(groups[root])), gives[root], given)

    def owners(self, roots: set[int]) -> tuple[dict[int, int], dict[int, list[int]], set[int]]:
        """Which root each call is for, what each part gives, and the values that have to be roots as well."""
        owned: dict[int, int] = {}
        gives: dict[int, list[int]] = {}
        more: set[int] = set()
        # (What requires no grad and is wanted comes last: most of it is on the way to something else.)
        for root in [*sorted(roots), *sorted(k for k in self.wanted if k not in roots)]:
            if self.maker[root] in owned:
                gives[owned[self.maker[root]]].append(root)
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
                if not self.calls[i].op.is_view or k == root:
                    owned[i] = root
                if k in self.alone:
                    more |= {b for b in map(self.base, numbers_in(self.calls[i].values)) if b in self.maker} - roots
                else:
                    left += numbers_in(self.calls[i].values)
        return owned, gives, more

    def base(self, k: int) -> int:
        """What a view is of, through all views; other values as they are."""
        while k in self.recorder.views:
            k = self.recorder.views[k][0]
        return k

    def with_views(self, own: list[int]) -> list[int]:
        """Calls with the views that they use."""
        found = dict.fromkeys(own)
        left = list(own)
        while left:
            for k in numbers_in(self.calls[left.pop()].values):
                i = self.maker.get(k)
                if i is not None and i not in found and self.calls[i].op.is_view:
                    found[i] = None
                    left.append(i)
        return sorted(found)

    def part(self, name: str, calls: Iterable[int], gives: Sequence[int], given: set[int]) -> _Part:
        """A part of these calls."""
        made: set[int] = set()
        takes: list[tuple[int, int]] = []
        own: list[Call] = []
        named: dict[int, int] = {}
        fresh = self.recorder.count

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
            return tuple([place(x) for x in v]) if type(v) is tuple else v

        for i in calls:
            call = self.calls[i]
            own.append(Call(call.op, tuple([place(v) for v in call.values]), call.results))
            made.update(_results(call))
        return _Part(name, own, takes, list(gives), self.recorder.kinds)

    def check_order(self, groups: dict[int, list[int]], given: set[int]) -> None:
        """_Refused where three gradients of one value would be summed in another order than those of single calls."""
        part_of: dict[int, int] = {}
        for root, calls in groups.items():
            for i in self.with_views(sorted(calls)):
                if i in part_of and any(self.recorded(k) for k in _results(self.calls[i])) and self.grad:
                    raise _Refused("a view that requires grad is used in several parts")
                part_of[i] = root
        uses: dict[int, list[int]] = {}
        ids = {k: id(t) for k, t, _ in self.recorder.operands}
        for i, call in enumerate(self.calls):
            for k in numbers_in(call.values):
                if (k in ids or k in given) and self.recorded(k) and i in part_of:
                    uses.setdefault(ids.get(k, k), []).append(part_of[i])
        for parts in uses.values():
            if len(parts) > 2 and parts != sorted(parts):
                raise _Refused("gradients would be summed in another order than those of single calls")


def exact(key: Any) -> Any:
    """A key of nested tuples that tells 1 from 1.0 and True, and 0.0 from -0.0."""
    return _Exact(key)


class _Exact:
    """See `exact`."""

    __slots__ = ("key", "said")

    def __init__(self, key: Any) -> None:
        self.key, self.said = key, hash(key)

    def __hash__(self) -> int:
        return self.said

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Exact) and _same(self.key, other.key)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float):
        return bool(a.hex() == b.hex())
    return bool(a == b)


def filled(v: Any, env: dict[int, Any], ints: Sequence[Any], numbers: Sequence[Any]) -> Any:
    """An argument of a recorded call with what it is given."""
    if type(v) is At:
        return env[v.k] if v.kind == "value" else ints[v.k] if v.kind == "int" else numbers[v.k]
    if type(v) is tuple:
        return tuple([filled(x, env, ints, numbers) for x in v])
    return v


def numbers_in(values: Sequence[Any]) -> list[int]:
    """The numbers of the values that a recorded call takes."""
    found: list[int] = []
    for v in values:
        if type(v) is At:
            if v.kind == "value":
                found.append(v.k)
        elif type(v) is tuple:
            found += numbers_in(v)
    return found


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


def _results(call: Call) -> tuple[int, ...]:
    return call.results if isinstance(call.results, tuple) else (call.results,)


def _name(call: Call, result: Any, env: dict[int, Any]) -> None:
    """Take a call's results under their numbers."""
    if isinstance(call.results, tuple):
        env.update(zip(call.results, result, strict=True))
    else:
        env[call.results] = result


def _make(call: Call, env: dict[int, Tensor], recorder: Recorder) -> None:
    """Make a call by itself."""
    args, kwargs = _dispatch.arguments(call.op, [filled(v, env, recorder.ints, recorder.numbers) for v in call.values])
    _name(call, call.op(*args, **kwargs), env)


def _roots(recorder: Recorder, held: Sequence[int]) -> tuple[list[int], list[int]]:
    """The values that programs have to give for those that are held, and the views that are made of them afterwards.

    A view shares the memory of what it is of: that is given, and the view is made of it again. _Refused where a
    gradient would be summed in another order then: what the view is of, or the view, is used otherwise as well.
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
    if again and recorder.state is not None and recorder.state.grad:
        uses: dict[int, int] = {}
        for call in recorder.calls:
            for k in numbers_in(call.values):
                uses[k] = uses.get(k, 0) + 1
        for v in again:
            if recorder.shadows[v].requires_grad and (
                uses[views[v][0]] > 1 or uses.get(v, 0) > sum(views[w][0] == v for w in again)
            ):
                raise _Refused("a view is held, and what it is of is used otherwise as well")
    return list(wanted), sorted(again)


def _shared(env: dict[int, Tensor], part: _Part) -> bool:
    """Whether results of a part share memory with one another or with its operands."""
    found = [env[k] for k in part.gives]
    taken = [env[source] for _, source in part.takes]
    return any(_raw.same_memory(a, b) for i, a in enumerate(found) for b in (*found[i + 1 :], *taken))

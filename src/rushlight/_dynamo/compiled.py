"""Functions that record: what `torch.compile` makes, backends that get a graph, and what `explain` says of them."""

from __future__ import annotations

import functools
import operator
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rushlight._dynamo.exc import BackendCompilerFailed, Unsupported
from rushlight._dynamo.proving import leaves_of, proven
from rushlight._dynamo.source import NotKnown
from rushlight.amp.autocast_mode import in_force, kept_casts, left_out, state_in_force
from rushlight.compiler import events, marks
from rushlight.core.errors import is_of_handler
from rushlight.core.pending import lies_alike
from rushlight.core.replay import NO_FIT, Replay
from rushlight.core.tape import Exact, Place
from rushlight.core.tensor import Tensor, is_grad_enabled, modes_in_force
from rushlight.fx import Graph, GraphModule
from rushlight.jit.calls import Backward, Call, supplied
from rushlight.jit.recording import SUBCLASS, Recorder, innermost, record_calls
from rushlight.jit.segments import MOST, Segments
from rushlight.nn import Module
from rushlight.operators.table import dispatch as _dispatch

_LOOKS = 6  # calls of a function that are inspected, which takes some milliseconds each
_SAME = 3  # after so many that end for the same reason none is


class GraphBackend:
    """Runs segments by a backend of the program's own. The backend gets an `fx.GraphModule` of each kind of segment,
    and example inputs, and returns what is called in the module's place.
    """

    def __init__(self, backend: Callable[..., Any], options: dict[str, Any]) -> None:
        self.backend, self.options = backend, options
        self.roots: dict[Any, Place] = {}
        self.made: dict[Any, tuple[list[int], Callable[..., Any]]] = {}

    def run(self, recorder: Recorder, held: tuple[int, ...]) -> None:
        """Return the values that are held."""
        operands = dict(recorder.operands)
        calls, views = recorder.calls, recorder.views
        key = Exact(
            (
                recorder.state,
                tuple(calls),
                held,
                tuple(recorder.ints),
                tuple(recorder.numbers),
                tuple([(k, t.dtype, tuple(t.shape), t.stride(), t.requires_grad) for k, t in operands.items()]),
            )
        )
        found = self.made.get(key)
        if found is None:
            places, module = graph_of(recorder, held)
            try:
                compiled = self.backend(module, [operands[k] for k in places], **self.options)
            except Exception as error:
                if is_of_handler(error):
                    raise
                raise BackendCompilerFailed(
                    f"backend={getattr(self.backend, '__name__', self.backend)!r} raised:\n"
                    f"{type(error).__name__}: {error}"
                ) from error
            found = places, compiled
            if len(self.made) < MOST:
                self.made[key] = found
        places, compiled = found
        given = [operands[k] for k in places]
        results = compiled(*given)
        if isinstance(results, Tensor):
            results = (results,)
        if len(results) != len(held):
            raise BackendCompilerFailed(
                f"a backend's function must give {len(held)} tensors, as the graph's; found {len(results)}"
            )
        taken: list[Tensor] = list(given)
        for k, t in zip(held, results, strict=True):
            base, at = views.get(k, (-1, -1))
            if base in held:  # a view of the very tensor that the program has
                call = calls[at]
                env = {**operands, base: recorder.values[base]}
                t = call.op(*[supplied(v, env, recorder.ints, recorder.numbers) for v in call.values])
                t = t[call.results.index(k)] if isinstance(call.results, tuple) else t
            elif any(t is x for x in taken):
                t = t.clone()
            if not lies_alike(recorder.shadows[k], t):
                raise BackendCompilerFailed(
                    "a backend's function must give tensors of the graph's dtypes, sizes and strides, with their place "
                    f"in the graph of autograd; expected {tuple(recorder.shadows[k].shape)} of "
                    f"{recorder.shadows[k].dtype}, found {tuple(t.shape)} of {t.dtype}"
                )
            taken.append(t)
            recorder.give(k, t)


def graph_of(recorder: Recorder, held: Sequence[int]) -> tuple[list[int], GraphModule]:
    """A segment as an `fx.GraphModule`, and the numbers of the values that it takes."""
    graph = Graph()
    env: dict[int, Any] = {}
    places: dict[int, int] = {}  # id of a tensor -> the first number that it has
    for k, t in recorder.operands:
        if id(t) in places:
            env[k] = env[places[id(t)]]
        else:
            places[id(t)] = k
            env[k] = graph.placeholder(f"arg{len(places) - 1}")
    for call in recorder.calls:
        values = [supplied(v, env, recorder.ints, recorder.numbers) for v in call.values]
        if isinstance(call, Backward):
            outputs, cotangents, uses = values
            args, kwargs = (outputs, tuple([x[0] for x in uses]), cotangents), {}
        else:
            out = None if call.out is None else supplied(call.out, env, (), ())
            args, kwargs = _dispatch.arguments(call.op, values, out)
        node = graph.call_function(_called(call), args, kwargs)
        if call.results is None:
            continue
        if isinstance(call.results, tuple):
            for i, k in enumerate(call.results):
                env[k] = graph.call_function(operator.getitem, (node, i))
        else:
            env[call.results] = node
    graph.output(tuple(env[k] for k in held))
    return list(places.values()), GraphModule(Module(), graph)


def _called(call: Call | Backward) -> Callable[..., Any]:
    """The public function that a recorded call has called."""
    from rushlight.autograd import grad

    return grad if isinstance(call, Backward) else _dispatch.public_function(call.op)


class Context:
    """How a function is compiled: its segments, and its options. A copy has segments of its own."""

    def __init__(
        self, name: str, backend: Any = None, fullgraph: bool = False, options: dict[str, Any] | None = None
    ) -> None:
        self.name, self.backend, self.fullgraph, self.options = name, backend, fullgraph, options
        self.always = fullgraph or backend is not None or bool((options or {}).get("always"))
        self.runner: Any = Segments(name, self.always) if backend is None else GraphBackend(backend, options or {})
        self.slower: set[Any] = set()  # kinds of calls that are slower recorded
        self.free: list[Recorder] = []  # recorders of calls that have ended
        self.replays: list[Replay] = []  # calls that need no Python, the newest first
        # The same of calls with autocast around them, by what that is; each with the ids of the parameters that it
        # casts.
        self.casting: dict[Any, list[tuple[Replay, frozenset[int]]]] = {}
        self.why_not = ""  # why the last call that was inspected needs Python
        self.same = 0  # how many in a row did for that reason
        # How many more are inspected; {"always": True} asks for recording.
        self.left = 0 if backend is not None or (options or {}).get("always") else _LOOKS
        self.shown: set[tuple[Place | None, tuple[int, ...]]] = set()  # the segments that listeners have heard of

    def call(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A call of a function: its operators are recorded, unless recording has cost more than it saved for tensors of
        about as many elements.
        """
        tells = events.heard("graphs") or events.heard("breaks")
        given, names = args, ()
        if kwargs:
            given, names = (*args, *kwargs.values()), tuple(kwargs)
        if not tells:
            for replay in self.replays:
                found = replay(given, names)
                if found is not NO_FIT:
                    return found
            if self.casting and in_force() is not None:
                found = self.cast(given, names)
                if found is not NO_FIT:
                    return found
        if marks.stance() == "force_eager" or innermost() is not None:
            return fn(*args, **kwargs)
        if tells:
            return self.told(fn, args, kwargs)
        casts = in_force() is not None
        if self.left and modes_in_force() == casts and not (casts and kept_casts()):
            leaves = leaves_of(given)
            if leaves is None:
                self.why_not = "an argument is no plain tensor, value or object"
            else:
                self.left -= 1
                try:
                    return self.looked_into(fn, given, names, leaves)
                except NotKnown as why:
                    self.same = self.same + 1 if str(why) == self.why_not else 1
                    if self.same == _SAME:
                        self.left = 0
                    self.why_not = str(why)
        if self.always:
            return self.recorded(fn, args, kwargs)
        # (a class of the program's own would see that it is asked)
        plain = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor) and not x._keys_ & SUBCLASS]
        elements = sum([x.numel() for x in plain])
        kind = elements.bit_length(), is_grad_enabled()
        if kind in self.slower:
            return fn(*args, **kwargs)
        before = self.runner.saved
        result = self.recorded(fn, args, kwargs)
        if self.runner.saved <= before:
            self.slower.add(kind)
        return result

    def looked_into(self, fn: Callable[..., Any], given: Any, names: tuple[str, ...], leaves: list[Any]) -> Any:
        """A call that is inspected: further ones may need no Python. NotKnown: nothing has happened."""
        found: Replay | None = None
        casts = in_force() is not None
        casting = self.casting.setdefault(state_in_force(), []) if casts else []

        def died(_: Any) -> None:
            self.replays[:] = [x for x in self.replays if x is not found]
            casting[:] = [x for x in casting if x[0] is not found]

        result, found, self.why_not = proven(fn, given, names, leaves, self.runner, died)
        if found is not None and casts:
            casting.insert(0, (found, frozenset(kept_casts())))
        elif found is not None:
            self.replays.insert(0, found)
        return result

    def cast(self, given: Any, names: tuple[str, ...]) -> Any:
        """A call with autocast around it that needs no Python; NO_FIT for others. What is cast was recorded, and casts
        that a call before has kept are no part of that.
        """
        for replay, own in self.casting.get(state_in_force(), ()):
            if own.isdisjoint(kept_casts()):
                with left_out():
                    found = replay(given, names)
                if found is not NO_FIT:
                    return found
        return NO_FIT

    def recorded(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A call whose operators are recorded."""
        if self.free:
            recorder = self.free.pop()
        else:
            whole = Unsupported if self.fullgraph else None
            recorder = Recorder(self.runner.run, self.runner.roots, whole, defers=self.backend is None)
        result = record_calls(recorder, lambda: fn(*args, **kwargs))
        self.free.append(recorder)
        return result

    def told(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A call whose operators are recorded; listeners hear of its segments and their ends."""

        def run(recorder: Recorder, held: tuple[int, ...]) -> None:
            place = recorder.place  # of the tree of known calls: the same for equal ones
            if (place, held) not in self.shown:
                self.shown.add((place, held))
                code = graph_of(recorder, held)[1].code.strip()
                events.tell("graphs", f"{self.name}, a segment of {len(recorder.calls)} calls:\n{code}")
            self.runner.run(recorder, held)

        whole = Unsupported if self.fullgraph else None
        recorder = Recorder(run, self.runner.roots, whole, listed=True, defers=self.backend is None)
        try:
            return record_calls(recorder, lambda: fn(*args, **kwargs))
        finally:
            for found in recorder.breaks:
                events.tell("breaks", f"{self.name}: {found.reason}, in {found.where}")

    def replayed(self, args: Any, kwargs: Any) -> str:
        """Whether a call needs no Python, and why it does, in words."""
        given = (*args, *kwargs.values())
        replays = self.replays
        if in_force() is not None:
            replays = [r for r, own in self.casting.get(state_in_force(), ()) if own.isdisjoint(kept_casts())]
        with left_out():
            found = next((r for r in replays if r.fits(given, tuple(kwargs))), None)
        if found is not None:
            return f"such calls need no Python: {found.calls} calls of operators, which were made {found.runs} times"
        if self.why_not:
            return f"such calls run as they are written: {self.why_not}"
        if self.replays or any(self.casting.values()):
            return "such calls run as they are written: what they read is not as it was for calls before"
        if self.always:
            return "calls run as they are written: they are to be recorded always"
        return "no call has been looked into yet; the first ones are"

    def __reduce__(self) -> tuple[Any, ...]:
        return Context, (self.name, self.backend, self.fullgraph, self.options)


def compiled(
    fn: Callable[..., Any], backend: Any = None, fullgraph: bool = False, options: dict[str, Any] | None = None
) -> Callable[..., Any]:
    """A function that does what `fn` does, recording. Also an OptimizedModule's `dynamo_ctx`, by which packages compile
    more of its methods.
    """
    context = Context(getattr(fn, "__name__", type(fn).__name__), backend, fullgraph, options)

    @functools.wraps(fn)
    def compiled_function(*args: Any, **kwargs: Any) -> Any:
        return context.call(fn, args, kwargs)

    compiled_function._torchdynamo_orig_callable = fn  # type: ignore[attr-defined]
    compiled_function._context_ = context  # type: ignore[attr-defined]
    return compiled_function


class GraphCompileReason(NamedTuple):
    """Why a segment ended."""

    reason: str
    user_stack: list[str]
    graph_break: bool = True


class ExplainOutput(NamedTuple):
    """What `torch._dynamo.explain(f)(*args)` gives: the segments of one call, as graphs, and why each ended."""

    graphs: list[GraphModule]
    graph_count: int
    graph_break_count: int
    break_reasons: list[GraphCompileReason]
    op_count: int
    ops_per_graph: list[list[Any]]
    out_guards: None = None
    compile_times: str | None = None
    refused: tuple[str, ...] = ()  # of each segment why its calls are made one by one; "" where they are a program

    def __str__(self) -> str:
        lines = [
            f"Graph Count: {self.graph_count}",
            f"Graph Break Count: {self.graph_break_count}",
            f"Op Count: {self.op_count}",
            "Break Reasons:",
        ]
        for i, reason in enumerate(self.break_reasons):
            lines += [f"  Break Reason {i + 1}:", f"    Reason: {reason.reason}", "    User Stack:"]
            lines += [f"      {line}" for line in reason.user_stack]
        lines.append("Ops per Graph:")
        for i, ops in enumerate(self.ops_per_graph):
            lines += [f"  Ops {i + 1}:", *(f"    {op}" for op in ops)]
        if any(self.refused):
            lines.append("Made Call by Call:")
            lines += [f"  Graph {i + 1}: {why}" for i, why in enumerate(self.refused) if why]
        if self.compile_times:
            lines += ["Compile Times:", f"  {self.compile_times}"]
        return "\n".join(lines)


def explained(fn: Callable[..., Any], args: Any, kwargs: Any) -> ExplainOutput:
    """Run a function once and tell its segments."""
    segments = Segments(getattr(fn, "__name__", type(fn).__name__))
    graphs: list[GraphModule] = []
    calls: list[list[Any]] = []
    refused: list[str] = []
    start = time.perf_counter()

    def run(recorder: Recorder, held: tuple[int, ...]) -> None:
        graphs.append(graph_of(recorder, held)[1])
        calls.append([_called(call) for call in recorder.calls])
        plan = segments.plan(recorder, held)
        segments.run(recorder, held)
        refused.append(plan.refused if plan is not None else "an argument has no hash, or there are too many segments")

    recorder = Recorder(run, segments.roots, listed=True, defers=True)
    record_calls(recorder, lambda: fn(*args, **kwargs))
    breaks = [GraphCompileReason(b.reason, [b.where]) for b in recorder.breaks]
    return ExplainOutput(
        graphs,
        len(graphs),
        len(breaks),
        breaks,
        sum(map(len, calls)),
        calls,
        None,
        f"{time.perf_counter() - start:.3f} s, with the run",
        tuple(refused),
    )

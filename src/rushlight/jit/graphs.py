"""Graphs that were run before anybody has made them, which `backward.py` notes as one call.

After a backward eager mode has the graph of its calls still, whose nodes have let go of what they kept: one that has
kept nothing runs again, any other refuses to. Here each result that is held gets a node that stands for its place in
that graph (`LetGoNode`); the graph is made when somebody looks at it, or a run comes to it, by the calls once more, on
zeros in the place of the values.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rushlight.autograd.graph import without_hooks
from rushlight.core import engine, locks
from rushlight.core.dtypes import dtype
from rushlight.core.nesting import reached
from rushlight.core.tape import Tape
from rushlight.core.tensor import Tensor
from rushlight.jit.calls import Call, name_results, numbers_in, results_of, supplied
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.tracer import with_default

__all__ = ["Found", "Gone", "LetGo", "Spot", "made_again", "spots_of"]


class Spot(NamedTuple):
    """Where a result stands in a graph: the number of its node, in the order of calls, and of which of the node's
    results it is; the node's name, and how many results that has."""

    node: int
    nr: int
    label: str
    n_outputs: int


class Found(NamedTuple):
    """What is known of a graph: where the results that require grad stand, by number, and how many nodes there are."""

    spots: dict[int, Spot]
    n_nodes: int


def spots_of(calls: Iterable[Any], env: dict[int, Any]) -> Found:
    """The graph of calls on meta tensors. env: their results by number."""
    made = [k for call in calls for k in results_of(call) if env[k].requires_grad]
    edges = {k: engine.edge_of(env[k]) for k in made}
    nodes = _nodes(edge[0] for edge in edges.values())
    places = {id(node): at for at, node in enumerate(nodes)}
    spots = {k: Spot(places[id(node)], nr, node.name(), node.n_outputs) for k, (node, nr) in edges.items()}
    return Found(spots, len(nodes))


def _nodes(starts: Iterable[Any]) -> list[engine.Node]:
    """The nodes behind these, in the order of calls."""
    nodes = reached(starts, lambda node: [edge[0] for edge in node.edges] if isinstance(node, engine.Node) else ())
    return sorted((node for node in nodes if isinstance(node, engine.Node)), key=lambda node: node.seq)


class LetGo:
    """The graph of calls that a backward has run.

    Args:
        calls: those before the backward.
        found: what is known of it.
        operands: the numbers of the tensors that require grad.
        gives: the numbers of the results that somebody holds.
    """

    def __init__(self, calls: Sequence[Call], found: Found, operands: Sequence[int], gives: Iterable[int]) -> None:
        self.calls = tuple([call for call in calls if call.results is not None])
        self.n_nodes, self.operands = found.n_nodes, tuple(operands)
        self.spots = {k: found.spots[k] for k in gives if k in found.spots}

    def __call__(self, tape: Tape, env: list[Any]) -> None:
        """The calls of a tape have run; env: their results by number."""
        gone = Gone(self, tape.shadows, tape.ints, tape.numbers, tape.common[2])
        gone([env[k] for k in self.spots], [tape.values[k] for k in self.operands])


class Gone:
    """Such a graph, with the sizes and numbers of its calls.

    Args:
        graph: the calls.
        shadows: meta tensors by number, as the operands lie.
        ints, numbers: what was given to the calls.
        default: the default dtype.
    """

    def __init__(
        self, graph: LetGo, shadows: Sequence[Tensor], ints: Sequence[int], numbers: Sequence[Any], default: dtype
    ) -> None:
        self.graph, self.shadows, self.ints, self.numbers, self.default = graph, shadows, ints, numbers, default

    def __call__(self, results: Sequence[Tensor], operands: Sequence[Tensor]) -> None:
        """Give results their places in it; operands: the tensors that it began at."""
        first = engine.places_in_order(self.graph.n_nodes)
        behind = _Behind(self, [engine.edge_of(t) for t in operands], first)
        nodes: dict[int, engine.LetGoNode] = {}
        for spot, t in zip(self.graph.spots.values(), results, strict=True):
            node = nodes.get(spot.node)
            if node is None:
                node = nodes[spot.node] = engine.LetGoNode(spot.label, spot.n_outputs, first + spot.node, behind)
                behind.nodes[spot.node] = weakref.ref(node)
            engine.set_history(t, node, spot.nr)


class _Behind:
    """What nodes stand for that were given to results. edges: of the tensors that the graph began at."""

    def __init__(self, gone: Gone, edges: list[tuple[Any, int]], first: int) -> None:
        self.gone, self.edges, self.first = gone, edges, first
        self.nodes: dict[int, weakref.ref[engine.LetGoNode]] = {}
        self.lock = threading.Lock()

    def open(self) -> None:
        """Let them stand for the nodes of single calls."""
        with self.lock:
            if not self.edges:
                return
            stand_for = {at: node for at, ref in self.nodes.items() if (node := ref()) is not None}
            made = made_again(self.gone, self.edges)
            stand_ins = {id(made[at]): node for at, node in stand_for.items()}
            for at, one in enumerate(made):
                one.seq = self.first + at
                one.edges[:] = [(stand_ins.get(id(to), to), nr) for to, nr in one.edges]
            engine.let_go(made)
            for at, node in stand_for.items():
                node.stand_for(made[at])
            self.edges = []


def made_again(gone: Gone, edges: Sequence[tuple[Any, int]]) -> list[engine.Node]:
    """The nodes of the calls, in their order, which begin at these edges."""
    graph = gone.graph
    begins: dict[tuple[int, int], tuple[Tensor, tuple[Any, int]]] = {}  # for each edge a leaf in its place
    given = dict(zip(graph.operands, edges, strict=True))
    env: dict[int, Any] = {}
    with locks.below(0, True), with_default(gone.default), without_hooks():
        made = {k for call in graph.calls for k in results_of(call)}
        for k in {k for call in graph.calls for k in numbers_in(call.values)} - made:
            if k not in given:
                env[k] = _zeros(gone.shadows[k])
                continue
            node, nr = given[k]
            if (id(node), nr) not in begins:
                begins[id(node), nr] = _zeros(gone.shadows[k]).requires_grad_(), (node, nr)
            env[k] = begins[id(node), nr][0]
        for call in graph.calls:
            values = [supplied(v, env, gone.ints, gone.numbers) for v in call.values]
            args, kwargs = _dispatch.arguments(call.op, values)
            name_results(call, call.op(*args, **kwargs), env)
        nodes = _nodes(engine.edge_of(env[k])[0] for k in made if env[k].requires_grad)
    if len(nodes) != graph.n_nodes:
        raise RuntimeError(f"a graph of {graph.n_nodes} nodes was let go; found {len(nodes)} in their place")
    ends = {id(leaf): edge for leaf, edge in begins.values()}
    for node in nodes:
        node.edges[:] = [ends.get(id(to), (to, nr)) for to, nr in node.edges]
    return nodes


def _zeros(shadow: Tensor) -> Tensor:
    """Zeros that lie as a meta tensor does."""
    sizes, strides = tuple(shadow.shape), shadow.stride()
    reach = [(n - 1) * s for n, s in zip(sizes, strides, strict=True) if n]
    room = 1 + sum(map(abs, reach)) if shadow.numel() else 0
    with locks.below(grad=False, modes=True):
        memory = TABLE["zeros"]((room,), dtype=shadow.dtype)
        return METHODS["detach"](METHODS["as_strided"](memory, sizes, strides, -sum(n for n in reach if n < 0)))

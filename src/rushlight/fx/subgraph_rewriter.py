"""`replace_pattern`: put one piece of graph in the place of every occurrence of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from rushlight.fx._symbolic_trace import symbolic_trace
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, nodes_in
from rushlight.nn import Module

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """anchor: the last node of the pattern. nodes_map: from nodes of the pattern to those of the graph."""

    anchor: Node
    nodes_map: dict[Node, Any]


@dataclass
class ReplacedPatterns:
    """A match with the nodes that were put in its place."""

    anchor: Node
    nodes_map: dict[Node, Any]
    replacements: list[Node]


class _Matcher:
    """Finds a pattern behind an output of it: equal calls, with equal arguments; placeholders stand for anything."""

    def __init__(self, pattern: Graph, ignore_literals: bool) -> None:
        self.ignore_literals = ignore_literals
        self.inputs = [n for n in pattern.nodes if n.op == "placeholder"]
        self.results = nodes_in(pattern.output_node().args)

    def match(self, anchor: Node) -> dict[Node, Any] | None:
        found: dict[Node, Any] = {}
        if not self.same(self.results[0], anchor, found):
            return None
        # The further results of the pattern take part in it, or begin from values that do.
        for result in self.results[1:]:
            if result not in found and not self.reach(result, anchor.graph, found):
                return None
        inside = {id(v) for k, v in found.items() if k.op != "placeholder"}
        outs = {id(found[r]) for r in self.results}
        for k, v in found.items():
            if k.op in ("placeholder",) or not isinstance(v, Node) or id(v) in outs:
                continue
            if any(id(u) not in inside for u in v.users):
                return None  # a node outside of the occurrence takes a value from within
        return found

    def reach(self, result: Node, graph: Graph, found: dict[Node, Any]) -> bool:
        for candidate in graph.nodes:
            trial = dict(found)
            if id(candidate) not in {id(v) for v in found.values()} and self.same(result, candidate, trial):
                found.update(trial)
                return True
        return False

    def same(self, p: Any, g: Any, found: dict[Node, Any]) -> bool:
        if isinstance(p, Node):
            if p in found:
                return found[p] is g
            if p.op == "placeholder":
                found[p] = g
                return True
            if (
                not isinstance(g, Node)
                or p.op != g.op
                or p.target != g.target
                or len(p.args) != len(g.args)
                or p.kwargs.keys() != g.kwargs.keys()
            ):
                return False
            found[p] = g
            return all(self.same(a, b, found) for a, b in zip(p.args, g.args, strict=True)) and all(
                self.same(v, g.kwargs[k], found) for k, v in p.kwargs.items()
            )
        if isinstance(p, (tuple, list)):
            return (
                isinstance(g, (tuple, list))
                and len(p) == len(g)
                and all(self.same(a, b, found) for a, b in zip(p, g, strict=True))
            )
        if isinstance(p, dict):
            return isinstance(g, dict) and p.keys() == g.keys() and all(self.same(v, g[k], found) for k, v in p.items())
        if isinstance(p, slice):
            return isinstance(g, slice) and all(
                self.same(getattr(p, k), getattr(g, k), found) for k in ("start", "stop", "step")
            )
        return (self.ignore_literals and not isinstance(g, Node)) or (type(p) is type(g) and p == g)


def _graph_of(x: Any) -> Graph:
    return x if isinstance(x, Graph) else x.graph if isinstance(x, GraphModule) else symbolic_trace(x).graph


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace each occurrence of a pattern that does not overlap an earlier one; the module's code is made anew.

    Args:
        pattern, replacement: functions, modules or graphs with as many inputs and results; inputs stand for any value.

    Returns:
        The occurrences.

    Raises:
        Those of tracing the two.
    """
    return [Match(m.anchor, m.nodes_map) for m in _replace(gm, pattern, replacement, None, False, None)]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Any,
    replacement: Any = None,
    match_filters: list[Callable[..., bool]] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[..., Graph] | None = None,
) -> list[ReplacedPatterns]:
    """`replace_pattern` for the occurrences that every filter `(match, gm.graph, pattern graph) -> bool` takes.

    ignore_literals: numbers in the pattern stand for any number. replacement_callback: makes the replacement of a
    match.
    """
    return _replace(gm, pattern, replacement, match_filters, ignore_literals, replacement_callback)


def _replace(
    gm: GraphModule,
    pattern: Any,
    replacement: Any,
    filters: list[Callable[..., bool]] | None,
    ignore_literals: bool,
    callback: Callable[..., Graph] | None,
) -> list[ReplacedPatterns]:
    what = _graph_of(pattern)
    matcher = _Matcher(what, ignore_literals)
    if not matcher.results:
        raise RuntimeError("replace_pattern(): 'pattern' must return a value that it computes")
    given = None if callback is not None else _graph_of(replacement)
    if given is not None:
        _take_attributes(gm, given, replacement)
    taken: set[int] = set()
    done: list[ReplacedPatterns] = []
    became: dict[Node, Node] = {}
    for match in list(occurrences(gm.graph, matcher)):
        inside = [v for k, v in match.nodes_map.items() if k.op != "placeholder"]
        if any(id(v) in taken for v in inside) or not all(f(match, gm.graph, what) for f in filters or ()):
            continue
        taken.update(id(v) for v in inside)
        new = given if callback is None else callback(match, gm.graph, what)
        assert new is not None
        done.append(_put(gm.graph, matcher, match, new, became))
    gm.recompile()
    return done


def occurrences(graph: Graph, matcher: _Matcher) -> Iterator[Match]:
    """The places where a pattern is found, in the order of the graph."""
    for node in graph.nodes:
        found = matcher.match(node)
        if found is not None:
            yield Match(matcher.results[0], found)


def _put(graph: Graph, matcher: _Matcher, match: Match, new: Graph, became: dict[Node, Node]) -> ReplacedPatterns:
    inputs = [n for n in new.nodes if n.op == "placeholder"]
    if len(inputs) != len(matcher.inputs):
        raise AssertionError(
            f"replace_pattern(): the replacement must have as many inputs as the pattern, {len(matcher.inputs)}; "
            f"found {len(inputs)}"
        )
    value: Callable[[Any], Any] = lambda n: became.get(n, n) if isinstance(n, Node) else n
    inside = [v for k, v in match.nodes_map.items() if k.op != "placeholder" and isinstance(v, Node)]
    mapping: dict[Node, Any] = {r: value(match.nodes_map.get(p)) for r, p in zip(inputs, matcher.inputs, strict=True)}
    copied = dict(mapping)
    before = {id(n) for n in graph.nodes}
    # Before the first node that uses a result; if none does, behind the last of the results.
    ends = [match.nodes_map[p] for p in matcher.results]
    users = [u for end in ends for u in end.users if u not in inside]
    at = min(users) if users else max(ends).next
    needed = [n for n in mapping.values() if isinstance(n, Node)]
    while any(n > at or n is at for n in needed if n not in inside):
        at = at.next
    with graph.inserting_before(at):
        result = graph.graph_copy(new, copied)
    results = [result] if isinstance(result, Node) or not isinstance(result, (tuple, list)) else list(result)
    if len(results) != len(matcher.results):
        raise AssertionError(
            f"replace_pattern(): the replacement must return as many values as the pattern, {len(matcher.results)}; "
            f"found {len(results)}"
        )
    for p, r in zip(matcher.results, results, strict=True):
        old = match.nodes_map[p]
        old.replace_all_uses_with(r)
        became[old] = r
    for n in sorted(inside, key=graph.position, reverse=True):
        if not n.users:
            graph.erase_node(n)
    return ReplacedPatterns(match.anchor, match.nodes_map, [n for n in graph.nodes if id(n) not in before])


def _take_attributes(gm: GraphModule, new: Graph, source: Any) -> None:
    """Give the module what the replacement names and it lacks."""
    if not isinstance(source, Module):
        return
    from rushlight.fx.graph_module import _copy_attr

    for node in new.nodes:
        if node.op in ("get_attr", "call_module"):
            at: Any = gm
            for part in str(node.target).split("."):
                at = getattr(at, part, None)
            if at is None:
                _copy_attr(source, gm, str(node.target))

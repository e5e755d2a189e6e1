"""`SubgraphMatcher`: every occurrence of one graph in another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rushlight.fx.graph import Graph
from rushlight.fx.node import Node
from rushlight.fx.subgraph_rewriter import _Matcher, occurrences

__all__ = ["InternalMatch", "SubgraphMatcher"]


@dataclass
class InternalMatch:
    """One occurrence. anchors: the last nodes of the pattern. nodes_map: from nodes of the pattern to those of the
    graph. placeholder_nodes: what stands for the pattern's inputs. returning_nodes: what it gives."""

    anchors: list[Node]
    nodes_map: dict[Node, Node] = field(default_factory=dict)
    placeholder_nodes: list[Node] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)


class SubgraphMatcher:
    """Finds a pattern in graphs.

    Args:
        match_output, match_placeholder: taken; the pattern's inputs stand for any value.
        remove_overlapping_matches: of occurrences that share a node only the first.
        ignore_literals: numbers in the pattern stand for any number.
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        if match_output or match_placeholder:
            raise NotImplementedError(
                "SubgraphMatcher(): 'match_output' and 'match_placeholder' must be False: outputs and inputs of the "
                "pattern stand for any"
            )
        self.pattern, self.remove_overlapping_matches = pattern, remove_overlapping_matches
        self._matcher = _Matcher(pattern, ignore_literals)
        if not self._matcher.results:
            raise ValueError("SubgraphMatcher(): 'pattern' must return a value that it computes")

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The occurrences in a graph, in its order."""
        found: list[InternalMatch] = []
        taken: set[Any] = set()
        for match in occurrences(graph, self._matcher):
            inside = {v for k, v in match.nodes_map.items() if k.op != "placeholder"}
            if self.remove_overlapping_matches and inside & taken:
                continue
            taken |= inside
            found.append(
                InternalMatch(
                    [match.anchor],
                    match.nodes_map,
                    [match.nodes_map[n] for n in self._matcher.inputs if n in match.nodes_map],
                    [match.nodes_map[n] for n in self._matcher.results],
                )
            )
        return found

"""`PassBase`: a pass over a graph, with checks before and after it."""

from __future__ import annotations

import abc
from typing import NamedTuple

from rushlight.fx.graph_module import GraphModule

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """What a pass has made, and whether it has changed anything."""

    graph_module: GraphModule
    modified: bool


class PassBase(abc.ABC):
    """A pass: write `call`; `requires` and `ensures` check the graph before and after it."""

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """The pass itself."""

    def requires(self, graph_module: GraphModule) -> None:
        """What must hold before the pass; an error where it does not."""
        return

    def ensures(self, graph_module: GraphModule) -> None:
        """What must hold after the pass; an error where it does not."""
        return

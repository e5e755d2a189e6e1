"""Backends that count and keep the graphs of compiled functions, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight._dynamo.backends.registry import lookup_backend
from rushlight.fx import GraphModule

__all__ = ["CompileCounter", "CompileCounterWithBackend", "EagerAndRecordGraphs"]


def _calls(gm: GraphModule) -> int:
    return sum(n.op in ("call_function", "call_method", "call_module") for n in gm.graph.nodes)


class CompileCounter:
    """A backend that counts the graphs that it gets (`frame_count`) and their calls (`op_count`), and runs them as they
    are.
    """

    def __init__(self) -> None:
        self.frame_count = self.op_count = 0

    def __call__(self, gm: GraphModule, example_inputs: Sequence[Any], **options: Any) -> Any:
        self.frame_count += 1
        self.op_count += _calls(gm)
        return lookup_backend("eager")(gm, example_inputs, **options)

    def clear(self) -> None:
        """Begin anew."""
        self.frame_count = self.op_count = 0


class CompileCounterWithBackend:
    """A backend that counts the graphs that it gets (`frame_count`) and their calls (`op_count`), keeps them
    (`graphs`), and hands them on.

    Args:
        backend: a name, or a function, as `torch.compile` takes.
    """

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.frame_count = self.op_count = 0
        self.graphs: list[GraphModule] = []

    def __call__(self, gm: GraphModule, example_inputs: Sequence[Any], **options: Any) -> Any:
        self.frame_count += 1
        self.op_count += _calls(gm)
        self.graphs.append(gm)
        return lookup_backend(self.backend)(gm, example_inputs, **options)

    def clear(self) -> None:
        """Begin anew."""
        self.frame_count = self.op_count = 0
        self.graphs = []


class EagerAndRecordGraphs:
    """A backend that keeps the graphs that it gets (`graphs`), and runs them as they are."""

    def __init__(self) -> None:
        self.graphs: list[GraphModule] = []

    def __call__(self, gm: GraphModule, example_inputs: Sequence[Any], **options: Any) -> Any:
        self.graphs.append(gm)
        return lookup_backend("eager")(gm, example_inputs, **options)

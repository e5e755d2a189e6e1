"""A graph of a module or function in one call, and other names that programs import from here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._C import ScriptObject
from rushlight.fx._compatibility import compatibility
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.tracing import PH, PHBase, PHWithMeta, Tracer, _assert_is_none, is_fx_tracing, wrap
from rushlight.nn import Module

__all__ = [
    "PH",
    "PHBase",
    "PHWithMeta",
    "ScriptObject",
    "Tracer",
    "_assert_is_none",
    "compatibility",
    "is_fx_tracing",
    "symbolic_trace",
    "wrap",
]


def symbolic_trace(root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """A GraphModule that does what the module or function does.

    Args:
        root: a module, or a function.
        concrete_args: values of parameters that the trace is made for.

    Raises:
        TraceError: the program needs a value that is known only when it runs.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)

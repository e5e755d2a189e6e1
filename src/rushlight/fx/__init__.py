"""`torch.fx`: programs as graphs that Python can read and change.

`symbolic_trace(module)` runs a module on proxies; its `graph` can be edited, and `code` shows the function that it
stands for.
"""

from __future__ import annotations

from rushlight.fx import graph, graph_module, immutable_collections, interpreter, node, proxy
from rushlight.fx._symbolic_trace import PH, Tracer, symbolic_trace, wrap
from rushlight.fx.graph import CodeGen, Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter, Transformer
from rushlight.fx.node import Node, has_side_effect, map_arg
from rushlight.fx.proxy import Proxy
from rushlight.fx.subgraph_rewriter import replace_pattern

__all__ = [
    "PH",
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "graph",
    "graph_module",
    "has_side_effect",
    "immutable_collections",
    "interpreter",
    "map_arg",
    "node",
    "proxy",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]

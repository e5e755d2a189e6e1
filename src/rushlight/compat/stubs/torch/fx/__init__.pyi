# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx._symbolic_trace import symbolic_trace as symbolic_trace
from rushlight.fx.graph import CodeGen as CodeGen, Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.interpreter import Interpreter as Interpreter, Transformer as Transformer
from rushlight.fx.node import Node as Node, has_side_effect as has_side_effect, map_arg as map_arg
from rushlight.fx.proxy import Proxy as Proxy
from rushlight.fx.subgraph_rewriter import replace_pattern as replace_pattern
from rushlight.fx.tracing import PH as PH, Tracer as Tracer, wrap as wrap
from torch.fx import (
    experimental as experimental, graph as graph, graph_module as graph_module, immutable_collections as immutable_collections,
    interpreter as interpreter, names as names, node as node, passes as passes, proxy as proxy,
    subgraph_rewriter as subgraph_rewriter, tracing as tracing,
)

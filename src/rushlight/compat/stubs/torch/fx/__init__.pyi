# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx._symbolic_trace import symbolic_trace as symbolic_trace
from rushlight.fx.graph import CodeGen as CodeGen
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.interpreter import Interpreter as Interpreter
from rushlight.fx.interpreter import Transformer as Transformer
from rushlight.fx.node import Node as Node
from rushlight.fx.node import has_side_effect as has_side_effect
from rushlight.fx.node import map_arg as map_arg
from rushlight.fx.proxy import Proxy as Proxy
from rushlight.fx.subgraph_rewriter import replace_pattern as replace_pattern
from rushlight.fx.tracing import PH as PH
from rushlight.fx.tracing import Tracer as Tracer
from rushlight.fx.tracing import wrap as wrap
from torch.fx import experimental as experimental
from torch.fx import graph as graph
from torch.fx import graph_module as graph_module
from torch.fx import immutable_collections as immutable_collections
from torch.fx import interpreter as interpreter
from torch.fx import names as names
from torch.fx import node as node
from torch.fx import passes as passes
from torch.fx import proxy as proxy
from torch.fx import subgraph_rewriter as subgraph_rewriter
from torch.fx import tracing as tracing

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.interpreter import Interpreter as Interpreter
from rushlight.fx.interpreter import Transformer as Transformer
from rushlight.fx.node import Argument as Argument
from rushlight.fx.node import Node as Node
from rushlight.fx.node import Target as Target
from rushlight.fx.node import map_aggregate as map_aggregate
from rushlight.fx.node import map_arg as map_arg
from rushlight.fx.proxy import Proxy as Proxy
from rushlight.fx.tracing import Tracer as Tracer
from rushlight.nn.modules.module import Module as Module

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.interpreter import Interpreter as Interpreter, Transformer as Transformer
from rushlight.fx.node import (
    Argument as Argument, Node as Node, Target as Target, map_aggregate as map_aggregate, map_arg as map_arg,
)
from rushlight.fx.proxy import Proxy as Proxy
from rushlight.fx.tracing import Tracer as Tracer
from rushlight.nn.modules.module import Module as Module

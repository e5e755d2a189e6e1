# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.node import Node as Node
from rushlight.fx.node import map_arg as map_arg
from rushlight.fx.passes.split_module import _Part as _Part
from rushlight.fx.passes.split_module import split_module as split_module
from rushlight.nn.modules.module import Module as Module

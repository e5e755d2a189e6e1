# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx._symbolic_trace import symbolic_trace as symbolic_trace
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.node import Node as Node, nodes_in as nodes_in
from rushlight.fx.subgraph_rewriter import (
    Match as Match, ReplacedPatterns as ReplacedPatterns, _Matcher as _Matcher, occurrences as occurrences,
    replace_pattern as replace_pattern, replace_pattern_with_filters as replace_pattern_with_filters,
)
from rushlight.nn.modules.module import Module as Module

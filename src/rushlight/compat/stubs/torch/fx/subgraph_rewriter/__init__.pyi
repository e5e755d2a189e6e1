# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx._symbolic_trace import symbolic_trace as symbolic_trace
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.node import Node as Node
from rushlight.fx.node import nodes_in as nodes_in
from rushlight.fx.subgraph_rewriter import Match as Match
from rushlight.fx.subgraph_rewriter import ReplacedPatterns as ReplacedPatterns
from rushlight.fx.subgraph_rewriter import _Matcher as _Matcher
from rushlight.fx.subgraph_rewriter import occurrences as occurrences
from rushlight.fx.subgraph_rewriter import replace_pattern as replace_pattern
from rushlight.fx.subgraph_rewriter import replace_pattern_with_filters as replace_pattern_with_filters
from rushlight.nn.modules.module import Module as Module

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.node import Node as Node
from rushlight.fx.passes.utils.matcher_utils import InternalMatch as InternalMatch
from rushlight.fx.passes.utils.matcher_utils import SubgraphMatcher as SubgraphMatcher
from rushlight.fx.subgraph_rewriter import _Matcher as _Matcher
from rushlight.fx.subgraph_rewriter import occurrences as occurrences

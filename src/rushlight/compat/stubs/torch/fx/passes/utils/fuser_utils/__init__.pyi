# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.node import Node as Node
from rushlight.fx.passes.tools_common import NodeList as NodeList
from rushlight.fx.passes.tools_common import stable_topological_sort as stable_topological_sort
from rushlight.fx.passes.utils.fuser_utils import erase_nodes as erase_nodes
from rushlight.fx.passes.utils.fuser_utils import fuse_as_graphmodule as fuse_as_graphmodule
from rushlight.fx.passes.utils.fuser_utils import fuse_by_partitions as fuse_by_partitions
from rushlight.fx.passes.utils.fuser_utils import insert_subgm as insert_subgm
from rushlight.fx.passes.utils.fuser_utils import topo_sort as topo_sort
from rushlight.fx.passes.utils.fuser_utils import validate_partition as validate_partition

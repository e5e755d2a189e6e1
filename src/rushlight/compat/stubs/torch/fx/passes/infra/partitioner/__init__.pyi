# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.node import Node as Node
from rushlight.fx.passes.infra.partitioner import CapabilityBasedPartitioner as CapabilityBasedPartitioner
from rushlight.fx.passes.infra.partitioner import Partition as Partition
from rushlight.fx.passes.infra.partitioner import _Groups as _Groups
from rushlight.fx.passes.infra.partitioner import logger as logger
from rushlight.fx.passes.operator_support import OperatorSupportBase as OperatorSupportBase
from rushlight.fx.passes.tools_common import defining_name as defining_name
from rushlight.fx.passes.utils.fuser_utils import fuse_by_partitions as fuse_by_partitions

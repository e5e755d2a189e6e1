# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.dtypes import dtype as dtype
from rushlight.fx.node import Node as Node
from rushlight.fx.passes.operator_support import (
    IsNodeSupported as IsNodeSupported, OpSupports as OpSupports, OperatorSupport as OperatorSupport,
    OperatorSupportBase as OperatorSupportBase, SupportDict as SupportDict, SupportedArgumentDTypes as SupportedArgumentDTypes,
    TargetTypeName as TargetTypeName, _Functional as _Functional, any_chain as any_chain, chain as chain,
    create_op_support as create_op_support,
)
from rushlight.fx.passes.shape_prop import TensorMetadata as TensorMetadata
from rushlight.fx.passes.tools_common import CALLABLE_NODE_OPS as CALLABLE_NODE_OPS, get_node_target as get_node_target
from rushlight.nn.modules.module import Module as Module

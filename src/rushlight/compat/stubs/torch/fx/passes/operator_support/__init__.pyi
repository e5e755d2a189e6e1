# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.dtypes import dtype as dtype
from rushlight.fx.node import Node as Node
from rushlight.fx.passes.operator_support import IsNodeSupported as IsNodeSupported
from rushlight.fx.passes.operator_support import OpSupports as OpSupports
from rushlight.fx.passes.operator_support import OperatorSupport as OperatorSupport
from rushlight.fx.passes.operator_support import OperatorSupportBase as OperatorSupportBase
from rushlight.fx.passes.operator_support import SupportDict as SupportDict
from rushlight.fx.passes.operator_support import SupportedArgumentDTypes as SupportedArgumentDTypes
from rushlight.fx.passes.operator_support import TargetTypeName as TargetTypeName
from rushlight.fx.passes.operator_support import _Functional as _Functional
from rushlight.fx.passes.operator_support import any_chain as any_chain
from rushlight.fx.passes.operator_support import chain as chain
from rushlight.fx.passes.operator_support import create_op_support as create_op_support
from rushlight.fx.passes.shape_prop import TensorMetadata as TensorMetadata
from rushlight.fx.passes.tools_common import CALLABLE_NODE_OPS as CALLABLE_NODE_OPS
from rushlight.fx.passes.tools_common import get_node_target as get_node_target
from rushlight.nn.modules.module import Module as Module

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.dtypes import dtype as dtype
from rushlight.core.tensor import Tensor as Tensor, add_modes as add_modes
from rushlight.library.aten import (
    AtenNamespace as AtenNamespace, AtenPacket as AtenPacket, ForeignOverload as ForeignOverload, ForeignPacket as ForeignPacket,
    InnerPacket as InnerPacket, LeafOverload as LeafOverload, TableOverload as TableOverload, operator_of as operator_of,
    overload as overload, overload_names as overload_names,
)
from rushlight.library.calls import (
    function_of as function_of, function_of_overload as function_of_overload, inner_call as inner_call, is_leaf as is_leaf,
)
from rushlight.library.foreign import FOREIGN as FOREIGN
from rushlight.library.operator import (
    KINDS as KINDS, OpNamespace as OpNamespace, OpOverload as OpOverload, OpOverloadPacket as OpOverloadPacket,
    namespace as namespace,
)
from rushlight.library.overloads import OVERLOADS as OVERLOADS
from rushlight.library.schema import Argument as Argument, FunctionSchema as FunctionSchema, Return as Return

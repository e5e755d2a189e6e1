# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.places import Size as Size, device as device
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.node import (
    Argument as Argument, INFIX as INFIX, Node as Node, Target as Target, map_aggregate as map_aggregate,
)
from rushlight.fx.proxy import (
    Attribute as Attribute, GraphAppendingTracer as GraphAppendingTracer, ParameterProxy as ParameterProxy, Proxy as Proxy,
    TraceError as TraceError, TracerBase as TracerBase,
)

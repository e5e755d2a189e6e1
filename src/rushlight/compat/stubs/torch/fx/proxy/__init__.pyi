# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.devices import device as device
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.node import Argument as Argument
from rushlight.fx.node import INFIX as INFIX
from rushlight.fx.node import Node as Node
from rushlight.fx.node import Target as Target
from rushlight.fx.node import map_aggregate as map_aggregate
from rushlight.fx.proxy import Attribute as Attribute
from rushlight.fx.proxy import GraphAppendingTracer as GraphAppendingTracer
from rushlight.fx.proxy import ParameterProxy as ParameterProxy
from rushlight.fx.proxy import Proxy as Proxy
from rushlight.fx.proxy import TraceError as TraceError
from rushlight.fx.proxy import TracerBase as TracerBase

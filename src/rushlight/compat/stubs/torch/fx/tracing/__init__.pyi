# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import Spec as Spec
from rushlight.func.tree import flatten as flatten
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph import _PyTreeCodeGen as _PyTreeCodeGen
from rushlight.fx.graph import _PyTreeInfo as _PyTreeInfo
from rushlight.fx.node import Argument as Argument
from rushlight.fx.proxy import ParameterProxy as ParameterProxy
from rushlight.fx.proxy import Proxy as Proxy
from rushlight.fx.proxy import TracerBase as TracerBase
from rushlight.fx.tracing import PH as PH
from rushlight.fx.tracing import PHBase as PHBase
from rushlight.fx.tracing import PHWithMeta as PHWithMeta
from rushlight.fx.tracing import Tracer as Tracer
from rushlight.fx.tracing import _Depth as _Depth
from rushlight.fx.tracing import _Patches as _Patches
from rushlight.fx.tracing import is_fx_tracing as is_fx_tracing
from rushlight.fx.tracing import wrap as wrap
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import Spec as Spec, flatten as flatten
from rushlight.fx.graph import Graph as Graph, _PyTreeCodeGen as _PyTreeCodeGen, _PyTreeInfo as _PyTreeInfo
from rushlight.fx.node import Argument as Argument
from rushlight.fx.proxy import ParameterProxy as ParameterProxy, Proxy as Proxy, TracerBase as TracerBase
from rushlight.fx.tracing import (
    PH as PH, PHBase as PHBase, PHWithMeta as PHWithMeta, Tracer as Tracer, _Depth as _Depth, _Patches as _Patches,
    is_fx_tracing as is_fx_tracing, wrap as wrap,
)
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.compiled import Context as Context
from rushlight._dynamo.compiled import ExplainOutput as ExplainOutput
from rushlight._dynamo.compiled import GraphBackend as GraphBackend
from rushlight._dynamo.compiled import GraphCompileReason as GraphCompileReason
from rushlight._dynamo.compiled import _called as _called
from rushlight._dynamo.compiled import compiled as compiled
from rushlight._dynamo.compiled import explained as explained
from rushlight._dynamo.compiled import graph_of as graph_of
from rushlight._dynamo.exc import BackendCompilerFailed as BackendCompilerFailed
from rushlight._dynamo.exc import Unsupported as Unsupported
from rushlight.core.tensor import Tensor as Tensor
from rushlight.core.tensor import is_grad_enabled as is_grad_enabled
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.jit.calls import Backward as Backward
from rushlight.jit.calls import Call as Call
from rushlight.jit.calls import filled as filled
from rushlight.jit.recording import Recorder as Recorder
from rushlight.jit.recording import innermost as innermost
from rushlight.jit.recording import recording as recording
from rushlight.jit.segments import MOST as MOST
from rushlight.jit.segments import Segments as Segments
from rushlight.nn.modules.module import Module as Module

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.backends.registry import lookup_backend as lookup_backend
from rushlight._dynamo.testing import CompileCounter as CompileCounter
from rushlight._dynamo.testing import CompileCounterWithBackend as CompileCounterWithBackend
from rushlight._dynamo.testing import EagerAndRecordGraphs as EagerAndRecordGraphs
from rushlight._dynamo.testing import _calls as _calls
from rushlight.fx.graph_module import GraphModule as GraphModule

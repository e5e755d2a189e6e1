# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo import (
    disallow_in_graph as disallow_in_graph, forbid_in_graph as forbid_in_graph, graph_break as graph_break,
    mark_dynamic as mark_dynamic, mark_static as mark_static, mark_static_address as mark_static_address,
    maybe_mark_dynamic as maybe_mark_dynamic,
)
from rushlight._dynamo.eval_frame import (
    OptimizedModule as OptimizedModule, compile as compile, explain as explain, export as export, optimize as optimize, run as run,
)
from rushlight.compiler.marks import (
    allow_in_graph as allow_in_graph, assume_constant_result as assume_constant_result, disable as disable,
    is_compiling as is_compiling, is_dynamo_compiling as is_dynamo_compiling, list_backends as list_backends, reset as reset,
)
from torch._dynamo import config as config, eval_frame as eval_frame, exc as exc

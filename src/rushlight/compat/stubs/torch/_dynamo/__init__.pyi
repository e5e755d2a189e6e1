# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo import disallow_in_graph as disallow_in_graph
from rushlight._dynamo import forbid_in_graph as forbid_in_graph
from rushlight._dynamo import graph_break as graph_break
from rushlight._dynamo import mark_dynamic as mark_dynamic
from rushlight._dynamo import mark_static as mark_static
from rushlight._dynamo import mark_static_address as mark_static_address
from rushlight._dynamo import maybe_mark_dynamic as maybe_mark_dynamic
from rushlight._dynamo.eval_frame import OptimizedModule as OptimizedModule
from rushlight._dynamo.eval_frame import compile as compile
from rushlight._dynamo.eval_frame import explain as explain
from rushlight._dynamo.eval_frame import export as export
from rushlight._dynamo.eval_frame import optimize as optimize
from rushlight._dynamo.eval_frame import run as run
from rushlight.compiler.marks import allow_in_graph as allow_in_graph
from rushlight.compiler.marks import assume_constant_result as assume_constant_result
from rushlight.compiler.marks import disable as disable
from rushlight.compiler.marks import is_compiling as is_compiling
from rushlight.compiler.marks import is_dynamo_compiling as is_dynamo_compiling
from rushlight.compiler.marks import list_backends as list_backends
from rushlight.compiler.marks import reset as reset
from rushlight.jit.recording import innermost as innermost
from torch._dynamo import compiled as compiled
from torch._dynamo import config as config
from torch._dynamo import eval_frame as eval_frame
from torch._dynamo import exc as exc

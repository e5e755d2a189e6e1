# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.compiled import ExplainOutput as ExplainOutput
from rushlight._dynamo.compiled import compiled as compiled
from rushlight._dynamo.compiled import explained as explained
from rushlight._dynamo.eval_frame import MODES as MODES
from rushlight._dynamo.eval_frame import OptimizedModule as OptimizedModule
from rushlight._dynamo.eval_frame import _OWN_OPTIONS as _OWN_OPTIONS
from rushlight._dynamo.eval_frame import _check as _check
from rushlight._dynamo.eval_frame import _refuse as _refuse
from rushlight._dynamo.eval_frame import compile as compile
from rushlight._dynamo.eval_frame import explain as explain
from rushlight._dynamo.eval_frame import export as export
from rushlight._dynamo.eval_frame import is_dynamo_supported as is_dynamo_supported
from rushlight._dynamo.eval_frame import optimize as optimize
from rushlight._dynamo.eval_frame import run as run
from rushlight._dynamo.exc import InvalidBackend as InvalidBackend
from rushlight.nn.modules.module import Module as Module

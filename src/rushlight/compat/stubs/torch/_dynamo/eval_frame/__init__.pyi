# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.eval_frame import (
    MODES as MODES, OptimizedModule as OptimizedModule, _check as _check, _refuse as _refuse, _say_once as _say_once,
    compile as compile, explain as explain, export as export, is_dynamo_supported as is_dynamo_supported, optimize as optimize,
    run as run,
)
from rushlight._dynamo.exc import InvalidBackend as InvalidBackend
from rushlight.nn.modules.module import Module as Module

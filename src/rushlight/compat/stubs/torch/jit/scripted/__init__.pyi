# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit.scripted import (
    Error as Error, RecursiveScriptModule as RecursiveScriptModule, ScriptFunction as ScriptFunction,
    ScriptModule as ScriptModule, TopLevelTracedModule as TopLevelTracedModule, TracedModule as TracedModule,
    _Graphed as _Graphed, load as load, save as save,
)
from rushlight.nn.modules.module import Module as Module
from torch import fx as fx

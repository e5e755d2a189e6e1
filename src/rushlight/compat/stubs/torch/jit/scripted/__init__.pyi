# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit.scripted import Error as Error
from rushlight.jit.scripted import RecursiveScriptModule as RecursiveScriptModule
from rushlight.jit.scripted import ScriptFunction as ScriptFunction
from rushlight.jit.scripted import ScriptModule as ScriptModule
from rushlight.jit.scripted import TopLevelTracedModule as TopLevelTracedModule
from rushlight.jit.scripted import TracedModule as TracedModule
from rushlight.jit.scripted import _Graphed as _Graphed
from rushlight.jit.scripted import load as load
from rushlight.jit.scripted import save as save
from rushlight.nn.modules.module import Module as Module
from torch import fx as fx

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.futures import Future as Future
from rushlight.jit import Attribute as Attribute
from rushlight.jit import T as T
from rushlight.jit import TracerWarning as TracerWarning
from rushlight.jit import _Room as _Room
from rushlight.jit import annotate as annotate
from rushlight.jit import annotations as annotations
from rushlight.jit import enable_onednn_fusion as enable_onednn_fusion
from rushlight.jit import export as export
from rushlight.jit import fork as fork
from rushlight.jit import freeze as freeze
from rushlight.jit import fuser as fuser
from rushlight.jit import ignore as ignore
from rushlight.jit import interface as interface
from rushlight.jit import is_scripting as is_scripting
from rushlight.jit import is_tracing as is_tracing
from rushlight.jit import isinstance as isinstance
from rushlight.jit import onednn_fusion_enabled as onednn_fusion_enabled
from rushlight.jit import optimize_for_inference as optimize_for_inference
from rushlight.jit import optimized_execution as optimized_execution
from rushlight.jit import script as script
from rushlight.jit import script_if_tracing as script_if_tracing
from rushlight.jit import script_method as script_method
from rushlight.jit import set_fusion_strategy as set_fusion_strategy
from rushlight.jit import strict_fusion as strict_fusion
from rushlight.jit import trace as trace
from rushlight.jit import trace_module as trace_module
from rushlight.jit import unused as unused
from rushlight.jit import wait as wait
from rushlight.jit.capture import Jitted as _of__Jitted
from rushlight.jit.scripted import Error as Error
from rushlight.jit.scripted import RecursiveScriptModule as RecursiveScriptModule
from rushlight.jit.scripted import ScriptFunction as ScriptFunction
from rushlight.jit.scripted import ScriptModule as ScriptModule
from rushlight.jit.scripted import TopLevelTracedModule as TopLevelTracedModule
from rushlight.jit.scripted import TracedModule as TracedModule
from rushlight.jit.scripted import load as load
from rushlight.jit.scripted import save as save
from rushlight.nn.modules.module import Module as Module
from torch import futures as futures
from torch.jit import capture as capture
from torch.jit import references as references
from torch.jit import scripted as scripted

_Jitted = _of__Jitted

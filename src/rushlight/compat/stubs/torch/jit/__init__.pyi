# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.futures import Future as Future
from rushlight.jit import (
    Attribute as Attribute, T as T, TracerWarning as TracerWarning, annotate as annotate, annotations as annotations,
    enable_onednn_fusion as enable_onednn_fusion, export as export, fork as fork, freeze as freeze, fuser as fuser,
    ignore as ignore, interface as interface, is_scripting as is_scripting, is_tracing as is_tracing, isinstance as isinstance,
    onednn_fusion_enabled as onednn_fusion_enabled, optimize_for_inference as optimize_for_inference,
    optimized_execution as optimized_execution, script as script, script_if_tracing as script_if_tracing,
    script_method as script_method, set_fusion_strategy as set_fusion_strategy, strict_fusion as strict_fusion, trace as trace,
    trace_module as trace_module, unused as unused, wait as wait,
)
from rushlight.jit.scripted import (
    Error as Error, RecursiveScriptModule as RecursiveScriptModule, ScriptFunction as ScriptFunction,
    ScriptModule as ScriptModule, TopLevelTracedModule as TopLevelTracedModule, TracedModule as TracedModule, load as load,
    save as save,
)
from rushlight.nn.modules.module import Module as Module
from torch import futures as futures
from torch.jit import scripted as scripted

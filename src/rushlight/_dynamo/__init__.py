"""`torch.compile` and the names around it: the operators of a function are recorded and compiled together, while Python
runs as it is written.
"""

from __future__ import annotations

from rushlight._dynamo import config, eval_frame, exc
from rushlight._dynamo.backends.registry import lookup_backend, register_backend
from rushlight._dynamo.eval_frame import OptimizedModule, compile, explain, export, is_dynamo_supported, optimize, run
from rushlight.compiler.marks import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    is_dynamo_compiling,
    list_backends,
    reset,
)
from rushlight.jit.recording import innermost

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "config",
    "disable",
    "disallow_in_graph",
    "eval_frame",
    "exc",
    "explain",
    "export",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "is_dynamo_compiling",
    "is_dynamo_supported",
    "list_backends",
    "lookup_backend",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "nonstrict_trace",
    "optimize",
    "register_backend",
    "reset",
    "reset_code_caches",
    "run",
]

disallow_in_graph = forbid_in_graph = nonstrict_trace = allow_in_graph
reset_code_caches = reset


def graph_break(msg: str = "") -> None:
    """End a segment here: what was recorded runs now."""
    recorder = innermost()
    if recorder is not None:
        recorder.flush(msg or "graph_break()")


def mark_dynamic(t: object, index: int | tuple[int, ...] | list[int], **kwargs: object) -> None:
    """A hint that a size changes from call to call: every size may."""


maybe_mark_dynamic = mark_static = mark_dynamic


def mark_static_address(t: object, guard: bool = True) -> None:
    """A hint that a tensor's memory stays where it is: nothing depends on that."""

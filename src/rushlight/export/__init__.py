"""`torch.export`: a module as a graph of `torch.ops.aten`, which can be looked at, changed, saved and run elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rushlight.export import dynamic_shapes, exported_program, graph_signature
from rushlight.export.dynamic_shapes import AdditionalInputs, Constraint, Dim, ShapesCollection, dims
from rushlight.export.exported_program import (
    ExportedProgram,
    ModuleCallEntry,
    ModuleCallSignature,
    default_decompositions,
)
from rushlight.export.graph_signature import ExportBackwardSignature, ExportGraphSignature

__all__ = [
    "AdditionalInputs",
    "Constraint",
    "Dim",
    "ExportBackwardSignature",
    "ExportGraphSignature",
    "ExportedProgram",
    "ModuleCallEntry",
    "ModuleCallSignature",
    "ShapesCollection",
    "default_decompositions",
    "dims",
    "export",
]


def export(
    mod: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:
    """The program of a module for calls like this one."""
    from rushlight.export._export import export_module

    return export_module(mod, args, dict(kwargs or {}), dynamic_shapes)

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
    "load",
    "save",
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


def save(
    ep: ExportedProgram,
    f: Any,
    *,
    extra_files: Mapping[str, Any] | None = None,
    opset_version: dict[str, int] | None = None,
    pickle_protocol: int = 2,
) -> None:
    """Write a program to a `.pt2` file, which PyTorch loads as well where it has the operators.

    Args:
        ep: the program.
        f: a path or a file.
        extra_files: further members, by name.
        opset_version: versions of sets of operators, by name.
        pickle_protocol: accepted; nothing but the example call is pickled.

    Raises:
        TypeError: `ep` is no exported program.
        NotImplementedError: it has what files have no form for.
    """
    from rushlight.export._archive import save_program

    save_program(ep, f, extra_files, opset_version)


def load(
    f: Any, *, extra_files: dict[str, Any] | None = None, expected_opset_version: dict[str, int] | None = None
) -> ExportedProgram:
    """Read a program from a `.pt2` file of this library or of PyTorch's.

    Args:
        f: a path or a file.
        extra_files: gets the members of its names.
        expected_opset_version: accepted.

    Raises:
        zipfile.BadZipFile: it is no archive.
        NotImplementedError: it calls operators that rushlight lacks.
    """
    from rushlight.export._archive import load_program

    return load_program(f, extra_files)

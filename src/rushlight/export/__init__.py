"""`torch.export`: a module as a graph of `torch.ops.aten`, which can be looked at, changed, saved and run elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from rushlight.export.dynamic_shapes import AdditionalInputs, Constraint, Dim, ShapesCollection, dims
from rushlight.export.exported_program import (
    ExportedProgram,
    ModuleCallEntry,
    ModuleCallSignature,
    default_decompositions,
)
from rushlight.export.graph_signature import ExportBackwardSignature, ExportGraphSignature

if TYPE_CHECKING:
    from rushlight.export import decomp_utils as decomp_utils
    from rushlight.export.decomp_utils import CustomDecompTable as CustomDecompTable
    from rushlight.export.unflatten import FlatArgsAdapter as FlatArgsAdapter
    from rushlight.export.unflatten import UnflattenedModule as UnflattenedModule
    from rushlight.nn.modules.module import Module

__all__ = [
    "AdditionalInputs",
    "Constraint",
    "CustomDecompTable",
    "Dim",
    "ExportBackwardSignature",
    "ExportGraphSignature",
    "ExportedProgram",
    "FlatArgsAdapter",
    "ModuleCallEntry",
    "ModuleCallSignature",
    "ShapesCollection",
    "UnflattenedModule",
    "default_decompositions",
    "dims",
    "draft_export",
    "export",
    "load",
    "register_dataclass",
    "save",
    "unflatten",
]

_LATER = {  # names in files that are loaded when the names are first asked for
    "CustomDecompTable": "decomp_utils",
    "FlatArgsAdapter": "unflatten",
    "UnflattenedModule": "unflatten",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _LATER:
        return getattr(import_module(f"rushlight.export.{_LATER[name]}"), name)
    if name in ("decomp_utils", "passes"):
        return import_module(f"rushlight.export.{name}")
    raise AttributeError(f"module 'torch.export' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def export(
    mod: Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:
    """The program of a module for calls like this one: `forward` runs once, on values without elements, and what it
    calls is the graph.

    The graph is for all values of tensors, and for all sizes that `dynamic_shapes` lets vary. Parameters and buffers
    are its inputs; what it writes to them, it writes. See `docs/design/export.md`.

    Args:
        mod: the module.
        args, kwargs: an example call: tensors, numbers, texts and None in containers. What is no tensor is a constant.
        dynamic_shapes: for each argument, by name or in order and in its containers, {dimension: size}: a `Dim`, which
            is a size by name, `Dim.AUTO`, `Dim.DYNAMIC`, `Dim.STATIC` or None; or a `ShapesCollection` or
            `AdditionalInputs`.
        strict: accepted; the module is run in both cases.
        preserve_module_call_signature: accepted where it is empty.
        prefer_deferred_runtime_asserts_over_guards: accepted.

    Returns:
        The program. `module()` of it can be called.

    Raises:
        ValueError: `mod` is no module, or it assigns tensors to attributes that are no buffers.
        UserError: an argument is of another kind, or a size that is to vary is a constant of the program.
        ConstraintViolationError: the example's size is none that was declared.
        GuardOnDataDependentSymNode: Python needs the value of a tensor (`item()`, `if x.sum() > 0`).
        NotImplementedError: a call has no place in a graph (`out=`, `torch.func` inside, results of unknown sizes).

    Examples:
        >>> batch = torch.export.Dim("batch", min=2, max=64)
        >>> program = torch.export.export(model, (x,), dynamic_shapes={"x": {0: batch}})
        >>> torch.export.save(program, "model.pt2")
    """
    if preserve_module_call_signature:
        raise NotImplementedError(
            "export(): modules whose calls are to be kept ('preserve_module_call_signature') are not supported; "
            "unflatten() gives modules of the calls that were made"
        )
    from rushlight.export._export import export_module

    return export_module(mod, args, dict(kwargs or {}), dynamic_shapes)


def draft_export(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: NotImplementedError. A program that would not be valid for all values is none here; what `export` raises
    names the line.
    """
    raise NotImplementedError(
        "draft_export(): rushlight makes no programs that are valid for some values only; export() says what it found"
    )


def register_dataclass(cls: type, *, serialized_type_name: str | None = None) -> None:
    """Let objects of a dataclass be containers among the arguments and results of exported modules.

    Args:
        cls: the dataclass.
        serialized_type_name: its name in files; by default its own.
    """
    import dataclasses

    from rushlight.fx._pytree import register_pytree_flatten_spec
    from rushlight.utils import _pytree

    if not dataclasses.is_dataclass(cls):
        raise AssertionError(f"register_dataclass(): 'cls' must be a dataclass; found {cls!r}")
    fields = [f.name for f in dataclasses.fields(cls) if f.init]
    register_pytree_flatten_spec(cls, lambda x, spec: [getattr(x, name) for name in spec.context])
    _pytree.register_pytree_node(
        cls,
        lambda x: ([getattr(x, name) for name in fields], fields),
        lambda children, context: cls(**dict(zip(context, children, strict=True))),
        serialized_type_name=serialized_type_name or f"{cls.__module__}.{cls.__qualname__}",
        flatten_with_keys_fn=lambda x: ([(_pytree.GetAttrKey(name), getattr(x, name)) for name in fields], fields),
    )


def unflatten(module: ExportedProgram, flat_args_adapter: Any = None) -> UnflattenedModule:
    """A program as a module of modules, which stand where those of the exported module did.

    Args:
        module: the program.
        flat_args_adapter: a FlatArgsAdapter for arguments of another shape.

    Raises:
        ValueError: the program was decomposed.
    """
    from rushlight.export.unflatten import unflatten as make

    return make(module, flat_args_adapter)


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

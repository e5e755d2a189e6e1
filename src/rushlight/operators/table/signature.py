"""Signatures of operators for `inspect.signature`, the stubs and the documentation: names, defaults, types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Param
from rushlight.core.named import Named
from rushlight.core.upcalls import upcalls

if TYPE_CHECKING:
    import inspect

# The annotations of the operator table, in the words of a reader or a type checker.
_TYPES = {
    "Tensor": "Tensor",
    "Tensors": "Sequence[Tensor]",
    "Operand": "Tensor | Number",
    "Operands": "Tensor | Number | Sequence[Tensor | Number]",
    "Number": "Number | Tensor",
    "Int": "int",
    "Ints": "int | Sequence[int]",
    "Sizes": "int | Sequence[int]",
    "Real": "float | str",
    "Whole": "float",
    "Dim": "int",
    "SizeLike": "int | Sequence[int]",
    "Random": "Generator | None",
    "Dims": "int | Sequence[int] | None",
    "dt.dtype": "dtype",
    "DType": "dtype | None",
    "Device": "device | str | int | None",
    "Layout": "layout | None",
    "MemoryFormat": "memory_format | None",
    "float": "float",
    "int": "int",
    "bool": "bool",
    "str": "str",
}
# Types of arguments that mean the same everywhere, or in one operator: of those that bodies check themselves (annotated
# "Any"), and of sizes that are one number, or may be None.
_BY_NAME = {
    "generator": "Generator | None",
    "size": "int | Sequence[int]",
    "shape": "int | Sequence[int]",
    "dims": "int | Sequence[int]",
    "out": "Tensor | None",
    "repeats": "int | Sequence[int] | Tensor",
    "split_size": "int | Sequence[int]",
    "split_size_or_sections": "int | Sequence[int]",
    "split_sizes": "Sequence[int]",
    "indices_or_sections": "int | Sequence[int]",
    "tensor_split.indices_or_sections": "int | Sequence[int] | Tensor",
    "stride": "int | Sequence[int]",
    "output_size": "int | Sequence[int | None]",
    "window_length": "int",
    "local_response_norm.size": "int",
    "correction": "float",
    **dict.fromkeys(
        "divisor_override downscale_factor groups hop_length k n_fft num_groups upscale_factor win_length".split(),
        "int",
    ),
    "histc.bins": "int",
    "fill_value": "Number | Tensor",
    "q": "float | Tensor",
    "tensordot.dims": "int | Sequence[Sequence[int]] | Tensor",
    "to.dtype": "dtype | None",
    "type.dtype": "dtype | type | str | None",
}


def signature_of(op: Operator | Named) -> inspect.Signature:
    """The signature of an operator: of the function, and of the method with its first parameter bound.

    A parameter that collects ints (x.view(2, 3)) is written *name; it may also be given as one sequence, or by its
    name.
    """
    import inspect

    params = op.params
    collects = next((p for p in params if p.varargs), None)
    if collects is not None and any(not p.keyword_only for p in params[params.index(collects) + 1 :]):
        collects = None  # the last ones may be given by position too, so only one sequence is always right
    kinds = inspect.Parameter
    found = []
    for p in params:
        kind = (
            kinds.VAR_POSITIONAL
            if p is collects
            else kinds.KEYWORD_ONLY
            if p.keyword_only
            else kinds.POSITIONAL_OR_KEYWORD
        )
        default = kinds.empty if p.required or p is collects else p.default
        found.append(
            kinds(p.name, kind, default=default, annotation=collected(op, p) if p is collects else annotation(op, p))
        )
    if op.takes_out:
        found.append(kinds("out", kinds.KEYWORD_ONLY, default=None, annotation=out_annotation(op)))
    return inspect.Signature(found, return_annotation=result_annotation(op))


def _notes(op: Operator | Named) -> dict[str, str]:
    body = op.definition.body
    notes: dict[str, str] = getattr(body, "__wrapped__", body).__annotations__
    return notes


def _note(op: Operator | Named, p: Param) -> str:
    form = op.form if isinstance(op, Named) else None
    if form is not None and p.name in form.converters:  # its last parameter is the value that it converts
        return str(list(form.converters[p.name].__annotations__.values())[1])
    known = _notes(op)
    # the type of a parameter that a form adds follows from its default
    absent = "Any" if p.default is None else type(p.default).__name__
    return known.get(p.name if form is None else form.same.get(p.name, p.name), absent)


def shown(note: str) -> str:
    """An annotation of the table in the words of a reader."""
    return " | ".join(_TYPES.get(part, part) for part in note.split(" | "))


def annotation(op: Operator | Named, p: Param) -> str:
    """The type of a parameter, as text."""
    note = _note(op, p)
    text = shown(note)
    if note in ("Any", "Sizes"):
        text = _BY_NAME.get(f"{op.name}.{p.name}") or _BY_NAME.get(p.name, text)
    elif note == "Tensors" and p.optional:
        text = "Sequence[Tensor | None]"
    if (p.optional or (not p.required and p.default is None)) and "None" not in text.split(" | ") and text != "Any":
        text += " | None"
    return text


def collected(op: Operator | Named, p: Param) -> str:
    """The type of each of the arguments that a parameter collects, or of all as one sequence."""
    return "Tensor | Sequence[Tensor]" if _notes(op).get(p.name) == "Tensors" else "int | Sequence[int]"


def out_annotation(op: Operator | Named) -> str:
    """The type of out=: a tensor, or as many as there are results."""
    return out_of(result_annotation(op))


def out_of(result: str) -> str:
    """The type of out= for results of a type; both where the call decides how many there are."""
    if result == "Any":
        return "Tensor | tuple[Tensor, ...] | None"
    return "Tensor | None" if result == "Tensor" else "tuple[Tensor, ...] | None"


def result_annotation(op: Operator | Named) -> str:
    """The type of the result, as text."""
    form = op.form if isinstance(op, Named) else None
    if form is not None and form.twin is not None and not form.twin.inplace:
        return "Any"  # one argument decides the type of the result
    return "Tensor" if op.inplace else _notes(op).get("return", "Any").replace("dt.", "")


upcalls.signature = signature_of

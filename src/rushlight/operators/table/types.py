"""The annotations that the operator table is written in (see `define._KINDS`), and those of who takes calls over.

Each carries its own name, so that it says the same where a module's annotations are not postponed, and are objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin

from rushlight.core import dtypes as dt
from rushlight.core.draw import Stream
from rushlight.core.tensor import device


class ByRank:
    """Stands for a dimension that was left out: the rank chooses it."""


Operand: TypeAlias = Annotated[Any, "Operand"]  # a tensor or a number
Number: TypeAlias = Annotated[Any, "Number"]  # a number that is given at launch: no recompilation for a new value
Int: TypeAlias = Annotated[Any, "Int"]  # an int given at launch
Ints: TypeAlias = Annotated[Any, "Ints"]  # a sequence of ints given at launch
# a real number given at launch (as `float`), or something else that is static: norm(x, 3.5), norm(x, "nuc")
Real: TypeAlias = Annotated[Any, "Real"]
# an int or a sequence of ints (None among them) given at launch, -1, 0 and 1 like all others: windows, widths of
# padding
Sizes: TypeAlias = Annotated[Any, "Sizes"]
Whole: TypeAlias = Annotated[Any, "Whole"]  # an int given at launch as those are, or something else that is static
SizeLike: TypeAlias = Annotated[int | Sequence[int], "SizeLike"]  # the sizes of a tensor to be made: static
Random: TypeAlias = Annotated[Stream | None, "Random"]  # the generator that numbers are drawn from; None: the default
DType: TypeAlias = Annotated[dt.dtype | None, "DType"]
Device: TypeAlias = Annotated[device | str | int | None, "Device"]
Layout: TypeAlias = Annotated[dt.layout | None, "Layout"]
MemoryFormat: TypeAlias = Annotated[dt.memory_format | None, "MemoryFormat"]
Tensors: TypeAlias = Annotated[Sequence[Any], "Tensors"]
Operands: TypeAlias = Annotated[Any, "Operands"]  # an operand for all tensors of a list, or a list of one for each
Dims: TypeAlias = Annotated[Any, "Dims"]  # None, an int or a sequence of ints; static
Dim: TypeAlias = Annotated[int | type[ByRank], "Dim"]

# What `__torch_function__` and `__torch_dispatch__` are given: what was called (an operator, an overload of aten's, a
# function of Python's, what reads an attribute), the classes that ask to be asked, and the arguments as written.
Function: TypeAlias = Any
Classes: TypeAlias = Sequence[type]
Args: TypeAlias = tuple[Any, ...]
Kwargs: TypeAlias = dict[str, Any]

_WORDS: dict[Any, str] = {NoneType: "None", Any: "Any", dt.dtype: "dt.dtype"}


def written(note: Any) -> str:
    """An annotation as it is written in the table.

    Args:
        note: the text, or an object in its place: a class, one of the above, or a union of them.
    """
    if isinstance(note, str):
        return note
    origin, parts = get_origin(note), get_args(note)
    if origin is Annotated:
        return str(parts[1])
    if origin in (Union, UnionType):
        return " | ".join(map(written, parts))
    if origin is not None:
        return f"{written(origin)}[{', '.join('...' if p is ... else written(p) for p in parts)}]"
    return _WORDS.get(note) or str(getattr(note, "__name__", note))

"""The types of what the rules of primitives take and return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from rushlight.core.dtypes import dtype
from rushlight.program.ir import Hole, Shape, Var

Tangents: TypeAlias = Sequence[Var | None]
Operands: TypeAlias = Sequence[Var | Hole]
Batched: TypeAlias = tuple[Sequence[Var], Sequence[int | None]]
ShapeRule: TypeAlias = list[tuple[Shape, dtype]]

"""Values in lanes: vectors, or plain scalars (0 lanes)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.compiler.llvm import ir


def shaped(t: ir.Type, lanes: int) -> ir.Type:
    """`t` in `lanes` lanes; 0 means a plain scalar."""
    return ir.vector(t, lanes) if lanes else t


def lanes_of(v: ir.Value) -> int:
    """How many lanes; 0 of a plain scalar."""
    return v.type.count


def element(t: ir.Type) -> ir.Type:
    return t.element


def const(t: ir.Type, x: Any, lanes: int) -> ir.Value:
    """The constant x of element type t in every lane."""
    return ir.constant(shaped(t, lanes), x)


def splat(b: ir.IRBuilder, v: ir.Value, lanes: int) -> ir.Value:
    """v in every lane; a vector stays as it is."""
    return b.broadcast(v, lanes) if lanes and not v.type.count else v


def intrinsic(b: ir.IRBuilder, name: str, ret: ir.Type, args: Sequence[ir.Value]) -> ir.Value:
    """Call the LLVM intrinsic of this name, overloaded on what it returns."""
    return b.intrinsic(f"{name}.{ret.suffix}", ret, args)

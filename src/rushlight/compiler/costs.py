"""What the operations of kernels cost: primitives, and what kernels are made of besides."""

from __future__ import annotations

from rushlight.program.costs import CHEAP, Cost
from rushlight.program.ir import PRIMS

DIVISIONS = frozenset({"div", "floordiv", "rem", "fmod"})  # of integers: a zero divisor is an error


def cost_of(op: str) -> Cost:
    """The cost of an operation; loads, constants, indices and the like are cheap."""
    prim = PRIMS.get(op)
    return CHEAP if prim is None else prim.cost


def once(op: str) -> bool:
    """Whether an operation is too expensive to be computed twice."""
    return cost_of(op).once

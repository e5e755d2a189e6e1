"""The compiler: a Program to a Plan and machine code. Importing it costs little; LLVM is loaded when a kernel is
missing.
"""

from __future__ import annotations

from collections.abc import Container

from rushlight.compiler import artifacts as _artifacts
from rushlight.compiler import marks as _marks
from rushlight.compiler.artifacts import *  # noqa: F403
from rushlight.compiler.counters import stats
from rushlight.compiler.marks import *  # noqa: F403
from rushlight.compiler.plan import Plan
from rushlight.program.ir import Program

__all__ = ["Plan", "compile_program", "stats"]
__all__ += _marks.__all__ + _artifacts.__all__


def compile_program(program: Program, views: bool = False, passed: Container[int] = ()) -> Plan:
    """Compile a program of primitives.

    Args:
        program: shapes in the symbols of `program.env`; calls are inlined.
        views: an output that is an input seen through views only is given as a view of it; otherwise as a copy.
        passed: the numbers of inputs of which that may be a view all the same where it has all elements, each once:
            cotangents, which nobody writes to.

    Returns:
        The plan; see `compiler/plan.py`. Machine code is made when the core first asks a kernel for a variant.

    Raises:
        NotImplementedError: a primitive has no code for its dtype.
    """
    from rushlight.compiler import (
        kept,
        routines,  # noqa: F401  registers the library routines that plans name
        watching,
    )
    from rushlight.compiler.kernels import cache
    from rushlight.transforms import inline_calls

    if watching.anyone() or not cache.on_disk():
        return kept.planned(program, views, passed)
    return kept.plan_of(inline_calls(program), views, passed)

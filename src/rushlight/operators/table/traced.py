"""What the trace of a call gives, at once or when somebody asks: a call whose plan is on disk is not traced before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.core.dispatch import Operator
from rushlight.program.ir import Program

Edges = tuple[tuple[int, ...], tuple[int, ...] | None]  # see autograd/edges.py: `places` and `visits`


class Traced(NamedTuple):
    """A call's trace.

    Args:
        program: what the call computes.
        bound: the arguments as the body got them.
        structure: how the result is made of the program's outputs (trace.flatten_result).
        backward: the backward program, None where no graph node is due.
        derivative: the `transforms.Derivative` that it is part of.
    """

    program: Program
    bound: list[Any]
    structure: Any
    backward: Program | None
    derivative: Any


class Retraced(Program):
    """A program that is made when somebody looks into it. make: makes it."""

    def __init__(self, make: Callable[[], Program]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name not in ("env", "inputs", "eqns", "outputs"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        made = self._make()
        self.env, self.inputs, self.eqns, self.outputs = made.env, made.inputs, made.eqns, made.outputs
        return vars(self)[name]


class Origin:
    """The call that a derivative is of.

    Args:
        op: the operator.
        structure: as of `Traced`.
        traced: gives the trace.
        hints: the sizes of the call, by the symbols of its program.
        name: what the backward's plan is kept under, None where it is not kept.
        edges: of its graph nodes, where they are known without a trace.
    """

    def __init__(
        self,
        op: Operator,
        structure: Any,
        traced: Callable[[], Traced],
        hints: list[int],
        name: str | None = None,
        edges: Edges | None = None,
    ) -> None:
        self.op, self.structure, self._traced = op, structure, traced
        self.hints, self.name, self.edges = hints, name, edges

    @property
    def bound(self) -> list[Any]:
        """The arguments as the body got them."""
        return self._traced().bound

    @property
    def inputs(self) -> Any:
        """The program's inputs."""
        return self._traced().program.inputs

    @property
    def outputs(self) -> Any:
        """The program's outputs."""
        return self._traced().program.outputs

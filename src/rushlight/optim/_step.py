"""Running one optimizer rule over all parameters: one program, compiled once, that writes parameters and states in
place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.aliasing import disjoint
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.tracer import wide_numbers

Rule = Callable[..., tuple[Tensor, ...]]

# Parameters in one program: tracing time grows with it, the cost of a launch falls; 24 leaves 1 % to gain.
CHUNK = 24

_operators: dict[tuple[Rule, tuple[str, ...], int], Operator] = {}


def apply(
    rule: Rule,
    scalars: Mapping[str, Any],
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    *states: Sequence[Tensor],
    differentiable: bool = False,
) -> None:
    """Write the values that ``rule`` computes back to each parameter and its states.

    Args:
        rule: a pure function ``rule(p, g, *states, **scalars)`` of one parameter that returns the new values of
            ``(p, *states)``. It is made once for each choice of options, so that it can be the key of a compiled plan.
        scalars: hyper-parameters and what depends on the step; they change from call to call without a new plan.
        params: the parameters.
        grads: their gradients.
        states: for each state that the rule takes, a list along ``params``.
        differentiable: record the step in the autograd graph.
    """
    rows = list(zip(params, grads, *states, strict=True))
    if differentiable or any(isinstance(s, Tensor) for s in scalars.values()):
        return _one_by_one(rule, scalars, rows, differentiable)
    with rushlight.no_grad():
        for i, row in enumerate(rows):
            if row[0].is_complex():
                # Each part of a complex number is a parameter of its own.
                rows[i] = tuple(rushlight.view_as_real(t) if t.is_complex() else t for t in row)
        step = _operator(rule, tuple(scalars), len(states))
        numbers = list(scalars.values())
        for at in range(0, len(rows), CHUNK):
            chunk = rows[at : at + CHUNK]
            written = [t for p, _, *own in chunk for t in (p, *own)]
            if disjoint(written):
                step([t for row in chunk for t in row], *numbers, out=written)
                continue
            for row in chunk:  # parameters that share memory take their steps one after the other
                step(list(row), *numbers, out=[row[0], *row[2:]])
    return None


def apply_to_entries(rule: Rule, scalars: Mapping[str, Any], p: Tensor, grad: Tensor, *states: Tensor) -> None:
    """Step the elements of one parameter, and of its states, that have an entry in a sparse gradient."""
    with rushlight.no_grad():
        grad = grad.coalesce()
        places = tuple(grad.indices().unbind(0))
        if not grad._nnz():
            return
        entries = [t[places] for t in (p, *states)]
        apply(rule, scalars, entries[:1], [grad.values()], *([t] for t in entries[1:]))
        for whole, stepped in zip((p, *states), entries, strict=True):
            whole[places] = stepped


def _operator(rule: Rule, names: tuple[str, ...], n_states: int) -> Operator:
    """The operator that steps a list of rows ``p, g, *states``; its destinations are the p and states themselves."""
    key = (rule, names, n_states)
    op = _operators.get(key)
    if op is None:
        width = 2 + n_states

        def body(tensors: list[Tensor], *numbers: Any) -> tuple[Tensor, ...]:
            with wide_numbers():
                out: list[Tensor] = []
                for i in range(0, len(tensors), width):
                    out += rule(*tensors[i : i + width], **dict(zip(names, numbers, strict=True)))
            return tuple(out)

        parameters = [Param("tensors", Kind.P_TENSORS), *(Param(n, Kind.P_SCALAR) for n in names)]
        definition = Definition("optimizer_step", body, "", "internal")
        op = _operators[key] = Operator("optimizer_step", parameters, definition, takes_out=True)
    return op


def _one_by_one(
    rule: Rule, scalars: Mapping[str, Any], rows: Sequence[tuple[Tensor, ...]], differentiable: bool
) -> None:
    with rushlight.set_grad_enabled(differentiable):
        for row in rows:
            if row[0].is_complex():
                row = tuple(rushlight.view_as_real(t) if t.is_complex() else t for t in row)
            p, g, *own = row
            for target, value in zip((p, *own), rule(p, g, *own, **scalars), strict=True):
                if value is not target:
                    target.copy_(value)

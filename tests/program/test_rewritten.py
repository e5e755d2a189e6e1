"""Programs emitted anew, with another rule for some of their equations."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rushlight import prims
from rushlight.core.dtypes import float32
from rushlight.prims.base import p
from rushlight.program.ir import Builder, Eqn, Program, Var
from rushlight.program.sym import SymEnv


@pytest.fixture
def program() -> Program:
    with Builder(SymEnv()) as b:
        x, y = (b.input((3,), float32) for _ in range(2))
        return b.build([prims.mul(prims.add(x, y), y)])


def names(program: Program) -> list[str]:
    return [e.prim.name for e in program.eqns]


def test_without_a_rule(program: Program) -> None:
    again = program.rewritten()
    assert str(again) == str(program) and not set(again.inputs) & set(program.inputs)


def test_a_rule_for_some_equations(program: Program) -> None:
    def rule(e: Eqn, ins: list[Var]) -> Sequence[Var] | None:
        return [p.sub(*ins)] if e.prim.name == "add" else None

    found = program.rewritten(rule)
    assert names(found) == ["sub", "mul"] and names(program) == ["add", "mul"]


def test_an_operand_in_the_place_of_an_equation(program: Program) -> None:
    found = program.rewritten(lambda e, ins: ins[:1] if e.prim.name == "add" else None)
    assert names(found) == ["mul"] and found.eqns[0].inputs == found.inputs


def test_results_are_a_tuple(program: Program) -> None:
    with Builder(program.env) as b:
        args = b.inputs_like(program)
        (total,) = b.results(program.eqns[0].prim, args, {})
        assert [(v.shape, v.dtype, v.kind) for v in args] == [(v.shape, v.dtype, v.kind) for v in program.inputs]
        assert b.inline(program, args) == (prims.mul(total, args[1]),)

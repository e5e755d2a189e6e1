"""Who follows a program through the compiler, from each function that is handed it to those that this hands it to,
comes from file to file. The walk goes down only, and seldom to a file a second time (docs/design/compiler.md).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import golden_programs as golden
import pytest

import rushlight
import test_imports as imports
from rushlight.compiler import compile_program
from rushlight.compiler.passes.bodies import Body
from rushlight.compiler.passes.buffers import Buffers
from rushlight.compiler.passes.cluster import Cluster
from rushlight.compiler.passes.drafts import Draft
from rushlight.compiler.passes.forms import Nest, Schedule
from rushlight.program.ir import Program

PACKAGE = Path(rushlight.__file__).parent
DATA = (Program, Buffers, Draft, Schedule, Cluster, Body, Nest)  # a program, and what the passes make of it

Step = tuple[str, str]  # from a file to another


def module_of(frame: FrameType | None) -> str | None:
    """The package's module that a frame, or the next one of the package that has called it, belongs to."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("rushlight.") and not name.startswith("rushlight.core."):
            return str(name)
        frame = frame.f_back
    return None


def walk(run: Callable[[], Any]) -> list[Step]:
    """The steps that the data takes while `run` runs, in the order in which each is first taken."""
    steps: dict[Step, None] = {}

    def see(frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        # (An object that is asked a question is where it was.)
        given = [frame.f_locals.get(x) for x in names if x != "self"]
        if any(isinstance(x, DATA) for x in given):
            there, here = module_of(frame.f_back), module_of(frame)
            if there is not None and here is not None and there != here:
                steps[there, here] = None

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(before)
    return list(steps)


@functools.cache
def below(module: str) -> frozenset[str]:
    """The modules that one imports, directly or not, those for the type checker alone included."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    direct = {i.module for i in imports.read(file, typing=True)} if file.exists() else set()
    direct = {m for m in direct if m.startswith("rushlight.") and not m.startswith("rushlight.core.")}
    return frozenset(direct.union(*map(below, direct)))


def climbs(steps: list[Step]) -> list[Step]:
    return [(a, b) for a, b in steps if a in below(b)]


def returns(steps: list[Step]) -> list[Step]:
    """The steps to where an earlier one has led already."""
    return [(a, b) for i, (a, b) in enumerate(steps) if any(b == c for _, c in steps[:i])]


@pytest.mark.parametrize("name", sorted(golden.CASES))
def test_a_program_goes_down(name: str) -> None:
    for call, made in golden.forms(name):
        program = next(form for stage, form in made if stage == "trace")
        steps = walk(lambda program=program: compile_program(program.copy()))  # type: ignore[misc]
        visited = {b.rpartition(".")[2] for _, b in steps}
        assert visited >= {"pipeline", "legalise", "cluster", "buffers", "index", "loops", "epilogues", "assemble"}, (
            call
        )
        assert climbs(steps) == [], call
        assert len(returns(steps)) <= 1, (call, returns(steps))


def test_the_walk_sees_what_it_is_for() -> None:
    up, again = ("rushlight.compiler.passes.forms", "rushlight.compiler.passes.index"), ("a", "b")
    assert climbs([up, up[::-1]]) == [up]
    assert returns([again, ("b", "c"), ("c", "b")]) == [("c", "b")]

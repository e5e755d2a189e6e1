"""Plans on disk, beside the kernels: a program that was planned once is not planned again, by any process.

The name of a plan is a hash of all that planning looks at: the program, whose calls are written out; what its
environment knows of sizes; the processor; and the sources of the passes, the primitives and the code generator. So an
operator whose body has changed has other plans. Planning may ask which of two sizes is larger, and goes by the example:
the answers are guards, which are kept with the plan. It is taken where the sizes at hand give the same answers, and
these guards are recorded then as planning would have.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Container, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rushlight.compiler.counters import count
from rushlight.compiler.kernels import cache as _disk
from rushlight.compiler.kernels.kernel import Kernel, kernel_for
from rushlight.compiler.plan import Plan
from rushlight.compiler.written import read, read_loops, read_size, written, written_loops, written_size
from rushlight.core.dtypes import dtype
from rushlight.program.ir import Program, Var
from rushlight.program.sym import Guard, Int, Sym, SymEnv

_MOST = 4  # plans of one program, which differ in their guards on sizes
_PLANNERS = ("compiler/passes", "program", "prims", "transforms")
_BESIDE = ("marks.py", "costs.py", "plan.py", "written.py", "kept.py")


def planned(program: Program, views: bool, passed: Container[int]) -> Plan:
    """The plan by the passes."""
    from rushlight.compiler.passes import pipeline

    return pipeline.compile_program(program, views, passed)


def plan_of(program: Program, views: bool, passed: Container[int]) -> Plan:
    """The plan of a program without calls: of the disk, or by the passes, and kept there."""
    name = _name(program, views, passed)
    if name is None:
        return planned(program, views, passed)
    text = _disk.read_text(name)
    found = [] if text is None else json.loads(zlib.decompress(text))
    for entry in found:
        if _taken(program.env, entry["guards"]):
            count("programs")
            count("plans_loaded_from_disk")
            return read_plan(entry)
    env = program.env
    before = len(env.guards)
    made = planned(program, views, passed)
    entry = written_plan(made, env.guards[before:])
    _disk.write_text(name, zlib.compress(json.dumps([entry, *found[: _MOST - 1]], separators=(",", ":")).encode(), 1))
    return made


def written_plan(plan: Plan, guards: Sequence[Guard]) -> dict[str, Any]:
    """What is kept of a plan: the questions about sizes that it goes by, the kernels, and the plan."""
    numbers: dict[Kernel, int] = {}
    steps = written(plan, lambda kernel: numbers.setdefault(kernel, len(numbers)))
    asked = [[g.op, written_size(g.lhs), written_size(g.rhs), g.expected] for g in guards]
    return {"guards": asked, "kernels": [written_loops(kernel.loops) for kernel in numbers], "plan": steps}


def read_plan(entry: dict[str, Any]) -> Plan:
    """The plan that `written_plan` has made into `entry`."""
    made = [kernel_for(read_loops(x)) for x in entry["kernels"]]
    found: Plan = read(entry["plan"], made.__getitem__)
    return found


def holds(env: SymEnv, guards: Sequence[Any]) -> bool:
    """Whether the example's sizes give the answers that are kept of `guards`."""
    return all(
        _answer(op, env.hint(read_size(a, env)) - env.hint(read_size(b, env))) is expected
        for op, a, b, expected in guards
    )


def _taken(env: SymEnv, guards: Sequence[Any]) -> bool:
    """Whether the example's sizes give the answers that planning went by, which are recorded in that case."""
    if not holds(env, guards):
        return False
    for op, a, b, _ in guards:
        env.decide(op, read_size(a, env), read_size(b, env))
    return True


def _answer(op: str, difference: int) -> bool:
    return difference == 0 if op == "==" else difference < 0 if op == "<" else difference <= 0


@cache
def version() -> str:
    """The version of planning: its sources, so that an edit is never answered by an old plan."""
    digest = hashlib.blake2b(digest_size=16)
    for file in sources():
        digest.update(file.read_bytes())
    return digest.hexdigest()


def sources() -> list[Path]:
    """The sources that decide what plan a program has; those of kernels are in the kernel cache's version."""
    package = Path(__file__).parent.parent
    found = [package / "compiler" / name for name in _BESIDE]
    for folder in _PLANNERS:
        found += sorted((package / folder).glob("*.py"))
    return found


def _name(program: Program, views: bool, passed: Container[int]) -> str | None:
    """The name of the program's plan; None where it has a part of a program's own."""
    try:
        words = _Words().program(program)
    except _Unknown:
        return None
    given = [k for k in range(len(program.inputs)) if k in passed]
    return _disk.key(f"plan {version()} {views} {given} {words!r}")


class _Unknown(Exception):
    """A primitive or a parameter is none of the library's own."""


class _Words:
    """A program as tuples of words and numbers, equal where planning finds nothing that differs."""

    def __init__(self) -> None:
        self.sizes: dict[Any, int] = {}
        self.shapes: dict[int, Any] = {}  # by the id of a shape, which many values share

    def program(self, program: Program) -> tuple[Any, ...]:
        """A program and what its environment knows."""
        number: dict[Var, int] = {}
        inputs = []
        for v in program.inputs:
            number[v] = len(number)
            inputs.append((v.kind, v.dtype.name, self.shape(v)))
        eqns = []
        for e in program.eqns:
            if not type(e.prim).__module__.startswith("rushlight.prims."):
                raise _Unknown
            made = []
            for v in e.outputs:
                number[v] = len(number)
                made.append((v.dtype.name, self.shape(v)))
            params = [(k, self.word(x)) for k, x in e.params.items()] if e.params else ()
            eqns.append((e.prim.name, [number[v] for v in e.inputs], made, params))
        return inputs, eqns, [number[v] for v in program.outputs], self.environment(program.env)

    def environment(self, env: SymEnv) -> tuple[Any, ...]:
        """All that an environment knows but the example's sizes: what is asked of those is a guard."""
        guards = [(g.op, self.size(g.lhs), self.size(g.rhs), g.expected) for g in env.guards]
        return len(env.hints), sorted(env.given), guards, *env.knowledge()

    def shape(self, v: Var) -> Any:
        found = self.shapes.get(id(v.shape))
        if found is None:
            found = self.shapes[id(v.shape)] = tuple([self.size(n) for n in v.shape])
        return found

    def size(self, n: Int) -> Any:
        """A number; a size by what it is, and the next time by the number of it."""
        if not isinstance(n, Sym):
            return n
        found = self.sizes.get(n.key)
        if found is not None:
            return {found}
        self.sizes[n.key] = len(self.sizes)
        return {"size": n.words()}

    def word(self, x: Any) -> Any:
        """A parameter."""
        kind = type(x)
        if kind is int or kind is str or kind is bool or x is None or kind is float or kind is complex:
            return x
        if kind is Sym:
            return self.size(x)
        if kind is tuple:
            return tuple([self.word(v) for v in x])
        if kind is list:
            return [self.word(v) for v in x]
        if kind is dict:
            return {"dict": [(k, self.word(v)) for k, v in x.items()]}
        if isinstance(x, dtype):
            return {"dtype": x.name}
        if kind is Program:
            return {"program": self.program(x)}
        raise _Unknown

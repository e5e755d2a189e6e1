"""Plans on disk: what is read is what was written, and nothing is taken that is another program's."""

from __future__ import annotations

import json
import shutil
import sys
import zlib
from pathlib import Path
from typing import Any

import golden_programs as golden
import pytest
from test_random_programs import FUSED, make

from rushlight.compiler import compile_program, kept
from rushlight.compiler.counters import stats
from rushlight.compiler.kernels import cache
from rushlight.compiler.plan import Plan
from rushlight.compiler.written import written, written_loops
from rushlight.core import dtypes as dt
from rushlight.prims.base import p
from rushlight.program.ir import Builder, Primitive, Program
from rushlight.program.sym import SymEnv


def from_disk(program: Program, *options: Any) -> tuple[Plan, bool]:
    """The plan, and whether it was there, for a process that has no kernels in memory."""
    cache.forget()
    before = stats()["plans_loaded_from_disk"]
    plan = compile_program(program, *options)
    return plan, stats()["plans_loaded_from_disk"] > before


def text_of(plan: Plan) -> str:
    """A plan with its kernels, as one text."""
    return json.dumps(written(plan, lambda kernel: written_loops(kernel.loops)))


def twice(first: Program, second: Program, *options: Any) -> None:
    """Equal programs: the first is planned, the second has the plan of the disk, and knows as much of sizes."""
    planned, there = from_disk(first, *options)
    assert not there
    found, there = from_disk(second, *options)
    assert there
    assert text_of(found) == text_of(planned) and str(found) == str(planned)
    assert repr(second.env.guards) == repr(first.env.guards)
    assert second.env.knowledge() == first.env.knowledge()
    found.check()


@pytest.mark.parametrize("name", golden.CASES)
def test_plans_of_operators(name: str, request: pytest.FixtureRequest) -> None:
    calls = golden.forms(name)
    request.getfixturevalue("disk")
    for k, (_, forms) in enumerate(calls):
        stage, program = forms[0]
        assert stage == "trace" and isinstance(program, Program)
        if k == 0:
            twice(program.copy(), program.copy(), True)
        else:  # several calls may have one program
            compile_program(program.copy(), False)
            assert from_disk(program.copy(), False)[1]


def test_plans_of_random_programs(disk: Path) -> None:
    for seed in range(30):
        shutil.rmtree(disk, ignore_errors=True)  # (some are equal)
        twice(make(seed, FUSED)[0], make(seed, FUSED)[0])


def chain(scale: Any = 2.0, shape: tuple[int, ...] = (3, 4), dtype: dt.dtype = dt.float32, steps: int = 3) -> Program:
    """Some primitives in a row."""
    env = SymEnv()
    with Builder(env) as b:
        x = b.input([env.new(n) if n != 1 else 1 for n in shape], dtype)
        y = x
        for _ in range(steps):
            y = p.sin(y * scale)
        return b.build([p.reduce_sum(y, dims=(0,))])


def test_another_program_has_another_plan(disk: Path) -> None:
    assert not from_disk(chain())[1] and from_disk(chain())[1]
    assert from_disk(chain(shape=(5, 7)))[1], "other sizes"
    others = (
        chain(3.0),
        chain(-2.0),
        chain(dtype=dt.float64),
        chain(shape=(1, 4)),
        chain(shape=(3, 4, 5)),
        chain(steps=4),
    )
    for program in others:
        assert not from_disk(program)[1], program
        assert from_disk(program)[1]
    assert not from_disk(chain(), True)[1], "results that may be views"
    assert not from_disk(chain(), False, (0,))[1], "an input of which a result may be a view"
    assert not from_disk(chain(0.0))[1] and not from_disk(chain(-0.0))[1], "zeros have signs"
    with_given = chain()
    with_given.env.given = frozenset({0})
    assert not from_disk(with_given)[1], "a size that a caller writes"
    with_guard = chain()
    assert with_guard.inputs[0].shape[0] < 5 and not from_disk(with_guard)[1], "what a guard has found"
    forgotten = chain()
    assert forgotten.inputs[0].shape[0] < 5
    forgotten.env.guards = []
    assert not from_disk(forgotten)[1], "what is known without a guard"


def test_answers_about_sizes_belong_to_a_plan(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan that went by an answer about sizes is for sizes with this answer; several are kept."""
    by_passes = kept.planned

    def asks(program: Program, *options: Any) -> Plan:
        n = program.inputs[0].shape[0]
        program.env.decide("<", n, 10)
        program.env.decide("==", n // 3, program.inputs[0].shape[1])
        return by_passes(program, *options)

    monkeypatch.setattr(kept, "planned", asks)
    for shape in ((3, 4), (30, 4), (6, 2), (60, 20)):
        first, second = chain(shape=shape), chain(shape=shape)
        twice(first, second)
        assert len(second.env.guards) == 2
    for shape in ((4, 9), (40, 9), (9, 3), (12, 4)):
        program = chain(shape=shape)
        assert from_disk(program)[1]
        assert program.env.has_equal_sizes == (shape[0] // 3 == shape[1])
    twice(chain(shape=(2, 2), steps=1), chain(shape=(2, 2), steps=1))


def test_a_primitive_of_a_program_s_own_is_planned_always(disk: Path) -> None:
    """Nobody knows whether its rules are what they were."""

    class Own(type(p.sin)):  # type: ignore[misc]
        """A primitive that is none of the library's."""

        name = "sin"

    def program() -> Program:
        env = SymEnv()
        with Builder(env) as b:
            x = b.input([env.new(3)], dt.float32)
            own: Primitive = Own.__new__(Own)
            vars(own).update(vars(p.sin))
            return b.build([own(x * 2.0)])

    assert not from_disk(program())[1] and not from_disk(program())[1]


def test_another_version_has_plans_of_its_own(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not from_disk(chain())[1]
    monkeypatch.setattr(kept, "version", lambda: "another")
    assert not from_disk(chain())[1]
    monkeypatch.undo()


def test_the_version_is_that_of_all_sources_that_planning_goes_through() -> None:
    """Every module of the package that a program passes through on its way to a plan is part of the version."""
    here = Path(kept.__file__).parent.parent
    seen: set[Path] = set()

    def see(frame: Any, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and here in path.parents:
            seen.add(path)

    programs = [make(seed)[0] for seed in range(20)]
    programs += [
        f[0][1].copy() for name in ("rnn", "conv2d", "matmul_int", "fft", "sort") for _, f in golden.forms(name)
    ]
    sys.setprofile(see)
    try:
        for program in programs:
            kept.planned(program, False, ())
    finally:
        sys.setprofile(None)
    known = set(kept.sources()) | set(cache.generators())
    beside = {"counters.py", "watching.py", "events.py"}
    left = {str(f.relative_to(here)) for f in seen - known if f.name not in beside and "core" not in f.parts}
    assert len(seen) > 20 and left == set()


def test_text_that_is_damaged_is_made_again(disk: Path) -> None:
    assert not from_disk(chain())[1]
    (file,) = [f for f in disk.rglob("*") if f.is_file()]
    good = file.read_bytes()
    for at in range(0, len(good), 37):
        file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        plan, there = from_disk(chain())
        assert not there and len(plan.steps) == 1, at
        assert file.read_bytes() == good
    for n in (0, 10, 40, len(good) - 1):
        file.write_bytes(good[:n])
        assert not from_disk(chain())[1]
    assert from_disk(chain())[1]
    assert zlib.decompress(cache.read_text(file.name) or b"").startswith(b"[{")

"""What every pass of the compiler makes of some programs: checked, and compared with the texts in `golden/`."""

from __future__ import annotations

import dataclasses

import golden_programs as golden
import pytest

from rushlight.compiler.passes.clusters import Clusters, FusedKernel
from rushlight.compiler.plan import Plan
from rushlight.program.ir import Program


@pytest.mark.parametrize("name", sorted(golden.CASES))
def test_text(name: str) -> None:
    expected = golden.path_of(name).read_text()
    assert golden.text_of(name) == expected, (
        "a pass gives another form; if that is meant: python tests/compiler/golden_programs.py"
    )


def test_no_text_is_left_over() -> None:
    assert {p.stem for p in golden.FOLDER.glob("*.txt")} == set(golden.CASES)


@pytest.mark.parametrize("name", sorted(golden.CASES))
def test_every_form_is_what_the_next_pass_takes(name: str) -> None:
    stages = set()
    for _, made in golden.forms(name):
        for stage, form in made:
            (form.copy() if isinstance(form, Program) else form).check()
            stages.add(stage)
    assert stages <= {"trace", "inline", "legalise", "cluster", "assemble"}


def clusters_of(name: str) -> Clusters:
    return next(form for _, made in golden.forms(name) for stage, form in made if stage == "cluster")


def plan_of(name: str) -> Plan:
    return next(form for _, made in golden.forms(name) for stage, form in made if stage == "assemble")


def test_clusters_in_the_wrong_order_are_refused() -> None:
    good = clusters_of("pad")
    assert len(good.steps) == 2
    with pytest.raises(AssertionError, match="before one that it must follow"):
        dataclasses.replace(good, steps=good.steps[::-1]).check()


def test_clusters_that_read_what_nothing_writes_are_refused() -> None:
    good = clusters_of("sort")
    with pytest.raises(AssertionError, match="output 0 is never written"):
        dataclasses.replace(good, steps=()).check()


def test_a_kernel_over_other_dims_is_refused() -> None:
    good = clusters_of("relu")
    kernel = good.steps[0].work
    assert isinstance(kernel, FusedKernel)
    wrong = dataclasses.replace(good.steps[0], work=dataclasses.replace(kernel, kept=()))
    with pytest.raises(AssertionError, match="varies along a dim that is not the kernel's"):
        dataclasses.replace(good, steps=(wrong,)).check()


def test_a_plan_with_a_slot_that_is_never_filled_is_refused() -> None:
    good = plan_of("softmax")
    with pytest.raises(AssertionError, match="slots"):
        dataclasses.replace(good, n_slots=good.n_slots + 1).check()
    with pytest.raises(AssertionError, match="is not filled yet"):
        dataclasses.replace(good, code=[("add", good.n_slots - 1, 0), *good.code[1:]]).check()

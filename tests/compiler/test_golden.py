"""What every pass of the compiler makes of some programs: checked, and compared with the texts in `golden/`."""

from __future__ import annotations

import dataclasses
from typing import Any

import golden_programs as golden
import pytest

from rushlight.compiler.passes.bodies import Apply, Body, Read
from rushlight.compiler.passes.cluster import Cluster
from rushlight.compiler.passes.forms import Nest, Schedule
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
    programs = {"trace", "inline", "sizes", "recurrences", "legalise", "rounding"}
    assert stages <= programs | {"cluster", "index", "loops", "epilogues", "assemble"}


def form_of(name: str, wanted: str) -> Any:
    return next(form for _, made in golden.forms(name) for stage, form in made if stage == wanted)


def clusters_of(name: str) -> Schedule[Cluster]:
    form: Schedule[Cluster] = form_of(name, "cluster")
    return form


def plan_of(name: str) -> Plan:
    form: Plan = form_of(name, "assemble")
    return form


def with_first(form: Schedule[Any], kind: type, **changes: Any) -> Schedule[Any]:
    """The form with its first work, which is of this kind, changed."""
    first = form.steps[0].work
    assert isinstance(first, kind)
    step = dataclasses.replace(form.steps[0], work=dataclasses.replace(first, **changes))  # type: ignore[type-var]
    return dataclasses.replace(form, steps=(step, *form.steps[1:]))


def test_clusters_in_the_wrong_order_are_refused() -> None:
    good = clusters_of("pad")
    assert len(good.steps) == 2
    with pytest.raises(AssertionError, match="before one that it must follow"):
        dataclasses.replace(good, steps=good.steps[::-1]).check()


def test_clusters_that_read_what_nothing_writes_are_refused() -> None:
    good = clusters_of("sort")
    with pytest.raises(AssertionError, match="output 0 is never written"):
        dataclasses.replace(good, steps=()).check()


def test_kernels_that_need_one_anothers_results_are_refused() -> None:
    good = clusters_of("cross_entropy")
    first, second = (s.work for s in good.steps)
    assert isinstance(first, Cluster) and isinstance(second, Cluster)
    assert set(first.stored.items()) <= set(second.loaded.items())
    broken = with_first(good, Cluster, loaded={**first.loaded, **second.stored})
    for steps in (broken.steps, broken.steps[::-1]):
        with pytest.raises(AssertionError, match=r"reads buffer b\d, which nothing has written"):
            dataclasses.replace(broken, steps=steps).check()


def test_a_cluster_that_stores_what_has_been_read_is_refused() -> None:
    good = clusters_of("cross_entropy")
    with pytest.raises(AssertionError, match="step 2 writes b6, which a step before it has read"):
        dataclasses.replace(good, steps=(*good.steps, good.steps[0])).check()


def test_a_cluster_that_computes_from_what_is_not_there_is_refused() -> None:
    good = clusters_of("softmax")
    with pytest.raises(AssertionError, match="uses what is neither computed before nor read"):
        with_first(good, Cluster, eqns=good.steps[0].work.eqns[1:]).check()  # type: ignore[union-attr]
    with pytest.raises(AssertionError, match="is written that is not computed"):
        with_first(good, Cluster, eqns=()).check()


def test_a_body_that_uses_what_comes_later_is_refused() -> None:
    good = form_of("relu", "index")
    entries = good.steps[0].work.entries
    assert [type(e) for e in entries[:1]] == [Read] and any(isinstance(e, Apply) for e in entries)
    with pytest.raises(AssertionError, match="which is not computed yet"):
        with_first(good, Body, entries=entries[1:]).check()


def test_a_body_over_other_dims_is_refused() -> None:
    good = form_of("relu", "index")
    with pytest.raises(AssertionError, match="a dim without a size"):
        with_first(good, Body, kept=()).check()
    with pytest.raises(AssertionError, match="varies along a dim that is not the kernel's"):
        with_first(good, Body, kept=(), size_of={}).check()


def test_a_kernel_over_other_dims_is_refused() -> None:
    with pytest.raises(AssertionError, match="varies along a dim that is not the kernel's"):
        with_first(form_of("relu", "loops"), Nest, kept=()).check()


def test_loops_that_use_what_comes_later_are_refused() -> None:
    good = form_of("softmax", "loops").steps[0].work.loops
    with pytest.raises(AssertionError, match="is not computed yet"):
        dataclasses.replace(good, nodes=good.nodes[1:]).check()
    with pytest.raises(AssertionError, match="a store to operand 0, which is read alone"):
        dataclasses.replace(good, stores=(dataclasses.replace(good.stores[0], operand=0),)).check()


def test_a_plan_with_a_slot_that_is_never_filled_is_refused() -> None:
    good = plan_of("softmax")
    with pytest.raises(AssertionError, match="slots"):
        dataclasses.replace(good, n_slots=good.n_slots + 1).check()
    with pytest.raises(AssertionError, match="is not filled yet"):
        dataclasses.replace(good, code=(("add", good.n_slots - 1, 0), *good.code[1:])).check()

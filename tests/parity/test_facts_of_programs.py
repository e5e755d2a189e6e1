"""Programs as people write them print on rushlight what they print on PyTorch, fact by fact, but for what stands
here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from processes import RUSHLIGHT, printed

pytest.importorskip("torch", reason="the reference")

Facts = dict[str, str]


def lines(text: str) -> Facts:
    """Each line is a fact."""
    return {str(number): line for number, line in enumerate(text.splitlines())}


def labelled(text: str) -> Facts:
    """Each line is the name of a fact, a colon and the fact."""
    return dict(line.partition(": ")[::2] for line in text.splitlines())


def sections(text: str) -> Facts:
    """A fact has a line with its name, and as many as it takes; addresses in it are left out."""
    parts = (part.partition("\n") for part in text.split("##### ")[1:])
    return {name: re.sub(r"0x[0-9a-f]+", "0x", said) for name, _, said in parts}


@dataclass(frozen=True)
class Case:
    """A program: how its text is taken apart, how many facts there are at least, and which differ, with the reason."""

    facts: Callable[[str], Facts]
    least: int
    different: Mapping[str, str] = field(default_factory=dict)
    runs: int = 1  # on PyTorch, where its own text is not the same each time
    never: tuple[str, ...] = ()  # words that would say that the program itself has failed


CASES = {
    # What function modes see of attributes, and what nodes and hooks of the graph answer.
    "mode_programs.py": Case(labelled, 250),
    "library_programs.py": Case(
        labelled,
        120,
        {
            "name": "a custom operator has the name and the text of its function",
            "meta before": "another type of error: the function itself refuses a tensor without data",
            "func.grad": "a registered gradient serves under the transforms",
            "unknown name": "register_fake before the operator is defined: the function waits for it",
            "unknown gradient": "another type of error",
            "namespace is lazy": "a class without an underscore",
        },
    ),
    # Gradients on wrapper subclasses.
    "wrapper_programs.py": Case(lines, 30, never=("Error", "False")),
    # Classes of a program's own in the place of tensors and numbers.
    "class_programs.py": Case(lines, 280),
    # Modules, loaders and custom functions at their edges.
    "edge_programs.py": Case(lines, 225),
    # A group of one process, and state dicts in it. PyTorch's groups wait for sockets, also in a group of one: beside a
    # busy machine a barrier may raise there.
    "distributed_programs.py": Case(lines, 230, runs=3),
    "state_dict_programs.py": Case(lines, 400, runs=3),
    # Code, graphs, values and types of errors of torch.fx.
    "fx_programs.py": Case(
        sections,
        24,
        {
            "p09_interpreter": "the text of an error",
            "p14_tabular": "printed without the package tabulate, which PyTorch needs",
            "p19_starargs": "parameters by keyword alone are traced, where PyTorch's code does not compile",
            "p21_dce": "a method that writes is kept",
            "p22_lint": "the texts of errors",
            "p23_node_api": "the name of a function in the text of an error",
        },
    ),
    "fx_tracing.py": Case(sections, 24),
    "fx_surgery.py": Case(sections, 21),
    "fx_partitions.py": Case(sections, 6),
}


@pytest.mark.parametrize("program", CASES)
def test_facts(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    case, path = CASES[program], Path(__file__).parent / program
    ours = case.facts(printed(*RUSHLIGHT, path))
    for _ in range(case.runs):
        theirs = case.facts(printed(path))
        assert len(theirs) >= case.least and list(theirs) == list(ours)
        differ = {k: (ours[k], fact) for k, fact in theirs.items() if ours[k] != fact and k not in case.different}
        if not differ:
            break
    assert differ == {}
    assert [k for k in case.different if ours[k] == theirs[k]] == [], "these are equal now"
    assert [fact for fact in theirs.values() if any(word in fact for word in case.never)] == []

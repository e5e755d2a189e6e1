"""Exported programs beside PyTorch's: the same graphs, signatures and bounds; and files that either writes and the
other one runs.
"""

from __future__ import annotations

import copy
import io
import re
from typing import Any

import pytest
from export_programs import programs

import rushlight

torch = pytest.importorskip("torch")
OURS, THEIRS = programs(rushlight), programs(torch)
# Layers that are other calls here: a recurrent network is one call a layer, attention splits its input otherwise.
OTHER_CALLS = {"lstm", "gru", "encoder"}
# Beside those, decompositions of: attention, embeddings' norms and one_hot, writes to parts, and sizes by other names.
OTHER_PARTS = OTHER_CALLS | {"attention", "words", "writes", "many", "layers", "block", "sizes"}


def exported(T: Any, name: str) -> Any:
    module, args, shapes = (OURS if T is rushlight else THEIRS)[name]
    return T.export.export(module, args, dynamic_shapes=shapes)


def code(program: Any) -> list[str]:
    """The lines of a graph; symbols and the alias of an input named as a builtin are the library's own."""
    found = []
    for line in program.graph_module.code.splitlines():
        line = line.partition(";")[0].rstrip()
        if line.strip() and not re.fullmatch(r"\s+input_1 = input", line):
            found.append(re.sub(r"\binput_1\b", "input", line))
    return found


def leaves(x: Any) -> list[Any]:
    if isinstance(x, dict):
        return [v for part in x.values() for v in leaves(part)]
    if isinstance(x, (tuple, list)):
        return [v for part in x for v in leaves(part)]
    return [x]


def plain(x: Any) -> Any:
    return x.detach().double().tolist() if hasattr(x, "detach") else x


def agree(got: Any, expected: Any, what: str) -> None:
    g, e = leaves(got), leaves(expected)
    assert len(g) == len(e), what
    for i, (a, b) in enumerate(zip(g, e, strict=True)):
        if not hasattr(b, "detach"):
            assert a == b, f"{what}: {i}"
            continue
        assert tuple(a.shape) == tuple(b.shape) and str(a.dtype) == str(b.dtype), f"{what}: {i}"
        found, wanted = torch.tensor(plain(a)), torch.tensor(plain(b))
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5, equal_nan=True, msg=lambda m, i=i: f"{i}: {m}")


@pytest.mark.parametrize("name", sorted(set(OURS) - OTHER_CALLS))
def test_graphs_are_those_of_pytorch(name: str) -> None:
    mine, theirs = exported(rushlight, name), exported(torch, name)
    assert code(mine) == code(theirs)
    assert str(mine.graph_signature) == str(theirs.graph_signature)
    assert [repr(r) for r in mine.range_constraints.values()] == [repr(r) for r in theirs.range_constraints.values()]
    assert list(mine.state_dict) == list(theirs.state_dict) and list(mine.constants) == list(theirs.constants)
    assert [e.fqn for e in mine.module_call_graph] == [e.fqn for e in theirs.module_call_graph]
    for a, b in zip(mine.graph.nodes, theirs.graph.nodes, strict=True):
        v, w = a.meta.get("val"), b.meta.get("val")
        if hasattr(w, "dtype"):
            assert (len(v.shape), str(v.dtype), v.requires_grad) == (len(w.shape), str(w.dtype), w.requires_grad), (
                a.name
            )
            assert [n for n in v.shape if type(n) is int] == [n for n in w.shape if type(n) is int], a.name


@pytest.mark.parametrize("name", sorted(set(OURS) - OTHER_PARTS))
def test_decomposed_graphs_are_those_of_pytorch(name: str) -> None:
    mine, theirs = exported(rushlight, name).run_decompositions(), exported(torch, name).run_decompositions()
    assert code(mine) == code(theirs)
    assert str(mine.graph_signature) == str(theirs.graph_signature)


@pytest.mark.parametrize("parts", [False, True])
@pytest.mark.parametrize("name", sorted(OURS))
@pytest.mark.parametrize("writer", ["rushlight", "torch"])
@pytest.mark.filterwarnings("ignore")
def test_files_are_read_by_the_other_one(writer: str, name: str, parts: bool) -> None:
    here, there = (rushlight, torch) if writer == "rushlight" else (torch, rushlight)
    program = exported(here, name)
    if parts:
        program = program.run_decompositions()
    file = io.BytesIO()
    here.export.save(program, file)
    file.seek(0)
    read = there.export.load(file)
    assert str(read.graph_signature) == str(program.graph_signature)
    args, kwargs = read.example_inputs
    expected = program.module()(*copy.deepcopy(program.example_inputs[0]))
    module = read.module()
    agree(module(*args, **kwargs), expected, f"{name} of {writer}")
    if name == "sizes":
        assert module(there.randn(9, 6))[-1] == 9
        with pytest.raises(AssertionError, match="Guard failed"):
            module(there.randn(65, 6))


@pytest.mark.parametrize(
    "name", ["export", "export.graph_signature", "export.dynamic_shapes", "export.exported_program"]
)
def test_every_documented_name_is_there(name: str) -> None:
    import importlib

    theirs = importlib.import_module(f"torch.{name}")
    mine = importlib.import_module(f"rushlight.{name}")
    assert [n for n in theirs.__all__ if not hasattr(mine, n)] == []


ERRORS = {
    "no module": lambda T: T.export.export(lambda x: x, (T.ones(2),)),
    "a list of arguments": lambda T: T.export.export(T.nn.ReLU(), [T.ones(2)]),
    "a size out of bounds": lambda T: T.export.export(
        T.nn.ReLU(), (T.ones(4),), dynamic_shapes=({0: T.export.Dim("b", min=5)},)
    ),
    "a size that is another": lambda T: T.export.export(T.nn.ReLU(), (T.ones(4),), dynamic_shapes=({0: 3},)),
    "an unknown argument": lambda T: T.export.export(T.nn.ReLU(), (T.ones(4),), dynamic_shapes={"y": None}),
    "a word for a size": lambda T: T.export.export(T.nn.ReLU(), (T.ones(4),), dynamic_shapes=({0: "b"},)),
    "a call of the program": lambda T: T.export.export(T.nn.ReLU(), (T.ones(4),))(T.ones(4)),
    "another shape": lambda T: T.export.export(T.nn.ReLU(), (T.ones(4),)).module()(T.ones(5)),
    "another argument": lambda T: T.export.export(T.nn.ReLU(), (T.ones(4),)).module()(T.ones(4), 1),
    "a name that is none": lambda T: T.export.Dim("a b"),
    "bounds upside down": lambda T: T.export.Dim("a", min=5, max=3),
    "a size times nothing": lambda T: T.export.Dim("a") * 0,
    "no program to save": lambda T: T.export.save(3, io.BytesIO()),
    "training the module": lambda T: T.export.export(T.nn.ReLU(), (T.ones(4),)).module().train(),
}


@pytest.mark.parametrize("name", sorted(ERRORS))
@pytest.mark.filterwarnings("ignore")
def test_errors_are_of_pytorchs_types(name: str) -> None:
    with pytest.raises(Exception) as theirs:
        ERRORS[name](torch)
    with pytest.raises(Exception) as mine:
        ERRORS[name](rushlight)
    assert [c.__name__ for c in type(theirs.value).__mro__[:1]] == [c.__name__ for c in type(mine.value).__mro__[:1]]

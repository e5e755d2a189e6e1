"""`help` of an operator: every argument and the result are described, and what is derived of the result is so."""

from __future__ import annotations

import inspect
import pydoc
import sys
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.core.dispatch import Operator
from rushlight.inspection.documentation import argument, documentation, parse, results, says_dtypes
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.testing.samples import Make, Sample, load

OPERATORS = {
    name: op
    for name, op in {**TABLE, **{f"Tensor.{n}": o for n, o in METHODS.items()}}.items()
    if not name.startswith("ops.") and not name.rpartition(".")[2].startswith("_")
}
KNOWN = load()
TOOLS = Path(__file__).resolve().parents[2] / "tools"


def test_every_argument_and_result_is_described() -> None:
    lacking = {}
    for name, op in OPERATORS.items():
        doc = parse(op.__doc__)
        missing = set(inspect.signature(op).parameters) - set(doc.arguments)
        if missing or not doc.sections.get("Returns"):
            lacking[name] = sorted(missing) or "Returns"
    assert lacking == {}, "say it in the docstring, or in inspection/arguments.py"


def test_help_in_a_terminal() -> None:
    text = pydoc.plain(pydoc.render_doc(rushlight.softmax))
    described = ("softmax(input", "along a dimension", "Args:", "any shape; floating point", "dim: the dimension")
    for part in (*described, "Returns:", "sum to 1"):
        assert part in text


def test_shapes_and_dtypes_are_those_of_the_samples() -> None:
    sys.path.insert(0, str(TOOLS))
    import taken

    assert taken.FILE.read_text() == taken.text(), "run `python tools/taken.py`"
    said = {name: parse(op.__doc__).arguments for name, op in OPERATORS.items()}
    assert said["matmul"]["input"].endswith("; floating point, complex or integers.")
    assert said["gather"]["index"].startswith("int64 or int32, as many"), "it says its dtypes itself"
    assert said["sin"]["input"] == (
        "the tensor that it is computed of; any shape; floating point, complex, integers or bool."
    )


def test_every_tensor_says_its_dtypes() -> None:
    lacking = {
        name: missing
        for name, op in OPERATORS.items()
        if (missing := [n for n in tensors_of(op) if not says_dtypes(parse(op.__doc__).arguments[n])])
    }
    assert lacking == {}, "say it in the docstring, where tools/taken.py finds none by trying"
    assert sum(len(tensors_of(op)) for op in OPERATORS.values()) > 1000


def tensors_of(op: Operator) -> list[str]:
    parameters = inspect.signature(op).parameters.values()
    return [p.name for p in parameters if "Tensor" in str(p.annotation) and p.name != "out"]


def test_a_line_of_the_docstring_comes_first() -> None:
    assert parse(documentation(rushlight.sum)).arguments["dtype"] == "of the sum."
    assert argument("bernoulli", "p") != argument("dropout", "p")
    assert argument("no_operator", "no_argument") is None


def test_the_parts_of_a_docstring() -> None:
    doc = parse(
        "One.\n\n    Args:\n        a, b: of both\n            lines.\n        *c: more.\n\n    Returns:\n        It.\n"
    )
    assert doc.text == "One." and doc.arguments == {"a": "of both lines.", "b": "of both lines.", "c": "more."}
    assert doc.sections["Returns"][0] == "It."
    assert parse("It; arguments as `Conv1d`.").like == "Conv1d"


def claims(op: Operator) -> str:
    said = parse(op.definition.__doc__).sections.get("Returns")
    return "" if said else results(op)


SAMPLED = {name: OPERATORS[name] for name in KNOWN if name in OPERATORS}
CLAIMED = sorted(
    name
    for name, op in SAMPLED.items()
    if "data" not in KNOWN[name].skip and any(k in claims(op) for k in ("of the shape", "on the memory"))
)


def tensors(value: Any) -> list[Any]:
    found = value if isinstance(value, (tuple, list)) else [value]
    return [t for t in found if isinstance(t, rushlight.Tensor)]


@pytest.mark.parametrize("name", CLAIMED)
def test_what_is_said_of_the_result_is_so(name: str) -> None:
    op, spec = reduce(getattr, name.split("."), rushlight), KNOWN[name]  # as a program calls it
    said = claims(SAMPLED[name])
    for sample in spec.generate(Make(spec.dtypes[0], 0)):
        if not isinstance(sample, Sample):
            continue
        found = tensors(op(*sample.args, **sample.kwargs))
        given = [t for a in sample.args for t in tensors(a)]
        if "the shape of `" in said:
            assert all(t.shape == given[0].shape for t in found), said
        elif "broadcast" in said and "out" not in sample.kwargs:
            shape = rushlight.broadcast_shapes(*(t.shape for t in given))
            assert all(t.shape == shape for t in found), said
        elif "on the memory" in said:
            one = {t.untyped_storage().data_ptr() for t in found if t.numel()}
            assert one <= {given[0].untyped_storage().data_ptr()}, said

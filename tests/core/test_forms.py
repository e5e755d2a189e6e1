"""How names take arguments (`core/named.pyx`): whatever a form or the tables of an operator are made of, a call is
right or an error.
"""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param
from rushlight.core.named import Form, Named
from rushlight.operators.table.define import IN_PLACE, TABLE, public

ADD = TABLE["add"]
RELU = TABLE["nn.functional.relu"] if "nn.functional.relu" in TABLE else TABLE["relu"]


def params(*names: str) -> list[Param]:
    return [Param(n, Kind.P_TENSOR) for n in names]


def test_a_form_is_of_its_operator() -> None:
    form = Form(ADD, params("input", "other"))
    assert Named(ADD, "plus", "", form)(rl.ones(2), rl.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(ValueError, match="'form' must be one of relu's"):
        Named(RELU, "plus", "", form)
    with pytest.raises(ValueError, match="unfinished"):
        Named(ADD, "plus", "", Form.__new__(Form))


@pytest.mark.parametrize(
    ("made_of", "error"),
    [
        ((None, []), TypeError),
        ((ADD, None), TypeError),
        ((ADD, [3, 4]), (TypeError, AttributeError)),
        ((ADD, []), ValueError),
        ((ADD, params("input")), ValueError),
        ((ADD, params(*(f"p{i}" for i in range(30)))), ValueError),
        ((ADD, params("input", "other"), RELU), ValueError),
    ],
)
def test_wrong_forms(made_of: tuple[Any, ...], error: Any) -> None:
    half = Form.__new__(Form)
    with pytest.raises(error):
        half.__init__(*made_of)
    with pytest.raises(ValueError, match="unfinished"):  # nor does what is left of it serve
        Named(ADD, "plus", "", half)


def test_a_form_is_made_once() -> None:
    form = Form(ADD, params("input", "other"))
    with pytest.raises(RuntimeError, match="once"):
        form.__init__(ADD, params("other", "input"))


@pytest.mark.parametrize("op", [ADD, public("nn.functional.relu"), public("nn.functional.dropout"), IN_PLACE[ADD]])
def test_parameters_stay(op: Operator | Named) -> None:
    assert isinstance(op.params, tuple)
    with pytest.raises(AttributeError):
        op.params = ()  # type: ignore[misc]


@pytest.mark.parametrize("place", [-1, 99, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("name", ["add", "nn.functional.dropout"])
def test_places_outside_of_the_parameters(name: str, place: int) -> None:
    op = public(name)
    op.index["odd"] = place
    try:
        with pytest.raises(RuntimeError, match="must be the place of one of"):
            op(rl.ones(2), odd=3)
    finally:
        del op.index["odd"]


def test_a_converter_that_fails_names_argument_and_place() -> None:
    with pytest.raises(TypeError, match=r"hinge_embedding_loss\(\): argument 'reduction' \(position 4\) must be int"):
        rl.hinge_embedding_loss(rl.ones(2), rl.ones(2), 1.0, "mean")

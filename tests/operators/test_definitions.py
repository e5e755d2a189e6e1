"""What is derived from an operator's definition beside its kernels: the signature, the shape class."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from support import find

import rushlight
from rushlight.core.dispatch import Operator
from rushlight.inspection import shape_classes
from rushlight.operators.table import types
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.tracer import P
from rushlight.prims import PRIMS
from rushlight.testing.samples import REGISTRY, load

load()
OPERATORS = {**{f"Tensor.{n}": op for n, op in METHODS.items()}, **TABLE}


def test_primitives_of_several_results_are_declared_so() -> None:
    """`P` says of each primitive whether it gives one tracer or several; the types of all bodies follow from that."""
    several = {name for name, note in type(P).__annotations__.items() if "tuple" in note}
    assert several == {name for name, prim in PRIMS.items() if prim.multiple}


# ----------------------------------------------------------------------------------------------------------- signatures
@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_signature(name: str) -> None:
    op = OPERATORS[name]
    parameters = inspect.signature(op).parameters
    assert [p for p in parameters if p != "out"] == [p.name for p in op.params if p.name != "out"]
    for p in op.params:
        said = parameters[p.name]
        assert (
            (said.kind is said.KEYWORD_ONLY) == p.keyword_only
            or said.kind is said.VAR_POSITIONAL
            or any(q.kind is q.VAR_POSITIONAL for q in parameters.values())
        ), p.name
        if said.kind is not said.VAR_POSITIONAL:
            assert (said.default is said.empty) == p.required and (p.required or said.default is p.default), p.name
    if op.takes_out:
        assert parameters["out"].kind is inspect.Parameter.KEYWORD_ONLY and parameters["out"].default is None


def test_annotations_say_the_same_as_objects() -> None:
    """A module without postponed annotations hands over what they stand for; no parameter may be of another kind for it
    (a `Number` that is static is compiled for each value).
    """
    seen = 0
    for name, op in OPERATORS.items():
        body = getattr(op.definition.body, "__wrapped__", op.definition.body)
        space = body.__globals__ | vars(types) | {"Any": Any}
        for parameter, note in body.__annotations__.items():
            try:
                given = eval(note, space)
            except NameError:
                continue  # a class that only type checkers see there
            assert types.written(given) == note, f"{name}: {parameter}"
            seen += 1
    assert seen > 3000


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_sample_fits_the_signature(name: str) -> None:
    """A call that works is one that the signature allows."""
    op, spec = find(name), REGISTRY[name]
    signature = inspect.signature(op)
    collects = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
    for s in spec.samples(spec.dtypes[0]):
        if collects and set(s.kwargs) & {"size", "dims", "sizes", "repeats", "shape"}:
            continue  # *size by its name: Python has no way to say that it may
        # Another name of a parameter (axis for dim) is taken too, as in PyTorch.
        main = {k: op.params[op.index[k]].name if isinstance(op, Operator) and k in op.index else k for k in s.kwargs}
        signature.bind(*s.args, **{main[k]: v for k, v in s.kwargs.items()})


def test_a_method_is_bound() -> None:
    t = rushlight.ones(2, 3)
    assert str(inspect.signature(t.sum)) == str(inspect.signature(rushlight.sum)).replace("input: 'Tensor', ", "")
    assert list(inspect.signature(t.view).parameters) == ["size", "dtype"]
    assert inspect.signature(t.add_).return_annotation == "Tensor"


@pytest.mark.parametrize(
    "name",
    sorted(n for n in dir(rushlight.Tensor) if not n.startswith("__") and callable(getattr(rushlight.Tensor, n))),
)
def test_every_method_of_tensor_has_a_signature(name: str) -> None:
    inspect.signature(getattr(rushlight.Tensor, name))


@pytest.mark.parametrize("namespace", ["", "nn.functional", "linalg"])
def test_every_function_has_a_signature(namespace: str) -> None:
    module = find(namespace) if namespace else rushlight
    for name in dir(module):
        value = getattr(module, name)
        if (
            callable(value)
            and not isinstance(value, type)
            and not name.startswith("_")
            and getattr(value, "__module__", "") != "typing"
        ):
            inspect.signature(value)


# -------------------------------------------------------------------------------------------------------- shape classes
@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_shape_class(name: str) -> None:
    assert OPERATORS[name].shape_class in shape_classes.CLASSES


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add", "pointwise"),
        ("where", "pointwise"),
        ("lerp", "pointwise"),
        ("sum", "reduction"),
        ("softmax", "reduction"),
        ("std", "reduction"),
        ("cumsum", "scan"),
        ("sort", "sort"),
        ("median", "sort"),
        ("matmul", "contraction"),
        ("nn.functional.conv2d", "contraction"),
        ("cat", "join"),
        ("roll", "movement"),
        ("repeat", "movement"),
        ("permute", "view"),
        ("reshape", "view"),
        ("split", "view"),
        ("gather", "index"),
        ("index_add", "index"),
        ("nn.functional.embedding", "index"),
        ("zeros", "factory"),
        ("ones_like", "factory"),
        ("randn", "random"),
        ("nonzero", "data-dependent"),
        ("numpy", "host"),
    ],
)
def test_known_shape_classes(name: str, expected: str) -> None:
    assert find(name).shape_class == expected


def test_an_unknown_shape_class_is_refused() -> None:
    definition = type("Definition", (), {"shape_class": "gather", "body": lambda input: input, "name": "odd"})()
    op = Operator("odd", [], definition)
    with pytest.raises(LookupError, match=r"odd.*no shape class 'gather'.*pointwise"):
        _ = op.shape_class
    definition.shape_class = "other"
    with pytest.raises(LookupError, match="say its shape_class in its decorator"):
        _ = op.shape_class

"""Names, defaults and keyword-only arguments are those of PyTorch: of its Python functions where there are, else of its
schemas.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import pytest
import torch

from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.operators.table.define import METHODS, TABLE, public

# Accepted differences: (operator, argument) -> why. "*" stands for any operator.
DIFFERENT = {
    ("normalize", "out"): "a keyword, as in every operator",
    ("*", "requires_grad"): "documented for every factory, left out of the schemas",
    ("arange", "end"): "arange(end) and arange(start, end) are one signature here",
    ("range", "end"): "as arange",
    ("range", "start"): "as arange",
    ("randint", "high"): "randint(high, size) and randint(low, high, size) are one signature here",
    ("randint", "size"): "as high",
    ("randint_like", "high"): "as randint",
    ("normal", "mean"): "the forms of normal() are one signature here",
    ("view", "size"): "view(dtype) and view(*size) are one signature here",
    ("repeat_interleave", "repeats"): "repeat_interleave(repeats) alone is the same signature",
    ("block_diag", "tensors"): "*tensors has no default to speak of",
    ("random_", "from_"): "`from` cannot be a name in Python; it is taken as a keyword",
    ("uniform_", "from_"): "as random_",
    ("uniform_", "from"): "as random_",
    ("to", "target"): "dtype, device or tensor; `dtype`, `device` and `other` are taken as keywords",
    ("nonzero", "as_tuple"): "documented, left out of the schema",
    ("contiguous", "memory_format"): "may be given by position too",
    ("as_tensor", "dtype"): "may be given by position too",
    ("as_tensor", "device"): "as dtype",
    ("tensor", "pin_memory"): "documented, left out of the schema",
    ("one_hot", "tensor"): "the documented name; the schema says self",
    ("one_hot", "input"): "as tensor",
    ("scaled_dot_product_attention", "scale"): "documented without the star that the schema has",
    ("scaled_dot_product_attention", "enable_gqa"): "as scale",
    ("batch_norm", "cudnn_enabled"): "of no use here, so it has a default",
    ("cpu", "memory_format"): "documented, left out of the schema",
    ("norm", "out"): "taken by every operator that computes",
    ("tensordot", "out"): "taken by every operator that computes",
}
for _op, _args in {
    "cholesky_solve": ("L", "input2"),
    "lstsq": ("B", "b"),
    "tensorsolve": ("B", "other"),
    "ormqr": ("tau", "input2", "other", "input3"),
    "matrix_rank": ("tol",),
    "pinv": ("rcond",),
    "resize": ("sizes", "size", "memory_format"),
    "resize_as": ("tensor", "the_template", "memory_format"),
}.items():
    DIFFERENT.update({(_op, n): "the documented name or default; the schema has another" for n in _args})
for _op in (
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "ctc_loss",
    "hinge_embedding_loss",
    "kl_div",
    "margin_ranking_loss",
    "triplet_margin_loss",
):
    DIFFERENT[_op, "reduction"] = "the schema says mean, and the function does none"
for _op in ("tensor_split", "hsplit", "vsplit", "dsplit"):
    DIFFERENT[_op, "indices_or_sections"] = DIFFERENT[_op, "sections"] = (
        "the documented name; the schemas split it in two"
    )
for _op in ("swapaxes_",):
    DIFFERENT.update({(_op, n): "axis0 and axis1 are taken as well" for n in ("dim0", "dim1", "axis0", "axis1")})
for _arg in ("scale", "input_scale"):
    DIFFERENT["elu_", _arg] = "for selu and celu, which are operators of their own here"
for _arg in ("device", "non_blocking", "memory_format"):
    DIFFERENT["cuda", _arg] = "documented, left out of the schema"
for _op in ("tril_indices", "triu_indices"):
    DIFFERENT[_op, "pin_memory"] = "there is no pinned memory"


class Argument(NamedTuple):
    name: str
    keyword_only: bool
    default: Any


EMPTY = inspect.Parameter.empty


def theirs(name: str) -> list[list[Argument]]:
    """The forms of an operator in PyTorch; none when it says nothing about it."""
    base = name.rpartition(".")[2]
    module: Any = torch.nn.functional if name.startswith("nn.functional.") else torch if "." not in name else None
    # (a function that gives the indices too if it is asked to says no more than *args, **kwargs)
    function = getattr(module, f"{base}_with_indices", None) or getattr(module, base, None)
    if callable(function) and not isinstance(function, type):
        try:
            found = inspect.signature(function).parameters.values()
        except ValueError:
            found = None  # built in
        if found is not None and not any(p.kind is p.VAR_POSITIONAL for p in found):
            return [[Argument(p.name, p.kind is p.KEYWORD_ONLY, p.default) for p in found]]
    inside = name.rpartition(".")[0]
    schema = (
        f"{inside}_{base}"
        if inside in ("linalg", "special", "fft")
        else base
        if inside in ("", "nn.functional")
        else ""
    )
    schemas = [
        s for s in torch._C._jit_get_schemas_for_operator("aten::" + schema) if not any(a.is_out for a in s.arguments)
    ]
    return [
        [
            Argument(
                "input" if a.name == "self" else a.name,
                a.kwarg_only,
                a.default_value if a.has_default_value() else EMPTY,
            )
            for a in s.arguments
        ]
        for s in schemas
    ]


def plain(value: Any) -> Any:
    """A default without the ways in which schemas write the same: [0, 0] for 0, [] and None for nothing, False for
    None.
    """
    if isinstance(value, (list, tuple)):
        return plain(value[0]) if value and len(set(value)) == 1 else tuple(value) or None
    return None if value is False or str(value) == "" else value


def differences(ours: list[Argument], form: list[Argument]) -> list[tuple[str, str]]:
    """(argument, what is different) against one form."""
    mine, found, last = {a.name: (i, a) for i, a in enumerate(ours)}, [], -1
    for a in form:
        if a.name not in mine:
            found.append((a.name, "is missing"))
            continue
        i, b = mine[a.name]
        if a.keyword_only != b.keyword_only:
            found.append((a.name, f"keyword-only {b.keyword_only}, PyTorch {a.keyword_only}"))
        elif not a.keyword_only:
            if i < last:
                found.append((a.name, "stands in another place"))
            last = i
        same = (a.default is EMPTY) == (b.default is EMPTY) and plain(a.default) == plain(b.default)
        if (
            not same
            and not (a.name == "dtype" and isinstance(a.default, int))
            and not (a.name == "memory_format" and plain(b.default) is None)
        ):
            found.append((a.name, f"default {b.default}, PyTorch {a.default}"))
    return found


def formed(key: str) -> Operator | Named:
    """What stands under a name where that takes arguments in a way of its own; else the operator, once for all
    names.
    """
    found = public(key)
    return found if isinstance(found, Operator) or found.form is not None else found.op


def operators() -> dict[str, Operator | Named]:
    found: dict[int, tuple[str, Operator | Named]] = {}
    for name, op in {**METHODS, **{key: formed(key) for key in TABLE}}.items():
        found.setdefault(id(op), (name, op))
    return {n: op for n, op in found.values() if theirs(n)}


OPERATORS = operators()


def test_most_operators_are_compared() -> None:
    assert len(OPERATORS) > 500


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_signature(name: str) -> None:
    op, forms = OPERATORS[name], theirs(name)
    base, mine = name.rpartition(".")[2], {p.name for p in OPERATORS[name].params}
    ours = [Argument(p.name, bool(p.keyword_only), EMPTY if p.required else p.default) for p in op.params]
    # Another name of an argument counts as the name: linalg.det(A) takes input= too.
    forms = [
        [
            a._replace(name=op.params[op.index[a.name]].name if a.name in op.index and a.name not in mine else a.name)
            for a in form
        ]
        for form in forms
    ]
    known = {a.name for form in forms for a in form}
    found = [(p.name, "PyTorch has no such argument") for p in ours if p.name not in known]
    found += min(
        (differences(ours, form) for form in forms),
        key=lambda d: len([x for x in d if (base, x[0]) not in DIFFERENT and ("*", x[0]) not in DIFFERENT]),
    )
    left = [
        f"{argument}: {what}"
        for argument, what in found
        if (base, argument) not in DIFFERENT and ("*", argument) not in DIFFERENT
    ]
    assert not left, f"{op.signature_text()}\n" + "\n".join(left)


def test_every_accepted_difference_is_one() -> None:
    names = {n.rpartition(".")[2] for n in OPERATORS}
    assert {op for op, _ in DIFFERENT if op != "*"} <= names


# ------------------------------------------------------------------------------------------------------------- variants
# PyTorch's documentation shows out= for these, and the functions refuse it.
DOCUMENTED_ALONE = frozenset(
    {
        "repeat_interleave",
        "var_mean",
        "std_mean",
        "histogramdd",
        "empty_strided",
        "empty_permuted",
        "empty_like",
        "zeros_like",
        "ones_like",
        "rand_like",
        "randn_like",
        "full_like",
        "randint_like",
        "from_file",
        "hamming_window",
    }
)


def test_out_is_taken_where_pytorch_takes_it() -> None:
    documented = {
        n
        for n, op in TABLE.items()
        if "." not in n
        and not op.inplace
        and "out=None" in (getattr(getattr(torch, n, None), "__doc__", None) or "").split("->")[0]
    }
    assert len(documented) > 150
    assert sorted(n for n in documented - DOCUMENTED_ALONE if not TABLE[n].takes_out) == []


def test_the_in_place_variants_of_pytorch_exist() -> None:
    theirs = {
        n
        for n in dir(torch.Tensor)
        if n.endswith("_") and not n.startswith("_") and "sparse" not in n and hasattr(torch.Tensor, n[:-1])
    }
    assert len(theirs) > 120
    assert sorted(n for n in theirs if n[:-1] in METHODS and n not in METHODS) == []

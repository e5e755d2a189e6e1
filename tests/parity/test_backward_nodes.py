"""What a graph node is called and what it says that it has saved, for every operator of the table, against PyTorch.

What differs stands in backward_nodes.json: by operator, pairs of names (ours, PyTorch's); by node, the `_saved_*` that
ours lacks or gives another value. The lists may only become shorter; `python tests/parity/test_backward_nodes.py`
writes them anew.
"""

from __future__ import annotations

import functools
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from test_operators import counterpart, to_torch
from test_saved_values import NAMES, REGISTRY, chosen, sides

import rushlight
from rushlight.core import dtypes as dt

torch = pytest.importorskip("torch")
LIST = Path(__file__).with_name("backward_nodes.json")
LIMIT = 4


def plain(x: Any) -> Any:
    """A saved value without the library that it is of."""
    if isinstance(x, rushlight.Tensor):
        return plain(to_torch(x.detach().contiguous()))
    if isinstance(x, torch.Tensor):
        return (
            "tensor",
            tuple(x.shape),
            x.detach().to(torch.complex128).resolve_conj().nan_to_num(7.0).reshape(-1).tolist(),
        )
    return tuple(map(plain, x)) if isinstance(x, (tuple, list)) else x


def near(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple) and a[:1] == b[:1] == ("tensor",):
        return a[1] == b[1] and all(abs(p - q) <= 1e-9 * (1 + abs(q)) for p, q in zip(a[2], b[2], strict=True))
    return a == b or isinstance(a, float) and isinstance(b, float) and abs(a - b) < 1e-12


def saved(node: Any) -> dict[str, Any]:
    found = {}
    for name in dir(node):
        if name.startswith("_saved_"):
            try:
                found[name] = plain(getattr(node, name))
            except (RuntimeError, AttributeError, NotImplementedError):
                found[name] = "refused"
    return found


@functools.cache
def differences() -> tuple[dict[str, list[list[str]]], dict[str, list[str]], int]:
    """Names that differ by operator, what a node of the same name lacks, and how many nodes were compared."""
    names: dict[str, set[tuple[str, str]]] = {}
    lacks: dict[str, set[str]] = {}
    compared = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in NAMES:
            if counterpart(name) is None:
                continue
            a, b = sides(name)
            for s in chosen(REGISTRY[name], dt.float64, LIMIT):
                x, y = a.forward(s), b.forward(s)
                if x is None or y is None:
                    continue
                for p, q in zip(x[1], y[1], strict=False):
                    if p.grad_fn is None or q.grad_fn is None:
                        continue
                    theirs, ours = p.grad_fn, q.grad_fn
                    compared += 1
                    assert type(ours).__name__ == ours.name().rpartition("::")[2] and isinstance(
                        ours, rushlight.autograd.graph.Node
                    )
                    if ours.name() != theirs.name() or type(ours).__name__ != type(theirs).__name__:
                        names.setdefault(name, set()).add((ours.name(), theirs.name()))
                        continue
                    own = saved(ours)
                    for attribute, value in saved(theirs).items():
                        if (
                            attribute not in own
                            and value is not None
                            or attribute in own
                            and not near(own[attribute], value)
                        ):
                            lacks.setdefault(ours.name(), set()).add(attribute)
    return (
        {k: sorted(map(list, v)) for k, v in sorted(names.items())},
        {k: sorted(v) for k, v in sorted(lacks.items())},
        compared,
    )


def test_names_of_nodes() -> None:
    found, _, compared = differences()
    known = json.loads(LIST.read_text())["names"]
    assert compared > 1000
    assert {k: v for k, v in found.items() if any(pair not in known.get(k, []) for pair in v)} == {}
    assert sorted(set(known) - set(found)) == [], "these are equal now: take them out of backward_nodes.json"


def test_what_nodes_have_saved() -> None:
    _, found, _ = differences()
    known = json.loads(LIST.read_text())["saved"]
    assert {k: v for k, v in found.items() if set(v) - set(known.get(k, []))} == {}
    assert sorted(set(known) - set(found)) == [], "these are equal now: take them out of backward_nodes.json"


if __name__ == "__main__":
    names_now, lacks_now, _ = differences()
    LIST.write_text(json.dumps({"names": names_now, "saved": lacks_now}, indent=1) + "\n")

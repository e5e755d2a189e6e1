"""Where the edges of a call's graph node lead and in what order they stand, for every operator of the table and each of
its arguments as the only one that requires a gradient, and in what order leaves get their gradients, against PyTorch.

An edge is compared by the arguments that are reached through it: compositions of PyTorch's have nodes in between. What
differs stands in next_functions.json and gradient_orders.json by operator, and may only become shorter; `python
tests/parity/test_next_functions.py` writes them anew.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from test_operators import counterpart, to_torch, torch_flat
from test_saved_values import NAMES, REGISTRY, chosen, copy, find, flat, map_tensors

import rushlight
from rushlight.core import dtypes as dt

torch = pytest.importorskip("torch")
LIST = Path(__file__).with_name("next_functions.json")
ORDERS = Path(__file__).with_name("gradient_orders.json")
LIMIT = 4

Edges = list[tuple[int, ...] | None]


def reached(node: Any, leaves: list[Any]) -> tuple[int, ...] | None:
    """The arguments that a walk of the graph finds from a node on; None where there is no node."""
    if node is None:
        return None
    found, seen, ahead = set(), set(), [node]
    while ahead:
        at = ahead.pop()
        if at is None or at in seen:
            continue
        seen.add(at)
        if hasattr(at, "variable"):
            found |= {i for i, leaf in enumerate(leaves) if leaf is at.variable}
        ahead += [n for n, _ in at.next_functions]
    return tuple(sorted(found))


def nodes(
    M: Any, fn: Any, args: Any, kwargs: Any, leaves: list[Any], tensors: Any, wanted: int
) -> list[tuple[str, Edges]]:
    """Of each result the name of its node and where its edges lead; leaf `wanted` alone requires a gradient, -1:
    all.
    """
    for i, t in enumerate(leaves):
        t.requires_grad_(wanted in (i, -1))
    M.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results = tensors(fn(*args, **kwargs))
        except (RuntimeError, TypeError, NotImplementedError, IndexError, ValueError):
            return []
    return [
        (r.grad_fn.name(), [reached(n, leaves) for n, _ in r.grad_fn.next_functions])
        for r in results
        if r.grad_fn is not None
    ]


def order(M: Any, fn: Any, args: Any, kwargs: Any, leaves: list[Any], tensors: Any) -> list[int]:
    """The leaves in the order in which a backward from the first result of several gives them their gradients."""
    for t in leaves:
        t.requires_grad_(True)
    M.manual_seed(0)
    seen: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = next((r for r in tensors(fn(*args, **kwargs)) if r.requires_grad), None)
            handles = [t.register_hook(lambda g, i=i: seen.append(i)) for i, t in enumerate(leaves)]
            if result is not None:
                result.backward(M.ones_like(result))
        except (RuntimeError, TypeError, NotImplementedError, IndexError, ValueError):
            return []
    for handle in handles:
        handle.remove()
    return seen


class Pair(NamedTuple):
    """One sample of an operator in both libraries: what is called, its arguments, and those that have derivatives."""

    name: str
    theirs: Any
    their_args: Any
    their_kwargs: dict[str, Any]
    their_leaves: list[Any]
    args: Any
    kwargs: dict[str, Any]
    leaves: list[Any]


def pairs() -> Iterator[Pair]:
    """Samples of every operator that PyTorch has."""
    for name in NAMES:
        theirs = counterpart(name)
        if theirs is None:
            continue
        for sample in chosen(REGISTRY[name], dt.float64, LIMIT):
            own: list[Any] = []
            made: dict[int, Any] = {}
            other: list[Any] = []

            def both(t: Any, own: list[Any] = own, made: dict[int, Any] = made, other: list[Any] = other) -> Any:
                if id(t) not in made:
                    ours, counter = copy(t).detach(), to_torch(t).detach().clone()
                    made[id(t)] = (ours, counter, t)
                    if ours.is_floating_point() or ours.is_complex():
                        own.append(ours)
                        other.append(counter)
                return made[id(t)][0]

            mine = map_tensors(both, sample)

            def convert(x: Any, made: dict[int, Any] = made) -> Any:
                if isinstance(x, rushlight.Tensor):
                    return next(counter for ours, counter, _ in made.values() if ours is x)
                return type(x)(map(convert, x)) if type(x) in (tuple, list) else to_torch(x)

            kwargs = {k: convert(v) for k, v in mine.kwargs.items()}
            yield Pair(name, theirs, convert(mine.args), kwargs, other, mine.args, mine.kwargs, own)


def differences() -> tuple[dict[str, tuple[Any, Any, Any]], int]:
    """By operator the first call that differs (the node, PyTorch's edges, ours), and how many nodes were compared."""
    found: dict[str, tuple[Any, Any, Any]] = {}
    compared = 0
    for p in pairs():
        for wanted in (-1, *range(len(p.leaves))) if len(p.leaves) > 1 else (-1,):
            a = nodes(torch, p.theirs, p.their_args, p.their_kwargs, p.their_leaves, torch_flat, wanted)
            b = nodes(rushlight, find(p.name), p.args, p.kwargs, p.leaves, flat, wanted)
            for (label, theirs), (ours_label, ours) in zip(a, b, strict=False):
                if label == ours_label:
                    compared += 1
                    if theirs != ours:
                        found.setdefault(p.name, (label, theirs, ours))
    return found, compared


def other_orders() -> tuple[dict[str, tuple[list[int], list[int]]], int]:
    """By operator the first call whose leaves get their gradients in another order (PyTorch's, ours), and how many
    calls were compared.
    """
    found: dict[str, tuple[list[int], list[int]]] = {}
    compared = 0
    for p in pairs():
        if len(p.leaves) > 1:
            theirs = order(torch, p.theirs, p.their_args, p.their_kwargs, p.their_leaves, torch_flat)
            ours = order(rushlight, find(p.name), p.args, p.kwargs, p.leaves, flat)
            if len(theirs) > 1 and sorted(theirs) == sorted(ours):
                compared += 1
                if theirs != ours:
                    found.setdefault(p.name, (theirs, ours))
    return found, compared


def check(found: Mapping[str, Any], file: Path) -> None:
    """What differs is what the file lists, no less and no more."""
    known = json.loads(file.read_text())
    assert {k: v for k, v in found.items() if k not in known} == {}
    assert sorted(set(known) - set(found)) == [], f"these are equal now: take them out of {file.name}"


def test_edges() -> None:
    found, compared = differences()
    assert compared > 1500
    check(found, LIST)


def test_order_of_gradients() -> None:
    found, compared = other_orders()
    assert compared > 400
    check(found, ORDERS)


if __name__ == "__main__":
    for listed, now, count in ((LIST, *differences()), (ORDERS, *other_orders())):
        for name, what in now.items():
            print(name, *what)
        print(count)
        listed.write_text(json.dumps(sorted(now), indent=1) + "\n")

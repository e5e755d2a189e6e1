"""Sparse tensors: values, layouts, flags, gradients and errors are PyTorch's."""

from __future__ import annotations

import os
import warnings
from typing import Any

import pytest
from sparse_calls import CALLS, KINDS, Operands, operands

import rushlight as rl

torch = pytest.importorskip("torch")
# How many seeds: with none given, one, and the kinds of operands that differ most.
GIVEN = os.environ.get("RUSHLIGHT_SPARSE_SEEDS")
SEEDS = range(int(GIVEN or "1"))
CHOSEN = KINDS if GIVEN else ("matrix", "coalesced square", "hybrid", "no entries")

# (call, kind of operands or "any"): has a value here, and in PyTorch an error.
MORE = {
    ("x[1:]", "no rows"),  # which is all of them
    ("mT", "coalesced hybrid"),  # dense dimensions
    ("adjoint", "coalesced hybrid"),
    ("batch", "any"),  # PyTorch multiplies so where a gradient is recorded
}
FEWER = {("dropout", kind) for kind in ("no rows", "no dense elements")}  # PyTorch gives back what has no elements
# Of which the gradient goes on through the clone of the operand, which makes it dense here.
DENSE_HERE = {"dense mul_"}
# PyTorch's gradient is not that of the values there: it sums no rows where the cotangent is not flagged as coalesced.
WRONG_THERE = ("sparse.softmax", "sparse.log_softmax")
# Whose result has its entries in another number, or in another order, at the same places.
OTHER_ENTRIES = {"x + y", "x - y", "add with alpha", "add_", "sub_", "out=", "x * y", "mul_ sparse"}


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def described(x: Any, values: bool = True) -> Any:
    """What is compared of a result, in plain Python."""
    if isinstance(x, (rl.Tensor, torch.Tensor)):
        sparse = str(x.layout) == "torch.sparse_coo"
        says: dict[str, Any] = {"layout": str(x.layout), "shape": tuple(x.shape), "dtype": str(x.dtype)}
        if sparse:
            if x.is_coalesced():
                columns = list(zip(*x._indices().tolist(), strict=True))
                assert columns == sorted(set(columns)), "indices of a tensor that is flagged as coalesced"
            says["dims"] = (x.sparse_dim(), x.dense_dim())
            says["coalesced"] = x.is_coalesced()
            says["count"] = x._nnz()
        says["requires_grad"] = x.requires_grad
        dense = x.detach().to_dense() if sparse else x.detach()
        if values:
            says["values"] = dense.to_dense().tolist()
        return says
    if isinstance(x, (tuple, list)):
        return [described(y, values) for y in x]
    return x if isinstance(x, (str, bool, int, float, type(None))) else type(x).__name__


def run(m: Any, name: str, kind: str, seed: int, grad: bool) -> tuple[Any, Any, Operands]:
    """(what the call gives, None) or (None, the error), and its operands."""
    o = operands(m, KINDS[kind], seed)
    if grad:
        o = Operands(*(t.requires_grad_() for t in o))
    try:
        return CALLS[name](m, o), None, o
    except Exception as error:
        return None, error, o


def alike(error: Exception, expected: Exception) -> bool:
    """Whether an error is of the type that PyTorch has; which of two wrong arguments is reported first is not
    compared.
    """
    both = (IndexError, RuntimeError)
    return (
        isinstance(error, type(expected))
        or isinstance(expected, type(error))
        or (isinstance(error, both) and isinstance(expected, both))
    )


def close(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, (float, complex)) and isinstance(b, (float, complex)):
        return a == b or (a != a and b != b) or abs(a - b) <= 1e-9 * (1 + abs(b))
    return bool(a == b)


@pytest.mark.parametrize("kind", CHOSEN)
@pytest.mark.parametrize("seed", SEEDS)
def test_calls(kind: str, seed: int) -> None:
    wrong = []
    for name in CALLS:
        for grad in (False, True) if kind == "matrix" else (True,):
            ours, error, mine = run(rl, name, kind, seed, grad)
            theirs, expected, other = run(torch, name, kind, seed, grad)
            where = f"{name}, {'grad' if grad else 'no grad'}"
            if expected is not None:
                if error is None:
                    if (name, kind) not in MORE and (name, "any") not in MORE:
                        wrong.append(
                            f"{where}: {described(ours)}; PyTorch: {type(expected).__name__} {str(expected)[:90]}"
                        )
                elif not alike(error, expected):
                    wrong.append(
                        f"{where}: {type(error).__name__} {error}; PyTorch: {type(expected).__name__} "
                        f"{str(expected)[:90]}"
                    )
                continue
            if error is not None:
                if (name, kind) not in FEWER:
                    wrong.append(f"{where}: {type(error).__name__} {error}; PyTorch: {described(theirs)}")
                continue
            a, b = described(ours), described(theirs)
            for x, y in zip(*(v if isinstance(v, list) else [v] for v in (a, b)), strict=False):
                if isinstance(x, dict) and x.get("coalesced"):  # it may be known here and not there
                    y["coalesced"] = True
            if name in OTHER_ENTRIES or kind == "no dense elements":  # of which PyTorch lets some go
                for says in [*a, *b] if isinstance(a, list) else (a, b):
                    if isinstance(says, dict):
                        says.pop("count", None)
                        says.pop("coalesced", None)
            if not close(a, b):
                wrong.append(f"{where}: {a}; PyTorch: {b}")
            elif name.startswith(WRONG_THERE) or (name in ("x * y", "mul_ sparse") and not KINDS[kind].coalesced):
                continue
            elif grad and isinstance(theirs, torch.Tensor) and theirs.requires_grad:
                wrong += gradients(where, (rl, ours, mine), (torch, theirs, other))
    assert not wrong, f"{len(wrong)} calls:\n" + "\n".join(wrong)


def gradients(where: str, ours: Any, theirs: Any) -> list[str]:
    """Compare the gradients of all operands; those that PyTorch cannot compute are passed over."""
    found = []
    for m, result, o in (theirs, ours):
        total = result if str(result.layout) == "torch.strided" else m.sparse.sum(result * 0.5)
        if total.dtype in (m.complex128, m.complex64):
            total = total.real
        try:
            total.sum().backward()
        except Exception as error:
            if m is torch:
                return []
            return [f"{where}: backward: {type(error).__name__} {error}"]
        found.append([None if t.grad is None else t.grad for t in o])
    wrong = []
    for name, b, a in zip(Operands._fields, *found, strict=True):
        if (a is None) != (b is None):
            wrong.append(f"{where}: gradient of {name}: {a}; PyTorch: {b}")
        elif a is not None:
            says = [(str(g.layout), g.to_dense().tolist()) for g in (a, b)]
            if where.startswith(tuple(DENSE_HERE)):
                says = [s[1:] for s in says]
            if not close(*says):
                wrong.append(f"{where}: gradient of {name}: {says[0]}; PyTorch: {says[1]}")
    return wrong

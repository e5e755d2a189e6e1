"""Every operator of the table given a sparse tensor gives the dense call's value, or an error that says so."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import rushlight as rl
from rushlight.operators.table.define import TABLE, public
from rushlight.testing.samples import REGISTRY, Make, Sample, load

load()
MOST = int(os.environ.get("RUSHLIGHT_SPARSE_SAMPLES", "2"))  # samples of an operator
# Operators whose results are of no use to compare: memory as it is, numbers drawn at random, what a tensor is made of.
UNCOMPARED = {"empty_like", "new_empty", "rand_like", "randn_like", "randint_like", "is_same_size", "get_device"}
# Of a sparse tensor they say what its entries are: elements that are zero are not there.
OF_ENTRIES = {"any"}


def places(sample: Sample) -> Iterator[tuple[str, Any]]:
    """Where the tensors of a call stand."""
    for i, a in enumerate(sample.args):
        if isinstance(a, rl.Tensor):
            yield "args", i
        elif isinstance(a, (list, tuple)):
            for j, t in enumerate(a):
                if isinstance(t, rl.Tensor):
                    yield "list", (i, j)
    for k, a in sample.kwargs.items():
        if isinstance(a, rl.Tensor):
            yield "kwargs", k


def put(sample: Sample, where: tuple[str, Any], new: Any) -> tuple[list[Any], dict[str, Any]]:
    """The arguments with another tensor in a place, and copies of the others, which a call may write to."""
    args, kwargs = [_copied(a) for a in sample.args], {k: _copied(a) for k, a in sample.kwargs.items()}
    kind, at = where
    if kind == "args":
        args[at] = new
    elif kind == "list":
        args[at[0]] = [new if j == at[1] else t for j, t in enumerate(args[at[0]])]
    else:
        kwargs[at] = new
    return args, kwargs


def _copied(a: Any) -> Any:
    if isinstance(a, rl.Tensor):
        return a.detach().clone()
    return [_copied(t) for t in a] if isinstance(a, list) else tuple(map(_copied, a)) if type(a) is tuple else a


def _told(x: Any) -> Any:
    if isinstance(x, rl.Tensor):
        return x.detach().to_dense()
    if isinstance(x, (list, tuple)):
        return [_told(t) for t in x]
    return x


def same(a: Any, b: Any) -> bool:
    if isinstance(a, rl.Tensor) and isinstance(b, rl.Tensor):
        return a.shape == b.shape and (
            a.numel() == 0 or rl.allclose(a.to(rl.complex128), b.to(rl.complex128), 1e-4, 1e-5, equal_nan=True)
        )
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def made_sparse(t: Any, duplicated: bool) -> Any:
    x = t.detach().to_sparse()
    if not duplicated or x.dtype.kind not in "fc" or not x._nnz():
        return x
    half = rl.sparse_coo_tensor(x.indices(), x.values() / 2, x.shape)
    return rl.sparse_coo_tensor(
        rl.cat([half._indices(), half._indices()], 1), rl.cat([half._values(), half._values()]), x.shape
    )


@pytest.mark.parametrize("part", range(6))
def test_sparse_operands(part: int) -> None:
    wrong, values, refused = [], 0, 0
    for name in sorted(REGISTRY)[part::6]:
        spec = REGISTRY[name]
        op = public(name) if name in TABLE else None
        if op is None or name.rpartition(".")[2] in UNCOMPARED:
            continue
        found = [s for s in spec.generate(Make(spec.dtypes[0], 0)) if isinstance(s, Sample)]
        for n, sample in enumerate(found[:MOST]):
            for where in places(sample):
                plain = _at(sample, where)
                if plain.is_meta or plain.requires_grad or plain.dtype.kind not in "fcbiu":
                    continue
                args, kwargs = put(sample, where, made_sparse(plain, bool(n % 2)))
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        result = _told(op(*args, **kwargs))
                except (RuntimeError, TypeError, IndexError, ValueError):
                    refused += 1
                    continue
                except Exception as error:
                    wrong.append(f"{name} {where}: {type(error).__name__} {error}")
                    continue
                values += 1
                if name in OF_ENTRIES:
                    continue
                args, kwargs = put(sample, where, plain.detach().clone())
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    expected = _told(op(*args, **kwargs))
                if not same(result, expected):
                    wrong.append(f"{name} {where}: {result}; dense: {expected}")
    assert not wrong, "\n".join(wrong)
    assert refused > 20 and values > 3


def _at(sample: Sample, where: tuple[str, Any]) -> Any:
    kind, at = where
    if kind == "args":
        return sample.args[at]
    return sample.args[at[0]][at[1]] if kind == "list" else sample.kwargs[at]

"""Operands of 30 and of 64 dimensions, and hundreds of operands: the results are those of lower ranks, reshaped."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.operators.table.define import TABLE, public
from rushlight.testing.samples import REGISTRY, Make, Sample, load


def wide(t: Any, rank: int) -> Any:
    """`t` with dimensions of size 1 in front of it, up to `rank`."""
    return t.reshape([1] * (rank - t.ndim) + list(t.shape))


def same(a: Any, b: Any) -> bool:
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    x, y = a.reshape(-1), b.reshape(-1)
    if not (x.is_floating_point() or x.is_complex()):
        return bool((x == y).all())
    return bool(rl.allclose(x, y, rtol=1e-4, atol=1e-5, equal_nan=True))


@pytest.mark.parametrize("rank", [30, 64])
@pytest.mark.parametrize("shape_class", ["pointwise", "reduction", "view"])
def test_operators_of_one_tensor(shape_class: str, rank: int) -> None:
    load()
    done = 0
    # by a hash: which they are depends on no neighbour in the table
    names = sorted(TABLE, key=lambda name: zlib.crc32(name.encode()))
    for name in names if os.environ.get("RUSHLIGHT_LONG") else names[rank % 4 :: 4]:
        op = public(name)
        if any(p.name == "dim" and isinstance(p.default, int) and p.default >= 0 for p in op.params):
            continue  # it means another dimension of more
        if name not in REGISTRY or op.shape_class != shape_class or (op.eager is not None and shape_class != "view"):
            continue
        spec = REGISTRY[name]
        sample = next(
            (
                s
                for s in spec.generate(Make(spec.dtypes[0], 0))
                if isinstance(s, Sample)
                and s.args
                and all(isinstance(a, rl.Tensor) for a in s.args)
                and not s.kwargs
                and s.args[0].ndim
            ),
            None,
        )
        if sample is None:
            continue
        try:
            found = op(*[wide(a, rank) for a in sample.args])
        except Exception as error:
            assert "internal" not in str(error) and type(error) in (
                RuntimeError,
                ValueError,
                IndexError,
                NotImplementedError,
                TypeError,
            ), f"{name}: {error!r}"
            continue
        expected = op(*sample.args)
        if isinstance(found, rl.Tensor) and found.numel() == expected.numel():
            assert same(found, expected), name
            done += 1
    assert done >= {"pointwise": 20, "reduction": 1, "view": 1}[shape_class]


RANK = 20
ALTERNATING = [1, 2] * (RANK // 2)


@pytest.mark.parametrize("what", ["add", "transpose", "sum", "cumsum", "flip", "gather", "product"])
def test_dimensions_that_do_not_merge(what: str) -> None:
    """Dimensions that no launch can merge, against the same elements in a few dimensions."""
    n = 2 ** (RANK // 2)
    x, y = rl.arange(float(n)), rl.arange(0.0, -float(n), -1.0)
    a = x.reshape(ALTERNATING)
    if what == "add":
        total = a + y.reshape(ALTERNATING[::-1])
        bits = total.permute(*range(1, RANK, 2), *range(0, RANK, 2)).reshape(n, n)
        assert same(bits, x[:, None] + y[None, :])
        return
    deep = rl.arange(2.0**14).reshape([2] * 14)
    deep = wide(deep, 30)
    if what == "transpose":
        turned = deep.permute(*range(29, -1, -1)).contiguous()
        assert turned.permute(*range(29, -1, -1)).reshape(-1).tolist() == rl.arange(2.0**14).tolist()
    elif what == "sum":
        assert same(
            deep.sum(tuple(range(17, 30, 2))),
            deep.reshape([2] * 14).permute(*range(0, 14, 2), *range(1, 14, 2)).reshape(128, 128).sum(1),
        )
    elif what == "cumsum":
        assert same(deep.cumsum(20), deep.reshape(16, 2, 512).cumsum(1))
    elif what == "flip":
        assert same(deep.flip(18, 25), deep.reshape(4, 2, 64, 2, 16).flip(1, 3))
    elif what == "gather":
        assert same(
            deep.index_select(22, rl.tensor([1, 0, 1])), deep.reshape(64, 2, 128).index_select(1, rl.tensor([1, 0, 1]))
        )
    else:
        m = deep.permute(*range(0, 28, 2), *range(1, 28, 2), 29, 28)
        assert same(m @ m, m.reshape(-1, 2, 2) @ m.reshape(-1, 2, 2))


MANY: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "einsum": (
        lambda: rl.einsum(",".join(["i"] * 40) + "->i", *[rl.full((3,), 1.01)] * 40),
        lambda: rl.full((3,), 1.01) ** 40,
    ),
    "block_diag": (lambda: rl.block_diag(*[rl.ones(1, 1)] * 500), lambda: rl.eye(500)),
    "cat": (lambda: rl.cat([rl.ones(1 + i % 2, 3) for i in range(2000)]), lambda: rl.ones(3000, 3)),
    "stack": (lambda: rl.stack([rl.ones(3)] * 2000), lambda: rl.ones(2000, 3)),
    "hstack": (lambda: rl.hstack([rl.ones(2)] * 700), lambda: rl.ones(1400)),
    "cholesky": (lambda: rl.linalg.cholesky(wide(rl.eye(3) * 4, 64)), lambda: rl.eye(3) * 2),
}


@pytest.mark.parametrize("what", MANY)
def test_many_operands(what: str) -> None:
    found, expected = (f() for f in MANY[what])
    assert same(found, expected)


def test_many_operands_with_gradients() -> None:
    """More symbols than a call has room for on the stack."""
    xs = [rl.ones(2, 3, requires_grad=True) for _ in range(100)]
    out = rl.block_diag(*xs)
    (out * 2).sum().backward()
    assert all(x.grad.tolist() == [[2.0] * 3] * 2 for x in xs)

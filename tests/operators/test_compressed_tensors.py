"""Tensors in compressed sparse layouts: wrong parts are refused, and what is written to them later is seen."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl

# what is wrong, ends, others, values, size
WRONG: list[tuple[str, Any, Any, Any, Any]] = [
    ("col_indices < ncols", [0, 2, 2], [0, 4], [1.0, 2.0], (2, 3)),
    ("0 <= col_indices", [0, 2, 2], [-1, 2], [1.0, 2.0], (2, 3)),
    ("crow_indices...., 0. == 0", [1, 2, 2], [0, 1], [1.0, 2.0], (2, 3)),
    ("crow_indices...., -1. == nnz", [0, 1, 1], [0, 1], [1.0, 2.0], (2, 3)),
    ("0 <= crow_indices", [0, 3, 2], [0, 1], [1.0, 2.0], (2, 3)),
    ("number of compressed rows", [0, 2], [0, 1], [1.0, 2.0], (3, 3)),
    ("the shapes must be", [0, 2, 2], [0, 1], [1.0], (2, 3)),
    ("'size' must be", [0, 2, 2], [0, 1], [1.0, 2.0], (2,)),
    ("whole blocks", [0, 2, 2], [0, 1], [1.0, 2.0], (2, -3)),
    ("at least one index", rl.empty(0, dtype=rl.int64), rl.empty(0, dtype=rl.int64), [], (0, 3)),
    ("dimensionality", 0, [0], [1.0], (2, 2)),
    ("int32 or int64", [0.0, 1.0], [0], [1.0], (1, 2)),
]


@pytest.mark.parametrize("given", WRONG, ids=lambda g: g[0])
def test_wrong_parts_are_refused(given: tuple[str, Any, Any, Any, Any]) -> None:
    says, ends, others, values, size = given
    with pytest.raises(RuntimeError, match=says):
        rl.sparse_csr_tensor(*map(rl.as_tensor, (ends, others, values)), size)


@pytest.mark.parametrize("name", ["csr", "csc", "bsr", "bsc"])
def test_the_layout_may_be_named_and_must_be_the_functions_own(name: str) -> None:
    make, own = getattr(rl, f"sparse_{name}_tensor"), getattr(rl, f"sparse_{name}")
    other = rl.sparse_csc if own is not rl.sparse_csc else rl.sparse_csr
    values = [[[1.0]]] if name.startswith("b") else [1.0]
    assert make([0, 1], [0], values, (1, 1), layout=own).layout is own
    with pytest.raises(RuntimeError, match=f"'layout' must be {own}; found {other}"):
        make([0, 1], [0], values, (1, 1), layout=other)


def test_order_is_asked_for() -> None:
    parts = ([0, 2, 2], [1, 0], [1.0, 2.0], (2, 3))
    assert rl.sparse_csr_tensor(*parts).to_dense().tolist() == [[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    with pytest.raises(RuntimeError, match="sorted and distinct"):
        rl.sparse_csr_tensor(*parts, check_invariants=True)


def test_indices_that_are_written_to_later_are_looked_at_again() -> None:
    s = rl.tensor([[1.0, 0.0], [0.0, 2.0]]).to_sparse_csr()
    assert s.to_dense().tolist() == [[1.0, 0.0], [0.0, 2.0]]
    s.col_indices()[0] = 1
    assert s.to_dense().tolist() == [[0.0, 1.0], [0.0, 2.0]]
    s.col_indices()[0] = 1 << 40
    with pytest.raises(RuntimeError, match="col_indices < ncols"):
        s @ rl.ones(2, 2)
    s.col_indices()[0] = 0
    s.crow_indices()[1] = -5
    with pytest.raises(RuntimeError, match="0 <= crow_indices"):
        s.to_dense()


def test_values_share_memory() -> None:
    s = rl.eye(3).to_sparse_bsr((1, 3))
    s.values().mul_(5)
    assert s.to_dense().tolist() == (rl.eye(3) * 5).tolist()


@pytest.mark.parametrize("layout", ["sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"])
def test_gradients_of_derivatives(layout: str) -> None:
    x = rl.tensor([[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 3.0, 4.0]], dtype=rl.float64)
    block = (1, 2) if layout[-3] == "b" else None
    kind = getattr(rl, layout)
    own = x.to_sparse(layout=kind, blocksize=block)
    other = rl.linspace(-1, 1, 8, dtype=rl.float64).reshape(4, 2).requires_grad_()

    def of_values(values: rl.Tensor, b: rl.Tensor) -> rl.Tensor:
        ends = own.crow_indices() if layout in ("sparse_csr", "sparse_bsr") else own.ccol_indices()
        others = own.col_indices() if layout in ("sparse_csr", "sparse_bsr") else own.row_indices()
        s = rl.sparse_compressed_tensor(ends, others, values, (2, 4), layout=kind)
        return rl.sparse.mm(s, b) + (s * s).sum() + s.t().to_dense().sin().sum()

    values = own.values().clone().requires_grad_()
    assert rl.autograd.gradcheck(of_values, (values, other))
    assert rl.autograd.gradgradcheck(of_values, (values, other))


def test_sampled_products_are_the_entries_of_products() -> None:
    rl.manual_seed(0)
    a, b = rl.randn(5, 3, dtype=rl.float64), rl.randn(3, 7, dtype=rl.float64)
    mask = (rl.rand(5, 7) > 0.5).double().to_sparse_csr()
    found = rl.sparse.sampled_addmm(mask, a, b, beta=2.0, alpha=3.0).to_dense()
    dense = mask.to_dense()
    assert rl.allclose(found, (2 * dense + 3 * (a @ b)) * (dense != 0))


def test_spsolve() -> None:
    a = rl.tensor([[4.0, 1.0], [2.0, 3.0]], dtype=rl.float64)
    b = rl.tensor([1.0, 2.0], dtype=rl.float64)
    assert rl.allclose(a @ rl.sparse.spsolve(a.to_sparse_csr(), b), b)

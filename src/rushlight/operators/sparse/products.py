"""Products of sparse matrices: with dense ones, with vectors, and with one another."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import parts as p
from rushlight.operators.sparse.elementwise import add_entries
from rushlight.operators.sparse.handling import sparse_operator
from rushlight.operators.table.checks import check_argument, check_that
from rushlight.operators.table.define import TABLE, operator
from rushlight.operators.table.tracer import P
from rushlight.operators.table.types import Int


@operator(namespace=None, method=False, out=False, node="SparseAddmmBackward0")
def _rows_by_entries(rows: Tensor, columns: Tensor, values: Tensor, other: Tensor, n: Int) -> Tensor:
    """The product of the (n, k) matrix with values[e] at (rows[e], columns[e]) and the dense (k, m) matrix `other`."""
    taken = P.gather(other, columns, dims=(0,))
    scaled = taken * P.broadcast_in_dim(values, shape=taken.var.shape, dims=(0,))
    zeros = P.broadcast_in_dim(P.constant(value=0, dtype=other.dtype), shape=(n, other.var.shape[1]), dims=())
    return P.scatter(zeros, rows, scaled, dims=(0,), mode="add")


def _check(name: str, a: Tensor, b: Tensor) -> None:
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"{name}(): 'input' and 'mat2' must be matrices, (n, k) and (k, m); found shapes {list(a.shape)} and "
            f"{list(b.shape)}"
        )
    for x in (a, b):
        if p.is_sparse(x) and p.sparse_dim(x) != 2:
            raise RuntimeError(f"{name}(): a sparse matrix must have 2 sparse dimensions; found {p.sparse_dim(x)}")
    check_that(a.dtype is b.dtype, f"{name}()", "the matrices", "have one dtype", f"{a.dtype} and {b.dtype}")


def masked_product(name: str, a: Tensor, b: Tensor) -> Tensor:
    """The product of two matrices one of which is sparse, as a function of the entries: a sparse matrix gets a sparse
    gradient. Dense; sparse if both are.
    """
    _check(name, a, b)
    if p.is_sparse(a) and p.is_sparse(b):
        return _both_sparse(a, b)
    if not p.is_sparse(a):
        return masked_product(name, b.t(), a.t()).t()
    rows, columns = p.parts(a).indices.unbind(0)
    return _rows_by_entries(rows, columns, p.values_of(a), b, int(a.shape[0]))


def product(name: str, a: Tensor, b: Tensor, label: str = "MmBackward0") -> Tensor:
    """The product of two matrices one of which is sparse; gradients are dense, those of two sparse ones sparse."""
    with p.unrecorded():
        result = masked_product(name, a, b)
    return p.record(result, label, [a, b], lambda g: [matmul(g, _adjoint(b)), matmul(_adjoint(a), g)], saved=[a, b])


def _times(x: Tensor, factor: Any) -> Tensor:
    return x if factor == 1 else x * factor


def matmul(a: Tensor, b: Tensor) -> Tensor:
    return TABLE["matmul"](a, b)


def _adjoint(x: Tensor) -> Tensor:
    return x.transpose(-2, -1).conj()


def _both_sparse(a: Tensor, b: Tensor) -> Tensor:
    """Entries (i, k) of a meet those (k, j) of b: every pair is a term of (i, j)."""
    n, m = int(a.shape[0]), int(b.shape[1])
    b = p.coalesced(b)
    with p.unrecorded():
        (rows, inner), (b_rows, b_columns) = p.parts(a).indices.unbind(0), p.parts(b).indices.unbind(0)
        edges = TABLE["searchsorted"](b_rows, TABLE["arange"](int(b.shape[0]) + 1))
        starts, counts = edges[inner], edges[inner + 1] - edges[inner]
        from_a = TABLE["repeat_interleave"](TABLE["arange"](p.count(a)), counts)
        before = counts.cumsum(0) - counts
        from_b = TABLE["arange"](int(from_a.shape[0])) - before[from_a] + starts[from_a]
        keys, where = p.unique(rows[from_a] * m + b_columns[from_b])
        indices = p.unlinear(keys, (n, m), 2)
    terms = p.values_of(a)[from_a] * p.values_of(b)[from_b]
    return p.make(indices, p.summed(terms, where, len(keys)), (n, m), True, "SparseSparseMatmulBackward0")


@sparse_operator("mm")
def _mm(input: Tensor, mat2: Tensor) -> Tensor:
    return product("mm", input, mat2)


@sparse_operator("mv")
def _mv(input: Tensor, vec: Tensor) -> Tensor:
    if p.is_sparse(vec) or input.ndim != 2 or vec.ndim != 1 or input.shape[1] != vec.shape[0]:
        raise RuntimeError(
            "mv(): a sparse matrix, (n, k), and a dense vector, (k), are multiplied; found shapes "
            f"{list(input.shape)} and {list(vec.shape)}, of layouts {input.layout} and {vec.layout}"
        )
    with p.unrecorded():
        result = masked_product("mv", input, vec.unsqueeze(1)).squeeze(1)
    return p.record(
        result,
        "MvBackward0",
        [input, vec],
        lambda g: [TABLE["outer"](g, vec.conj()), matmul(_adjoint(input), g.unsqueeze(1)).squeeze(1)],
        saved=[input, vec],
    )


@sparse_operator("bmm")
def _bmm(input: Tensor, mat2: Tensor) -> Tensor:
    if not p.is_sparse(input) or p.is_sparse(mat2):
        raise RuntimeError("bmm(): the first of the two must be sparse and 'mat2' must be dense; found other layouts")
    if input.ndim != 3 or mat2.ndim != 3 or input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
        raise RuntimeError(
            f"bmm(): shapes must be (batch, n, k) and (batch, k, m); found {list(input.shape)} and {list(mat2.shape)}"
        )
    check_argument(p.sparse_dim(input) == 3, "bmm()", "input", "have 3 sparse dimensions", lambda: p.sparse_dim(input))
    check_that(input.dtype is mat2.dtype, "bmm()", "the operands", "have one dtype", f"{input.dtype} and {mat2.dtype}")
    batch, n, k = (int(s) for s in input.shape)
    with p.unrecorded():
        own = p.parts(input)
        which, rows, columns = own.indices.unbind(0)
        flat = mat2.reshape(batch * k, mat2.shape[2])
        result = _rows_by_entries(which * n + rows, which * k + columns, own.values, flat, batch * n)
        result = result.reshape(batch, n, mat2.shape[2])
    return p.record(
        result, "BmmBackward0", [input, mat2], lambda g: [matmul(g, _adjoint(mat2)), TABLE["bmm"](_adjoint(input), g)]
    )


@sparse_operator("matmul")
def _matmul(input: Tensor, other: Tensor) -> Tensor:
    a, b = input.ndim, other.ndim
    check_that(a and b, "matmul()", "operands", "have at least 1 dimension", lambda: f"{a} and {b}")
    if a == 2 and b == 2:
        return product("matmul", input, other)
    if a == 2 and b == 1 and p.is_sparse(input):
        return _mv(input, other)
    if a == 1 and b == 2 and p.is_sparse(other):
        return product("matmul", input.unsqueeze(0), other).squeeze(0)
    if a == 3 and b == 3 and p.is_sparse(input):
        return _bmm(input, other)
    if a == 2 and p.is_sparse(input) and not p.is_sparse(other):  # a batch of right sides: columns of one
        columns = other.movedim(-2, 0)
        flat = product("matmul", input, columns.reshape(columns.shape[0], -1))
        return flat.reshape(flat.shape[0], *columns.shape[1:]).movedim(0, -2)
    if b == 2 and p.is_sparse(other) and not p.is_sparse(input):
        flat = product("matmul", input.reshape(-1, input.shape[-1]), other)
        return flat.reshape(*input.shape[:-1], flat.shape[1])
    raise NotImplementedError(
        f"matmul(): not defined for operands of {a} and {b} dimensions with layouts {input.layout} and {other.layout}"
    )


@sparse_operator("linear")
def _linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    result = _matmul(input, weight.t())
    return result if bias is None else result + bias


def _checked_addmm(name: str, input: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    _check(name, mat1, mat2)
    check_argument(not input._keys_ & p.LAYOUT, f"{name}()", "input", "have a strided layout", input.layout)
    if not p.is_sparse(mat1) or p.is_sparse(mat2):
        raise RuntimeError(
            f"{name}(): expected 'mat1' to have sparse layout and 'mat2' to have strided layout; found {mat1.layout} "
            f"and {mat2.layout}"
        )


@sparse_operator("addmm")
def _addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    _checked_addmm("addmm", input, mat1, mat2)
    with p.unrecorded():
        result = TABLE["add"](input if beta == 1 else input * beta, masked_product("addmm", mat1, mat2), alpha=alpha)
    shape = tuple(input.shape)
    return p.record(
        result,
        "AddmmBackward0",
        [input, mat1, mat2],
        lambda g: [
            _times(g, beta).sum_to_size(shape),
            _times(matmul(g, _adjoint(mat2)), alpha),
            _times(matmul(_adjoint(mat1), g), alpha),
        ],
        saved=[mat1, mat2],
    )


def sparse_addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * mat + alpha * (mat1 @ mat2) of a sparse mat1, which gets a sparse gradient."""
    _checked_addmm("sparse.addmm", mat, mat1, mat2)
    return TABLE["add"](mat if beta == 1 else mat * beta, masked_product("sparse.addmm", mat1, mat2), alpha=alpha)


def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """The sparse beta * input + alpha * (mat1 @ mat2) of a sparse mat1 and a dense mat2; not differentiable."""
    _check("sspaddmm", mat1, mat2)
    for name, x, wanted in (("input", input, True), ("mat1", mat1, True), ("mat2", mat2, False)):
        if p.is_sparse(x) is not wanted:
            raise RuntimeError(
                f"sspaddmm(): expected '{name}' to have {'sparse' if wanted else 'strided'} layout; found {x.layout}"
            )
    if tuple(input.shape) != (mat1.shape[0], mat2.shape[1]):
        raise RuntimeError(
            f"sspaddmm(): 'input' must have the shape {[int(mat1.shape[0]), int(mat2.shape[1])]} of the product; found "
            f"{list(input.shape)}"
        )
    with p.unrecorded():
        # The product has entries in whole rows, wherever the sparse matrix has one.
        rows = p.unique(p.coalesced(mat1.detach())._indices()[0])[0]
        m = int(mat2.shape[1])
        full = masked_product("sspaddmm", mat1.detach(), mat2.detach())[rows].flatten()
        entries = TABLE["stack"]([rows.repeat_interleave(m), TABLE["arange"](m).repeat(int(rows.shape[0]))])
        own = p.parts(input)
        first = own.values if beta == 1 else own.values * beta
        indices = TABLE["cat"]([own.indices, entries], 1)
        values = TABLE["cat"]([first, full if alpha == 1 else full * alpha], 0)
        made = p.plain(indices, values, input.shape)
    return p.without_derivative("sspaddmm", made, [input, mat1, mat2])


def smm(input: Tensor, mat: Tensor) -> Tensor:
    """The sparse product of a sparse and a dense matrix."""
    from rushlight.operators.sparse.elementwise import without_entries

    _check("smm", input, mat)
    return sspaddmm(without_entries((input.shape[0], mat.shape[1]), 2, input.dtype), input, mat)


def hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a dense matrix, as a sparse tensor of rows: one sparse and one dense dimension."""
    _check("hspmm", mat1, mat2)
    if not p.is_sparse(mat1) or p.is_sparse(mat2):
        raise RuntimeError(
            f"hspmm(): 'mat1' must be sparse and 'mat2' dense; found layouts {mat1.layout} and {mat2.layout}"
        )
    with p.unrecorded():
        rows = p.unique(p.parts(mat1).indices[0])[0]
        values = masked_product("hspmm", mat1.detach(), mat2.detach())[rows]
        made = p.plain(rows.unsqueeze(0), values, (mat1.shape[0], mat2.shape[1]))
    return p.without_derivative("hspmm", made, [mat1, mat2])


def saddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """sspaddmm under an older name."""
    return sspaddmm(input, mat1, mat2, beta=beta, alpha=alpha)


__all__ = ["add_entries", "dt", "hspmm", "masked_product", "product", "saddmm", "smm", "sparse_addmm", "sspaddmm"]

"""Calls on sparse tensors that are made of rushlight and of PyTorch, and what becomes of each."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

Call = Callable[[Any, "Operands"], Any]


class Operands(NamedTuple):
    """x, y: sparse, of one shape; d: dense, of the same; v: dense, of the last dimension."""

    x: Any
    y: Any
    d: Any
    v: Any


class Kind(NamedTuple):
    """How the sparse operands look."""

    size: tuple[int, ...]
    dense: tuple[int, ...] = ()
    entries: int = 5
    coalesced: bool = False


KINDS = {
    "matrix": Kind((3, 4)),
    "coalesced matrix": Kind((3, 4), coalesced=True),
    "square": Kind((4, 4), entries=9),
    "coalesced square": Kind((4, 4), entries=9, coalesced=True),
    "vector": Kind((6,)),
    "three dimensions": Kind((2, 3, 2), entries=7),
    "hybrid": Kind((3, 2), (2,)),
    "coalesced hybrid": Kind((4,), (2, 3), coalesced=True),
    "no entries": Kind((3, 4), entries=0),
    "no rows": Kind((0, 4), entries=0),
    "no dense elements": Kind((3,), (0,), entries=2),
}


def operands(m: Any, kind: Kind, seed: int, dtype: str = "float64") -> Operands:
    """Operands of module `m` from a seed."""
    rng = random.Random(seed)
    dense_count = 1
    for n in kind.dense:
        dense_count *= n

    def number() -> float:
        return rng.randint(-8, 8) / 4 or 0.5

    def sparse(entries: int) -> Any:
        indices = [[rng.randrange(n) for _ in range(entries)] for n in kind.size]
        values = m.tensor([number() for _ in range(entries * dense_count)], dtype=m.float64).to(getattr(m, dtype))
        made = m.sparse_coo_tensor(
            m.tensor(indices, dtype=m.int64).reshape(len(kind.size), entries),
            values.reshape(entries, *kind.dense),
            kind.size + kind.dense,
            check_invariants=True,
        )
        return made.coalesce() if kind.coalesced else made

    def dense(*size: int) -> Any:
        count = 1
        for n in size:
            count *= n
        return m.tensor([number() for _ in range(count)], dtype=m.float64).reshape(size).to(getattr(m, dtype))

    size = kind.size + kind.dense
    return Operands(
        sparse(kind.entries), sparse(kind.entries + 1 if kind.entries else 0), dense(*size), dense(size[-1])
    )


UNARY = (
    "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac log1p nan_to_num neg rad2deg relu round sgn "
    "sign sin sinh sqrt square tan tanh trunc isnan isinf isposinf isneginf signbit positive conj exp log cos sigmoid "
    "logical_not reciprocal lgamma cosh any clone detach coalesce float int bool half double zero_ abs_ neg_ sqrt_ "
    "is_coalesced sparse_dim dense_dim _nnz indices values to_dense to_sparse t is_contiguous stride storage_offset "
    "numel dim element_size unbind contiguous flatten mean max min prod std argmax cumsum sort unique nonzero numpy "
    "tolist trace diag tril det inverse isfinite all"
).split()

CALLS: dict[str, Call] = {
    **{name: (lambda m, o, name=name: getattr(o.x, name)()) for name in UNARY},
    "x + y": lambda m, o: o.x + o.y,
    "x - y": lambda m, o: o.x - o.y,
    "add with alpha": lambda m, o: m.add(o.x, o.y, alpha=3),
    "x + d": lambda m, o: o.x + o.d,
    "d + x": lambda m, o: o.d + o.x,
    "d - x": lambda m, o: o.d - o.x,
    "x + 1": lambda m, o: o.x + 1,
    "1 - x": lambda m, o: 1 - o.x,
    "x * 2": lambda m, o: o.x * 2,
    "2 * x": lambda m, o: 2 * o.x,
    "x * 0-d": lambda m, o: o.x * m.tensor(1.5),
    "x / 2": lambda m, o: o.x / 2,
    "x // 2": lambda m, o: o.x // 2,
    "x / trunc": lambda m, o: m.div(o.x, 0.7, rounding_mode="trunc"),
    "x / y": lambda m, o: o.x / o.y,
    "x / d": lambda m, o: o.x / o.d,
    "2 / x": lambda m, o: 2 / o.x,
    "d / x": lambda m, o: o.d / o.x,
    "x % 2": lambda m, o: o.x % 2,
    "x * y": lambda m, o: o.x * o.y,
    "x * d": lambda m, o: o.x * o.d,
    "d * x": lambda m, o: o.d * o.x,
    "x * v": lambda m, o: o.x * o.v,
    "x ** 2": lambda m, o: o.x**2,
    "x ** 0": lambda m, o: o.x**0,
    "x ** y": lambda m, o: o.x**o.y,
    "2 ** x": lambda m, o: 2**o.x,
    "x == y": lambda m, o: o.x == o.y,
    "x > 0": lambda m, o: o.x > 0,
    "where": lambda m, o: m.where(o.d > 0, o.x, o.x),
    "maximum": lambda m, o: m.maximum(o.x, o.y),
    "equal": lambda m, o: m.equal(o.x, o.y),
    "allclose": lambda m, o: m.allclose(o.x, o.x),
    "add_": lambda m, o: o.x.clone().add_(o.y),
    "sub_": lambda m, o: o.x.clone().sub_(o.y, alpha=2),
    "mul_": lambda m, o: o.x.clone().mul_(3),
    "div_": lambda m, o: o.x.clone().div_(2),
    "mul_ sparse": lambda m, o: o.x.clone().mul_(o.y),
    "copy_": lambda m, o: o.x.clone().copy_(o.y),
    "copy_ dense": lambda m, o: o.x.clone().copy_(o.d),
    "dense copy_": lambda m, o: o.d.clone().copy_(o.x),
    "dense add_": lambda m, o: o.d.clone().add_(o.x, alpha=2),
    "dense mul_": lambda m, o: o.d.clone().mul_(o.x),
    "fill_": lambda m, o: o.x.clone().fill_(1),
    "sparse.sum": lambda m, o: m.sparse.sum(o.x),
    "sparse.sum 0": lambda m, o: m.sparse.sum(o.x, 0),
    "sparse.sum -1": lambda m, o: m.sparse.sum(o.x, -1),
    "sparse.sum all": lambda m, o: m.sparse.sum(o.x, tuple(range(o.x.dim()))),
    "sparse.sum float32": lambda m, o: m.sparse.sum(o.x, dtype=m.float32),
    "sum": lambda m, o: o.x.sum(),
    "sum 0": lambda m, o: o.x.sum(0),
    "sum -1": lambda m, o: o.x.sum(-1),
    "sum 9": lambda m, o: o.x.sum(9),
    "norm": lambda m, o: o.x.norm(),
    "norm 1": lambda m, o: o.x.norm(1),
    "sparse.softmax 0": lambda m, o: m.sparse.softmax(o.x, 0),
    "sparse.softmax -1": lambda m, o: m.sparse.softmax(o.x, -1),
    "sparse.log_softmax 0": lambda m, o: m.sparse.log_softmax(o.x, 0),
    "sparse.log_softmax -1": lambda m, o: m.sparse.log_softmax(o.x, -1),
    "softmax": lambda m, o: m.softmax(o.x, 0),
    "transpose": lambda m, o: o.x.transpose(0, -1),
    "transpose 0 1": lambda m, o: o.x.transpose(0, 1),
    "permute": lambda m, o: o.x.permute(*reversed(range(o.x.dim()))),
    "T": lambda m, o: o.x.T,
    "mT": lambda m, o: o.x.mT,
    "adjoint": lambda m, o: o.x.adjoint(),
    "swapaxes": lambda m, o: o.x.swapaxes(0, 1),
    "movedim": lambda m, o: o.x.movedim(0, -1),
    "nbytes": lambda m, o: o.x.nbytes,
    "new": lambda m, o: o.x.new(),
    "permute none": lambda m, o: o.x.permute(*range(o.x.dim())),
    "unsqueeze 0": lambda m, o: o.x.unsqueeze(0),
    "unsqueeze -1": lambda m, o: o.x.unsqueeze(-1),
    "squeeze": lambda m, o: o.x.squeeze(),
    "reshape": lambda m, o: o.x.reshape(-1),
    "view": lambda m, o: o.x.view(-1),
    "expand": lambda m, o: o.x.expand(2, *o.x.shape),
    "select 0": lambda m, o: o.x.select(0, 1),
    "select -1": lambda m, o: o.x.select(-1, 0),
    "select far": lambda m, o: o.x.select(0, 100),
    "x[0]": lambda m, o: o.x[0],
    "x[-1]": lambda m, o: o.x[-1],
    "x[1:]": lambda m, o: o.x[1:],
    "x[x]": lambda m, o: o.d[o.x],
    "x[0] = 1": lambda m, o: o.x.__setitem__(0, 1.0),
    "index_select 0": lambda m, o: o.x.index_select(0, m.tensor([1, 0, 1])),
    "index_select -1": lambda m, o: o.x.index_select(-1, m.tensor([0, 0])),
    "narrow_copy": lambda m, o: o.x.narrow_copy(0, 1, 1),
    "narrow": lambda m, o: o.x.narrow(0, 0, 1),
    "cat 0": lambda m, o: m.cat([o.x, o.y, o.x], 0),
    "cat -1": lambda m, o: m.cat([o.x, o.y], -1),
    "cat dense": lambda m, o: m.cat([o.x, o.d]),
    "dense cat": lambda m, o: m.cat([o.d, o.x]),
    "stack": lambda m, o: m.stack([o.x, o.y]),
    "stack 1": lambda m, o: m.stack([o.x, o.y], 1),
    "x to float32": lambda m, o: o.x.to(m.float32),
    "x to complex": lambda m, o: o.x.to(m.complex128),
    "type": lambda m, o: o.x.type(),
    "type_as": lambda m, o: o.x.type_as(m.ones(1)),
    "repr": lambda m, o: repr(o.x),
    "zeros_like": lambda m, o: m.zeros_like(o.x),
    "empty_like": lambda m, o: m.empty_like(o.x),
    "ones_like": lambda m, o: m.ones_like(o.x),
    "rand_like": lambda m, o: m.rand_like(o.x),
    "new_zeros": lambda m, o: o.x.new_zeros(2, 3),
    "new_ones": lambda m, o: o.x.new_ones(2, 3),
    "sparse_mask": lambda m, o: o.d.sparse_mask(o.x.detach().coalesce()),
    "sparse_mask of sparse": lambda m, o: o.x.sparse_mask(o.y.detach().coalesce()),
    "to_dense float32": lambda m, o: o.x.to_dense(m.float32),
    "to_sparse of dense": lambda m, o: o.d.to_sparse(),
    "to_sparse 1": lambda m, o: o.d.to_sparse(1),
    "to_sparse 9": lambda m, o: o.d.to_sparse(9),
    "resize_as_sparse_": lambda m, o: o.x.clone().resize_as_sparse_(o.y),
    "sparse_resize_": lambda m, o: (
        o.x.detach()
        .clone()
        .sparse_resize_(
            tuple(n + (d < o.x.sparse_dim()) for d, n in enumerate(o.x.shape)), o.x.sparse_dim(), o.x.dense_dim()
        )
    ),
    "is_sparse": lambda m, o: (o.x.is_sparse, o.d.is_sparse, str(o.x.layout)),
    "untyped_storage": lambda m, o: o.x.untyped_storage(),
    "data_ptr": lambda m, o: o.x.data_ptr(),
    "len": lambda m, o: len(o.x),
    "iter": lambda m, o: list(o.x),
    "x @ v": lambda m, o: o.x @ o.v,
    "mv": lambda m, o: o.x.mv(o.v),
    "x @ d.T": lambda m, o: o.x @ o.d.transpose(0, -1),
    "d.T @ x": lambda m, o: o.d.transpose(0, -1) @ o.x,
    "x @ y.T": lambda m, o: o.x @ o.y.transpose(0, -1),
    "x.T @ y": lambda m, o: m.mm(o.x.t(), o.y),
    "sparse.mm": lambda m, o: m.sparse.mm(o.x, o.d.t()),
    "sparse.mm of two": lambda m, o: m.sparse.mm(o.x, o.y.t()),
    "sparse.mm dense first": lambda m, o: m.sparse.mm(o.d.t(), o.x),
    "sparse.addmm": lambda m, o: m.sparse.addmm(o.d @ o.d.t(), o.x, o.d.t(), beta=2, alpha=3),
    "addmm": lambda m, o: m.addmm(o.d @ o.d.t(), o.x, o.d.t(), beta=2, alpha=3),
    "addmm sparse": lambda m, o: m.addmm(o.x, o.x, o.d),
    "smm": lambda m, o: m.smm(o.x, o.d.t()).detach(),
    "hspmm": lambda m, o: m.hspmm(o.x, o.d.t()).detach(),
    "sspaddmm": lambda m, o: m.sspaddmm(m.sparse.mm(o.x, o.y.t()), o.x, o.d.t(), alpha=2).detach(),
    "dsmm": lambda m, o: m.dsmm(o.x, o.d.t()),
    "mm of wrong sizes": lambda m, o: m.mm(o.x, o.d[:1]),
    "bmm": lambda m, o: m.bmm(m.stack([o.x, o.y]), m.stack([o.d.t(), o.d.t()])),
    "batch": lambda m, o: m.matmul(o.x, m.stack([o.d.t(), o.d.t()])),
    "linear": lambda m, o: m.nn.functional.linear(o.d, o.x),
    "dot": lambda m, o: m.dot(o.x, o.v),
    "einsum": lambda m, o: m.einsum("ij,ij->i", o.x, o.d),
    "dropout": lambda m, o: m.nn.functional.dropout(o.x, 0.5),
    "mse_loss": lambda m, o: m.nn.functional.mse_loss(o.x, o.d),
    "layer_norm": lambda m, o: m.nn.functional.layer_norm(o.x, o.x.shape[-1:]),
    "clamp": lambda m, o: o.x.clamp(0, 1),
    "masked_fill": lambda m, o: o.x.masked_fill(o.d > 0, 1.0),
    "gather": lambda m, o: o.x.gather(0, m.zeros(1, 1, dtype=m.int64)),
    "scatter_": lambda m, o: o.d.detach().scatter_(0, m.zeros_like(o.d.detach(), dtype=m.int64), o.x.detach()),
    "out=": lambda m, o: m.add(o.x.detach(), o.y.detach(), out=m.empty_like(o.x.detach())),
    "out= dense": lambda m, o: m.add(o.x.detach(), o.y.detach(), out=m.empty_like(o.d.detach())),
    "foreach": lambda m, o: m._foreach_mul([o.x.detach(), o.d.detach()], 2.0),
}

"""Tensors in compressed sparse layouts: what PyTorch answers, rushlight answers too, with its values, layouts and
gradients. (PyTorch refuses many calls that rushlight has, for they are those of coordinate format.)
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import pytest

import rushlight as rl

torch = pytest.importorskip("torch")
LAYOUTS = ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
MATRICES = {
    "matrix": [[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 3.0, -4.0]],
    "square": [[0.0, 1.5], [0.0, 0.0]],
    "full": [[1.0, 2.0], [-3.0, 4.0]],
    "no entries": [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
    "batch": [[[1.0, 0.0], [0.0, 2.0]], [[0.0, 3.0], [4.0, 0.0]], [[0.0, 0.0], [5.0, 6.0]]],
}
# s: the tensor; a: the same, dense; b, v: a matrix and a vector to multiply with; t: the package.
CALLS = """
s.to_dense() | s.to_sparse() | s.to_sparse_coo() | s.to_sparse_csr() | s.to_sparse_csc() | s.to_sparse_bsr((2, 1))
s.to_sparse_bsc((1, 2)) | s.to_sparse(layout=t.sparse_coo) | s.to_sparse(layout=s.layout, blocksize=block)
s.values() | s.crow_indices() | s.col_indices() | s.ccol_indices() | s.row_indices() | t.crow_indices_copy(s) | s._nnz()
s.sparse_dim() | s.dense_dim() | s.is_sparse | s.is_sparse_csr | s.layout | s.dim() | s.size() | len(s) | s.numel()
s * 2 | 2 * s | s + s | t.add(s, s, alpha=3) | s + a | a + s | s * s | s * a | a * s | -s | abs(s) | s.sin() | s.relu()
s.sqrt() | s.sign() | s.floor() | s.expm1() | s.log1p() | s.isnan() | s.signbit() | s.conj() | s.tanh() | s.positive()
s.sum() | s.sum(-1, keepdim=True) | s.sum(-2, keepdim=True) | s.t() | s.transpose(0, 1) | s.mT | s.transpose(-1, -2)
s @ b | s @ v | b.mT @ s.mT | s @ s.t() | s.t() @ s | t.mm(s, b) | t.mv(s, v) | t.sparse.mm(s, b) | t.bmm(s, b)
t.addmm(c, s, b) | t.addmm(c, s, b, beta=2, alpha=3) | t.sparse.addmm(c, s, b) | t.nn.functional.linear(b.mT, s)
s[0] | s[0, 1] | s[:, 1] | s.select(-1, 0) | s.unbind()
s.clone() | s.detach() | s.double() | s.to(t.float16) | s.bool()
s.float() is s | s.to(s) is s | s.cpu() is s | t.zeros_like(s) | t.ones_like(s) | t.empty_like(s).shape
s.mul_(2) | s.zero_() | s.sin_() | s.neg_() | s.copy_(s * 3) | s.add_(s) | s.fill_(7) | s.requires_grad_().requires_grad
a.sparse_mask(s) | s.sparse_mask(s) | t.sparse.sampled_addmm(s, c, b.mT) | s.is_same_size(s)
t.sparse.mm(s, b, 'mean') | t.sparse.mm(s, b, 'amax') | t.sparse.mm(s, b, 'amin') | t.sparse.mm(s, b, 'sum')
t.sparse.sampled_addmm(s, d, b2, beta=0.5, alpha=2.0) | loaded(s)
pickled(s) | str(s) | str(s.double().requires_grad_())
t.zeros(2, 3, layout=s.layout) | t.zeros_like(a, layout=s.layout) | s.is_floating_point() | s.is_leaf | s.grad
"""
NAMES = [call.strip() for call in CALLS.replace("\n", " | ").split("|") if call.strip()]
ODD_THERE = {("t.zeros_like(a, layout=s.layout)", "batch")}  # PyTorch's has the last dimension dense, unlike zeros()
GRADIENTS = [
    "s @ b",
    "s @ v",
    "t.sparse.mm(s, b)",
    "s.values()",
    "(s * 2).values()",
    "s.to_dense()",
    "t.addmm(c, s, b)",
    "(s + s).to_dense()",
    "(s * s).to_dense()",
    "s.t().to_dense()",
    "s.clone().to_dense()",
    "s.double().to_dense()",
    "t.sparse.sampled_addmm(s, d, b2).to_dense()",
    "t.sparse.mm(s, b, 'mean')",
    "s.sum()",
]


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def names(library: Any, layout: str, rows: Any) -> dict[str, Any]:
    """What a call is written with."""
    import pickle

    a = library.tensor(rows)
    kind = getattr(library, layout)
    block = (1, 2) if layout[-3] == "b" else None

    def loaded(x: Any) -> Any:
        file = io.BytesIO()
        library.save([x], file)
        file.seek(0)
        return library.load(file)[0]

    n, m = a.shape[-2:]
    made = library.arange(float(m * 3)).reshape(m, 3) - 2
    return {
        "s": a.to_sparse(layout=kind, blocksize=block),
        "a": a,
        "b": made.expand(*a.shape[:-2], m, 3).contiguous(),
        "b2": library.arange(float(3 * m)).reshape(3, m).expand(*a.shape[:-2], 3, m).contiguous(),
        "c": library.ones(*a.shape[:-1], 3),
        "d": library.arange(float(n * 3)).reshape(n, 3).expand(*a.shape[:-2], n, 3).contiguous(),
        "v": library.arange(float(m)),
        "block": block,
        "t": library,
        "loaded": loaded,
        "pickled": lambda x: pickle.loads(pickle.dumps(x)),
    }


def described(x: Any) -> Any:
    """What is compared of a result, in plain Python."""
    if isinstance(x, (rl.Tensor, torch.Tensor)):
        says: dict[str, Any] = {"layout": str(x.layout), "shape": tuple(x.shape), "dtype": str(x.dtype)}
        if says["layout"] != "torch.strided":
            says["count"] = x._nnz()
            if says["layout"] != "torch.sparse_coo":
                says["values"] = tuple(x.values().shape)
        return says | {"elements": x.detach().to_dense().tolist()}
    if isinstance(x, (tuple, list)):
        return [described(e) for e in x]
    return x if isinstance(x, (bool, int, float, str)) or x is None else str(x)


def near(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(near(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and not isinstance(b, str):
        return bool(a == pytest.approx(b, rel=1e-6, abs=1e-6, nan_ok=True))
    return bool(a == b)


def outcome(library: Any, layout: str, rows: Any, call: str) -> Any:
    try:
        return described(eval(call, names(library, layout, rows)))
    except Exception as error:
        return error


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_pytorch_answers(layout: str, matrix: str) -> None:
    wrong = []
    for call in NAMES:
        wanted = outcome(torch, layout, MATRICES[matrix], call)
        if isinstance(wanted, Exception) or (call, matrix) in ODD_THERE:
            continue
        found = outcome(rl, layout, MATRICES[matrix], call)
        if isinstance(found, Exception) or not near(wanted, found):
            wrong.append(f"{call}: {found!r}; PyTorch: {wanted!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("matrix", ["matrix", "full", "square"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients(layout: str, matrix: str) -> None:
    def gradients(library: Any, call: str) -> Any:
        given = names(library, layout, MATRICES[matrix])
        leaves = [given[n].requires_grad_() for n in ("s", "b", "v", "c", "d", "b2")]
        y = eval(call, given)
        weights = library.arange(float(y.numel())).reshape(y.shape) + 1
        (y * weights).sum().backward()
        return type(y.grad_fn).__name__, [described(x.grad) if x.grad is not None else None for x in leaves]

    wrong = []
    for call in GRADIENTS:
        try:
            wanted = gradients(torch, call)
        except RuntimeError:
            continue
        found = gradients(rl, call)
        if not near(wanted, found):
            wrong.append(f"{call}: {found!r}; PyTorch: {wanted!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_go_both_ways(layout: str) -> None:
    for one, other in ((rl, torch), (torch, rl)):
        x = names(one, layout, MATRICES["matrix"])["s"]
        file = io.BytesIO()
        one.save({"x": x}, file)
        file.seek(0)
        assert described(other.load(file)["x"]) == described(x)


PARTS: list[tuple[Any, ...]] = [
    ([0, 1, 2], [0, 1], [1.0, 2.0]),
    ([0, 2, 2], [0, 4], [1.0, 2.0], (2, 6)),
    ([0, 2, 2], [1, 0], [1.0, 2.0], (2, 3)),
    ([0], [], [], (0, 3)),
    ([[0, 2, 2], [0, 1, 2]], [[0, 2], [1, 1]], [[1.0, 2.0], [3.0, 4.0]], (2, 2, 3)),
    ([0, 2, 2], [0, 2], [[1.0, 2.0], [3.0, 4.0]], (2, 3, 2)),
]


@pytest.mark.parametrize("given", PARTS)
@pytest.mark.parametrize("name", ["sparse_csr_tensor", "sparse_csc_tensor"])
def test_made_of_parts(name: str, given: tuple[Any, ...]) -> None:
    ends, others, values, *size = given
    if name == "sparse_csc_tensor" and size:
        batch = 0 if isinstance(ends[0], int) else 1
        size = [(*size[0][:batch], size[0][batch + 1], size[0][batch], *size[0][batch + 2 :])]
    found, wanted = (
        getattr(library, name)(
            library.tensor(ends), library.tensor(others, dtype=library.int64), library.tensor(values), *size
        )
        for library in (rl, torch)
    )
    assert described(found) == described(wanted)
    assert str(found) == str(wanted)

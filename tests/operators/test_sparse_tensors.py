"""Sparse tensors: what they are, what keeps them apart from dense kernels, their gradients, copies and files."""

from __future__ import annotations

import copy
import io
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn, sparse
from rushlight.autograd import gradcheck, gradgradcheck


def some(
    *size: int, entries: int = 6, dense: tuple[int, ...] = (), seed: int = 0, dtype: Any = rl.float64
) -> rl.Tensor:
    rng = random.Random(seed)
    indices = [[rng.randrange(n) for _ in range(entries)] for n in size]
    values = rl.tensor([rng.uniform(0.2, 2.0) for _ in range(entries * rl.Size(dense).numel())], dtype=dtype)
    return rl.sparse_coo_tensor(indices, values.reshape(entries, *dense), (*size, *dense))


def test_it_is_a_tensor_without_memory() -> None:
    x = some(3, 4)
    assert type(x) is rl.Tensor and x.is_sparse and x.layout is rl.sparse_coo and not x.is_coalesced()
    assert x.shape == (3, 4) and x.numel() == 12 and x.stride() == (0, 0) and not x.is_contiguous()
    for ask in (x.data_ptr, x.untyped_storage, x.tolist, x.numpy, lambda: memoryview(x), lambda: x.view(12)):
        with pytest.raises((RuntimeError, TypeError, BufferError)):
            ask()
    with pytest.raises(NotImplementedError, match=r"exp\(\): not defined for tensors with layout torch.sparse_coo"):
        x.exp()
    y = x.coalesce()
    assert y.is_coalesced() and y.coalesce() is y and rl.equal(y.to_dense(), x.to_dense())
    assert isinstance(x, rl.sparse.DoubleTensor) and not isinstance(rl.ones(2).double(), rl.sparse.DoubleTensor)


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "index too large": (lambda: rl.sparse_coo_tensor([[0, 3]], [1.0, 2.0], (3,)), "size is inconsistent"),
    "negative index": (lambda: rl.sparse_coo_tensor([[0, -1]], [1.0, 2.0]), "negative index"),
    "counts differ": (lambda: rl.sparse_coo_tensor([[0, 1]], [1.0]), "same nnz"),
    "indices of a vector": (lambda: rl.sparse_coo_tensor([0, 1], [1.0, 2.0]), "2 dimensions"),
    "float indices": (lambda: rl.sparse_coo_tensor(rl.ones(1, 2), rl.ones(2)), "integer dtype"),
    "size too short": (lambda: rl.sparse_coo_tensor([[0], [0]], [1.0], (3,)), "number of dimensions"),
    "dense size": (lambda: rl.sparse_coo_tensor([[0]], rl.ones(1, 2), (3, 3)), "incorrect size"),
    "not coalesced": (lambda: rl.sparse_coo_tensor([[1, 0]], [1.0, 2.0], (3,), is_coalesced=True), "uncoalesced"),
    "more places than are counted": (
        lambda: rl.sparse_coo_tensor([[0, 1], [0, 1]], [1.0, 1.0], (2**40, 2**40)).coalesce(),
        "overflow",
    ),
    "a leaf written to": (lambda: some(3, 3).requires_grad_().mul_(2), "leaf Variable"),
    "copy to dense": (lambda: rl.ones(3, 3, dtype=rl.float64).copy_(some(3, 3)), "dense and sparse"),
    "a sparse destination": (lambda: rl.add(rl.ones(3), rl.ones(3), out=some(3, dtype=rl.float32)), "layout"),
    "a sparse destination of places": (lambda: rl.nonzero(rl.ones(3), out=some(3)), "layout"),
    "a dense destination": (lambda: rl.add(some(3), some(3), out=rl.ones(3)), "layout"),
    "values of what is not coalesced": (lambda: some(3, 3).values(), "coalesce"),
}


@pytest.mark.parametrize("name", BAD)
def test_errors(name: str) -> None:
    call, message = BAD[name]
    with pytest.raises((RuntimeError, TypeError, ValueError), match=message):
        call()


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "to_dense": lambda x, d: x.to_dense(),
    "coalesce": lambda x, d: x.coalesce(),
    "sin": lambda x, d: x.sin(),
    "sqrt": lambda x, d: x.sqrt(),
    "pow": lambda x, d: x**3,
    "scaled": lambda x, d: (x * 3) / 2 - x,
    "times dense": lambda x, d: x * d,
    "times itself": lambda x, d: x * x,
    "transposed": lambda x, d: x.t().coalesce(),
    "dense plus": lambda x, d: d + x,
    "mm": lambda x, d: sparse.mm(x, d.t()),
    "mm of two": lambda x, d: sparse.mm(x, x.t()),
    "mm dense first": lambda x, d: sparse.mm(d.t(), x),
    "addmm": lambda x, d: sparse.addmm(d @ d.t(), x, d.t(), beta=2, alpha=0.5),
    "matmul": lambda x, d: x @ d.t(),
    "sum": lambda x, d: sparse.sum(x, 0),
    "softmax": lambda x, d: sparse.softmax(x, 1),
    "softmax 0": lambda x, d: sparse.softmax(x, 0),
    "log_softmax": lambda x, d: sparse.log_softmax(x, -1),
    "norm": lambda x, d: x.norm(),
    "cat": lambda x, d: rl.cat([x, x * 2], 1),
    "stack": lambda x, d: rl.stack([x, x]),
    "select": lambda x, d: x[1],
    "element": lambda x, d: x[1][2] * x[0],
    "index_select": lambda x, d: x.index_select(1, rl.tensor([2, 0, 2])),
    "narrow_copy": lambda x, d: x.narrow_copy(1, 1, 2),
    "unsqueeze": lambda x, d: x.unsqueeze(0),
    "mask": lambda x, d: d.sparse_mask(x.detach()) * x,
    "written": lambda x, d: x.clone().mul_(x).add_(x, alpha=2),
    "dense written": lambda x, d: d.clone().mul_(x).add_(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name: str) -> None:
    x = some(3, 4, entries=5, seed=3).coalesce().requires_grad_()
    d = rl.linspace(0.5, 2.0, 12, dtype=rl.float64).reshape(3, 4).requires_grad_()
    assert gradcheck(FUNCTIONS[name], (x, d), masked=True)
    if name not in ("written", "dense written", "element"):
        assert gradgradcheck(FUNCTIONS[name], (x, d), masked=True)


def test_values_are_a_function_like_any_other() -> None:
    v = rl.tensor([1.0, 2.0, 3.0], dtype=rl.float64, requires_grad=True)
    x = rl.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], v, (2, 3))
    assert x.grad_fn is not None and not x.is_leaf
    (x.to_dense() ** 2).sum().backward()
    assert v.grad is not None and v.grad.tolist() == [2.0, 10.0, 10.0]


def test_what_is_kept_must_not_be_written_to() -> None:
    x, y = some(3, 3).requires_grad_(), some(3, 3, seed=1).coalesce()
    product = x * y
    y.mul_(2)
    with pytest.raises(RuntimeError, match="inplace operation"):
        sparse.sum(product).backward()


def test_gradients_of_both_layouts_add_up() -> None:
    for order in (1, -1):
        w = nn.Parameter(rl.ones(4, 2))
        losses = [nn.functional.embedding(rl.tensor([1, 3, 1]), w, sparse=True).sum(), (w * 2).sum()][::order]
        for loss in losses:
            loss.backward()
        assert w.grad is not None and w.grad.tolist() == [[2.0, 2.0], [4.0, 4.0], [2.0, 2.0], [3.0, 3.0]]
    w = nn.Parameter(rl.ones(4, 2))
    nn.functional.embedding(rl.tensor([1, 3, 1]), w.exp(), sparse=True).sum().backward()  # through a dense operator
    assert w.grad is not None and not w.grad.is_sparse and w.grad[2].tolist() == [0.0, 0.0]


def test_embeddings_step_by_sparse_gradients() -> None:
    rows = rl.tensor([[1, 4], [4, 2]])
    for make in (
        lambda p: rl.optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: rl.optim.Adagrad(p, lr=0.1),
        lambda p: rl.optim.SparseAdam(p, lr=0.1),
    ):
        table = nn.Embedding(6, 3, sparse=True)
        before = table.weight.detach().clone()
        step = make(list(table.parameters()))
        for _ in range(2):
            step.zero_grad()
            (table(rows) ** 2).sum().backward()
            assert table.weight.grad is not None and table.weight.grad.is_sparse
            step.step()
        moved = (table.weight.detach() != before).any(1).tolist()
        assert moved == [False, True, True, False, True, False]
    for make in (lambda p: rl.optim.Adam(p), lambda p: rl.optim.RMSprop(p)):
        with pytest.raises(RuntimeError, match="sparse gradients"):
            make(list(table.parameters())).step()
    with pytest.raises(RuntimeError, match="weight_decay"):
        rl.optim.SGD(table.parameters(), weight_decay=0.1).step()
    table.weight.grad = table.weight.grad.to_dense()
    with pytest.raises(RuntimeError, match="dense gradients"):
        rl.optim.SparseAdam(list(table.parameters())).step()


def test_copies_and_files() -> None:
    x = some(3, 4, dense=(2,)).requires_grad_()
    for y in (
        copy.copy(x),
        copy.deepcopy(x),
        pickle.loads(pickle.dumps(x)),
        nn.Parameter(x.detach()),
        x.data,
        x.clone(),
    ):
        assert y.is_sparse and rl.equal(y.detach().to_dense(), x.detach().to_dense())
    file = io.BytesIO()
    rl.save({"x": x, "p": nn.Parameter(x.detach().coalesce())}, file)
    file.seek(0)
    found = rl.load(file)
    assert rl.equal(found["x"].to_dense(), x.detach().to_dense()) and not found["x"].is_coalesced()
    assert isinstance(found["p"], nn.Parameter) and found["p"].requires_grad and found["p"].is_coalesced()
    assert repr(x).startswith("tensor(indices=tensor([[") and "nnz=6" in repr(x)


@pytest.mark.parametrize("zipped", [True, False])
def test_a_file_with_indices_outside_is_refused(zipped: bool) -> None:
    x = some(3, 4)
    file = io.BytesIO()
    x._indices()[0, 0] = 7
    rl.save(x, file, _use_new_zipfile_serialization=zipped)
    file.seek(0)
    with pytest.raises(RuntimeError, match="size is inconsistent"):
        rl.load(file)
    for call in (
        x.to_dense,
        x.coalesce,
        lambda: x @ rl.ones(4, 2, dtype=rl.float64),
        lambda: rl.ones(3, 4).double() + x,
    ):
        try:  # written behind the tensor's back: an error, or a value, never other memory
            call()
        except (RuntimeError, IndexError):
            pass


def test_diagonals() -> None:
    x = sparse.spdiags(rl.arange(1.0, 9.0).reshape(2, 4), rl.tensor([0, 1]), (4, 4))
    assert x.to_dense().tolist() == [[1, 6, 0, 0], [0, 2, 7, 0], [0, 0, 3, 8], [0, 0, 0, 4]]
    with pytest.raises(RuntimeError, match="duplicate"):
        sparse.spdiags(rl.ones(2, 4), rl.tensor([1, 1]), (4, 4))


def test_invariants_are_a_switch() -> None:
    switch = sparse.check_sparse_tensor_invariants
    assert not switch.is_enabled()
    with switch():
        assert switch.is_enabled()
    assert not switch.is_enabled()


def test_the_room_is_read_when_it_is_entered() -> None:
    code = (
        "import sys, rushlight; "
        "assert not any(m.startswith(('rushlight.sparse', 'rushlight.operators.sparse')) for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

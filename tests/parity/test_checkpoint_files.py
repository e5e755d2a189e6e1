"""Checkpoints go back and forth between rushlight and PyTorch."""

from __future__ import annotations

import io
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from rushlight.compat.checkpoint import load, save  # noqa: E402
from rushlight.core.tensor import Tensor  # noqa: E402

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
          "float64", "complex64", "complex128"]


def from_torch(obj: Any, **options: Any) -> Any:
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return load(file, **options)


def to_torch(obj: Any, **options: Any) -> Any:
    file = io.BytesIO()
    save(obj, file)
    file.seek(0)
    return torch.load(file, **options)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors(dtype: str) -> None:
    x = torch.arange(24).to(getattr(torch, dtype)).reshape(2, 3, 4)
    given = [x, x[1:, ::2].transpose(0, 2), x[0, 0, 0], x.new_empty(0, 3), x.clone()]
    here = from_torch(given)
    for a, b in zip(given, here):
        assert (tuple(b.shape), tuple(b.stride()), b.storage_offset(), str(b.dtype)) == (
            tuple(a.shape), a.stride(), a.storage_offset(), str(a.dtype))
        assert bytes(memoryview(b.untyped_storage())) == bytes(a.untyped_storage().tolist())
    assert here[0].untyped_storage() is here[1].untyped_storage() is not here[4].untyped_storage()
    for weights_only in (True, False):
        back = to_torch(here, weights_only=weights_only)
        assert all(torch.equal(a, b) and a.stride() == b.stride() for a, b in zip(given, back))
        assert back[0].untyped_storage().data_ptr() == back[1].untyped_storage().data_ptr()


def test_mapped_by_torch(tmp_path: Any) -> None:
    save(from_torch([torch.arange(1000.0), torch.ones(3)]), tmp_path / "file.pt")
    a, b = torch.load(tmp_path / "file.pt", mmap=True)
    assert torch.equal(a, torch.arange(1000.0)) and torch.equal(b, torch.ones(3))


def test_training_state() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    given = {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "parameters": list(net.parameters())}
    here = from_torch(given)
    assert here["model"]._metadata == given["model"]._metadata and here["epoch"] == 3
    assert [type(p).__name__ for p in here["parameters"]] == ["Parameter"] * 4
    assert all(isinstance(p, Tensor) and p.requires_grad for p in here["parameters"])
    back = to_torch(here, weights_only=True)
    net.load_state_dict(back["model"])
    optimizer.load_state_dict(back["optimizer"])
    assert str(back) == str(given) and isinstance(back["parameters"][0], torch.nn.Parameter)


def test_small_things() -> None:
    given = [torch.Size([1, 2]), torch.device("cpu"), torch.float16, torch.strided, 2**70, "é", b"ab", {1}, (None, True, 1j)]
    assert to_torch(from_torch(given)) == given
    p = torch.nn.Parameter(torch.ones(2))
    t = torch.ones(2)
    p.note, t.note = [1], [2]
    back = to_torch(from_torch([p, t]))
    assert [x.note for x in back] == [[1], [2]]
    meta = to_torch(from_torch(torch.zeros(3, 4, device="meta").t()))
    assert meta.is_meta and meta.stride() == (1, 4)


def test_lazy_conjugate() -> None:
    z = torch.tensor([1 + 2j, 3 - 4j])
    assert from_torch(z.conj()).tolist() == z.conj().tolist()

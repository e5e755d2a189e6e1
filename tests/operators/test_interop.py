"""Tensors from Python data, NumPy, buffers and DLPack, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight

DTYPES = ("bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128").split()


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_shares_memory(dtype: str) -> None:
    """from_numpy and numpy() are views on one memory, for every layout."""
    base = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for a in (
        base,
        base[::-1, :, ::2],
        base.transpose(2, 0, 1),
        base[:, 1],
        base[..., :0],
        base[1, 1, 1:2].reshape(()),
    ):
        t = rushlight.from_numpy(a)
        assert tuple(t.shape) == a.shape
        assert (t.numpy() == a).all()
        assert t.tolist() == a.tolist()
        if a.size:
            assert np.shares_memory(t.numpy(), a)
            t.fill_(1)
            assert (a == 1).all()


def test_numpy_protocols() -> None:
    """numpy.asarray, DLPack both ways, and the buffer protocol."""
    t = rushlight.arange(6).reshape(2, 3)
    assert np.shares_memory(np.asarray(t), t.numpy())
    assert np.asarray(t, dtype=np.float32).dtype == np.float32
    assert np.from_dlpack(t).tolist() == t.tolist()
    assert t.__dlpack_device__() == (1, 0)
    a = np.arange(4.0)
    shared = rushlight.from_dlpack(a)
    a[0] = 7
    assert shared[0].item() == 7
    raw = bytearray(b"\x01\x00\x02\x00\x03\x00")
    assert rushlight.frombuffer(raw, dtype=rushlight.int16, offset=2).tolist() == [2, 3]
    grown = rushlight.tensor([1.5]) * np.float32(2)
    assert grown.tolist() == [3.0]


def test_tensor_infers_dtypes() -> None:
    """Python numbers, NumPy scalars, arrays and mixtures."""
    t = rushlight.tensor
    cases = {
        "bool": t([True, False]),
        "int64": t([1, True]),
        "float32": t([1, 2.5]),
        "complex64": t([1, 2j]),
        "float64": t(np.float64(2)),
        "int32": t([np.int32(3)]),
        "float16": t(np.float16(1)),
    }
    for name, found in cases.items():
        assert str(found.dtype) == f"torch.{name}"
    assert tuple(t([[], []]).shape) == (2, 0)
    assert t([np.arange(2), np.arange(2)]).tolist() == [[0, 1], [0, 1]]
    assert t([t(1), t(2)]).tolist() == [1, 2]
    assert t(range(3)).tolist() == [0, 1, 2]


ERRORS = [
    (
        ValueError,
        "the sequences at depth 1 must be of one length, 1; found one of 2",
        lambda r: r.tensor([[1], [2, 3]]),
    ),
    (TypeError, "the items at depth 1 must all be sequences of length 1; found a int", lambda r: r.tensor([[1], 2])),
    (TypeError, "the items at depth 1 must all be numbers; found a list", lambda r: r.tensor([1, [2]])),
    (TypeError, "'data' must be numbers.*found a str", lambda r: r.tensor("a")),
    (RuntimeError, "'data' must be numbers.*found a NoneType", lambda r: r.tensor(None)),
    (ValueError, "an int does not fit into 64 bits", lambda r: r.tensor(2**64)),
    (
        RuntimeError,
        "the number 300 does not fit into dtype torch.uint8: overflow",
        lambda r: r.tensor([300], dtype=r.uint8),
    ),
    (RuntimeError, "the number inf does not fit into dtype torch.int64", lambda r: r.tensor(math.inf, dtype=r.int64)),
    (RuntimeError, "the number nan does not fit into dtype torch.int8", lambda r: r.tensor([math.nan], dtype=r.int8)),
    (OverflowError, "the number 18446744073709551616 does not fit", lambda r: r.ones(2) + 2**64),
    (OverflowError, "the number -9223372036854775809 does not fit", lambda r: r.full((1,), -(2**63) - 1)),
    (RuntimeError, "numbers of dtype torch.int64 have no derivative", lambda r: r.tensor([1], requires_grad=True)),
    (RuntimeError, "pin_memory", lambda r: r.tensor([1], pin_memory=True)),
    (RuntimeError, "requires grad", lambda r: r.ones(2, requires_grad=True).numpy()),
    (TypeError, "bfloat16", lambda r: r.ones(2, dtype=r.bfloat16).numpy()),
    (TypeError, "'ndarray' must be a NumPy array; found list", lambda r: r.from_numpy([1])),
    (
        TypeError,
        "a NumPy array must be of one of the dtypes .*: text has no dtype here",
        lambda r: r.from_numpy(np.array(["a"])),
    ),
    (
        ValueError,
        r"strides must be multiples of the element size, 2 bytes; found \(3,\)",
        lambda r: r.from_numpy(np.ndarray((2,), np.int16, bytearray(8), 0, (3,))),
    ),
    (BufferError, "requires grad", lambda r: r.ones(2, requires_grad=True).__dlpack__()),
    (ValueError, "whole elements of 2 bytes; found 3 bytes", lambda r: r.frombuffer(bytearray(3), dtype=r.int16)),
    (ValueError, "copy=False needs memory to share; found a list", lambda r: r.asarray([1], copy=False)),
    (AssertionError, "CUDA", lambda r: r.tensor([1], device="cuda")),
]


@pytest.mark.parametrize(("error", "match", "call"), ERRORS)
def test_errors(error: type[Exception], match: str, call: object) -> None:
    """Bad data raises PyTorch's error types."""
    with pytest.raises(error, match=match):
        call(rushlight)  # type: ignore[operator]


def test_constructors() -> None:
    """Tensor(2, 3), Tensor([1, 2]), FloatTensor and the types' isinstance."""
    assert tuple(rushlight.Tensor(2, 3).shape) == (2, 3)
    assert rushlight.Tensor([1, 2]).tolist() == [1.0, 2.0]
    assert rushlight.LongTensor([1, 2]).dtype is rushlight.int64
    assert isinstance(rushlight.zeros(2), rushlight.FloatTensor)
    assert not isinstance(rushlight.zeros(2), rushlight.LongTensor)
    with rushlight.device("meta"):
        assert rushlight.zeros(2).device.type == "meta"
    assert rushlight.zeros(2).device.type == "cpu"


# ------------------------------------------------------------------------------------------- memory that NumPy lays out
def test_arrays_of_any_strides() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    for view in (
        a[::-1],
        a[:, ::-1, ::2],
        a.transpose(2, 0, 1),
        np.broadcast_to(a[0], (5, 3, 4)).copy(),
        a[1:, :, 3],
        a[:0],
        a[:, :, :0][::-1],
    ):
        t = rushlight.from_numpy(view)
        assert t.shape == view.shape
        assert (t.numpy() == view).all()
        assert ((t * 2 + 1).numpy() == view * 2 + 1).all()
    rushlight.from_numpy(a[:, ::-1])[0, 0].fill_(-1.0)
    assert (a[0, 2] == -1).all() and (a[0, :2] >= 0).all()


@pytest.mark.filterwarnings("ignore:.*read-only")
def test_windows_and_expanded_arrays() -> None:
    line = np.arange(8.0)
    windows = np.lib.stride_tricks.sliding_window_view(line, 3)
    t = rushlight.from_numpy(windows)
    assert t.stride() == (1, 1)
    assert (t.sum(1).numpy() == windows.sum(1)).all()
    writable = rushlight.from_numpy(np.lib.stride_tricks.as_strided(line, (6, 3), (8, 8)))
    writable.index_fill_(0, rushlight.tensor([0, 2]), -1.0)
    assert line.tolist() == [-1, -1, -1, -1, -1, 5, 6, 7]
    with pytest.raises(RuntimeError, match="place of its own"):
        rushlight.from_numpy(np.lib.stride_tricks.as_strided(line, (2, 3), (0, 8))).add_(1)


def test_two_tensors_of_one_array() -> None:
    """Two storages on one memory: what overlaps is found by the addresses."""

    def pair(a: Any) -> tuple[Any, Any]:
        return rushlight.from_numpy(a), rushlight.from_numpy(a)

    a = np.arange(8.0)
    t, u = pair(a)
    t[1:].copy_(u[:7])
    assert a.tolist() == [0, 0, 1, 2, 3, 4, 5, 6]
    a = np.arange(9.0).reshape(3, 3)
    t, u = pair(a)
    t.copy_(u.t())
    assert (a == np.arange(9.0).reshape(3, 3).T).all()
    a = np.arange(9.0).reshape(3, 3)
    t, u = pair(a)
    rushlight.flip(u, (0, 1), out=t)
    assert (a.ravel() == np.arange(9.0)[::-1]).all()
    own = rushlight.arange(8.0)
    own[1:].copy_(rushlight.from_numpy(own.numpy())[:7])
    assert own.tolist() == [0, 0, 1, 2, 3, 4, 5, 6]
    a = np.arange(4.0)
    t, u = pair(a)
    rushlight.add(t, u, out=t)
    assert a.tolist() == [0, 2, 4, 6]


def test_arrays_that_cannot_be_tensors() -> None:
    fields = np.zeros(4, dtype=[("a", "i1"), ("b", "f8")])
    for wrong in (
        fields,
        np.array([None, 1]),
        np.array(["a"]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.arange(3, dtype=np.longdouble),
    ):
        with pytest.raises(TypeError, match="must be of one of the dtypes"):
            rushlight.from_numpy(wrong)
    with pytest.raises(ValueError, match="multiples of the element size"):
        rushlight.from_numpy(fields["b"])
    with pytest.raises(ValueError, match="byte order"):
        rushlight.from_numpy(np.arange(3.0, dtype=">f8"))
    assert rushlight.from_numpy(fields["a"]).stride() == (9,)
    bytes_ = np.zeros(33, np.uint8)[1:]
    unaligned = rushlight.from_numpy(bytes_.view(np.float64))
    unaligned += 1
    assert (unaligned * 2).tolist() == [2, 2, 2, 2]
    assert bytes_.view(np.float64).tolist() == [1, 1, 1, 1]

"""What the core joins and parts with, handed over wrong: an error or None, and no byte outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight.core.joining import join, needs_history, part

WHOLE = rl.arange(24.0).reshape(2, 3, 4)
WRONG: dict[str, Callable[[], Any]] = {
    **{f"parts of dimension {d}": lambda d=d: part(WHOLE, d, [1, 2], False) for d in (-1, 3, 100, 2**31 - 1, -(2**31))},
    **{
        f"parts that end at {ends}": lambda ends=ends: part(WHOLE, 1, ends, False)
        for ends in ([4], [2, 1], [-1], [1, 2**62], [-(2**63)], [3, 3, 4], ["a"], [None])
    },
    **{
        f"rows that end at {ends}": lambda ends=ends: part(WHOLE, 1, ends, True)
        for ends in ([2], [0], [1, 3], [1, 2, 3, 4], [2, 3])
    },
    "parts of no tensor": lambda: part(3, 0, [1], False),  # type: ignore[arg-type]
    "parts of None": lambda: part(None, 0, [1], False),  # type: ignore[arg-type]
    "no list of ends": lambda: part(WHOLE, 0, 5, False),  # type: ignore[arg-type]
    **{
        f"history of {name}": lambda what=what: needs_history(what)
        for name, what in (
            ("ints", [1, 2]),
            ("strings", ["a"]),
            ("None", [WHOLE, None]),
            ("no list", 3),
            ("objects", [object()]),
        )
    },
    "joined numbers": lambda: join(3, 0, False),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_handed_over_wrong(what: str) -> None:
    with (
        rl.set_grad_enabled("history" in what),
        pytest.raises((RuntimeError, ValueError, TypeError, IndexError, OverflowError)) as caught,
    ):
        WRONG[what]()
    assert str(caught.value)


def test_what_a_program_does() -> None:
    """Other tensors than plain ones of sizes that fit, and dimensions that are not there, are not joined here."""
    for tensors, dim in (
        ([WHOLE, WHOLE[:, ::2]], 0),
        ([WHOLE, 3], 0),
        ([WHOLE, WHOLE.to("meta")], 0),
        ([WHOLE, WHOLE], 3),
        ([WHOLE, WHOLE], -4),
        ([WHOLE, WHOLE[:1]], 1),
        ([WHOLE, rl.ones(3)], 0),
        ([], 0),
        ([rl.tensor(1.0), rl.tensor(2.0)], 0),
        ([WHOLE, WHOLE], 2**62),
    ):
        assert join(tensors, dim, False) is None, (tensors, dim)


def test_what_kernels_fill() -> None:
    """Several dtypes are promoted; large tensors that lie in other orders are copied by several threads. No write is
    counted.
    """
    y = join([WHOLE, WHOLE.double(), WHOLE.int()], 1, False)
    assert y is not None and y.dtype is rl.float64 and y.shape == (2, 9, 4) and y._version == 0
    assert y.tolist() == [[*rows, *rows, *rows] for rows in WHOLE.tolist()]
    y = join([WHOLE.half(), WHOLE[:0].bfloat16(), WHOLE.bool()], 0, False)
    assert y is not None and y.dtype is rl.float32 and y[2:].all().item() is False and y.shape == (4, 3, 4)
    large = rl.arange(1 << 21).reshape(1 << 10, 1 << 11)
    for dim in (-1, 0):
        y = join([large.t(), large.t() + 1], dim, True)
        assert y is not None and y._version == 0
        assert rl.equal(y.select(dim, 0), large.t()) and rl.equal(y.select(dim, 1), large.t() + 1)
    with pytest.raises(RuntimeError, match="promote"):
        join([WHOLE, WHOLE.to(rl.float8_e5m2)], 0, False)


@pytest.mark.parametrize("dtype", [rl.uint8, rl.float16, rl.float32, rl.float64, rl.complex128])
@pytest.mark.parametrize("stacked", [False, True])
def test_tensors_that_lie_in_any_way(dtype: rl.dtype, stacked: bool) -> None:
    x = rl.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5).to(dtype)
    ways = [x, x.permute(3, 1, 0, 2).contiguous().permute(2, 1, 3, 0), rl.stack([x, x], -1)[..., 0], x.flip(0).flip(0)]
    ways.append(x.contiguous(memory_format=rl.channels_last))
    for a in ways:
        for b in ways:
            for dim in range(4 + stacked):
                y = join([a, b[:1].expand(2, -1, -1, -1)], dim, stacked)
                expected = join([x, x[:1].repeat(2, 1, 1, 1)], dim, stacked)
                assert y is not None and expected is not None
                assert y.tolist() == expected.tolist()


def test_more_elements_than_memory() -> None:
    """Sizes add up without wrapping around."""
    many = rl.ones(1).expand(2**61)
    for tensors in ([many] * 8 + [rl.ones(8)], [many] * 4, [many]):
        with pytest.raises((RuntimeError, MemoryError, TypeError)):
            rl.cat(tensors)


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4, 5, 40])
def test_joined_and_parted_again(stacked: bool, count: int) -> None:
    pieces = [rl.arange(6).reshape(2, 3) + 10 * i for i in range(count)]
    for dim in range(-2 - stacked, 2 + stacked):
        whole = join(pieces, dim, stacked)
        assert whole is not None
        at = dim % (2 + stacked)
        step = 1 if stacked else pieces[0].shape[at]
        with rl.no_grad():
            again = part(whole, at, [step * (i + 1) for i in range(count)], stacked)
        assert again is not None
        assert [p.tolist() for p in again] == [p.tolist() for p in pieces]


@pytest.mark.parametrize("dtype", [rl.uint8, rl.float32, rl.complex128])
@pytest.mark.parametrize("stacked", [False, True])
def test_large_tensors_joined_in_one_sweep(dtype: rl.dtype, stacked: bool) -> None:
    """Pieces of rows that are cut anywhere, and tensors without elements among them."""
    for shape in ((37, 1301), (1, 50_021), (2_003, 300)):
        sizes = [shape[1]] * 3 if stacked else [shape[1], 0, 1, 4099]
        arrays = [np.arange(shape[0] * n).reshape(shape[0], n) % 251 + k for k, n in enumerate(sizes)]
        tensors = [rl.from_numpy(a).to(dtype) for a in arrays]
        for dim in (0, 1, 2) if stacked else (1,):
            y = join(tensors, dim, stacked)
            expected = (np.stack if stacked else np.concatenate)([t.numpy() for t in tensors], dim)
            assert y is not None and np.array_equal(y.numpy(), expected)

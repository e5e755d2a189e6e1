"""Scatters that write to their places first what these hold before (`Scatter.fill` in compiler/passes/tasks.py), and
results that are scattered where they lie (`Alloc.joined` in compiler/plan.py): the gradients of pooling, of gathers and
of rows that are chosen, against sums one by one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from processes import printed_with_vectors
from rushlight.core import _native

F = rl.nn.functional
Array = Any  # an ndarray
DTYPES = ("float32", "float64", "float16", "bfloat16")

# of the spatial sizes: the call with indices
POOLS: dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]] = {
    "1d": ((33,), lambda x: F.max_pool1d(x, 2, return_indices=True)),
    "2d apart": ((8, 10), lambda x: F.max_pool2d(x, 2, return_indices=True)),
    "2d overlapping": ((9, 7), lambda x: F.max_pool2d(x, 3, 1, 1, return_indices=True)),
    "2d steps over": ((9, 11), lambda x: F.max_pool2d(x, 2, 3, return_indices=True)),
    "2d dilated": ((9, 8), lambda x: F.max_pool2d(x, (2, 3), 1, 0, (2, 1), return_indices=True)),
    "2d cut off": ((7, 6), lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True)),
    "2d of one row": ((1, 40), lambda x: F.max_pool2d(x, (1, 3), return_indices=True)),
    "2d of one column": ((19, 1), lambda x: F.max_pool2d(x, (2, 1), return_indices=True)),
    "3d": ((4, 5, 6), lambda x: F.max_pool3d(x, 2, return_indices=True)),
    "3d overlapping": ((3, 4, 5), lambda x: F.max_pool3d(x, 3, 1, 1, return_indices=True)),
    "adaptive 1d": ((13,), lambda x: F.adaptive_max_pool1d(x, 5, return_indices=True)),
    "adaptive 2d": ((6, 9), lambda x: F.adaptive_max_pool2d(x, (3, 3), return_indices=True)),
    "adaptive 2d uneven": ((7, 9), lambda x: F.adaptive_max_pool2d(x, (3, 4), return_indices=True)),
    "adaptive 3d": ((4, 4, 4), lambda x: F.adaptive_max_pool3d(x, 2, return_indices=True)),
}
LEADS = ((2, 3), (1, 1), (1, 20), (3,), (0, 2), (5, 17))


def layouts(x: Any) -> Iterator[Any]:
    """The same elements, lying in several ways."""
    yield x
    yield x.transpose(-1, -2).contiguous().transpose(-1, -2)
    yield rl.cat([x, x], -1)[..., : x.shape[-1]]
    if x.ndim in (4, 5):
        yield x.contiguous(memory_format=rl.channels_last if x.ndim == 4 else rl.channels_last_3d)


def cotangents(like: Any) -> Iterator[Any]:
    """Small whole numbers, whose sums have one value in every dtype; and one number everywhere."""
    whole = rl.arange(like.numel()).remainder(7).sub(3).reshape(like.shape).to(like.dtype)
    yield from layouts(whole)
    yield rl.ones((), dtype=like.dtype).expand(like.shape)


def numbers(shape: tuple[int, ...], dtype: str) -> Any:
    return rl.from_numpy(np.random.default_rng(0).integers(-9, 9, shape).astype("float32")).to(getattr(rl, dtype))


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("lead", LEADS)
def test_a_pool_gives_each_winner_its_cotangent(name: str, lead: tuple[int, ...]) -> None:
    spatial, pool = POOLS[name]
    for k, x in enumerate(layouts(numbers((*lead, *spatial), DTYPES[len(lead) % len(DTYPES)]))):
        x = x.detach().requires_grad_()
        y, places = pool(x)
        for g in cotangents(y):
            (grad,) = rl.autograd.grad(y, x, g, retain_graph=True)
            expected = np.zeros((int(np.prod(lead)), int(np.prod(spatial))))
            at = places.numpy().reshape(len(expected), -1 if len(expected) else 0)
            for row, i, c in zip(expected, at, g.double().numpy().reshape(at.shape), strict=True):
                np.add.at(row, i, c)
            assert (grad.double().numpy().reshape(expected.shape) == expected).all(), (name, k)
            if x.is_contiguous() and g.is_contiguous():
                assert grad.is_contiguous()


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_of_chosen_rows(dtype: str) -> None:
    r = np.random.default_rng(1)
    for rows, columns, count in ((1, 1, 1), (7, 3, 40), (40, 17, 5), (5, 100, 0), (9, 64, 300), (1, 33, 20)):
        at = r.integers(0, rows, count)
        index = rl.from_numpy(at)
        for x in layouts(numbers((rows, columns), dtype)):
            x = x.detach().requires_grad_()
            chosen = {
                "embedding": F.embedding(index, x),
                "index_select": rl.index_select(x, 0, index),
                "x[i]": x[index],
                "columns": rl.index_select(x.t(), 1, index).t(),
                "within": x.unsqueeze(0).expand(1, rows, columns)[:, index][0],
            }
            for name, y in chosen.items():
                for g in cotangents(y):
                    (grad,) = rl.autograd.grad(y, x, g, retain_graph=True)
                    expected = np.zeros((rows, columns))
                    np.add.at(expected, at, g.double().numpy())
                    assert (grad.double().numpy() == expected).all(), (name, rows, columns, count)


def test_places_that_no_index_reaches_are_written() -> None:
    """An index may be shorter than what it chooses from, in every dimension."""
    x = numbers((6, 5), "float32").requires_grad_()
    for shape in ((6, 5), (4, 2), (4, 0), (0, 3), (6, 1), (1, 5), (2, 9)):
        index = rl.zeros(shape, dtype=rl.int64)
        (grad,) = rl.autograd.grad(rl.gather(x, 1, index).sum(), x)
        expected = np.zeros((6, 5))
        expected[: shape[0], 0] = shape[1]
        assert (grad.numpy() == expected).all(), shape


def test_not_a_number_goes_where_it_belongs() -> None:
    x = rl.tensor([[1.0, float("nan"), 3.0, 2.0]]).requires_grad_()
    (grad,) = rl.autograd.grad(F.max_pool1d(x, 2), x, rl.tensor([[float("nan"), float("inf")]]))
    assert str(grad.tolist()) == "[[0.0, nan, inf, 0.0]]"


def test_a_place_outside_is_an_error() -> None:
    pooled, at = F.max_pool2d(rl.ones(2, 3, 4, 4), 2, return_indices=True)
    with pytest.raises(RuntimeError, match=r"index 16 lies outside dimension .*, which has the size 16"):
        F.max_unpool2d(pooled, at + rl.where(rl.arange(4).reshape(2, 2) == 3, 16 - at[..., 1:, 1:], 0), 2)


def test_maxima_are_put_back() -> None:
    for name, (spatial, pool) in POOLS.items():
        if name not in ("1d", "2d apart", "3d"):
            continue
        for x in layouts(numbers((2, 3, *spatial), "float32").abs() + 1):
            y, at = pool(x)
            unpooled = getattr(F, f"max_unpool{len(spatial)}d")(y, at, 2, output_size=spatial).numpy()
            flat, places = unpooled.reshape(6, -1), at.numpy().reshape(6, -1)
            assert (np.take_along_axis(flat, places, 1) == y.numpy().reshape(6, -1)).all()
            assert (flat != 0).sum() == len(np.unique(places + np.arange(6)[:, None] * flat.shape[1]))


def digest() -> str:
    """Of gradients that are large enough to be shared among threads."""
    out = hashlib.sha256()
    rl.manual_seed(0)
    for dtype in (rl.float32, rl.bfloat16):
        x = rl.randn(4, 24, 40, 40, dtype=dtype)
        for lying in (x, x.contiguous(memory_format=rl.channels_last)):
            lying = lying.detach().requires_grad_()
            for y in (F.max_pool2d(lying, 3, 1, 1), F.max_pool2d(lying, 2), F.adaptive_max_pool2d(lying, 7)):
                g = rl.arange(y.numel()).to(dtype).mul(0.37).sin().reshape(y.shape)
                grad = rl.autograd.grad(y, lying, g)[0].contiguous()
                out.update(grad.view(rl.int16 if dtype is rl.bfloat16 else rl.int32).numpy().tobytes())
    table = rl.randn(300, 130).requires_grad_()
    y = F.embedding(rl.arange(4000).mul(7).remainder(290), table)
    out.update(rl.autograd.grad(y, table, rl.arange(y.numel()).mul(0.1).sin().reshape(y.shape))[0].numpy().tobytes())
    return out.hexdigest()


@pytest.mark.usefixtures("threads_kept")
def test_bits_do_not_depend_on_threads() -> None:
    found = set()
    for threads in (1, 2, 3):
        rl.set_num_threads(threads)
        found.add(digest())
    assert len(found) == 1


def in_a_process(tmp_path: Path, kind: str, **settings: str) -> str:
    code = """
        import test_filled_scatters as t
        from rushlight.compiler.llvm import machine
        assert machine.masks() == (sys.argv[1] == "wide")
        print(t.digest())
    """
    env = {"RUSHLIGHT_CACHE_DIR": str(tmp_path / kind), **settings}
    return printed_with_vectors(kind, code, [Path(__file__).parent], env).strip()


@pytest.mark.skipif("avx512" not in _native.processor(), reason="needs both kinds of kernels")
def test_bits_do_not_depend_on_vectors_and_operands_are_not_left(tmp_path: Path) -> None:
    """With AVX2 alone; and each operand before a page that is not there."""
    narrow = in_a_process(tmp_path, "narrow", RUSHLIGHT_GUARD="end")
    assert {narrow, in_a_process(tmp_path, "wide", RUSHLIGHT_GUARD="start")} == {digest()}

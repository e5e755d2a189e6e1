"""Indexing by tensors and masks, which the core does by itself, against NumPy and against the path for every index."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight.operators.indexing import getitem

CHUNK = 65536  # bytes of a mask that one task counts, see core/native/mask.h


def _strided(x: rl.Tensor, how: int) -> rl.Tensor:
    """The elements of x behind other strides: as they are, transposed, reversed, with gaps."""
    if how == 1:
        return x.transpose(0, -1).contiguous().transpose(0, -1)
    if how == 2:
        return x.flip(0).contiguous()[::-1]
    if how == 3:
        return rl.stack([x, x], -1)[..., 1]
    return x


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
@pytest.mark.parametrize(
    "shape", [(7,), (0,), (5, 0), (3, 4), (2, 9, 3), (CHUNK,), (CHUNK + 1,), (3, CHUNK // 2 + 5), (CHUNK // 2 + 3, 5)]
)
def test_the_places_of_a_mask(shape: tuple[int, ...], share: float) -> None:
    """nonzero(), its columns and x[mask], with masks and operands of every layout."""
    flags = np.random.default_rng(0).random(shape) < share
    values = np.arange(flags.size, dtype=np.float32).reshape(shape)
    for how in range(4):
        mask, x = _strided(rl.from_numpy(flags), how), rl.from_numpy(values)
        assert np.array_equal(mask.nonzero().numpy(), np.argwhere(flags))
        assert all(
            np.array_equal(a.numpy(), b) for a, b in zip(mask.nonzero(as_tuple=True), flags.nonzero(), strict=True)
        )
        assert np.array_equal(x[mask].numpy(), values[flags])
        assert np.array_equal(_strided(x, how)[mask.to(rl.uint8) * 3].numpy(), values[flags])


@pytest.mark.parametrize("dtype", [rl.bool, rl.int16, rl.bfloat16, rl.float32, rl.complex64, rl.complex128])
def test_items_of_every_size(dtype: rl.dtype) -> None:
    """Elements of 1 to 16 bytes, and rows of them short and long."""
    for tail in ((), (1,), (3,), (4,), (2, 3), (40,), (0,)):
        x = (rl.arange(500 * int(np.prod(tail))).reshape(500, *tail) % 251).to(dtype)
        mask = rl.arange(500) % 3 == 1
        assert rl.equal(x[mask], x[1::3])
        assert rl.equal(_strided(x, 3)[mask], x[1::3])


def test_rows_that_are_copied_by_a_kernel() -> None:
    """So many bytes that they are shared out by their own number."""
    x = rl.arange(40 * 20_000).reshape(40, 20_000)
    assert rl.equal(x[rl.arange(40) % 2 == 0], x[::2])


@pytest.mark.parametrize("dtype", [rl.float16, rl.bfloat16, rl.float64, rl.complex64, rl.int8, rl.uint64])
def test_nonzero_of_numbers(dtype: rl.dtype) -> None:
    """-0.0 is zero, NaN is not."""
    values = [0.0, -0.0, 1.0, 2.0] + ([float("nan")] if dtype.is_floating_point else [])
    assert rl.tensor(values).to(dtype).nonzero().flatten().tolist() == list(range(2, len(values)))
    assert rl.tensor(3).to(dtype).nonzero().shape == (1, 0) and rl.tensor(0).to(dtype).nonzero().shape == (0, 0)


def _entry(rng: random.Random, n: int) -> Any:
    """One entry of an index for a dimension of size n."""
    place = rng.randrange(-n, n)
    tensor = rl.tensor([rng.randrange(-n, n) for _ in range(3)])
    return rng.choice(
        [
            place,
            slice(None),
            slice(place, None, 2),
            tensor,
            tensor.to(rl.int32),
            tensor[:, None],
            rl.tensor(place),
            tensor.tolist(),
            rl.tensor([rng.random() < 0.5 for _ in range(n)]),
        ]
    )


def _index(rng: random.Random, shape: tuple[int, ...]) -> Any:
    index: list[Any] = []
    d = 0
    while d < len(shape) and rng.random() < 0.8:
        if d + 1 < len(shape) and rng.random() < 0.1:
            index.append(rl.tensor([[rng.random() < 0.5 for _ in range(shape[d + 1])] for _ in range(shape[d])]))
            d += 2
        else:
            index.append(_entry(rng, shape[d]))
            d += 1
    if rng.random() < 0.3:
        index.insert(rng.randrange(len(index) + 1), None)
    if rng.random() < 0.3:
        index.append(...)
    return index[0] if len(index) == 1 else tuple(index)


def test_one_road_gives_what_the_other_gives() -> None:
    """Reading, assignment, versions, gradients and errors of random indices are those of the path that takes every
    index.
    """
    rng = random.Random(0)
    refused = 0
    for _ in range(300):
        shape = tuple(rng.randrange(1, 5) for _ in range(rng.randrange(1, 4)))
        x = _strided(rl.randn(shape), rng.randrange(4))
        index = _index(rng, shape)
        try:
            wanted = getitem._getitem.eager(x, index)
        except IndexError as error:
            refused += 1
            with pytest.raises(IndexError) as caught:
                x[index]
            assert str(caught.value).endswith(str(error))
            continue
        assert rl.equal(x[index], wanted)
        p, q = x.clone().requires_grad_(), x.clone().requires_grad_()
        (a, b), weight = (p[index], getitem._getitem.eager(q, index)), rl.randn(wanted.shape)
        assert type(a.grad_fn) is type(b.grad_fn)
        for y in (a, b):
            (y * weight).sum().backward()
        assert rl.equal(p.grad, q.grad)
        value = rng.choice([1.5, 2, True, rl.tensor(3.0), rl.randn(wanted.shape)])
        ends = []
        for assign in (rl.Tensor.__setitem__, getitem.assign):
            start, given = (
                x.clone().requires_grad_(),
                value.clone().requires_grad_() if isinstance(value, rl.Tensor) else value,
            )
            y, plain = start * 1, x.clone()
            assign(y, index, given)
            assign(plain, index, value)
            (y * y).sum().backward()
            ends.append(
                (
                    y.detach(),
                    start.grad,
                    plain,
                    rl.tensor(plain._version),
                    given.grad if isinstance(given, rl.Tensor) else rl.tensor(0),
                )
            )
        assert all(rl.equal(u, v) for u, v in zip(*ends, strict=True))
    assert refused < 100


@pytest.mark.parametrize(
    "value, error",
    [
        (
            rl.randn(3, 8),
            "index_put_(): the values must broadcast to [2, 8], what the index selects; found the shape [3, 8]",
        ),
        (
            rl.zeros(8, dtype=rl.int64),
            (
                "index_put_(): the values must be of the dtype of the tensor they are put into, torch.float32; found "
                "torch.int64"
            ),
        ),
    ],
)
def test_assignment_names_the_operator(value: rl.Tensor, error: str) -> None:
    """Also where the core calls what lies below the operator that people know."""
    with pytest.raises(RuntimeError) as caught:
        rl.zeros(4, 8)[rl.tensor([0, 1])] = value
    assert str(caught.value) == error


def test_modes_and_subclasses_see_indexing() -> None:
    """x[mask] and x[tensor] are calls that a subclass or a mode may take over."""

    class Marked(rl.Tensor):
        pass

    x, mask, index = rl.randn(3), rl.tensor([True, False, True]), rl.tensor([0, 1])
    assert all(
        type(y) is Marked
        for y in (x.as_subclass(Marked)[mask], x.as_subclass(Marked)[index], x[index.as_subclass(Marked)])
    )
    seen: list[str] = []

    class Mode(rl.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Mode():
        x[mask], x[index]
        x[mask] = 1.0
    assert seen == ["__getitem__", "__getitem__", "__setitem__"]

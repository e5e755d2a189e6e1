"""torch.Size holds ints: what may stand for one becomes one, anything else is refused."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as rl


@pytest.mark.parametrize(
    "items",
    [
        [rl.tensor(3), 2],
        (np.int64(3), np.uint8(2)),
        rl.tensor([3, 2]),
        np.array([3, 2]),
        iter([3, 2]),
        [3, rl.tensor([2])],
    ],
)
def test_numbers_become_ints(items: Any) -> None:
    size = rl.Size(items)
    assert size == (3, 2) and [type(x) for x in size] == [int, int] and repr(size) == "torch.Size([3, 2])"
    assert rl.zeros(size).expand(5, *size).shape == (5, 3, 2)


def test_sums_and_copies() -> None:
    size = rl.Size([1]) + (rl.tensor(3),)
    assert type(size) is rl.Size and type(size[1]) is int and size.numel() == 3
    assert type((2,) + size) is rl.Size and type(size * 2) is rl.Size and type(rl.Size([True])[0]) is int
    assert pickle.loads(pickle.dumps(size)) == size and type(copy.deepcopy(size)) is rl.Size
    with pytest.raises(TypeError):
        size + [2]  # type: ignore[operator]


@pytest.mark.parametrize("items", [[1.5], ["a"], [None], [rl.tensor(1.5)], [rl.tensor([1, 2])], [(1,)], 3])
def test_others_are_refused(items: Any) -> None:
    with pytest.raises(TypeError):
        rl.Size(items)

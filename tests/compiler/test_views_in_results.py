"""A result that has a view's elements in fewer dims is written once, where it lies (`materialise_in_result`)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight.inspection.explaining import compiled
from rushlight.nn import functional as F
from rushlight.operators.table.define import operator_of


def test_windows_are_copied_once() -> None:
    """Beside the padded image, of which the border and the inside are two steps."""
    op = operator_of("nn.functional.unfold")
    assert op is not None
    x = rl.ones(2, 3, 8, 8)
    made = compiled(op, [x, (3, 3), (1, 1), (1, 1), (1, 1)], False)
    assert len(made.launches) == 3, made.launches


@pytest.mark.parametrize(("name", "sizes", "args"), [("channel_shuffle", (2, 12, 4, 4), [3]),
                                                     ("pixel_shuffle", (2, 12, 4, 4), [2]),
                                                     ("pixel_unshuffle", (2, 3, 4, 4), [2])])  # fmt: skip
def test_shuffled_elements_are_copied_once(name: str, sizes: tuple[int, ...], args: list[int]) -> None:
    """Beside an input of which no strides make the view."""
    op = operator_of(f"nn.functional.{name}")
    assert op is not None
    made = compiled(op, [rl.ones(*sizes), *args], False)
    assert len(made.launches) == 2, made.launches


SHAPES = [(2, 3, 4, 5), (1, 3, 1, 5), (2, 0, 4, 5), (3, 1, 1, 1)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("perm", [(0, 2, 1, 3), (3, 2, 1, 0), (1, 0, 3, 2), (0, 3, 1, 2)])
def test_merged_dims_of_views(shape: tuple[int, ...], perm: tuple[int, ...]) -> None:
    n = int(np.prod(shape))
    x = np.arange(n, dtype=np.float32).reshape(shape)
    operands = [rl.from_numpy(x), rl.from_numpy(x).to(memory_format=rl.channels_last), rl.from_numpy(x).flip(1)]
    for cuts in itertools.combinations(range(1, 4), 2):
        bounds = (0, *cuts, 4)

        def merged(x: Any, bounds: tuple[int, ...] = bounds) -> Any:
            y = x.permute(perm)
            sizes = [int(np.prod(y.shape[a:b])) for a, b in itertools.pairwise(bounds)]
            return y.reshape(sizes)

        for given in operands:
            found = rl.jit(merged)(given)
            assert np.array_equal(found.numpy(), merged(given).numpy())
            assert found.is_contiguous()


@pytest.mark.parametrize("size", [(2, 3, 8, 9), (1, 1, 5, 5), (0, 3, 8, 9)])
@pytest.mark.parametrize("window", [(3, 1, 1, 1), (2, 1, 0, 2), (3, 2, 1, 1), (1, 1, 0, 1)])
def test_windows_as_columns(size: tuple[int, ...], window: tuple[int, int, int, int]) -> None:
    kernel, dilation, padding, stride = window
    x = rl.arange(float(np.prod(size))).reshape(size)
    padded = np.pad(x.numpy(), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    m = [(n + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1 for n in size[2:]]
    rows, columns = (np.arange(k)[None, :] * stride + dilation * np.arange(kernel)[:, None] for k in m)
    expected = padded[:, :, rows[:, None, :, None], columns[None, :, None, :]]
    expected = expected.reshape(size[0], size[1] * kernel**2, m[0] * m[1])
    for given in (x, x.to(memory_format=rl.channels_last)):
        assert np.array_equal(F.unfold(given, kernel, dilation, padding, stride).numpy(), expected)
    # a destination whose elements are not one behind the other
    aside = rl.zeros(*reversed(expected.shape)).permute(2, 1, 0)
    rl.jit(lambda x, y: y.copy_(F.unfold(x, kernel, dilation, padding, stride)))(x, aside)
    assert np.array_equal(aside.numpy(), expected)

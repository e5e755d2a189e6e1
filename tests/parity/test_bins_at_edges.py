"""histogram() counts by its own edges: numbers at an edge, and beside it, are where a search of the edges puts them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import rushlight as rl


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bins", [1, 2, 3, 10, 1000, 100_000])
@pytest.mark.parametrize("between", [(-1.0, 1.0), (0.0, 1.0), (1000.0, 1001.0), (-3.3, 7.1), (1e5, 1e5 + 3)])
def test_numbers_at_edges(dtype: str, bins: int, between: tuple[float, float]) -> None:
    edges = torch.linspace(*between, bins + 1, dtype=getattr(torch, dtype)).numpy()
    beside = [np.nextafter(edges, np.float64(to), dtype=dtype) for to in (np.inf, -np.inf)]
    x = np.concatenate([edges, *beside, [np.nan, np.inf, -np.inf], np.random.default_rng(0).uniform(*between, 1000)])
    x = x.astype(dtype)
    found = rl.histogram(rl.tensor(x), bins, range=between)
    assert np.array_equal(found.bin_edges.numpy(), edges)
    inside = x[(x >= edges[0]) & (x <= edges[-1])]
    expected = np.bincount(np.clip(np.searchsorted(edges, inside, "right") - 1, 0, bins - 1), minlength=bins)
    assert np.array_equal(found.hist.numpy(), expected.astype(dtype))


# (numbers, bins, range, PyTorch's counts in float32 and in float64)
KNOWN: list[tuple[list[float], int, tuple[float, float], list[int], list[int]]] = [
    ([-0.1], 5, (-0.5, 0.5), [0, 1, 0, 0, 0], [0, 1, 0, 0, 0]),
    ([-0.3, -0.1, 0.1, 0.3], 5, (-0.5, 0.5), [0, 2, 0, 1, 1], [0, 2, 0, 1, 1]),
    ([0.3, 0.6, 0.7], 10, (0.0, 1.0), [0, 0, 0, 1, 0, 0, 1, 1, 0, 0], [0, 0, 1, 0, 0, 0, 1, 1, 0, 0]),
    ([k / 10 for k in range(1, 10)], 10, (0.0, 1.0), [0, 1, 1, 1, 1, 1, 1, 1, 1, 1], [0, 1, 2, 0, 1, 1, 1, 1, 1, 1]),
]


@pytest.mark.parametrize("x, bins, between, single, double", KNOWN)
def test_known_counts(
    x: list[float], bins: int, between: tuple[float, float], single: list[int], double: list[int]
) -> None:
    for dtype, counts in (("float32", single), ("float64", double)):
        assert rl.histogram(rl.tensor(x, dtype=getattr(rl, dtype)), bins, range=between).hist.tolist() == counts
        given = torch.histogram(torch.tensor(x, dtype=getattr(torch, dtype)), bins, range=between)
        assert given.hist.tolist() == counts


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bins", range(1, 30, 4))
def test_ranges_of_the_data(dtype: str, bins: int) -> None:
    x = (np.random.default_rng(bins).integers(-9, 9, (25, 2)) / 7).astype(dtype)
    found, wanted = (lib.histogramdd(lib.tensor(x), [bins, 3]) for lib in (rl, torch))
    assert found.hist.tolist() == wanted.hist.tolist()
    assert [e.tolist() for e in found.bin_edges] == [e.tolist() for e in wanted.bin_edges]

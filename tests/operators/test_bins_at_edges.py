"""histogram() counts by its own edges: numbers at an edge, and beside it, are where a search of the edges puts them."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as rl


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bins", [1, 2, 3, 10, 1000, 100_000])
@pytest.mark.parametrize("between", [(-1.0, 1.0), (0.0, 1.0), (1000.0, 1001.0), (-3.3, 7.1), (1e5, 1e5 + 3)])
def test_numbers_at_edges(dtype: str, bins: int, between: tuple[float, float]) -> None:
    edges = np.linspace(*between, bins + 1, dtype=dtype)
    beside = [np.nextafter(edges, np.float64(to), dtype=dtype) for to in (np.inf, -np.inf)]
    x = np.concatenate([edges, *beside, [np.nan, np.inf, -np.inf], np.random.default_rng(0).uniform(*between, 1000)])
    x = x.astype(dtype)
    found = rl.histogram(rl.tensor(x), bins, range=between)
    assert np.array_equal(found.bin_edges.numpy(), edges)
    inside = x[(x >= edges[0]) & (x <= edges[-1])]
    expected = np.bincount(np.clip(np.searchsorted(edges, inside, "right") - 1, 0, bins - 1), minlength=bins)
    assert np.array_equal(found.hist.numpy(), expected.astype(dtype))

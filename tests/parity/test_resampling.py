"""`interpolate`: bytes are PyTorch's bytes, whatever the sizes; and new sizes and factors compile nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.core import _native
from rushlight.nn import functional as F
from rushlight.operators.nn.resampling import _resample

torch = pytest.importorskip("torch")

WAYS = [
    (mode, antialias, corners)
    for mode in ("bilinear", "bicubic")
    for antialias in (False, True)
    for corners in (False, True)
]


def _image(r: np.random.RandomState, k: int) -> np.ndarray:
    return r.randint(0, 256, (r.randint(1, 3), r.choice([1, 2, 3, 4]), r.randint(2, 40), r.randint(2, 60))).astype("u1")


@pytest.mark.parametrize(("mode", "antialias", "corners"), WAYS)
def test_bytes(mode: str, antialias: bool, corners: bool) -> None:
    r = np.random.RandomState(3)
    for k in range(25):
        image = _image(r, k)
        options: dict[str, Any] = {"mode": mode, "antialias": antialias, "align_corners": corners}
        if k % 3 or corners:
            options["size"] = (int(r.randint(1, 60)), image.shape[3] if k % 5 == 0 else int(r.randint(1, 60)))
        else:
            options["scale_factor"] = (
                float(r.uniform(0.5, 2.5)) if image.shape[2] > 1 else 1.0,
                float(r.uniform(1.0, 1.1)),
            )
        theirs, ours = torch.from_numpy(image), rushlight.tensor(image)
        if k % 2:
            theirs, ours = theirs.to(memory_format=torch.channels_last), ours.to(memory_format=rushlight.channels_last)
        if k % 4 == 3:  # a part of it: the result has its channels apart
            theirs, ours = theirs[..., k % 8 // 7 :, :-1], ours[..., k % 8 // 7 :, :-1]
        expected = torch.nn.functional.interpolate(theirs, **options)
        found = F.interpolate(ours, **options)
        assert found.dtype is rushlight.uint8
        assert np.array_equal(found.numpy(), expected.numpy()), f"{image.shape}, {options}"


@pytest.mark.parametrize("level", range(_native.limit_byte_level(9)))
def test_bytes_on_other_processors(level: int) -> None:
    """The routine for processors that lack what this one has gives the same bytes."""
    r = np.random.RandomState(4)
    for k in range(60):
        image = rushlight.tensor(_image(r, k))
        if k % 2:
            image = image.to(memory_format=rushlight.channels_last)
        if k % 4 == 3:
            image = image[..., :-1]
        mode, antialias, corners = WAYS[k % len(WAYS)]
        size = (int(r.randint(1, 60)), int(r.randint(1, 60)))
        options: dict[str, Any] = {"mode": mode, "antialias": antialias, "align_corners": corners, "size": size}
        expected = F.interpolate(image, **options)
        try:
            assert _native.limit_byte_level(level) == level
            found = F.interpolate(image, **options)
        finally:
            _native.limit_byte_level(9)
        assert rushlight.equal(found, expected), f"{tuple(image.shape)}, {options}"


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear"])
def test_factors(mode: str, antialias: bool) -> None:
    """A factor that leaves a size as it is, or doubles it, among others."""
    if antialias and mode not in ("bilinear", "bicubic"):
        pytest.skip("antialias is for bilinear and bicubic")
    r = np.random.RandomState(5)
    ranks = {"linear": (1,), "bilinear": (2,), "bicubic": (2,), "trilinear": (3,)}.get(mode, (1, 2, 3))
    for k in range(40):
        rank = ranks[k % len(ranks)]
        x = r.uniform(0, 255, (2, 3, *r.randint(2, 12, rank)))
        x = x.astype("u1" if k % 2 and mode not in ("linear", "trilinear") else "f4")
        options: dict[str, Any] = {"mode": mode, "antialias": antialias}
        options["scale_factor"] = (1.02, 1.06, 2.03, float(r.uniform(0.5, 2.6)))[k % 4]
        expected = torch.nn.functional.interpolate(torch.from_numpy(x), **options).numpy()
        found = F.interpolate(rushlight.tensor(x), **options).numpy()
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=0 if x.dtype == "u1" else 1e-2)


@pytest.mark.parametrize(
    ("mode", "antialias", "dtype"),
    [
        ("bilinear", False, "float32"),
        ("bicubic", True, "float32"),
        ("nearest", False, "float32"),
        ("bilinear", True, "uint8"),
        ("bicubic", False, "uint8"),
    ],
)
def test_new_sizes_compile_nothing(mode: str, antialias: bool, dtype: str) -> None:
    x = rushlight.full((2, 3, 32, 48), 7).to(getattr(rushlight, dtype))
    options: dict[str, Any] = {"mode": mode, "antialias": antialias} if mode != "nearest" else {"mode": mode}
    r = np.random.RandomState(0)
    # a dimension of bytes that keeps its size is left out, so these are three programs
    for size in ((20, 30), (32, 30), (20, 48)):
        F.interpolate(x, size, **options)
    for factors in ((1.5, 0.7), (1.01, 0.7), (1.5, 1.01)):
        F.interpolate(x, scale_factor=factors, **options)
    before = _resample.compiled_calls()
    for _ in range(100):
        F.interpolate(x, [int(k) for k in r.randint(2, 90, 2)], **options)
        F.interpolate(x, scale_factor=tuple(float(k) for k in r.uniform(0.3, 2.9, 2)), **options)
    assert _resample.compiled_calls() == before


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("dim", [2, 3])
def test_positions_between_two_elements_round_as_there(dim: int, padding: str, align: bool) -> None:
    """The nearest element at positions half way between two, inside and outside, has to come from the same
    roundings.
    """
    for size in (5, 7, 13, 300):
        half = np.random.default_rng(size).integers(-2 * size, 3 * size, 4000) + 0.5
        at = (half * 2 / (size - 1) - 1 if align else (half * 2 + 1) / size - 1).astype(np.float32)
        grid = np.zeros([1] * dim + [len(at), dim], np.float32)
        grid[..., 0] = at
        image = np.arange(size, dtype=np.float32).reshape([1] * (dim + 1) + [size])
        found, expected = (
            lib.nn.functional.grid_sample(
                lib.from_numpy(image), lib.from_numpy(grid), mode="nearest", padding_mode=padding, align_corners=align
            ).numpy()
            for lib in (rushlight, torch)
        )
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("rank", [2, 3])
def test_grid_sample_has_the_bits_of_pytorch(rank: int, mode: str, padding: str, align: bool) -> None:
    r = np.random.RandomState(6)
    x = r.uniform(0, 255, (2, 3, *(24, 31, 7)[:rank])).astype("f4")
    grid = r.uniform(-1.2, 1.2, (2, *(9, 8, 5)[:rank], rank)).astype("f4")
    options = {"mode": mode, "padding_mode": padding, "align_corners": align}
    expected = torch.nn.functional.grid_sample(torch.from_numpy(x), torch.from_numpy(grid), **options)
    found = F.grid_sample(rushlight.tensor(x), rushlight.tensor(grid), **options)
    assert np.array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("size", [(4, 5), (13, 20), (8, 3)])
def test_what_is_not_finite_stays_within_its_filter(mode: str, size: tuple[int, int]) -> None:
    image = np.zeros((1, 2, 8, 9), np.float32)
    image[0, 0, 3, 3], image[0, 0, 6, 6], image[0, 1, 0, 8] = np.inf, np.nan, -np.inf
    found, expected = (
        lib.nn.functional.interpolate(lib.tensor(image), size, mode=mode, antialias=True).numpy()
        for lib in (rushlight, torch)
    )
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.isfinite(expected).any()

"""Sequences have PyTorch's bits, in every dtype."""

from __future__ import annotations

import random

import pytest

import rushlight

torch = pytest.importorskip("torch", reason="the reference")


@pytest.mark.parametrize(
    "dtype", "float32 float64 float16 bfloat16 complex64 complex128 int64 int32 int16 int8 uint8".split()
)
@pytest.mark.parametrize("seed", range(2))
def test_linspace(dtype: str, seed: int) -> None:
    r = random.Random(f"{dtype}{seed}")
    wide = "complex128" if "complex" in dtype else "float64"
    for _ in range(60):
        low = 0 if dtype == "uint8" else -100
        ends = [r.choice([r.randint(low, 100), r.uniform(low, 100), 0, 1]) for _ in range(2)]
        if "complex" in dtype:
            ends = [complex(end, r.uniform(-5, 5)) for end in ends]
        n = r.choice([0, 1, 2, 3, 5, 10, 11, 17, 50, 51, 1000])
        theirs = torch.linspace(*ends, n, dtype=getattr(torch, dtype)).to(getattr(torch, wide))
        ours = rushlight.linspace(*ends, n, dtype=getattr(rushlight, dtype)).to(getattr(rushlight, wide))
        assert ours.tolist() == theirs.tolist(), (ends, n)

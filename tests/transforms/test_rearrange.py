"""`func.rearrange`: patterns, compared with PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl

GOOD: list[tuple[tuple[int, ...], str, dict[str, int]]] = [
    ((2, 3), "a b -> b a", {}),
    ((2, 12), "a (b c) -> a b c", {"b": 3}),
    ((2, 12), "a (b c) -> (a c) b", {"c": 3}),
    ((2, 3, 4), "... c -> c ...", {}),
    ((2, 3, 4), "a ... -> ... a", {}),
    ((2, 3, 4), "a b c -> (a b c)", {}),
    ((2, 1, 4), "a 1 c -> c a", {}),
    ((2, 4), "a c -> a 1 c 1", {}),
    ((2, 3, 4, 5), "b c h w -> b (h w) c", {}),
    ((2, 3, 4, 5), "b ... w -> (b w) ...", {}),
    ((2, 3, 4), "b ... -> b (...)", {}),
    ((), "-> ", {}),
    ((2, 0), "a b -> b a", {}),
]
BAD: list[tuple[tuple[int, ...], str, dict[str, int]]] = [
    ((2, 3), "a b b a", {}),
    ((2, 3), "a b -> a c", {}),
    ((2, 3), "a -> a", {}),
    ((2, 7), "a (b c) -> a b c", {"b": 3}),
    ((2, 6), "a (b c) -> a b c", {}),
    ((2, 3), "a a -> a a", {}),
    ((2, 3), "(a b -> a b", {}),
    ((2, 3), "a b -> b a", {"z": 3}),
    ((2, 3), "a 2 -> a", {}),
    ((2, 3), "a ! -> a !", {}),
]


@pytest.mark.parametrize(("shape", "pattern", "sizes"), GOOD)
def test_patterns(shape: tuple[int, ...], pattern: str, sizes: dict[str, int]) -> None:
    torch = pytest.importorskip("torch")
    n = 1
    for s in shape:
        n *= s
    results: list[Any] = [m.func.rearrange(m.arange(n).reshape(shape), pattern, **sizes) for m in (rl, torch)]
    assert results[0].tolist() == results[1].tolist() and tuple(results[0].shape) == tuple(results[1].shape)


@pytest.mark.parametrize(("shape", "pattern", "sizes"), BAD)
def test_what_it_refuses(shape: tuple[int, ...], pattern: str, sizes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"rearrange\(\): "):
        rl.func.rearrange(rl.ones(shape), pattern, **sizes)


def test_several_tensors_and_gradients() -> None:
    x = [rl.ones(2, 3) * i for i in range(4)]
    assert rl.func.rearrange(x, "n a b -> a (n b)").shape == (2, 12)
    assert rl.func.grad(lambda t: (rl.func.rearrange(t, "a b -> (b a)") * rl.arange(6.0)).sum())(x[1]).tolist() == [
        [0.0, 2.0, 4.0],
        [1.0, 3.0, 5.0],
    ]

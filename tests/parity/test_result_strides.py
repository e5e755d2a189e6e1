"""How results of permuted, expanded, broadcast and sliced operands lie in memory: strides, against PyTorch's.

Strides along a size of 1 and of tensors without elements are left out, where no element lies.

    python tests/parity/test_result_strides.py DRAWS SEED      # more of them
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

Call = Callable[[Any, list[Any]], Any]


def _of(name: str) -> Call:
    return lambda lib, xs: getattr(lib, name)(*xs)


ONE = "exp neg abs square relu clone sigmoid isnan sign ceil".split()
TWO = """add sub rsub mul div maximum minimum eq lt atan2 fmod remainder logical_and hypot xlogy copysign pow
logaddexp""".split()
CALLS: list[tuple[int, Call]] = [
    *[(1, _of(name)) for name in ONE],
    *[(2, _of(name)) for name in TWO * 2],
    (3, lambda lib, xs: lib.where(xs[0] > 0, xs[1], xs[2])),
    (3, lambda lib, xs: lib.addcmul(*[x.to(lib.float32) for x in xs])),
    (3, lambda lib, xs: lib.lerp(*[x.to(lib.float32) for x in xs])),
    (3, lambda lib, xs: lib.clamp(*xs)),
    (1, lambda lib, xs: xs[0].masked_fill(xs[0] > 0, 2)),
    (1, lambda lib, xs: lib.nn.functional.gelu(xs[0].float())),
    (1, lambda lib, xs: xs[0].to(lib.float16)),
    (1, lambda lib, xs: xs[0] * 2.5),
    (1, lambda lib, xs: lib.nn.functional.normalize(xs[0].double(), dim=-1)),
]
ALONG: list[Callable[[Any, Any, int, Any], Any]] = [
    lambda lib, x, d, i: lib.diff(x, dim=d),
    lambda lib, x, d, i: lib.nn.functional.glu(lib.cat([x.float()] * 2, d), d),
    lambda lib, x, d, i: x[(slice(None),) * d + (i,)],
    lambda lib, x, d, i: x[(slice(None),) * d + (i.T if i.dim() == 2 else i,)],
    lambda lib, x, d, i: x[(i[..., 0] if d and i.dim() == 2 else i, *(slice(None),) * max(d - 1, 0), *[i] * (d > 0))],
]


def drawn(rng: random.Random, shape: list[int], most: float = 0.3) -> Callable[[Any], Any]:
    """A tensor that broadcasts to a shape, in some layout: dimensions of size 1 (as many as `most` of them), expanded
    ones, every second element, in any order.
    """
    n = len(shape)
    perm = rng.sample(range(n), n)
    ones = [d for d in range(n) if rng.random() < rng.choice((0.0, most))]
    expanded = [d for d in ones if rng.random() < 0.5]
    dtype, step = rng.choice(("float32", "float32", "float64", "int64")), rng.choice((1, 1, 1, 2))

    def make(lib: Any) -> Any:
        stored = [1 if p in ones else shape[p] for p in perm]
        x = lib.ones([*stored[:-1], stored[-1] * step], dtype=getattr(lib, dtype))[..., ::step]
        x = x.permute([perm.index(d) for d in range(n)])
        return x.expand([shape[d] if d in expanded or d not in ones else 1 for d in range(n)])

    return make


def strides(x: Any) -> list[int]:
    return [s for n, s in zip(x.shape, x.stride(), strict=True) if n != 1] if x.numel() else []


def difference(seed: int) -> str | None:
    """What differs in a drawn call, in words."""
    rng = random.Random(seed)
    shape = [rng.choice((1, 2, 3, 4)) for _ in range(rng.choice((1, 2, 2, 3, 3, 4)))]
    if rng.random() < 0.3:
        shape = [max(n, 2) for n in shape]  # (a dimension of size 1 that is indexed is laid in another way, or is not)
        d, along, places = rng.randrange(len(shape)), rng.choice(ALONG), rng.choice(((2,), (2, 3), (1, 2)))
        made = [drawn(rng, shape, most=0.0)]

        def call(lib: Any) -> Any:
            return along(lib, made[0](lib), d, lib.zeros(places, dtype=lib.int64))
    else:
        count, fn = rng.choice(CALLS)
        made = [drawn(rng, shape) for _ in range(count)]

        def call(lib: Any) -> Any:
            return fn(lib, [make(lib) for make in made])

    try:
        theirs = call(torch)
    except (RuntimeError, IndexError):  # what is refused is compared elsewhere
        return None
    ours = call(rushlight)
    if strides(ours) == strides(theirs):
        return None
    operands = [(tuple(x.shape), x.stride(), x.dtype) for x in (make(torch) for make in made)]
    return f"{seed}: {operands}: {theirs.stride()} in PyTorch, {ours.stride()} here"


def test_results_lie_as_pytorchs() -> None:
    found = [text for seed in range(1200) if (text := difference(seed))]
    assert not found, "\n".join(found[:20])


if __name__ == "__main__":
    for seed in range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[1])):
        if text := difference(seed):
            print(text, flush=True)

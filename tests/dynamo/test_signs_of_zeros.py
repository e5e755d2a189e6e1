"""Gradients of the parts of a tensor: zeros have the signs that they have without a compiler. What one call has cut
apart (`chunk`, `unbind`) is put together; what several calls have cut is a sum, which makes 0.0 of -0.0.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl

CUTS: dict[str, Callable[[Any], Any]] = {
    "chunk": lambda x: x.chunk(2, 1),
    "split": lambda x: x.split(3, 1),
    "split of sizes": lambda x: x.split([1, 3], 1),
    "unbind": lambda x: x.unbind(1),
    "tensor_split": lambda x: x.tensor_split(2, 1),
    "slices": lambda x: (x[:, :2], x[:, 2:]),
    "slices that overlap": lambda x: (x[:, :3], x[:, 2:]),
    "slices with a gap": lambda x: (x[:, :1], x[:, 2:]),
    "narrow": lambda x: (x.narrow(1, 0, 2), x.narrow(1, 2, 2)),
    "select": lambda x: (x[:, 0], x[:, 1], x[:, 2], x[:, 3]),
    "steps": lambda x: (x[:, ::2], x[:, 1::2]),
    "iteration": lambda x: tuple(x),
    "twice": lambda x: (*x.chunk(2, 1), *x.chunk(2, 1)),
    "a half": lambda x: x.chunk(2, 1)[:1],
    "vsplit": lambda x: x.vsplit(2),
    "unsafe": lambda x: rl.unsafe_chunk(x, 2, 1),
}
USES: dict[str, Callable[[Any], Any]] = {
    "sums": lambda parts: sum(p.sum() for p in parts),
    "numbers": lambda parts: sum((p * (k + 1)).sum() for k, p in enumerate(parts)),
    "backwards": lambda parts: sum((p * 2).sum() for p in reversed(parts)),
    "one of them": lambda parts: parts[-1].sum() * 3,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("how", ["compiled", "one by one", "a value asked for", "backward inside", "jit"])
def test_signs_of_zeros(cut: str, use: str, how: str) -> None:
    def f(x: Any, ct: Any) -> Any:
        y = x * 1.0
        parts = CUTS[cut](y)
        if how == "a value asked for":
            float(parts[0].detach().sum())
        loss = USES[use](parts) * ct
        if how == "backward inside":
            return rl.autograd.grad(loss, x)[0]
        return loss

    def gradient(g: Any, ct: Any) -> Any:
        x = rl.ones(4, 4, requires_grad=True)
        found = g(x, ct)
        if how != "backward inside":
            found.backward()
            found = x.grad
        return bytes(found.contiguous().untyped_storage())

    compiled: Any = rl.jit(f) if how == "jit" else rl.compile(f, options={"always": True})  # type: ignore[operator]
    if how == "one by one":
        compiled._context_.runner.singly = True
    for ct in (rl.tensor(-0.0), rl.tensor(0.0), rl.tensor(-1.0)):
        for _ in range(2):
            assert gradient(compiled, ct) == gradient(f, ct)


def test_random_parts_of_parts() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        cuts = [rng.choice(list(CUTS)) for _ in range(2)]
        which = rng.randrange(2)

        def f(x: Any, cuts: list[str] = cuts, which: int = which) -> Any:
            y = x * 1.0
            first = CUTS[cuts[0]](y)
            inner = rl.cat([p.reshape(-1) for p in first])[: (16 if which else 8)].reshape(-1, 4)
            return sum(p.sum() * k for k, p in enumerate(CUTS[cuts[1]](inner))) + first[0].sum() * -1.0

        found = []
        for g in (f, rl.compile(f, options={"always": True})):
            x = rl.ones(4, 4, requires_grad=True)
            (g(x) * -0.0).backward()
            found.append(bytes(x.grad.contiguous().untyped_storage()))
        assert found[0] == found[1], cuts

"""Hooks of leaves within a compiled step: they are called in eager mode's order, so that one that raises leaves the
same gradients behind.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn

WAYS: dict[str, Callable[[Any], Any]] = {
    "default": rl.compile,
    "always": lambda f: rl.compile(f, options={"always": True}),
}


class Raised(Exception):
    pass


def outcome(seed: int, kind: str, last: int, compiles: Callable[[Any], Any], views: bool = False) -> Any:
    """What a random step leaves: which hooks were called, and the gradients. last: the call of a hook that raises, 0
    for none. views: of parameters, which are made at once.
    """
    rng = random.Random(seed)
    rl.manual_seed(seed)
    n, again = rng.choice([2, 3, 5, 9]), rng.random() < 0.3
    ws, bs = ([nn.Parameter(rl.randn(*size)) for _ in range(n)] for size in ((4, 4), (4,)))
    x = rl.randn(3, 4, requires_grad=rng.random() < 0.4)
    rows = [(rng.randrange(6), ws[i], bs[i], ws[rng.randrange(n)], bs[rng.randrange(n)]) for i in range(n)]
    if views:  # of parameters that no call has read before: otherwise a segment ends, whose program is one node
        again, more = False, [nn.Parameter(rl.randn(*size)) for _ in range(n) for size in ((4, 4), (4,))]
        rows = [(rng.randrange(9), ws[i], bs[i], more[2 * i], more[2 * i + 1]) for i in range(n)]
        ws += more
    called: list[int] = []

    def hook(i: int) -> Callable[[Any], Any]:
        def f(g: Any) -> Any:
            called.append(i)
            if len(called) == last:
                raise Raised
            return g * 2 if kind == "register_hook" else None

        return f

    for i, p in enumerate([*ws, *bs, *[x] * x.requires_grad]):
        getattr(p, kind)(hook(i))

    def step(h: Any) -> None:
        if again:  # from then on calls are made one by one
            rl.autograd.grad((h * bs[0]).square().sum(), bs[0], create_graph=True)
        early = [b.view(4) for *_, b in rows if views and seed % 3]
        for form, w, b, w2, b2 in rows:
            match form:
                case 6:
                    h = h @ w.t() + b2
                case 7:
                    h = (h + w2[1]) * b.view(1, 4)
                case 8:
                    h = h.tanh() @ w * early.pop() if early else (h @ w.view(2, 8).t().reshape(4, 4)).relu()
                case 0:
                    h = (h @ w + b).relu()
                case 1:
                    h = nn.functional.linear(h, w, b).tanh()
                case 2:
                    h = h * b + h @ w2
                case 3:
                    h = nn.functional.layer_norm(h, (4,), b, b2) @ w
                case 4:
                    h = h.sigmoid() @ w + b2 * b
                case _:
                    h = (b + h) @ (w * w2)
        h.square().mean().backward()

    run = compiles(step)
    raised = []
    for _ in range(1 if last else 3):
        try:
            run(x.exp())  # (which may have a graph of its own)
        except Raised:
            raised.append(len(called))
    return raised, called, [None if p.grad is None else p.grad.tolist() for p in (*ws, *bs, x)]


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("kind", ["register_hook", "register_post_accumulate_grad_hook"])
def test_a_hook_that_raises_leaves_the_gradients_that_eager_mode_leaves(kind: str, way: str) -> None:
    for seed in range(12):
        for last in (0, 1, 2, 4):
            expected = outcome(seed, kind, last, lambda f: f)
            found = outcome(seed, kind, last, WAYS[way])
            assert found == expected, f"seed {seed}, the hook that raises is number {last}"


@pytest.mark.parametrize("kind", ["register_hook", "register_post_accumulate_grad_hook"])
def test_views_of_parameters_keep_their_place_in_the_order(kind: str) -> None:
    for seed in range(40):
        for last in (0, 1, 3):
            expected = outcome(seed, kind, last, lambda f: f, True)
            assert outcome(seed, kind, last, WAYS["always"], True) == expected, f"seed {seed}, number {last}"

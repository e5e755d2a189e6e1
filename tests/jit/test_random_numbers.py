"""Random numbers in a traced function: those that the function draws without `jit`, in its order, from the stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn
from rushlight.compiler import counters
from rushlight.func.tree import flatten

F = nn.functional


def compare(f: Callable[..., Any], traced: Callable[..., Any], *args: Any, seed: int = 0) -> None:
    """The results of two calls each, and where the stream is afterwards."""
    found = []
    for g in (f, traced):
        rl.manual_seed(seed)
        found.append([*flatten([g(*args) for _ in range(2)])[0], rl.get_rng_state()])
    for x, y in zip(*found, strict=True):
        assert x.dtype == y.dtype and rl.equal(x, y)


DRAWS: dict[str, Callable[[Any], Any]] = {
    "dropout": lambda x: F.dropout(x * 2, 0.5) + 1,
    "dropout of a transposed tensor": lambda x: F.dropout(x.t() * 2, 0.5) + 1,
    "dropout of channels": lambda x: F.dropout2d(x.view(2, 2, 3, 2), 0.5),
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.3, True),
    "two": lambda x: (F.dropout(x, 0.3), F.dropout(x, 0.3)),
    "rand": lambda x: x + rl.rand(4, 6),
    "rand alone": lambda x: rl.rand(3),
    "rand of sizes": lambda x: x + rl.randn(x.shape) * rl.rand(x.shape[0], 1),
    "complex": lambda x: rl.randn(4, 6, dtype=rl.complex64) + x,
    "rand_like": lambda x: x * rl.rand_like(x),
    "randn_like of a transposed tensor": lambda x: rl.randn_like(x.t()),
    "randint": lambda x: x + rl.randint(0, 5, (6,)),
    "randperm": lambda x: x[rl.randperm(4)],
    "randperm of a size": lambda x: x[rl.randperm(x.shape[0])],
    "normal": lambda x: rl.normal(0.0, 1.0, (6,)) + x,
    "normal about a tensor": lambda x: rl.normal(x, 1.0),
    "in place": lambda x: (x * 1).normal_(),
    "in place, in a transposed tensor": lambda x: x.t().mul(1).uniform_(-1.0, 1.0),
    "gumbel": lambda x: F.gumbel_softmax(x),
    "attention": lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None], dropout_p=0.4),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws(name: str) -> None:
    traced = rl.jit(DRAWS[name])
    for seed, size in enumerate((4, 4, 4)):
        compare(DRAWS[name], traced, rl.randn(size, 6), seed=seed)


def test_new_sizes_compile_nothing() -> None:
    traced = rl.jit(f := lambda x: F.dropout(x * 2, 0.5) * rl.rand(x.shape[1]))
    compare(f, traced, rl.randn(3, 5))
    x = {n: rl.randn(n, n + 2) for n in range(2, 9)}
    for f_or_traced in (f, traced):
        before = counters.stats()["programs"]
        for y in x.values():
            f_or_traced(y)
    assert counters.stats()["programs"] == before


def branches(x: Any) -> Any:
    x = F.dropout(x, 0.5) if x.shape[0] > 3 else x + rl.rand(2)
    return x * rl.rand_like(x)


def amounts(x: Any) -> Any:
    return F.dropout(x, 0.5 if x.shape[0] > 3 else 0.1)


@pytest.mark.parametrize("f", [branches, amounts])
def test_what_is_drawn_may_depend_on_sizes(f: Any) -> None:
    traced = rl.jit(f)
    for n in (2, 5, 1, 3, 6, 1, 2, 5):
        compare(f, traced, rl.randn(n, 2), seed=n)


def train(jitted: bool) -> list[Any]:
    rl.manual_seed(1)
    model = nn.Sequential(
        nn.Linear(6, 8),
        nn.Dropout(0.3),
        nn.GELU(),
        nn.TransformerEncoderLayer(8, 2, 16, dropout=0.2, batch_first=True),
        nn.Linear(8, 3),
    )
    optimizer = rl.optim.AdamW(model.parameters(), 1e-2)

    def loss_of(x: Any) -> Any:
        return model(x).square().mean()

    f, found = rl.jit(loss_of) if jitted else loss_of, []
    inputs = [rl.randn(n, 5, 6) for n in (3, 7, 1, 3)]
    for step in range(10):
        model.train(step != 6)
        optimizer.zero_grad()
        loss = f(inputs[step % 4])
        loss.backward()
        optimizer.step()
        found.append(loss.detach())
    return [*found, *model.parameters(), rl.get_rng_state()]


def test_training_with_dropout() -> None:
    for x, y in zip(train(True), train(False), strict=True):
        assert rl.equal(x, y)


@pytest.mark.parametrize("randomness", ["different", "same"])
def test_a_transform_has_its_say(randomness: str) -> None:
    def f(x: Any) -> Any:
        return F.dropout(x, 0.5)

    one, other = (rl.func.vmap(g, randomness=randomness) for g in (f, rl.jit(f)))
    compare(one, other, rl.ones(4, 8))
    with pytest.raises(RuntimeError, match="'randomness' must be"):
        rl.func.vmap(rl.jit(f))(rl.ones(4, 8))


def test_tensors_that_lie_otherwise() -> None:
    def f(x: Any) -> Any:
        return F.dropout(x, 0.5)

    traced = rl.jit(f)
    compare(f, traced, rl.randn(4, 6))
    compare(f, traced, rl.randn(6, 4).t())

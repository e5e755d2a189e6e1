"""Random numbers: the generator, reproducibility, and the distributions' moments."""

from __future__ import annotations

import math
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.operators.random.generators import _counter_words

sys.path.insert(0, str(Path(__file__).parents[1]))
from reference import _philox

N = 200_000


@pytest.mark.parametrize("seed", [0, 5, -3, 2**63 + 11])
def test_words_of_a_counter_are_philox(seed: int) -> None:
    """Word i of the stream is the first of Philox4x32-10 at counter i, and a number of [0, 1) is made of it as of any
    word.
    """
    generator = rushlight.Generator(kind="philox").manual_seed(seed)
    generator.set_offset(7)
    low, _ = _philox(seed & 0xFFFFFFFFFFFFFFFF, np.arange(1000, dtype=np.uint64) + np.uint64(7))
    signed = seed if seed < 2**63 else seed - 2**64
    assert (_counter_words(1000, signed, 7).numpy() == low).all()
    assert (rushlight.rand(1000, generator=generator).numpy() == (low & 0xFFFFFF) * np.float32(2**-24)).all()
    assert generator.get_offset() == 1007


@pytest.mark.parametrize("seed", [0, 5, -3, 2**63 + 11])
@pytest.mark.parametrize("count", [1, 3, 623, 624, 625, 5000])
def test_words_are_those_of_the_mersenne_twister(seed: int, count: int) -> None:
    """NumPy's twister of the seed's low 32 bits has the same words, however many are taken at a time, and the same
    state after them.
    """
    theirs = np.random.RandomState(seed & 0xFFFFFFFF)
    rushlight.manual_seed(seed)
    for n in (count, 1, count):
        words = np.frombuffer(theirs.bytes(4 * n), dtype="<u4")
        assert (rushlight.rand(n).numpy() == (words & 0xFFFFFF) * np.float32(2**-24)).all()
    words, used, _, kept = rushlight.default_generator.twister_state()
    assert (np.frombuffer(words, dtype="<u4") == theirs.get_state()[1]).all()
    assert used == theirs.get_state()[2] and kept is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:-1],
        lambda raw: bytes(len(raw)),
        lambda raw: raw[:8] + b"\xff" * 4 + raw[12:],
        lambda raw: raw[:16] + b"\xff" * 8 + raw[24:],
        lambda raw: raw[:28] + b"\xff" * 4 + raw[32:],
        lambda raw: raw[:12] + bytes(4) + raw[16:],
    ],
    ids=["short", "zeros", "left", "place", "word", "not seeded"],
)
def test_damaged_states_are_refused(damage: Any) -> None:
    """Bytes that are no state are an error, and the generator stays where it was."""
    rushlight.manual_seed(3)
    rushlight.rand(5)
    state = rushlight.get_rng_state()
    wrong = rushlight.frombuffer(bytearray(damage(bytes(state.tolist()))), dtype=rushlight.uint8)
    with pytest.raises(RuntimeError, match="'new_state' must"):
        rushlight.set_rng_state(wrong)
    assert rushlight.equal(rushlight.get_rng_state(), state)


@pytest.mark.parametrize("kind", ["mt19937", "philox"])
def test_generator_state(kind: str) -> None:
    """The same seed or state gives the same numbers; fork_rng leaves no trace."""
    generator = rushlight.Generator(kind=kind)
    assert generator.manual_seed(5) is generator
    assert generator.initial_seed() == 5
    first = rushlight.randn(3, generator=generator).tolist()
    state = generator.get_state()
    second = rushlight.randn(3, generator=generator).tolist()
    assert first != second
    assert generator.set_state(state) is generator
    assert rushlight.randn(3, generator=generator).tolist() == second
    rushlight.manual_seed(1)
    with rushlight.fork_rng():
        inside = rushlight.rand(4).tolist()
    assert rushlight.rand(4).tolist() == inside
    saved = rushlight.get_rng_state()
    a = rushlight.rand(2).tolist()
    rushlight.set_rng_state(saved)
    assert rushlight.rand(2).tolist() == a
    with pytest.raises(TypeError, match="tensor of bytes"):
        generator.set_state(rushlight.zeros(3))
    for copied in (generator.clone_state(), pickle.loads(pickle.dumps(generator))):
        assert copied.kind == kind
        assert rushlight.equal(copied.get_state(), generator.get_state())
        assert rushlight.equal(
            rushlight.randn(21, generator=copied), rushlight.randn(21, generator=generator.clone_state())
        )


def test_shape_does_not_change_the_numbers() -> None:
    """A matrix holds the numbers of the vector, in row-major order."""
    rushlight.manual_seed(3)
    a = rushlight.rand(6).tolist()
    rushlight.manual_seed(3)
    assert rushlight.rand(2, 3).reshape(6).tolist() == a


# name, call, mean, variance, lowest, highest
CASES = [
    ("rand", lambda r: r.rand(N), 0.5, 1 / 12, 0.0, 1.0),
    ("rand f64", lambda r: r.rand(N, dtype=r.float64), 0.5, 1 / 12, 0.0, 1.0),
    ("rand f16", lambda r: r.rand(N, dtype=r.float16).float(), 0.5, 1 / 12, 0.0, 1.0),
    ("randn", lambda r: r.randn(N), 0.0, 1.0, -8, 8),
    ("randn f64", lambda r: r.randn(N, dtype=r.float64), 0.0, 1.0, -8, 8),
    ("normal", lambda r: r.normal(2.0, 3.0, (N,)), 2.0, 9.0, -25, 30),
    ("normal tensors", lambda r: r.normal(r.full((N,), 2.0), r.full((N,), 3.0)), 2.0, 9.0, -25, 30),
    ("randint", lambda r: r.randint(-3, 7, (N,)).double(), 1.5, 8.25, -3, 6.5),
    ("randint wide", lambda r: r.randint(0, 2**40, (N,)).double() / 2**40, 0.5, 1 / 12, 0, 1),
    ("bernoulli", lambda r: r.bernoulli(r.full((N,), 0.3)), 0.3, 0.21, 0, 1.5),
    ("bernoulli_", lambda r: r.zeros(N).bernoulli_(0.25), 0.25, 0.1875, 0, 1.5),
    ("uniform_", lambda r: r.zeros(N).uniform_(2, 4), 3.0, 1 / 3, 2, 4),
    ("normal_ transposed", lambda r: r.zeros(400, 500).t().normal_(1, 0.5), 1.0, 0.25, -3, 5),
    ("exponential_", lambda r: r.zeros(N).exponential_(2.0), 0.5, 0.25, 0, 20),
    ("geometric_", lambda r: r.zeros(N).geometric_(0.25), 4.0, 12.0, 1, 200),
    (
        "log_normal_",
        lambda r: r.zeros(N).log_normal_(0.0, 0.25),
        math.exp(1 / 32),
        (math.exp(1 / 16) - 1) * math.exp(1 / 16),
        0,
        10,
    ),
    ("random_", lambda r: r.zeros(N).random_(10), 4.5, 8.25, 0, 9.5),
    ("poisson", lambda r: r.poisson(r.full((N,), 3.5)), 3.5, 3.5, 0, 40),
    ("binomial", lambda r: r.binomial(r.full((N,), 10.0), r.tensor(0.3)), 3.0, 2.1, 0, 11),
    ("multinomial", lambda r: r.multinomial(r.tensor([0.0, 1.0, 3.0]), N, True).double(), 1.75, 0.1875, 1, 2.5),
]


@pytest.mark.parametrize("counter", [False, True], ids=["twister", "counter"])
@pytest.mark.parametrize(("call", "mean", "variance", "low", "high"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_moments(
    call: object, mean: float, variance: float, low: float, high: float, counter: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mean and variance within six standard errors, all values within bounds."""
    rushlight.manual_seed(0)
    monkeypatch.setattr(rushlight.default_generator, "counter", counter)
    x = np.asarray(call(rushlight).double()).reshape(-1)  # type: ignore[operator]
    assert x.min() >= low
    assert x.max() < high or (x.max() == high and high == 1)
    assert abs(x.mean() - mean) < 6 * math.sqrt(variance / N)
    assert abs(x.var() / variance - 1) < 0.08


def test_randn_distribution() -> None:
    """The distribution function of randn, by Kolmogorov and Smirnov's statistic."""
    rushlight.manual_seed(0)
    for dtype in (rushlight.float32, rushlight.float64):
        x = np.sort(rushlight.randn(N, dtype=dtype).double().numpy())
        cdf = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x[::20]])
        assert np.abs(cdf - np.arange(0, N, 20) / N).max() < 2 / math.sqrt(N)


def test_randperm_and_sampling_without_replacement() -> None:
    """Permutations hold every index once; a row of samples no index twice and none of weight 0."""
    rushlight.manual_seed(0)
    assert sorted(rushlight.randperm(1000).tolist()) == list(range(1000))
    assert rushlight.randperm(1000).tolist() != rushlight.randperm(1000).tolist()
    rows = rushlight.multinomial(rushlight.tensor([[0.0, 1.0, 3.0, 2.0]] * 50), 3).tolist()
    assert all(sorted(row) == [1, 2, 3] for row in rows)


ERRORS = [
    (RuntimeError, "'to' must be greater than 'from'; found 5 and 5", lambda r: r.randint(5, 5, (2,))),
    (
        RuntimeError,
        r"must be in \[0, 255\], what dtype torch.uint8 holds; found 299",
        lambda r: r.randint(0, 300, (2,), dtype=r.uint8),
    ),
    (
        RuntimeError,
        r"randperm\(\): 'size' must be at least 0 in each dimension; found \[-1\]",
        lambda r: r.randperm(-1),
    ),
    (RuntimeError, "'std' must be at least 0; found -1.0", lambda r: r.normal(0.0, -1.0, (2,))),
    (RuntimeError, r"probabilities must be in \[0, 1\]", lambda r: r.bernoulli(r.tensor([2.0]))),
    (RuntimeError, "must be finite and at least 0", lambda r: r.multinomial(r.tensor([-1.0, 1.0]), 1)),
    (RuntimeError, "'num_samples' must be at most 2", lambda r: r.multinomial(r.tensor([0.0, 1.0]), 3)),
    (RuntimeError, "must have elements", lambda r: r.multinomial(r.ones(0), 2, True)),
    (RuntimeError, "must have a positive sum", lambda r: r.multinomial(r.tensor([0.0, 0.0]), 1)),
    (RuntimeError, "rates, must be at least 0", lambda r: r.poisson(r.tensor([-1.0]))),
    (RuntimeError, r"those of 'prob' in \[0, 1\]", lambda r: r.binomial(r.tensor([2.0]), r.tensor([1.5]))),
    (
        RuntimeError,
        "'count' and 'prob' must be of one dtype; found torch.float32 and torch.float64",
        lambda r: r.binomial(r.tensor([2.0]), r.tensor([0.5], dtype=r.float64)),
    ),
    (RuntimeError, "'to' must be at least 'from'; found 1.* and 3", lambda r: r.zeros(2).uniform_(3, 1)),
    (RuntimeError, "'lambd' must be greater than 0", lambda r: r.zeros(2).exponential_(0)),
    (RuntimeError, r"\(0, 1\)", lambda r: r.zeros(2).geometric_(1)),
    (NotImplementedError, "not defined for dtype torch.int64", lambda r: r.rand(2, dtype=r.int64)),
    (TypeError, "must be torch.Generator", lambda r: r.rand(2, generator=3)),
]


@pytest.mark.parametrize(("error", "match", "call"), ERRORS)
def test_errors(error: type[Exception], match: str, call: object) -> None:
    """Bad arguments raise PyTorch's error types and say what was found."""
    with pytest.raises(error, match=match):
        call(rushlight)  # type: ignore[operator]


def test_counts_are_reproducible_and_have_zero_gradients() -> None:
    """poisson and binomial draw from the generator's stream; their results require grad, and it is zero."""
    rate = rushlight.full((50,), 3.5, requires_grad=True)
    rushlight.manual_seed(2)
    first = rushlight.poisson(rate)
    rushlight.manual_seed(2)
    assert rushlight.poisson(rate).tolist() == first.tolist()
    assert rushlight.poisson(rate).tolist() != first.tolist()
    first.sum().backward()
    assert rate.grad is not None
    assert rate.grad.tolist() == [0.0] * 50


@pytest.mark.parametrize("concentration", [1e-300, 1e-5, 1.0, 1e9, 1e11, 1e300, float("inf")])
def test_von_mises_of_any_concentration(concentration: float) -> None:
    """The rejection ends, and the variance is that of the concentration: 1 - I1(k) / I0(k) of the cosine, 1 / k where
    it is large.
    """
    x = rushlight._sample_von_mises(rushlight.full((4000,), concentration, dtype=rushlight.float64))
    spread = float((1 - rushlight.cos(x)).mean()) if concentration < 1e6 else float(x.square().mean()) / 2
    k = rushlight.tensor(min(concentration, 1e6), dtype=rushlight.float64)
    expected = (
        float(1 - rushlight.special.i1e(k) / rushlight.special.i0e(k)) if concentration < 1e6 else 0.5 / concentration
    )
    assert abs(spread - expected) <= 0.1 * expected

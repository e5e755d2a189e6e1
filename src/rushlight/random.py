"""The default generator's state, under PyTorch's module name."""

from __future__ import annotations

from rushlight.operators.random.generators import (
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
    "thread_safe_generator",
]


def thread_safe_generator() -> None:
    """The generator of the current data loading thread: always None, because processes load data here."""
    return None

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.operators.random.generators import (
    default_generator as default_generator, fork_rng as fork_rng, get_rng_state as get_rng_state, initial_seed as initial_seed,
    manual_seed as manual_seed, seed as seed, set_rng_state as set_rng_state,
)
from rushlight.random import thread_safe_generator as thread_safe_generator

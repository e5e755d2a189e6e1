# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.operators.random.generators import default_generator as default_generator
from rushlight.operators.random.generators import fork_rng as fork_rng
from rushlight.operators.random.generators import get_rng_state as get_rng_state
from rushlight.operators.random.generators import initial_seed as initial_seed
from rushlight.operators.random.generators import manual_seed as manual_seed
from rushlight.operators.random.generators import seed as seed
from rushlight.operators.random.generators import set_rng_state as set_rng_state
from rushlight.random import thread_safe_generator as thread_safe_generator

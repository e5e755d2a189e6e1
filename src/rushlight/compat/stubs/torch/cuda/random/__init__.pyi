# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.cuda import get_rng_state as get_rng_state
from rushlight.cuda import initial_seed as initial_seed
from rushlight.cuda import set_rng_state as set_rng_state
from rushlight.cuda import set_rng_state_all as set_rng_state_all
from rushlight.utils._no_device import get_rng_state_all as get_rng_state_all
from rushlight.utils._no_device import manual_seed as manual_seed
from rushlight.utils._no_device import manual_seed_all as manual_seed_all
from rushlight.utils._no_device import seed as seed
from rushlight.utils._no_device import seed_all as seed_all

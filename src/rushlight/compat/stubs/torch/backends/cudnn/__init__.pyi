# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends._switch import flags_of as flags_of
from rushlight.backends.cudnn import (
    allow_tf32 as allow_tf32, benchmark as benchmark, benchmark_limit as benchmark_limit, deterministic as deterministic,
    enabled as enabled, flags as flags, is_acceptable as is_acceptable, is_available as is_available, version as version,
)

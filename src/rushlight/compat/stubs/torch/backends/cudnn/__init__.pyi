# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends._switch import flags_of as flags_of
from rushlight.backends.cudnn import allow_tf32 as allow_tf32
from rushlight.backends.cudnn import benchmark as benchmark
from rushlight.backends.cudnn import benchmark_limit as benchmark_limit
from rushlight.backends.cudnn import deterministic as deterministic
from rushlight.backends.cudnn import enabled as enabled
from rushlight.backends.cudnn import flags as flags
from rushlight.backends.cudnn import is_acceptable as is_acceptable
from rushlight.backends.cudnn import is_available as is_available
from rushlight.backends.cudnn import version as version

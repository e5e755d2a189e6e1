# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends._switch import flags_of as flags_of
from rushlight.backends.opt_einsum import (
    enabled as enabled, flags as flags, get_opt_einsum as get_opt_einsum, is_available as is_available, strategy as strategy,
)

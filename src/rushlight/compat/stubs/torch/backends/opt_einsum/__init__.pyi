# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends._switch import flags_of as flags_of
from rushlight.backends.opt_einsum import enabled as enabled
from rushlight.backends.opt_einsum import flags as flags
from rushlight.backends.opt_einsum import get_opt_einsum as get_opt_einsum
from rushlight.backends.opt_einsum import is_available as is_available
from rushlight.backends.opt_einsum import strategy as strategy

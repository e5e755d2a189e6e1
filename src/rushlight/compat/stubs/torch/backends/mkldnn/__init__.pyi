# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends._switch import flags_of as flags_of
from rushlight.backends.mkldnn import enabled as enabled
from rushlight.backends.mkldnn import flags as flags
from rushlight.backends.mkldnn import is_available as is_available

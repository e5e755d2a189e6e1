# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat.checkpoint import (
    get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint, load as load, save as save,
)
from rushlight.compat.unpickler import (
    add_safe_globals as add_safe_globals, clear_safe_globals as clear_safe_globals, get_safe_globals as get_safe_globals,
    safe_globals as safe_globals,
)

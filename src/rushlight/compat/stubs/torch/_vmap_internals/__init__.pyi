# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._vmap_internals import _vmap as _vmap
from rushlight.func.mapping import vmap as vmap

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.cuda.amp import amp_definitely_not_available as amp_definitely_not_available

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed._launching import record as record

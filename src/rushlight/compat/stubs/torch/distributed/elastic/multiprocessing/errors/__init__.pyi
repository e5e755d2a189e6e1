# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.launching import record as record

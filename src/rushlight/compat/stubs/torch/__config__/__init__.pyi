# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.__config__ import parallel_info as parallel_info
from rushlight.__config__ import show as show

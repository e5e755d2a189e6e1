# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.futures import Future as Future, T as T, collect_all as collect_all, wait_all as wait_all

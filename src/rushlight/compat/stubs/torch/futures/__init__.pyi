# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.futures import Future as Future
from rushlight.futures import T as T
from rushlight.futures import collect_all as collect_all
from rushlight.futures import wait_all as wait_all

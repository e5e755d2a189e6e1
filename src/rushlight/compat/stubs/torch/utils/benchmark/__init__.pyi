# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.benchmark import (
    Compare as Compare, Measurement as Measurement, TaskSpec as TaskSpec, Timer as Timer, timer as timer,
)

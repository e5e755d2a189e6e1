# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.benchmark import Compare as Compare
from rushlight.utils.benchmark import Measurement as Measurement
from rushlight.utils.benchmark import TaskSpec as TaskSpec
from rushlight.utils.benchmark import Timer as Timer
from rushlight.utils.benchmark import timer as timer

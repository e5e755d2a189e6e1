# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import adafactor as adafactor
from rushlight.optim.matrices import Adafactor as Adafactor

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import adagrad as adagrad
from rushlight.optim.adaptive import Adagrad as Adagrad

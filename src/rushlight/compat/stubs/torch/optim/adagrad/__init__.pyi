# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim.adaptive import Adagrad as Adagrad

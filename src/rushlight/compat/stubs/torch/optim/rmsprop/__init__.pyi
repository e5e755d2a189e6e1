# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import rmsprop as rmsprop
from rushlight.optim.adaptive import RMSprop as RMSprop

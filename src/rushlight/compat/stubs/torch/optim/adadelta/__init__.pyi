# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import adadelta as adadelta
from rushlight.optim.adaptive import Adadelta as Adadelta

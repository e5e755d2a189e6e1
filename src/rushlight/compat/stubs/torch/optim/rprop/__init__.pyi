# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import rprop as rprop
from rushlight.optim.adaptive import Rprop as Rprop

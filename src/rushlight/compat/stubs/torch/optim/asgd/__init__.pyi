# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import asgd as asgd
from rushlight.optim.adam_variants import ASGD as ASGD

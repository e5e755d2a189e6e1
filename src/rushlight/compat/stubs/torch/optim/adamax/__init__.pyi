# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import adamax as adamax
from rushlight.optim.adam_variants import Adamax as Adamax

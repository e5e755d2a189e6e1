# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import radam as radam
from rushlight.optim.adam_variants import RAdam as RAdam

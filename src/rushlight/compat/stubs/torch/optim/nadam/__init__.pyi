# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import nadam as nadam
from rushlight.optim.adam_variants import NAdam as NAdam

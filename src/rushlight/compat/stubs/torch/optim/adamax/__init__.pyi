# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim.adam_variants import Adamax as Adamax

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions as LinearCrossEntropyOptions

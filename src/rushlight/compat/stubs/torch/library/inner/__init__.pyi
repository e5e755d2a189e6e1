# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.inner import (
    CHAINS as CHAINS, INNER as INNER, Step as Step, _Statistics as _Statistics, keeps_statistics as keeps_statistics,
)

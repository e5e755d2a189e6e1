# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.inner import CHAINS as CHAINS
from rushlight.library.inner import INNER as INNER
from rushlight.library.inner import Step as Step
from rushlight.library.inner import _Statistics as _Statistics
from rushlight.library.inner import keeps_statistics as keeps_statistics

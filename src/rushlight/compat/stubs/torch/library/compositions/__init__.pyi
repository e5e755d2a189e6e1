# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.compositions import COPIES as COPIES
from rushlight.library.compositions import STEPS as STEPS
from torch.library import recurrent as recurrent

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.placing import MOST as MOST
from rushlight.jit.placing import PLACE as PLACE
from rushlight.jit.placing import place_in as place_in

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import device as device
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.leaves import Call as Call
from rushlight.library.leaves import LEAVES as LEAVES
from rushlight.library.leaves import Rule as Rule
from rushlight.library.leaves import WHOLE as WHOLE
from rushlight.library.leaves import basic_index as basic_index
from rushlight.library.leaves import call as call
from rushlight.library.signatures import SIGNATURES as SIGNATURES

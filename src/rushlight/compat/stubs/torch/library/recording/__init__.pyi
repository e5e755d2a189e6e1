# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.inplace import rejoin as rejoin
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.programs import run_program as run_program
from rushlight.library.recording import (
    _Backward as _Backward, _Derivative as _Derivative, by_program as by_program, due as due, inputs_of as inputs_of,
    recorded as recorded,
)

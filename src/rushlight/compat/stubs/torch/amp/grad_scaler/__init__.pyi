# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp.grad_scaler import (
    GradScaler as GradScaler, OptState as OptState, READY as READY, STEPPED as STEPPED, UNSCALED as UNSCALED,
)
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils._checks import check_argument as check_argument

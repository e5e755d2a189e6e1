# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp.grad_scaler import GradScaler as GradScaler
from rushlight.amp.grad_scaler import OptState as OptState
from rushlight.amp.grad_scaler import READY as READY
from rushlight.amp.grad_scaler import STEPPED as STEPPED
from rushlight.amp.grad_scaler import UNSCALED as UNSCALED
from rushlight.core.tensor import Tensor as Tensor

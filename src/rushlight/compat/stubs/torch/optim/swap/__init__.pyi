# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.swap import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state

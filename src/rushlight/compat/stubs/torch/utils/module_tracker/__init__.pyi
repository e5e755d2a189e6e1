# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.graph import register_multi_grad_hook as register_multi_grad_hook
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.module_tracker import ModuleTracker as ModuleTracker
from rushlight.utils.module_tracker import _Watch as _Watch
from torch.autograd import running as running

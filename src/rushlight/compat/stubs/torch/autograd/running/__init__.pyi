# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.running import Asked as Asked
from rushlight.autograd.running import Done as Done
from rushlight.autograd.running import GradientEdge as GradientEdge
from rushlight.autograd.running import PENDING as PENDING
from rushlight.autograd.running import TRANSFORM as TRANSFORM
from rushlight.autograd.running import as_subclass as as_subclass
from rushlight.autograd.running import attach as attach
from rushlight.autograd.running import backward as backward
from rushlight.autograd.running import detach_ as detach_
from rushlight.autograd.running import get_gradient_edge as get_gradient_edge
from rushlight.autograd.running import grad as grad
from rushlight.autograd.running import in_range as in_range
from rushlight.autograd.running import make_grads as make_grads
from rushlight.autograd.running import of_recorders as of_recorders
from rushlight.autograd.running import register_hook as register_hook
from rushlight.autograd.running import register_post_accumulate_grad_hook as register_post_accumulate_grad_hook
from rushlight.autograd.running import retain_grad as retain_grad
from rushlight.autograd.running import run as run
from rushlight.autograd.running import tensor_backward as tensor_backward
from rushlight.autograd.running import watchers as watchers
from rushlight.core.tensor import Tensor as Tensor

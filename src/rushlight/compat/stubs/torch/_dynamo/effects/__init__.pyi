# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.effects import CLIPS as CLIPS
from rushlight._dynamo.effects import Effects as Effects
from rushlight._dynamo.effects import Gradients as Gradients
from rushlight._dynamo.effects import Later as Later
from rushlight._dynamo.effects import PENDING as PENDING
from rushlight._dynamo.effects import Place as Place
from rushlight._dynamo.effects import RUNS as RUNS
from rushlight._dynamo.effects import _GLOBAL_HOOKS as _GLOBAL_HOOKS
from rushlight._dynamo.effects import _HOOKS as _HOOKS
from rushlight._dynamo.effects import _REQUIRES as _REQUIRES
from rushlight._dynamo.effects import _each_once as _each_once
from rushlight._dynamo.effects import _parameters_of as _parameters_of
from rushlight._dynamo.effects import _put_back as _put_back
from rushlight._dynamo.effects import _tensors_in as _tensors_in
from rushlight._dynamo.formulas import check_formula as check_formula
from rushlight._dynamo.reads import Reads as Reads
from rushlight._dynamo.reads import is_ours as is_ours
from rushlight._dynamo.source import NotKnown as NotKnown
from rushlight.amp.grad_scaler import GradScaler as GradScaler
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from rushlight.optim._schedule import LRScheduler as LRScheduler
from rushlight.optim.optimizer import Optimizer as Optimizer
from torch.autograd import running as running
from torch.nn.utils import clip_grad as clip_grad
from torch.optim import optimizer as _of__optimizer

_optimizer = _of__optimizer

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.reads import PLAIN as PLAIN
from rushlight._dynamo.reads import Reads as Reads
from rushlight._dynamo.reads import _ALL_HOOKS as _ALL_HOOKS
from rushlight._dynamo.reads import _HOOKS as _HOOKS
from rushlight._dynamo.reads import _is_namespace as _is_namespace
from rushlight._dynamo.reads import dict_of as dict_of
from rushlight._dynamo.reads import is_ours as is_ours
from rushlight._dynamo.source import NotKnown as NotKnown
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from torch.amp import autocast_mode as autocast_mode
from torch.nn import functional as _of_F

F = _of_F

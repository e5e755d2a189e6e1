# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.effects import CLIPS as CLIPS
from rushlight._dynamo.effects import Effects as Effects
from rushlight._dynamo.effects import Later as Later
from rushlight._dynamo.effects import RUNS as RUNS
from rushlight._dynamo.reads import Reads as Reads
from rushlight._dynamo.reads import is_ours as is_ours
from rushlight._dynamo.source import NotKnown as NotKnown
from rushlight._dynamo.values import SCALARS as SCALARS
from rushlight._dynamo.values import Values as Values
from rushlight._dynamo.values import _ASKED as _ASKED
from rushlight._dynamo.values import _ATTRIBUTES as _ATTRIBUTES
from rushlight._dynamo.values import _BACKWARD as _BACKWARD
from rushlight._dynamo.values import _CHANGES as _CHANGES
from rushlight._dynamo.values import _ITEM as _ITEM
from rushlight._dynamo.values import _LISTED as _LISTED
from rushlight._dynamo.values import _LOOKS as _LOOKS
from rushlight._dynamo.values import _MAKERS as _MAKERS
from rushlight._dynamo.values import _NEVER as _NEVER
from rushlight._dynamo.values import _OF_CONTAINERS as _OF_CONTAINERS
from rushlight._dynamo.values import _OF_TENSORS as _OF_TENSORS
from rushlight._dynamo.values import _OF_VALUES as _OF_VALUES
from rushlight._dynamo.values import _OURS as _OURS
from rushlight._dynamo.values import _READ as _READ
from rushlight._dynamo.values import _REQUIRES as _REQUIRES
from rushlight._dynamo.values import _hashable as _hashable
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.container import Sequential as Sequential
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from rushlight.optim.optimizer import Optimizer as Optimizer
from torch.nn import functional as _of_F

F = _of_F

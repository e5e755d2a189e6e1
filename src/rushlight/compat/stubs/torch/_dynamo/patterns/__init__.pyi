# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.patterns import Patterns as Patterns
from rushlight._dynamo.patterns import _SELVES as _SELVES
from rushlight._dynamo.patterns import _SEQUENCES as _SEQUENCES
from rushlight._dynamo.patterns import names_of as names_of
from rushlight._dynamo.source import NotKnown as NotKnown
from rushlight._dynamo.values import SCALARS as SCALARS
from rushlight._dynamo.values import Values as Values
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter

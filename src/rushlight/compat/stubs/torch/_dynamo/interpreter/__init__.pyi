# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.interpreter import BINARY as BINARY
from rushlight._dynamo.interpreter import Interpreter as Interpreter
from rushlight._dynamo.interpreter import _BLOCKS as _BLOCKS
from rushlight._dynamo.interpreter import _Break as _Break
from rushlight._dynamo.interpreter import _COMPARED as _COMPARED
from rushlight._dynamo.interpreter import _Closure as _Closure
from rushlight._dynamo.interpreter import _Continue as _Continue
from rushlight._dynamo.interpreter import _DECORATED as _DECORATED
from rushlight._dynamo.interpreter import _ERRORS as _ERRORS
from rushlight._dynamo.interpreter import _Frame as _Frame
from rushlight._dynamo.interpreter import _IN_PLACE as _IN_PLACE
from rushlight._dynamo.interpreter import _MOST_TURNS as _MOST_TURNS
from rushlight._dynamo.interpreter import _Return as _Return
from rushlight._dynamo.interpreter import _UNARY as _UNARY
from rushlight._dynamo.interpreter import _assigned as _assigned
from rushlight._dynamo.interpreter import _plain_function as _plain_function
from rushlight._dynamo.interpreter import _stored as _stored
from rushlight._dynamo.reads import Reads as Reads
from rushlight._dynamo.reads import is_ours as is_ours
from rushlight._dynamo.source import Function as Function
from rushlight._dynamo.source import NotKnown as NotKnown
from rushlight._dynamo.source import tree_of as tree_of
from rushlight._dynamo.values import Values as Values
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.parameter import Parameter as Parameter

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules.sparse import Embedding as Embedding
from rushlight.nn.modules.sparse import EmbeddingBag as EmbeddingBag
from rushlight.nn.modules.sparse import _Table as _Table
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import init as init

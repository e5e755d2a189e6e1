# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.dropout import AlphaDropout as AlphaDropout
from rushlight.nn.modules.dropout import Dropout as Dropout
from rushlight.nn.modules.dropout import Dropout1d as Dropout1d
from rushlight.nn.modules.dropout import Dropout2d as Dropout2d
from rushlight.nn.modules.dropout import Dropout3d as Dropout3d
from rushlight.nn.modules.dropout import FeatureAlphaDropout as FeatureAlphaDropout
from rushlight.nn.modules.dropout import _DropoutNd as _DropoutNd
from rushlight.nn.modules.dropout import _InPlaceDropout as _InPlaceDropout
from rushlight.nn.modules.module import Module as Module
from torch.nn import functional as _of_F

F = _of_F

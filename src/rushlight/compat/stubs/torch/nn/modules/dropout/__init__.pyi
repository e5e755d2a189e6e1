# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.dropout import (
    AlphaDropout as AlphaDropout, Dropout as Dropout, Dropout1d as Dropout1d, Dropout2d as Dropout2d, Dropout3d as Dropout3d,
    FeatureAlphaDropout as FeatureAlphaDropout, _DropoutNd as _DropoutNd, _InPlaceDropout as _InPlaceDropout,
)
from rushlight.nn.modules.module import Module as Module
from torch.nn import functional as _of_F

F = _of_F

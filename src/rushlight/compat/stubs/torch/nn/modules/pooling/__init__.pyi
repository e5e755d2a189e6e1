# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules._sizes import ntuple as ntuple
from rushlight.nn.modules.pooling import (
    AdaptiveAvgPool1d as AdaptiveAvgPool1d, AdaptiveAvgPool2d as AdaptiveAvgPool2d, AdaptiveAvgPool3d as AdaptiveAvgPool3d,
    AdaptiveMaxPool1d as AdaptiveMaxPool1d, AdaptiveMaxPool2d as AdaptiveMaxPool2d, AdaptiveMaxPool3d as AdaptiveMaxPool3d,
    AvgPool1d as AvgPool1d, AvgPool2d as AvgPool2d, AvgPool3d as AvgPool3d, FractionalMaxPool2d as FractionalMaxPool2d,
    FractionalMaxPool3d as FractionalMaxPool3d, LPPool1d as LPPool1d, LPPool2d as LPPool2d, LPPool3d as LPPool3d,
    MaxPool1d as MaxPool1d, MaxPool2d as MaxPool2d, MaxPool3d as MaxPool3d, MaxUnpool1d as MaxUnpool1d,
    MaxUnpool2d as MaxUnpool2d, MaxUnpool3d as MaxUnpool3d, _AdaptiveAvgPoolNd as _AdaptiveAvgPoolNd,
    _AdaptiveMaxPoolNd as _AdaptiveMaxPoolNd, _AdaptivePoolNd as _AdaptivePoolNd, _AvgPoolNd as _AvgPoolNd,
    _FractionalMaxPoolNd as _FractionalMaxPoolNd, _LPPoolNd as _LPPoolNd, _MaxPoolNd as _MaxPoolNd, _MaxUnpoolNd as _MaxUnpoolNd,
    _Pool as _Pool,
)

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from rushlight.ao.quantization import DeQuantStub as DeQuantStub, QuantStub as QuantStub, QuantWrapper as QuantWrapper
from torch.ao.quantization import (
    FakeQuantize as FakeQuantize, HistogramObserver as HistogramObserver, MinMaxObserver as MinMaxObserver,
    MovingAverageMinMaxObserver as MovingAverageMinMaxObserver, ObserverBase as ObserverBase,
    PerChannelMinMaxObserver as PerChannelMinMaxObserver, QConfig as QConfig, QConfigMapping as QConfigMapping,
)
from typing import Any

convert: Callable[..., Any]
default_observer: Callable[..., Any]
default_per_channel_weight_observer: Callable[..., Any]
default_qconfig: Callable[..., Any]
default_weight_observer: Callable[..., Any]
fuse_modules: Callable[..., Any]
fuse_modules_qat: Callable[..., Any]
get_default_qat_qconfig: Callable[..., Any]
get_default_qconfig: Callable[..., Any]
prepare: Callable[..., Any]
prepare_qat: Callable[..., Any]
quantize: Callable[..., Any]
quantize_dynamic: Callable[..., Any]
quantize_qat: Callable[..., Any]

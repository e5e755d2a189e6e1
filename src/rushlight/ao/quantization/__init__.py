"""Names of `torch.ao.quantization` that packages import. Nothing is quantized: what would prepare or convert a model
says so.
"""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.nn.modules.module import Module
from rushlight.utils._absent import absent_names

_WHY = "there is no quantization; run the model in a floating point dtype"
_CLASSES = (
    "FakeQuantize",
    "HistogramObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "ObserverBase",
    "PerChannelMinMaxObserver",
    "QConfig",
    "QConfigMapping",
)
_FUNCTIONS = (
    "convert",
    "default_observer",
    "default_per_channel_weight_observer",
    "default_qconfig",
    "default_weight_observer",
    "fuse_modules",
    "fuse_modules_qat",
    "get_default_qat_qconfig",
    "get_default_qconfig",
    "prepare",
    "prepare_qat",
    "quantize",
    "quantize_dynamic",
    "quantize_qat",
)
__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper", *_CLASSES, *_FUNCTIONS]

globals().update(absent_names(__name__, _WHY, _CLASSES, _FUNCTIONS, NotImplementedError))


class QuantStub(Module):
    """Where a model that is converted would quantize its input; the identity in a model that is not.

    Args: qconfig: kept as an attribute of that name, where one is given.
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig is not None:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        return x


class DeQuantStub(QuantStub):
    """Where a model that is converted would go back to floating point; the identity in a model that is not. Args: as
    QuantStub.
    """


class QuantWrapper(Module):
    """A module between a QuantStub and a DeQuantStub. Args: module: what is wrapped."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.quant, self.dequant, self.module = QuantStub(qconfig), DeQuantStub(qconfig), module
        self.train(module.training)

    def forward(self, X: Tensor) -> Tensor:
        return self.dequant(self.module(self.quant(X)))

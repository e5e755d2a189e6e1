"""Names of `torch.quantization` that programs import: there is no quantization here, and using one says so."""

from __future__ import annotations

from rushlight.utils._absent import absent_names

_CLASSES = ("DeQuantStub", "FakeQuantize", "HistogramObserver", "MinMaxObserver", "QConfig", "QuantStub", "QuantWrapper")
_CALLS = ("convert", "default_qconfig", "fuse_modules", "get_default_qconfig", "prepare", "prepare_qat", "quantize", "quantize_dynamic", "quantize_qat")
globals().update(absent_names(__name__, "there is no quantization yet", _CLASSES, _CALLS, NotImplementedError))
__all__ = [*_CLASSES, *_CALLS]

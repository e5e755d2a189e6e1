"""The samples of operators, for tests: `samples.load()` gives them by operator name."""

from __future__ import annotations

from rushlight.operators.samples._registry import (
    REGISTRY,
    ErrorSample,
    Make,
    OperatorSamples,
    Sample,
    Samples,
    dtypes_of,
    load,
    samples,
)

__all__ = ["REGISTRY", "ErrorSample", "Make", "OperatorSamples", "Sample", "Samples", "dtypes_of", "load", "samples"]

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.operators.samples._registry import (
    ErrorSample as ErrorSample, Make as Make, OperatorSamples as OperatorSamples, REGISTRY as REGISTRY, Sample as Sample,
    dtypes_of as dtypes_of, load as load, samples as samples,
)

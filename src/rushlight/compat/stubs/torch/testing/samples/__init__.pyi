# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.operators.samples._registry import ErrorSample as ErrorSample
from rushlight.operators.samples._registry import Make as Make
from rushlight.operators.samples._registry import OperatorSamples as OperatorSamples
from rushlight.operators.samples._registry import REGISTRY as REGISTRY
from rushlight.operators.samples._registry import Sample as Sample
from rushlight.operators.samples._registry import Samples as Samples
from rushlight.operators.samples._registry import dtypes_of as dtypes_of
from rushlight.operators.samples._registry import load as load
from rushlight.operators.samples._registry import samples as samples

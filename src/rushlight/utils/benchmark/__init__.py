"""Timing pieces of code with care: `Timer`, its `Measurement`s, tables that compare them, and random inputs."""

from __future__ import annotations

from rushlight.utils.benchmark._compare import Compare
from rushlight.utils.benchmark._fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from rushlight.utils.benchmark._measurement import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)
from rushlight.utils.benchmark._timer import Language, Timer, timer

__all__ = [
    "Compare",
    "FuzzedParameter",
    "FuzzedTensor",
    "Fuzzer",
    "Language",
    "Measurement",
    "ParameterAlias",
    "TaskSpec",
    "Timer",
    "ordered_unique",
    "select_unit",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.profiler_util import (
    EventList as EventList, FunctionEvent as FunctionEvent, FunctionEventAvg as FunctionEventAvg, Interval as Interval,
    _Times as _Times, format_memory as format_memory, format_time as format_time,
)

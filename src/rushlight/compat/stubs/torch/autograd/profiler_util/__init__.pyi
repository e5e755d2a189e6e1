# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.profiler_util import EventList as EventList
from rushlight.autograd.profiler_util import FunctionEvent as FunctionEvent
from rushlight.autograd.profiler_util import FunctionEventAvg as FunctionEventAvg
from rushlight.autograd.profiler_util import Interval as Interval
from rushlight.autograd.profiler_util import _Times as _Times
from rushlight.autograd.profiler_util import flops_unit as flops_unit
from rushlight.autograd.profiler_util import format_memory as format_memory
from rushlight.autograd.profiler_util import format_time as format_time

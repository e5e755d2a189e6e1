# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.profiler import record_function as record_function
from rushlight.autograd.profiler_util import EventList as EventList
from rushlight.profiler import ProfilerAction as ProfilerAction
from rushlight.profiler import ProfilerActivity as ProfilerActivity
from rushlight.profiler import kineto_available as kineto_available
from rushlight.profiler import profile as profile
from rushlight.profiler import schedule as schedule
from rushlight.profiler import supported_activities as supported_activities
from rushlight.profiler import tensorboard_trace_handler as tensorboard_trace_handler

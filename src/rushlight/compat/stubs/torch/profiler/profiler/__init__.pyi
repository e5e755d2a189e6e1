# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.profiler import ProfilerAction as ProfilerAction
from rushlight.profiler import _default_schedule_fn as _default_schedule_fn
from rushlight.profiler import profile as profile
from rushlight.profiler import schedule as schedule
from rushlight.profiler import supported_activities as supported_activities
from rushlight.profiler import tensorboard_trace_handler as tensorboard_trace_handler

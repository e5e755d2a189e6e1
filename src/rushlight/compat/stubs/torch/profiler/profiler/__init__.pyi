# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.profiler import (
    ProfilerAction as ProfilerAction, _default_schedule_fn as _default_schedule_fn, profile as profile, schedule as schedule,
    supported_activities as supported_activities, tensorboard_trace_handler as tensorboard_trace_handler,
)

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.profiler import record_function as record_function
from rushlight.autograd.profiler_util import EventList as EventList
from rushlight.profiler import (
    ProfilerAction as ProfilerAction, ProfilerActivity as ProfilerActivity, kineto_available as kineto_available,
    profile as profile, schedule as schedule, supported_activities as supported_activities,
    tensorboard_trace_handler as tensorboard_trace_handler,
)
from rushlight.utils._checks import check_argument as check_argument

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.profiler import ProfilerActivity as ProfilerActivity

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.inspection.logs import set_logs as set_logs

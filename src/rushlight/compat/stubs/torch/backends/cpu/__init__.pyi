# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends.cpu import get_cpu_capability as get_cpu_capability

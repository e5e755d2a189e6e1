# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp._by_device import CpuAutocast as _of_autocast
from rushlight.amp._by_device import CpuGradScaler as _of_GradScaler

GradScaler = _of_GradScaler
autocast = _of_autocast

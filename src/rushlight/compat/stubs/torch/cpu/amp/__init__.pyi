# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp._by_device import CpuGradScaler as _of_GradScaler, CpuAutocast as _of_autocast

GradScaler = _of_GradScaler
autocast = _of_autocast

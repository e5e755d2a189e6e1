# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp._by_device import CudaGradScaler as _of_GradScaler

GradScaler = _of_GradScaler

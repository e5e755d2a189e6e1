# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.cpu import current_device as current_device
from rushlight.cpu import device_count as device_count
from rushlight.cpu import is_available as is_available
from rushlight.cpu import is_initialized as is_initialized
from rushlight.cpu import set_device as set_device
from rushlight.cpu import synchronize as synchronize
from torch.cpu import amp as amp

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.cpu import (
    current_device as current_device, device_count as device_count, get_capabilities as get_capabilities,
    is_available as is_available, is_initialized as is_initialized, set_device as set_device, synchronize as synchronize,
)
from torch.cpu import amp as amp

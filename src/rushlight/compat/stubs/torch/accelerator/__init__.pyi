# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.accelerator import (
    AcceleratorError as AcceleratorError, current_accelerator as current_accelerator, current_device_idx as current_device_idx,
    current_device_index as current_device_index, current_stream as current_stream, device_count as device_count,
    device_index as device_index, empty_cache as empty_cache, get_device_module as get_device_module,
    is_available as is_available, set_device_idx as set_device_idx, set_device_index as set_device_index,
    set_stream as set_stream, synchronize as synchronize,
)
from rushlight.core.places import device as device

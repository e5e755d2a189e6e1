# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.accelerator import AcceleratorError as AcceleratorError
from rushlight.accelerator import current_accelerator as current_accelerator
from rushlight.accelerator import current_device_idx as current_device_idx
from rushlight.accelerator import current_device_index as current_device_index
from rushlight.accelerator import current_stream as current_stream
from rushlight.accelerator import device_index as device_index
from rushlight.accelerator import get_device_module as get_device_module
from rushlight.accelerator import set_device_idx as set_device_idx
from rushlight.accelerator import set_device_index as set_device_index
from rushlight.accelerator import set_stream as set_stream
from rushlight.accelerator import synchronize as synchronize
from rushlight.core.devices import device as device
from rushlight.utils._absent import refused_by as refused_by
from rushlight.utils._no_device import device_count as device_count
from rushlight.utils._no_device import empty_cache as empty_cache
from rushlight.utils._no_device import is_available as is_available

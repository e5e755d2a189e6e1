# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.mps import current_allocated_memory as current_allocated_memory
from rushlight.mps import driver_allocated_memory as driver_allocated_memory
from rushlight.mps import empty_cache as empty_cache
from rushlight.mps import recommended_max_memory as recommended_max_memory
from rushlight.mps import synchronize as synchronize
from rushlight.utils._absent import refused_by as refused_by
from rushlight.utils._no_device import device_count as device_count
from rushlight.utils._no_device import is_available as is_available
from rushlight.utils._no_device import manual_seed as manual_seed
from rushlight.utils._no_device import seed as seed

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.mps import current_allocated_memory as current_allocated_memory
from rushlight.mps import device_count as device_count
from rushlight.mps import driver_allocated_memory as driver_allocated_memory
from rushlight.mps import empty_cache as empty_cache
from rushlight.mps import is_available as is_available
from rushlight.mps import manual_seed as manual_seed
from rushlight.mps import recommended_max_memory as recommended_max_memory
from rushlight.mps import seed as seed
from rushlight.mps import synchronize as synchronize

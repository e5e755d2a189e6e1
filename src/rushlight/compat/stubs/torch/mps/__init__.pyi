# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.mps import (
    current_allocated_memory as current_allocated_memory, device_count as device_count,
    driver_allocated_memory as driver_allocated_memory, empty_cache as empty_cache, is_available as is_available,
    manual_seed as manual_seed, recommended_max_memory as recommended_max_memory, seed as seed, synchronize as synchronize,
)

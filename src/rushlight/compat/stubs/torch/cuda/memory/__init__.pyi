# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.cuda import max_memory_cached as max_memory_cached
from rushlight.cuda import mem_get_info as mem_get_info
from rushlight.cuda import memory_cached as memory_cached
from rushlight.cuda import memory_snapshot as memory_snapshot
from rushlight.cuda import memory_summary as memory_summary
from rushlight.cuda import reset_accumulated_memory_stats as reset_accumulated_memory_stats
from rushlight.cuda import reset_max_memory_allocated as reset_max_memory_allocated
from rushlight.cuda import reset_max_memory_cached as reset_max_memory_cached
from rushlight.cuda import set_per_process_memory_fraction as set_per_process_memory_fraction
from rushlight.utils._no_device import empty_cache as empty_cache
from rushlight.utils._no_device import max_memory_allocated as max_memory_allocated
from rushlight.utils._no_device import max_memory_reserved as max_memory_reserved
from rushlight.utils._no_device import memory_allocated as memory_allocated
from rushlight.utils._no_device import memory_reserved as memory_reserved
from rushlight.utils._no_device import memory_stats as memory_stats
from rushlight.utils._no_device import reset_peak_memory_stats as reset_peak_memory_stats

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.utils._absent import absent_names as absent_names
from rushlight.utils._no_device import device_count as device_count
from rushlight.utils._no_device import empty_cache as empty_cache
from rushlight.utils._no_device import get_rng_state_all as get_rng_state_all
from rushlight.utils._no_device import is_available as is_available
from rushlight.utils._no_device import is_bf16_supported as is_bf16_supported
from rushlight.utils._no_device import is_current_stream_capturing as is_current_stream_capturing
from rushlight.utils._no_device import is_initialized as is_initialized
from rushlight.utils._no_device import manual_seed as manual_seed
from rushlight.utils._no_device import manual_seed_all as manual_seed_all
from rushlight.utils._no_device import max_memory_allocated as max_memory_allocated
from rushlight.utils._no_device import max_memory_reserved as max_memory_reserved
from rushlight.utils._no_device import memory_allocated as memory_allocated
from rushlight.utils._no_device import memory_reserved as memory_reserved
from rushlight.utils._no_device import memory_stats as memory_stats
from rushlight.utils._no_device import reset_peak_memory_stats as reset_peak_memory_stats
from rushlight.utils._no_device import seed as seed
from rushlight.utils._no_device import seed_all as seed_all

class Event(_Made): ...
class Stream(_Made): ...
current_device: _Function
current_stream: _Function
class device(_Made): ...
get_device_capability: _Function
get_device_name: _Function
get_device_properties: _Function
get_rng_state: _Function
init: _Function
mem_get_info: _Function
set_device: _Function
set_rng_state: _Function
set_rng_state_all: _Function
class stream(_Made): ...
synchronize: _Function

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
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
from typing import Any

class Event:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class Stream:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
current_device: Callable[..., Any]
current_stream: Callable[..., Any]
class device:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
get_device_capability: Callable[..., Any]
get_device_name: Callable[..., Any]
get_device_properties: Callable[..., Any]
get_rng_state: Callable[..., Any]
init: Callable[..., Any]
mem_get_info: Callable[..., Any]
set_device: Callable[..., Any]
set_rng_state: Callable[..., Any]
set_rng_state_all: Callable[..., Any]
class stream:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
synchronize: Callable[..., Any]

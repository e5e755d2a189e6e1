# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp.autocast_mode import (
    FLOAT32 as FLOAT32, LOWER as LOWER, _State as _State, autocast as autocast, clear_autocast_cache as clear_autocast_cache,
    custom_bwd as custom_bwd, custom_fwd as custom_fwd, get_autocast_cpu_dtype as get_autocast_cpu_dtype,
    get_autocast_dtype as get_autocast_dtype, get_autocast_gpu_dtype as get_autocast_gpu_dtype,
    is_autocast_available as is_autocast_available, is_autocast_cache_enabled as is_autocast_cache_enabled,
    is_autocast_cpu_enabled as is_autocast_cpu_enabled, is_autocast_enabled as is_autocast_enabled,
    set_autocast_cache_enabled as set_autocast_cache_enabled, set_autocast_dtype as set_autocast_dtype,
    set_autocast_enabled as set_autocast_enabled, snapshot as snapshot,
)
from rushlight.core.places import device as device
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils._checks import check_argument as check_argument

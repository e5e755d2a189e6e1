# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp.autocast_mode import FLOAT32 as FLOAT32
from rushlight.amp.autocast_mode import LOWER as LOWER
from rushlight.amp.autocast_mode import _State as _State
from rushlight.amp.autocast_mode import autocast as autocast
from rushlight.amp.autocast_mode import clear_autocast_cache as clear_autocast_cache
from rushlight.amp.autocast_mode import custom_bwd as custom_bwd
from rushlight.amp.autocast_mode import custom_fwd as custom_fwd
from rushlight.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from rushlight.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from rushlight.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from rushlight.amp.autocast_mode import in_force as in_force
from rushlight.amp.autocast_mode import is_autocast_available as is_autocast_available
from rushlight.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from rushlight.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from rushlight.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from rushlight.amp.autocast_mode import keep_cast as keep_cast
from rushlight.amp.autocast_mode import kept_casts as kept_casts
from rushlight.amp.autocast_mode import left_out as left_out
from rushlight.amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled
from rushlight.amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
from rushlight.amp.autocast_mode import set_autocast_enabled as set_autocast_enabled
from rushlight.amp.autocast_mode import snapshot as snapshot
from rushlight.amp.autocast_mode import state_in_force as state_in_force
from rushlight.core.devices import device as device
from rushlight.core.tensor import Tensor as Tensor

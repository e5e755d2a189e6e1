"""The names of `torch.xpu` that portable programs use to ask whether there is such a device: there is none here."""

from __future__ import annotations

from rushlight.utils import _no_device
from rushlight.utils._absent import absent_names
from rushlight.utils._no_device import *  # noqa: F403

_CLASSES = ("Event", "Stream", "device", "stream")
_CALLS = (
    "current_device",
    "current_stream",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "init",
    "mem_get_info",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "synchronize",
)
globals().update(
    absent_names(__name__, "there is no XPU device; ask xpu.is_available() first", _CLASSES, _CALLS, AssertionError)
)
__all__ = [*_CLASSES, *_CALLS]
__all__ += _no_device.__all__

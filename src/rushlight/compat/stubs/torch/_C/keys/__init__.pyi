# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._C.keys import (
    DispatchKeySet as DispatchKeySet, _AutoDispatchBelowAutograd as _AutoDispatchBelowAutograd, _BACKENDS as _BACKENDS,
    _ExcludeDispatchKeyGuard as _ExcludeDispatchKeyGuard, _NAMES as _NAMES,
)
from torch import DispatchKey as DispatchKey

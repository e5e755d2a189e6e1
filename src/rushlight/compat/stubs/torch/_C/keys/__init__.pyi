# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._C.keys import DispatchKeySet as DispatchKeySet
from rushlight._C.keys import _AutoDispatchBelowAutograd as _AutoDispatchBelowAutograd
from rushlight._C.keys import _BACKENDS as _BACKENDS
from rushlight._C.keys import _ExcludeDispatchKeyGuard as _ExcludeDispatchKeyGuard
from rushlight._C.keys import _NAMES as _NAMES
from torch import DispatchKey as DispatchKey

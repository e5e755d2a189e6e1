# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.hooks import (
    BackwardHook as BackwardHook, RemovableHandle as RemovableHandle, _Side as _Side, unserializable_hook as unserializable_hook,
    warn_if_has_hooks as warn_if_has_hooks,
)

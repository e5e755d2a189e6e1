# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.hooks import BackwardHook as BackwardHook
from rushlight.utils.hooks import RemovableHandle as RemovableHandle
from rushlight.utils.hooks import _Side as _Side
from rushlight.utils.hooks import unserializable_hook as unserializable_hook
from rushlight.utils.hooks import warn_if_has_hooks as warn_if_has_hooks

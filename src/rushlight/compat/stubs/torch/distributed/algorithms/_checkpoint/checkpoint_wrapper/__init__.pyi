# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made

class CheckpointImpl(_Made): ...
class CheckpointWrapper(_Made): ...
apply_activation_checkpointing: _Function
checkpoint_wrapper: _Function

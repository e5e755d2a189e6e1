# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made

class DefaultLoadPlanner(_Made): ...
class DefaultSavePlanner(_Made): ...
class FileSystemReader(_Made): ...
class FileSystemWriter(_Made): ...
async_save: _Function
load: _Function
load_state_dict: _Function
save: _Function
save_state_dict: _Function

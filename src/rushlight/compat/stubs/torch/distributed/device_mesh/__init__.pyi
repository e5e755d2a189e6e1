# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.distributed._lacking import lacking as lacking

class DeviceMesh(_Made): ...
init_device_mesh: _Function

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.operators.tensors._dlpack import DLDeviceType as DLDeviceType
from rushlight.utils.dlpack import from_dlpack as from_dlpack
from rushlight.utils.dlpack import to_dlpack as to_dlpack

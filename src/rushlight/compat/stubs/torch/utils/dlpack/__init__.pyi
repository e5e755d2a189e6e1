# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.dlpack import DLDeviceType as DLDeviceType, from_dlpack as from_dlpack, to_dlpack as to_dlpack

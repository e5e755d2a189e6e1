# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp._by_device import CudaAutocast as _of_autocast
from rushlight.amp._by_device import cuda_custom_bwd as _of_custom_bwd
from rushlight.amp._by_device import cuda_custom_fwd as _of_custom_fwd

autocast = _of_autocast
custom_bwd = _of_custom_bwd
custom_fwd = _of_custom_fwd

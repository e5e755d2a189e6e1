# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.attention import SDPBackend as SDPBackend
from rushlight.nn.attention import sdpa_kernel as sdpa_kernel

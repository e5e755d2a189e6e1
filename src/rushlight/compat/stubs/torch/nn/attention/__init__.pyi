# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.attention import SDPBackend as SDPBackend, sdpa_kernel as sdpa_kernel

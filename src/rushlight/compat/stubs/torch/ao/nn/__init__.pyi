# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.ao.nn import quantized as quantized

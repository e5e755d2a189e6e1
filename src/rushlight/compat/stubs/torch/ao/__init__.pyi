# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.ao import nn as nn
from torch.ao import quantization as quantization

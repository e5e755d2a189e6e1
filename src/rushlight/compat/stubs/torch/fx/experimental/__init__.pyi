# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.fx.experimental import symbolic_shapes as symbolic_shapes

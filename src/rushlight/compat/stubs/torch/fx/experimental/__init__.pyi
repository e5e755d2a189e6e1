# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.fx.experimental import functional_calls as functional_calls
from torch.fx.experimental import proxy_tensor as proxy_tensor
from torch.fx.experimental import symbolic_shapes as symbolic_shapes

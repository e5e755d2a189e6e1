# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.fx.passes import infra as infra, shape_prop as shape_prop, split_module as split_module, utils as utils

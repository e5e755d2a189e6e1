# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.fx.passes import (
    infra as infra, operator_support as operator_support, shape_prop as shape_prop, split_module as split_module,
    tools_common as tools_common, utils as utils,
)

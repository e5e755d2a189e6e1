# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.fx.passes import infra as infra
from torch.fx.passes import operator_support as operator_support
from torch.fx.passes import shape_prop as shape_prop
from torch.fx.passes import split_module as split_module
from torch.fx.passes import tools_common as tools_common
from torch.fx.passes import utils as utils

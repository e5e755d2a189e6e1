# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.immutable_collections import immutable_dict as immutable_dict
from rushlight.fx.immutable_collections import immutable_list as immutable_list
from torch.func import tree as tree

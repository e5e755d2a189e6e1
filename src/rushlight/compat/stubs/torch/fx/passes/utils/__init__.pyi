# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.fx.passes.utils import fuser_utils as fuser_utils

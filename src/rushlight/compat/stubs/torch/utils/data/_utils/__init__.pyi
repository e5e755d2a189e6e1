# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.utils.data._utils import collate as collate

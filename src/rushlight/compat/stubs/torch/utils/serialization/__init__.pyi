# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.utils.serialization import config as config

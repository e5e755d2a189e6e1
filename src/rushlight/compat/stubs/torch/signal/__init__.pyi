# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.signal import windows as windows

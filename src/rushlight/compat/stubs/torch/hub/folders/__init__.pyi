# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.hub.folders import get_dir as get_dir
from rushlight.hub.folders import set_dir as set_dir

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat.version import TorchVersion as TorchVersion

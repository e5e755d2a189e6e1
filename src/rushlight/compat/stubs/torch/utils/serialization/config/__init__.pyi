# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.serialization.config import load as load, patch as patch, save as save

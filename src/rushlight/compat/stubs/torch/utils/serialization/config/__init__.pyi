# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.serialization.config import load as load
from rushlight.utils.serialization.config import patch as patch
from rushlight.utils.serialization.config import save as save

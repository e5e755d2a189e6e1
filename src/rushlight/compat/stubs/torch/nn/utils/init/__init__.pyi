# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.utils.init import skip_init as skip_init

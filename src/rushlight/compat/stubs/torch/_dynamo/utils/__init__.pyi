# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.utils import is_compile_supported as is_compile_supported

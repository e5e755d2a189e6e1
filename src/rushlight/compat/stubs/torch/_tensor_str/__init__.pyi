# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.inspection.printing import PRINT_OPTS as PRINT_OPTS, _tensor_str as _tensor_str, set_printoptions as set_printoptions

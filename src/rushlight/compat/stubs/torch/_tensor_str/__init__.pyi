# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.inspection.printing import PRINT_OPTS as PRINT_OPTS
from rushlight.inspection.printing import _add_suffixes as _add_suffixes
from rushlight.inspection.printing import _str_intern as _str_intern
from rushlight.inspection.printing import _tensor_str as _tensor_str
from rushlight.inspection.printing import get_printoptions as get_printoptions
from rushlight.inspection.printing import printoptions as printoptions
from rushlight.inspection.printing import set_printoptions as set_printoptions

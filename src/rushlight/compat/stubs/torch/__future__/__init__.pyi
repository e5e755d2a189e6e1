# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.__future__ import (
    _refuse as _refuse, get_overwrite_module_params_on_conversion as get_overwrite_module_params_on_conversion,
    get_swap_module_params_on_conversion as get_swap_module_params_on_conversion,
    set_overwrite_module_params_on_conversion as set_overwrite_module_params_on_conversion,
    set_swap_module_params_on_conversion as set_swap_module_params_on_conversion,
)

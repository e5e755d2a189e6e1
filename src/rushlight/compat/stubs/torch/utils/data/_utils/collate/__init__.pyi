# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data._utils.collate import np_str_obj_array_pattern as np_str_obj_array_pattern
from rushlight.utils.data.collate import (
    collate as collate, collate_float_fn as collate_float_fn, collate_int_fn as collate_int_fn, collate_str_fn as collate_str_fn,
    collate_tensor_fn as collate_tensor_fn, default_collate as default_collate, default_collate_fn_map as default_collate_fn_map,
    default_convert as default_convert,
)

"""How samples become a batch, where PyTorch has it."""

from __future__ import annotations

import re

from rushlight.utils.data.collate import (
    collate,
    collate_float_fn,
    collate_int_fn,
    collate_str_fn,
    collate_tensor_fn,
    default_collate,
    default_collate_fn_map,
    default_convert,
)

__all__ = [
    "collate",
    "collate_float_fn",
    "collate_int_fn",
    "collate_str_fn",
    "collate_tensor_fn",
    "default_collate",
    "default_collate_fn_map",
    "default_convert",
    "np_str_obj_array_pattern",
]

# The kinds of NumPy's dtypes whose elements are no numbers: programs look for them before they make tensors.
np_str_obj_array_pattern = re.compile(r"[SaUO]")

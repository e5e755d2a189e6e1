# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.data.collate import collate as collate
from rushlight.utils.data.collate import collate_float_fn as collate_float_fn
from rushlight.utils.data.collate import collate_int_fn as collate_int_fn
from rushlight.utils.data.collate import collate_str_fn as collate_str_fn
from rushlight.utils.data.collate import collate_tensor_fn as collate_tensor_fn
from rushlight.utils.data.collate import default_collate as default_collate
from rushlight.utils.data.collate import default_collate_fn_map as default_collate_fn_map
from rushlight.utils.data.collate import default_convert as default_convert

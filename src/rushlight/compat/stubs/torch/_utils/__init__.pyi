# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._utils import _element_size as _element_size
from rushlight._utils import _flatten_dense_tensors as _flatten_dense_tensors
from rushlight._utils import _get_device_index as _get_device_index
from rushlight._utils import _import_dotted_name as _import_dotted_name
from rushlight._utils import _take_tensors as _take_tensors
from rushlight._utils import _unflatten_dense_tensors as _unflatten_dense_tensors
from rushlight.compat.rebuild import rebuild_parameter as _of__rebuild_parameter
from rushlight.compat.rebuild import rebuild_tensor_v2 as _of__rebuild_tensor_v2
from rushlight.core.tensor import Tensor as Tensor

_rebuild_parameter = _of__rebuild_parameter
_rebuild_tensor_v2 = _of__rebuild_tensor_v2

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat.rebuild import rebuild_from_type_v2 as _of__rebuild_from_type_v2
from rushlight.core.tensor import Tensor as Tensor

_rebuild_from_type_v2 = _of__rebuild_from_type_v2

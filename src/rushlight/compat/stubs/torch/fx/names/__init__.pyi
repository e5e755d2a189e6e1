# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.names import (
    Namespace as Namespace, module_of as module_of, operator_name as operator_name, qualified_name as qualified_name,
    type_name as type_name,
)

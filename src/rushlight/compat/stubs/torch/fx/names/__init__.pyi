# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.names import Namespace as Namespace
from rushlight.fx.names import module_of as module_of
from rushlight.fx.names import operator_name as operator_name
from rushlight.fx.names import qualified_name as qualified_name
from rushlight.fx.names import type_name as type_name

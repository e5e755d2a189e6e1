# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.dtypes import dtype as dtype
from rushlight.fx.names import operator_name as operator_name
from rushlight.fx.names import qualified_name as qualified_name
from rushlight.fx.operator_schemas import ArgsKwargsPair as ArgsKwargsPair
from rushlight.fx.operator_schemas import check_for_mutable_operation as check_for_mutable_operation
from rushlight.fx.operator_schemas import create_type_hint as create_type_hint
from rushlight.fx.operator_schemas import get_signature_for_torch_op as get_signature_for_torch_op
from rushlight.fx.operator_schemas import normalize_function as normalize_function
from rushlight.fx.operator_schemas import normalize_module as normalize_module
from rushlight.fx.operator_schemas import type_matches as type_matches
from rushlight.fx.overloads import parameter_lists as parameter_lists
from rushlight.nn.modules.module import Module as Module

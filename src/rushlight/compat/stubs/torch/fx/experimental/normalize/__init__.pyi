# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.experimental.normalize import NormalizeArgs as NormalizeArgs
from rushlight.fx.experimental.normalize import NormalizeOperators as NormalizeOperators
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.interpreter import Transformer as Transformer
from rushlight.fx.node import Argument as Argument
from rushlight.fx.node import Node as Node
from rushlight.fx.node import Target as Target
from rushlight.fx.node import map_aggregate as map_aggregate
from rushlight.fx.operator_schemas import create_type_hint as create_type_hint
from rushlight.fx.operator_schemas import normalize_function as normalize_function
from rushlight.fx.operator_schemas import normalize_module as normalize_module
from rushlight.fx.proxy import Proxy as Proxy

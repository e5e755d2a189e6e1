# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.immutable_collections import immutable_dict as immutable_dict
from rushlight.fx.immutable_collections import immutable_list as immutable_list
from rushlight.fx.names import qualified_name as qualified_name
from rushlight.fx.names import type_name as type_name
from rushlight.fx.node import AUGMENTED as AUGMENTED
from rushlight.fx.node import Argument as Argument
from rushlight.fx.node import INFIX as INFIX
from rushlight.fx.node import Node as Node
from rushlight.fx.node import OPCODES as OPCODES
from rushlight.fx.node import Target as Target
from rushlight.fx.node import has_side_effect as has_side_effect
from rushlight.fx.node import map_aggregate as map_aggregate
from rushlight.fx.node import map_arg as map_arg
from rushlight.fx.node import nodes_in as nodes_in
from rushlight.fx.node import text_of as text_of
from rushlight.nn.modules.module import Module as Module

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.immutable_collections import immutable_dict as immutable_dict, immutable_list as immutable_list
from rushlight.fx.names import qualified_name as qualified_name, type_name as type_name
from rushlight.fx.node import (
    AUGMENTED as AUGMENTED, Argument as Argument, INFIX as INFIX, Node as Node, OPCODES as OPCODES, Target as Target,
    has_side_effect as has_side_effect, map_aggregate as map_aggregate, map_arg as map_arg, nodes_in as nodes_in,
    text_of as text_of,
)

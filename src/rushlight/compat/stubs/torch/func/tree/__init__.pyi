# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import DICTS as DICTS
from rushlight.func.tree import GetAttrKey as GetAttrKey
from rushlight.func.tree import LEAF as LEAF
from rushlight.func.tree import MappingKey as MappingKey
from rushlight.func.tree import NODES as NODES
from rushlight.func.tree import Node as Node
from rushlight.func.tree import SequenceKey as SequenceKey
from rushlight.func.tree import Spec as Spec
from rushlight.func.tree import _Key as _Key
from rushlight.func.tree import broadcast_prefix as broadcast_prefix
from rushlight.func.tree import flatten as flatten
from rushlight.func.tree import is_namedtuple_class as is_namedtuple_class
from rushlight.func.tree import keys_of as keys_of
from rushlight.func.tree import leaf_of_result as leaf_of_result
from rushlight.func.tree import node_type as node_type
from rushlight.func.tree import register as register
from rushlight.func.tree import tree_map as tree_map

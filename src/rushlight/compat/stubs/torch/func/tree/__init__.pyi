# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.places import Size as Size
from rushlight.func.tree import (
    DICTS as DICTS, GetAttrKey as GetAttrKey, LEAF as LEAF, MappingKey as MappingKey, NODES as NODES, Node as Node,
    SequenceKey as SequenceKey, Spec as Spec, _Key as _Key, broadcast_prefix as broadcast_prefix, flatten as flatten,
    is_namedtuple_class as is_namedtuple_class, keys_of as keys_of, node_type as node_type, register as register,
    tree_map as tree_map,
)

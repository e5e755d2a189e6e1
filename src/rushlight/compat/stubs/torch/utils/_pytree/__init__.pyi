# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from rushlight.func.tree import DICTS as _of_STANDARD_DICT_TYPES
from rushlight.func.tree import GetAttrKey as GetAttrKey
from rushlight.func.tree import LEAF as LEAF
from rushlight.func.tree import MappingKey as MappingKey
from rushlight.func.tree import NODES as _of_SUPPORTED_NODES
from rushlight.func.tree import Node as _of_NodeDef
from rushlight.func.tree import SequenceKey as SequenceKey
from rushlight.func.tree import Spec as _of_PyTreeSpec
from rushlight.func.tree import Spec as _of_TreeSpec
from rushlight.func.tree import flatten as flatten
from rushlight.func.tree import is_namedtuple_class as is_namedtuple_class
from rushlight.func.tree import node_type as _of__get_node_type
from rushlight.func.tree import tree_map as tree_map
from rushlight.utils._pytree import BUILTIN_TYPES as BUILTIN_TYPES
from rushlight.utils._pytree import Context as Context
from rushlight.utils._pytree import DumpableContext as DumpableContext
from rushlight.utils._pytree import FlattenFn as FlattenFn
from rushlight.utils._pytree import FlattenFunc as FlattenFunc
from rushlight.utils._pytree import FromDumpableContextFn as FromDumpableContextFn
from rushlight.utils._pytree import IsLeaf as IsLeaf
from rushlight.utils._pytree import KeyEntry as KeyEntry
from rushlight.utils._pytree import KeyPath as KeyPath
from rushlight.utils._pytree import LeafSpec as LeafSpec
from rushlight.utils._pytree import PyTree as PyTree
from rushlight.utils._pytree import SUPPORTED_SERIALIZED_TYPES as SUPPORTED_SERIALIZED_TYPES
from rushlight.utils._pytree import ToDumpableContextFn as ToDumpableContextFn
from rushlight.utils._pytree import UnflattenFn as UnflattenFn
from rushlight.utils._pytree import UnflattenFunc as UnflattenFunc
from rushlight.utils._pytree import _Asterisk as _Asterisk
from rushlight.utils._pytree import _Dump as _Dump
from rushlight.utils._pytree import _LeafMeta as _LeafMeta
from rushlight.utils._pytree import _VERSION as _VERSION
from rushlight.utils._pytree import _broadcast_to_and_flatten as _broadcast_to_and_flatten
from rushlight.utils._pytree import _by_dumped_name as _by_dumped_name
from rushlight.utils._pytree import _chooser as _chooser
from rushlight.utils._pytree import _constants as _constants
from rushlight.utils._pytree import _defaultdict_flatten as _defaultdict_flatten
from rushlight.utils._pytree import _defaultdict_flatten_with_keys as _defaultdict_flatten_with_keys
from rushlight.utils._pytree import _defaultdict_unflatten as _defaultdict_unflatten
from rushlight.utils._pytree import _defaults_from_json as _defaults_from_json
from rushlight.utils._pytree import _defaults_to_json as _defaults_to_json
from rushlight.utils._pytree import _deque_flatten as _deque_flatten
from rushlight.utils._pytree import _deque_flatten_with_keys as _deque_flatten_with_keys
from rushlight.utils._pytree import _deque_unflatten as _deque_unflatten
from rushlight.utils._pytree import _deregister_pytree_node as _deregister_pytree_node
from rushlight.utils._pytree import _dict_flatten as _dict_flatten
from rushlight.utils._pytree import _dict_flatten_with_keys as _dict_flatten_with_keys
from rushlight.utils._pytree import _dict_unflatten as _dict_unflatten
from rushlight.utils._pytree import _dumps as _dumps
from rushlight.utils._pytree import _fields_from_json as _fields_from_json
from rushlight.utils._pytree import _fields_to_json as _fields_to_json
from rushlight.utils._pytree import _from_json as _from_json
from rushlight.utils._pytree import _is_leaf as _is_leaf
from rushlight.utils._pytree import _is_namedtuple_instance as _is_namedtuple_instance
from rushlight.utils._pytree import _let_dump as _let_dump
from rushlight.utils._pytree import _list_flatten as _list_flatten
from rushlight.utils._pytree import _list_flatten_with_keys as _list_flatten_with_keys
from rushlight.utils._pytree import _list_unflatten as _list_unflatten
from rushlight.utils._pytree import _named_tuples as _named_tuples
from rushlight.utils._pytree import _namedtuple_flatten as _namedtuple_flatten
from rushlight.utils._pytree import _namedtuple_flatten_with_keys as _namedtuple_flatten_with_keys
from rushlight.utils._pytree import _namedtuple_unflatten as _namedtuple_unflatten
from rushlight.utils._pytree import _odict_flatten as _odict_flatten
from rushlight.utils._pytree import _odict_unflatten as _odict_unflatten
from rushlight.utils._pytree import _ordereddict_flatten as _ordereddict_flatten
from rushlight.utils._pytree import _ordereddict_flatten_with_keys as _ordereddict_flatten_with_keys
from rushlight.utils._pytree import _ordereddict_unflatten as _ordereddict_unflatten
from rushlight.utils._pytree import _register_namedtuple as _register_namedtuple
from rushlight.utils._pytree import _register_pytree_node as _register_pytree_node
from rushlight.utils._pytree import _to_json as _to_json
from rushlight.utils._pytree import _tuple_flatten as _tuple_flatten
from rushlight.utils._pytree import _tuple_flatten_with_keys as _tuple_flatten_with_keys
from rushlight.utils._pytree import _tuple_unflatten as _tuple_unflatten
from rushlight.utils._pytree import _with_paths as _with_paths
from rushlight.utils._pytree import arg_tree_leaves as arg_tree_leaves
from rushlight.utils._pytree import is_constant_class as is_constant_class
from rushlight.utils._pytree import is_namedtuple as is_namedtuple
from rushlight.utils._pytree import is_namedtuple_instance as is_namedtuple_instance
from rushlight.utils._pytree import is_structseq as is_structseq
from rushlight.utils._pytree import is_structseq_class as is_structseq_class
from rushlight.utils._pytree import is_structseq_instance as is_structseq_instance
from rushlight.utils._pytree import key_get as key_get
from rushlight.utils._pytree import keystr as keystr
from rushlight.utils._pytree import map_only as map_only
from rushlight.utils._pytree import register_constant as register_constant
from rushlight.utils._pytree import register_dataclass as register_dataclass
from rushlight.utils._pytree import register_pytree_node as register_pytree_node
from rushlight.utils._pytree import tree_all as tree_all
from rushlight.utils._pytree import tree_all_only as tree_all_only
from rushlight.utils._pytree import tree_any as tree_any
from rushlight.utils._pytree import tree_any_only as tree_any_only
from rushlight.utils._pytree import tree_flatten as tree_flatten
from rushlight.utils._pytree import tree_flatten_with_path as tree_flatten_with_path
from rushlight.utils._pytree import tree_is_leaf as tree_is_leaf
from rushlight.utils._pytree import tree_iter as tree_iter
from rushlight.utils._pytree import tree_leaves as tree_leaves
from rushlight.utils._pytree import tree_leaves_with_path as tree_leaves_with_path
from rushlight.utils._pytree import tree_map_ as tree_map_
from rushlight.utils._pytree import tree_map_only as tree_map_only
from rushlight.utils._pytree import tree_map_only_ as tree_map_only_
from rushlight.utils._pytree import tree_map_with_path as tree_map_with_path
from rushlight.utils._pytree import tree_structure as tree_structure
from rushlight.utils._pytree import tree_unflatten as tree_unflatten
from rushlight.utils._pytree import treespec_dict as treespec_dict
from rushlight.utils._pytree import treespec_dumps as treespec_dumps
from rushlight.utils._pytree import treespec_leaf as treespec_leaf
from rushlight.utils._pytree import treespec_list as treespec_list
from rushlight.utils._pytree import treespec_loads as treespec_loads
from rushlight.utils._pytree import treespec_pprint as treespec_pprint
from rushlight.utils._pytree import treespec_tuple as treespec_tuple
from torch.func import tree as _of__tree
from typing import Any

NodeDef = _of_NodeDef
PyTreeSpec = _of_PyTreeSpec
STANDARD_DICT_TYPES = _of_STANDARD_DICT_TYPES
SUPPORTED_NODES = _of_SUPPORTED_NODES
TreeSpec = _of_TreeSpec
_get_node_type = _of__get_node_type
_kind: Callable[..., Any]
_tree = _of__tree

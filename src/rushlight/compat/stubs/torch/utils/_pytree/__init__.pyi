# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from rushlight.func.tree import (
    GetAttrKey as GetAttrKey, LEAF as LEAF, MappingKey as MappingKey, Node as _of_NodeDef, Spec as _of_PyTreeSpec,
    DICTS as _of_STANDARD_DICT_TYPES, NODES as _of_SUPPORTED_NODES, SequenceKey as SequenceKey, Spec as _of_TreeSpec,
    node_type as _of__get_node_type, flatten as flatten, is_namedtuple_class as is_namedtuple_class, tree_map as tree_map,
)
from rushlight.utils._pytree import (
    BUILTIN_TYPES as BUILTIN_TYPES, Context as Context, DumpableContext as DumpableContext, FlattenFn as FlattenFn,
    FlattenFunc as FlattenFunc, FromDumpableContextFn as FromDumpableContextFn, IsLeaf as IsLeaf, KeyEntry as KeyEntry,
    KeyPath as KeyPath, LeafSpec as LeafSpec, PyTree as PyTree, SUPPORTED_SERIALIZED_TYPES as SUPPORTED_SERIALIZED_TYPES,
    ToDumpableContextFn as ToDumpableContextFn, UnflattenFn as UnflattenFn, UnflattenFunc as UnflattenFunc,
    _Asterisk as _Asterisk, _Dump as _Dump, _LeafMeta as _LeafMeta, _VERSION as _VERSION,
    _broadcast_to_and_flatten as _broadcast_to_and_flatten, _by_dumped_name as _by_dumped_name, _chooser as _chooser,
    _constants as _constants, _defaultdict_flatten as _defaultdict_flatten,
    _defaultdict_flatten_with_keys as _defaultdict_flatten_with_keys, _defaultdict_unflatten as _defaultdict_unflatten,
    _defaults_from_json as _defaults_from_json, _defaults_to_json as _defaults_to_json, _deque_flatten as _deque_flatten,
    _deque_flatten_with_keys as _deque_flatten_with_keys, _deque_unflatten as _deque_unflatten,
    _deregister_pytree_node as _deregister_pytree_node, _dict_flatten as _dict_flatten,
    _dict_flatten_with_keys as _dict_flatten_with_keys, _dict_unflatten as _dict_unflatten, _dumps as _dumps,
    _fields_from_json as _fields_from_json, _fields_to_json as _fields_to_json, _from_json as _from_json, _is_leaf as _is_leaf,
    _is_namedtuple_instance as _is_namedtuple_instance, _let_dump as _let_dump, _list_flatten as _list_flatten,
    _list_flatten_with_keys as _list_flatten_with_keys, _list_unflatten as _list_unflatten, _named_tuples as _named_tuples,
    _namedtuple_flatten as _namedtuple_flatten, _namedtuple_flatten_with_keys as _namedtuple_flatten_with_keys,
    _namedtuple_unflatten as _namedtuple_unflatten, _odict_flatten as _odict_flatten, _odict_unflatten as _odict_unflatten,
    _ordereddict_flatten as _ordereddict_flatten, _ordereddict_flatten_with_keys as _ordereddict_flatten_with_keys,
    _ordereddict_unflatten as _ordereddict_unflatten, _register_namedtuple as _register_namedtuple,
    _register_pytree_node as _register_pytree_node, _to_json as _to_json, _tuple_flatten as _tuple_flatten,
    _tuple_flatten_with_keys as _tuple_flatten_with_keys, _tuple_unflatten as _tuple_unflatten, _with_paths as _with_paths,
    arg_tree_leaves as arg_tree_leaves, is_constant_class as is_constant_class, is_namedtuple as is_namedtuple,
    is_namedtuple_instance as is_namedtuple_instance, is_structseq as is_structseq, is_structseq_class as is_structseq_class,
    is_structseq_instance as is_structseq_instance, key_get as key_get, keystr as keystr, map_only as map_only,
    register_constant as register_constant, register_dataclass as register_dataclass,
    register_pytree_node as register_pytree_node, tree_all as tree_all, tree_all_only as tree_all_only, tree_any as tree_any,
    tree_any_only as tree_any_only, tree_flatten as tree_flatten, tree_flatten_with_path as tree_flatten_with_path,
    tree_is_leaf as tree_is_leaf, tree_iter as tree_iter, tree_leaves as tree_leaves,
    tree_leaves_with_path as tree_leaves_with_path, tree_map_ as tree_map_, tree_map_only as tree_map_only,
    tree_map_only_ as tree_map_only_, tree_map_with_path as tree_map_with_path, tree_structure as tree_structure,
    tree_unflatten as tree_unflatten, treespec_dict as treespec_dict, treespec_dumps as treespec_dumps,
    treespec_leaf as treespec_leaf, treespec_list as treespec_list, treespec_loads as treespec_loads,
    treespec_pprint as treespec_pprint, treespec_tuple as treespec_tuple,
)
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

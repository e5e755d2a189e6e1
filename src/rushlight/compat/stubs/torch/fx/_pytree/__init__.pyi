# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.func.tree import Spec as Spec
from rushlight.fx._pytree import (
    FlattenFnExactMatchSpec as FlattenFnExactMatchSpec, FlattenFnSpec as FlattenFnSpec,
    FlattenFuncExactMatchSpec as FlattenFuncExactMatchSpec, FlattenFuncSpec as FlattenFuncSpec,
    SUPPORTED_NODES as SUPPORTED_NODES, SUPPORTED_NODES_EXACT_MATCH as SUPPORTED_NODES_EXACT_MATCH, _as_many as _as_many,
    _as_many_keys as _as_many_keys, _of_keys as _of_keys, _of_places as _of_places,
    register_pytree_flatten_spec as register_pytree_flatten_spec, tree_flatten_spec as tree_flatten_spec,
)

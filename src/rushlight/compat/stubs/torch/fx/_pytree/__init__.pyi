# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.func.tree import Spec as Spec
from rushlight.fx._pytree import FlattenFnExactMatchSpec as FlattenFnExactMatchSpec
from rushlight.fx._pytree import FlattenFnSpec as FlattenFnSpec
from rushlight.fx._pytree import FlattenFuncExactMatchSpec as FlattenFuncExactMatchSpec
from rushlight.fx._pytree import FlattenFuncSpec as FlattenFuncSpec
from rushlight.fx._pytree import SUPPORTED_NODES as SUPPORTED_NODES
from rushlight.fx._pytree import SUPPORTED_NODES_EXACT_MATCH as SUPPORTED_NODES_EXACT_MATCH
from rushlight.fx._pytree import _as_many as _as_many
from rushlight.fx._pytree import _as_many_keys as _as_many_keys
from rushlight.fx._pytree import _of_keys as _of_keys
from rushlight.fx._pytree import _of_places as _of_places
from rushlight.fx._pytree import register_pytree_flatten_spec as register_pytree_flatten_spec
from rushlight.fx._pytree import tree_flatten_spec as tree_flatten_spec

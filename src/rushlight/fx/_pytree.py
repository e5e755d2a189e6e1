"""Arguments of a generated function taken apart by the shape that they had while tracing: by its places and keys,
without a look at the types."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any, TypeAlias

from rushlight.func.tree import Spec

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]

FlattenFuncSpec: TypeAlias = Callable[[Any, Spec], list[Any]]
FlattenFnSpec: TypeAlias = FlattenFuncSpec
FlattenFuncExactMatchSpec: TypeAlias = Callable[[Any, Spec], bool]
FlattenFnExactMatchSpec: TypeAlias = FlattenFuncExactMatchSpec


def _of_keys(tree: Any, spec: Spec) -> list[Any]:
    return [tree[k] for k in spec.context]


def _of_places(tree: Any, spec: Spec) -> list[Any]:
    return [tree[i] for i in range(spec.num_children)]


def _as_many_keys(tree: Any, spec: Spec) -> bool:
    return len(tree) == len(spec.context)


def _as_many(tree: Any, spec: Spec) -> bool:
    return len(tree) == spec.num_children


SUPPORTED_NODES: dict[Any, FlattenFuncSpec] = {
    dict: _of_keys,
    OrderedDict: _of_keys,
    list: _of_places,
    tuple: _of_places,
    namedtuple: _of_places,
}
SUPPORTED_NODES_EXACT_MATCH: dict[Any, FlattenFuncExactMatchSpec | None] = {
    dict: _as_many_keys,
    OrderedDict: _as_many_keys,
    list: _as_many,
    tuple: _as_many,
    namedtuple: _as_many,
}


def register_pytree_flatten_spec(
    cls: Any, flatten_fn_spec: FlattenFuncSpec, flatten_fn_exact_match_spec: FlattenFuncExactMatchSpec | None = None
) -> None:
    """Let containers of a class stand among the arguments of a generated function: `flatten_fn_spec(tree, spec)` gives
    the children, `flatten_fn_exact_match_spec(tree, spec)` says whether there are no others."""
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def tree_flatten_spec(pytree: Any, spec: Spec, exact_structural_match: bool = False) -> list[Any]:
    """The parts of `pytree` that stand where `spec` has leaves.

    exact_structural_match: the lengths must be those of the spec.

    Raises:
        RuntimeError: for a class that is not registered.
    """
    if spec.is_leaf():
        return [pytree]
    take = SUPPORTED_NODES.get(spec.type)
    if take is None:
        raise RuntimeError(
            f"tree_flatten_spec(): containers of {spec.type} are not known here; let them be by "
            "torch.fx._pytree.register_pytree_flatten_spec"
        )
    matches = SUPPORTED_NODES_EXACT_MATCH.get(spec.type)
    if exact_structural_match and matches is not None and not matches(pytree, spec):
        raise RuntimeError(
            f"tree_flatten_spec(): the {spec.type.__name__} must have {spec.num_children} items; found {len(pytree)}"
        )
    return [
        leaf
        for child, part in zip(spec.children(), take(pytree, spec), strict=True)
        for leaf in tree_flatten_spec(part, child, exact_structural_match)
    ]

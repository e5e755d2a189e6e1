"""Nested containers as flat lists of leaves: the functions of PyTorch's `utils._pytree` that programs use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.func.tree import Spec as TreeSpec
from rushlight.func.tree import flatten, tree_map

__all__ = [
    "TreeSpec",
    "tree_all",
    "tree_any",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_map_only",
    "tree_structure",
    "tree_unflatten",
]


def tree_flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves of nested tuples, lists, dicts and named tuples, and the shape to put them back with."""
    return flatten(tree)


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The container of that shape with these leaves.

    Raises:
        TypeError: the second argument is no shape.
        ValueError: there are too many leaves, or too few.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"tree_unflatten(): treespec must be a TreeSpec, got {type(treespec).__name__}")
    leaves = list(leaves)
    if len(leaves) != treespec.n:
        raise ValueError(f"tree_unflatten(): 'leaves' must be {treespec.n}, for {treespec}; found {len(leaves)}")
    return treespec.rebuild(leaves)


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves, from left to right."""
    return flatten(tree)[0]


def tree_structure(tree: Any) -> TreeSpec:
    """The shape."""
    return flatten(tree)[1]


def tree_map_only(kind: Any, fn: Callable[[Any], Any], tree: Any) -> Any:
    """The container with the function applied to leaves of a type (or of several, or to which a predicate says yes)."""
    chosen = kind if callable(kind) and not isinstance(kind, type) else lambda x: isinstance(x, kind)
    return tree_map(lambda x: fn(x) if chosen(x) else x, tree)


def tree_all(predicate: Callable[[Any], bool], tree: Any) -> bool:
    """Whether a predicate holds for all leaves."""
    return all(map(predicate, tree_leaves(tree)))


def tree_any(predicate: Callable[[Any], bool], tree: Any) -> bool:
    """Whether a predicate holds for a leaf."""
    return any(map(predicate, tree_leaves(tree)))

"""Nested containers (tuples, lists, dicts, named tuples) as flat lists of leaves and back."""
from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from typing import Any


class Spec:
    """The shape of a nested container; `rebuild` puts leaves into it. A leaf has kind None."""

    __slots__ = ("children", "context", "kind", "n")

    def __init__(self, kind: type | None, context: Any, children: list[Spec]) -> None:
        self.kind, self.context, self.children = kind, context, children
        self.n: int = 1 if kind is None else sum(c.n for c in children)

    def rebuild(self, leaves: Sequence[Any]) -> Any:
        """The container with these leaves."""
        return self._take(iter(leaves))

    def _take(self, leaves: Any) -> Any:
        if self.kind is None:
            return next(leaves)
        parts = [c._take(leaves) for c in self.children]
        if self.context is None:
            return self.kind(parts)
        if self.context == "fields":
            return self.kind(*parts)
        keys, factory = self.context
        pairs = zip(keys, parts, strict=True)
        return self.kind(factory, pairs) if factory is not None else self.kind(pairs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self.kind is other.kind and self.context == other.context and self.children == other.children

    def __repr__(self) -> str:
        return "*" if self.kind is None else f"{self.kind.__name__}({', '.join(map(repr, self.children))})"

    __hash__ = None  # type: ignore[assignment]


def flatten(tree: Any) -> tuple[list[Any], Spec]:
    """The leaves of a nested container, left to right, and its shape. Anything that is no container is a leaf, None too."""
    leaves: list[Any] = []
    return leaves, _walk(tree, leaves)


def _walk(x: Any, leaves: list[Any]) -> Spec:
    kind = type(x)
    if kind in (tuple, list):
        return Spec(kind, None, [_walk(v, leaves) for v in x])
    if kind in (dict, OrderedDict, defaultdict):
        return Spec(kind, (tuple(x), x.default_factory if kind is defaultdict else None), [_walk(v, leaves) for v in x.values()])
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return Spec(kind, "fields", [_walk(v, leaves) for v in x])
    leaves.append(x)
    return Spec(None, None, [])


def tree_map(fn: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The container with `fn` applied to corresponding leaves."""
    leaves, spec = flatten(tree)
    rest = [flatten(o)[0] for o in others]
    return spec.rebuild([fn(*vs) for vs in zip(leaves, *rest, strict=True)])


def broadcast_prefix(prefix: Any, spec: Spec, is_leaf: Callable[[Any], bool] = lambda x: x is None or isinstance(x, int)) -> list[Any] | None:
    """One entry per leaf of `spec` from a container that is a prefix of it; None when it is not."""
    if spec.kind is None or is_leaf(prefix):
        return [prefix] * spec.n if is_leaf(prefix) else None
    leaves: list[Any] = []
    if isinstance(prefix, dict) and spec.context not in (None, "fields"):
        if set(prefix) != set(spec.context[0]):
            return None
        parts: Any = [prefix[k] for k in spec.context[0]]
    elif isinstance(prefix, (tuple, list)):
        parts = prefix
    else:
        return None
    if len(parts) != len(spec.children):
        return None
    for p, c in zip(parts, spec.children, strict=True):
        found = broadcast_prefix(p, c, is_leaf)
        if found is None:
            return None
        leaves += found
    return leaves

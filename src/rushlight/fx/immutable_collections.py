"""Lists and dicts that refuse to change: a node's arguments are read by the graph's bookkeeping of users."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.func import tree

__all__ = ["immutable_dict", "immutable_list"]


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(
        f"{type(self).__name__}: the arguments of a Node do not change in place; assign a changed copy to node.args "
        "or node.kwargs"
    )


class immutable_list(list):  # type: ignore[type-arg]
    """A list that raises TypeError when it would change."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = clear = extend = insert = pop = remove = reverse = (
        sort
    ) = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return immutable_list, (tuple(self),)


class immutable_dict(dict):  # type: ignore[type-arg]
    """A dict that raises TypeError when it would change."""

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return immutable_dict, (tuple(self.items()),)


def _with_places(x: list[Any]) -> tuple[list[tuple[Any, Any]], None]:
    return [(tree.SequenceKey(i), v) for i, v in enumerate(x)], None


def _with_keys(x: dict[Any, Any]) -> tuple[list[tuple[Any, Any]], list[Any]]:
    return [(tree.MappingKey(k), v) for k, v in x.items()], list(x)


tree.register(
    immutable_list, lambda x: (list(x), None), lambda children, context: immutable_list(children), _with_places
)
tree.register(
    immutable_dict,
    lambda x: (list(x.values()), list(x)),
    lambda children, context: immutable_dict(zip(context, children, strict=True)),
    _with_keys,
)

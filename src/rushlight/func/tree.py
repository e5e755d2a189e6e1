"""Nested containers as flat lists of leaves and back: the registry of container types and the shapes (`Spec`)."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rushlight.core.tensor import Size, Tensor


class Node(NamedTuple):
    """How containers of a type come apart: `flatten_fn` gives (children, context), `unflatten_fn` takes them."""

    type: type[Any]
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[Iterable[Any], Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None


NODES: dict[Any, Node] = {}  # by exact type; `namedtuple`, the function, stands for all named tuples
DICTS = frozenset((dict, OrderedDict, defaultdict))  # which may stand for one another where trees are compared


def leaf_of_result(leaf: Sequence[Any], values: Sequence[Tensor], given: Sequence[Tensor]) -> Any:
    """A leaf of what a recorded function returns.

    Args:
        leaf: ("value", k) or ("number", k): the k-th value, or its number; ("given", k); ("static", the leaf itself).
        values: what a call computed.
        given: the tensors that it was called with.
    """
    kind, x = leaf
    if kind == "value":
        return values[x]
    if kind == "given":
        return given[x]
    return values[x].item() if kind == "number" else x


def is_namedtuple_class(cls: object) -> bool:
    """Whether a class is one of named tuples."""
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


def node_type(tree: object) -> Any:
    """The key under which an object is looked up in NODES: its type, or `namedtuple`."""
    kind = type(tree)
    return namedtuple if kind not in NODES and is_namedtuple_class(kind) else kind


class Spec:
    """The shape of a nested container: a type, its context (what is not a child: a dict's keys, ...) and the children's
    shapes. A leaf has type None.
    """

    __slots__ = ("_children", "context", "num_children", "num_leaves", "num_nodes", "type")
    num_children: int
    num_leaves: int
    num_nodes: int

    def __init__(self, type: Any, context: Any, children_specs: Iterable[Spec]) -> None:
        self.type, self.context, self._children = type, context, list(children_specs)
        self.num_children = len(self._children)
        nodes, leaves = 1, 0
        for c in self._children:
            nodes += c.num_nodes
            leaves += c.num_leaves
        self.num_nodes, self.num_leaves = nodes, 1 if type is None else leaves

    def is_leaf(self) -> bool:
        """Whether this is the shape of a leaf."""
        return self.type is None

    def children(self) -> list[Spec]:
        """The children's shapes."""
        return list(self._children)

    def child(self, index: int) -> Spec:
        """One child's shape."""
        return self._children[index]

    @property
    def children_specs(self) -> list[Spec]:
        """The children's shapes."""
        return self._children

    def rebuild(self, leaves: Sequence[Any]) -> Any:
        """The container with these leaves, of which there are enough."""
        return self._take(iter(leaves))

    def _take(self, leaves: Iterator[Any]) -> Any:
        if self.type is None:
            return next(leaves)
        return NODES[self.type].unflatten_fn([c._take(leaves) for c in self._children], self.context)

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The container with these leaves.

        Raises:
            ValueError: there are too many or too few.
        """
        leaves = leaves if isinstance(leaves, (list, tuple)) else list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(f"tree_unflatten(): 'leaves' must be {self.num_leaves}, for {self}; found {len(leaves)}")
        return self.rebuild(leaves)

    def leaves_of_call(self, args: tuple[Any, ...], kwargs: dict[str, Any], adapter: Any = None) -> list[Any]:
        """The leaves of a call's arguments, for a shape of (args, kwargs).

        adapter: makes the leaves of arguments with other containers fit.

        Raises:
            ValueError: the arguments have other containers than those of this shape.
        """
        order = list(self.child(1).context)
        if set(kwargs) == set(order):
            kwargs = {k: kwargs[k] for k in order}
        leaves, found = flatten((args, kwargs))
        if found == self:
            return leaves
        if adapter is not None:
            return list(adapter.adapt(target_spec=self, input_spec=found, input_args=leaves))
        raise ValueError(
            "the program takes arguments of the containers, keys and number that it was exported for:\n"
            f"{self}\nfound\n{found}"
        )

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The parts of `tree` that stand where this shape has leaves.

        Raises:
            ValueError: the tree has another shape above them.
        """
        if self.type is None:
            return [tree]
        kind = node_type(tree)
        if kind is not self.type and not (kind in DICTS and self.type in DICTS):
            raise ValueError(f"Node type mismatch: the tree must have a {_shown(self.type)} here; found {_shown(kind)}")
        if kind in DICTS:
            keys = keys_of(self)
            if len(tree) != len(keys) or set(tree) != set(keys):
                raise ValueError(
                    f"Node keys mismatch: missing {sorted(map(repr, set(keys) - set(tree)))}, not expected "
                    f"{sorted(map(repr, set(tree) - set(keys)))}"
                )
            parts = [tree[k] for k in keys]
        else:
            parts, context = NODES[kind].flatten_fn(tree)
            if len(parts) != self.num_children:
                raise ValueError(
                    f"Node arity mismatch: the tree must have {self.num_children} children here; found {len(parts)}"
                )
            if kind is not deque and context != self.context:  # deques may differ in their greatest length
                raise ValueError(
                    f"Node context mismatch: the {_shown(kind)} must have {self.context!r}; found {context!r}"
                )
        return [leaf for child, part in zip(self._children, parts, strict=True) for leaf in child.flatten_up_to(part)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spec):
            return NotImplemented
        return self.type is other.type and self.context == other.context and self._children == other._children

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves, tuple(self._children)))

    def __repr__(self) -> str:
        return self._text(0)

    def _text(self, indent: int) -> str:
        if self.type is None:
            return "*"
        separator = ",\n" + " " * (indent + 2)
        return (
            f"TreeSpec({_shown(self.type)}, {self.context}, "
            f"[{separator.join(c._text(indent + 2) for c in self._children)}])"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Spec, (self.type, self.context, self._children)


def _shown(kind: object) -> str:
    return str(getattr(kind, "__name__", kind))


LEAF = Spec(None, None, [])


def keys_of(spec: Spec) -> list[Any]:
    """The keys of a dict's shape, in order."""
    return list(spec.context[1] if spec.type is defaultdict else spec.context)


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Spec]:
    """The leaves of a nested container, left to right, and its shape. An object of no registered type is a leaf, None
    too, and so is whatever `is_leaf` says is one.
    """
    leaves: list[Any] = []
    return leaves, _walk(tree, leaves, is_leaf)


def _walk(x: object, leaves: list[Any], is_leaf: Callable[[Any], bool] | None) -> Spec:
    kind = type(x)
    node = NODES.get(kind)
    if node is None and isinstance(x, tuple):
        kind = node_type(x)
        node = NODES.get(kind)
    if node is None or (is_leaf is not None and is_leaf(x)):
        leaves.append(x)
        return LEAF
    children, context = node.flatten_fn(x)
    return Spec(kind, context, [_walk(v, leaves, is_leaf) for v in children])


def tree_map(fn: Callable[..., Any], tree: Any, *others: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The container with `fn` applied to its leaves, each together with the parts at the same place of the other
    containers."""
    leaves, spec = flatten(tree, is_leaf)
    rest = [spec.flatten_up_to(o) for o in others]
    return spec.rebuild([fn(*vs) for vs in zip(leaves, *rest, strict=True)])


def broadcast_prefix(
    prefix: Any,
    spec: Spec,
    is_leaf: Callable[[Any], bool] = lambda x: x is None or isinstance(x, int),
    lists_as_tuples: bool = True,
) -> list[Any] | None:
    """One entry per leaf of `spec` from a container that is a prefix of it; None when it is not."""
    if spec.type is None or is_leaf(prefix):
        return [prefix] * spec.num_leaves if is_leaf(prefix) else None
    leaves: list[Any] = []
    if (
        not lists_as_tuples
        and node_type(prefix) is not spec.type
        and not (type(prefix) in DICTS and spec.type in DICTS)
    ):
        return None
    if isinstance(prefix, dict) and spec.type in DICTS:
        if set(prefix) != set(keys_of(spec)):
            return None
        parts: Any = [prefix[k] for k in keys_of(spec)]
    elif isinstance(prefix, (tuple, list)):
        parts = prefix
    elif node_type(prefix) is spec.type:
        parts = NODES[spec.type].flatten_fn(prefix)[0]
    else:
        return None
    if len(parts) != spec.num_children:
        return None
    for p, c in zip(parts, spec._children, strict=True):
        found = broadcast_prefix(p, c, is_leaf, lists_as_tuples)
        if found is None:
            return None
        leaves += found
    return leaves


# -------------------------------------------------------------------------------------------------- Python's containers
class _Key:
    """A step of a path: its class and its one field."""

    __slots__ = ("value",)
    _field = ""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash((type(self), self.value))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._field}={self.value!r})"

    def __str__(self) -> str:
        return f"[{self.value!r}]"

    def get(self, tree: Any) -> Any:
        """What is there."""
        return tree[self.value]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.value,)


class MappingKey(_Key):
    """A step of a path: a key of a dict."""

    __slots__ = ()
    _field = "key"
    key = property(lambda self: self.value)


class SequenceKey(_Key):
    """A step of a path: a place in a sequence."""

    __slots__ = ()
    _field = "idx"
    idx = property(lambda self: self.value)


class GetAttrKey(_Key):
    """A step of a path: an attribute."""

    __slots__ = ()
    _field = "name"
    name = property(lambda self: self.value)

    def __str__(self) -> str:
        return f".{self.value}"

    def get(self, tree: Any) -> Any:
        """What is there."""
        return getattr(tree, self.value)


def _in_places(
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
) -> Callable[[Any], tuple[list[tuple[Any, Any]], Any]]:
    def flatten_with_keys(x: Any) -> tuple[list[tuple[Any, Any]], Any]:
        children, context = flatten_fn(x)
        return [(SequenceKey(i), v) for i, v in enumerate(children)], context

    return flatten_with_keys


def _with_keys(
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
) -> Callable[[Any], tuple[list[tuple[Any, Any]], Any]]:
    def flatten_with_keys(x: dict[Any, Any]) -> tuple[list[tuple[Any, Any]], Any]:
        return [(MappingKey(k), v) for k, v in x.items()], flatten_fn(x)[1]

    return flatten_with_keys


def _with_fields(x: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return [(GetAttrKey(k), v) for k, v in zip(type(x)._fields, x, strict=True)], type(x)


def register(
    kind: Any,
    flatten_fn: Callable[[Any], tuple[Any, Any]],
    unflatten_fn: Callable[[Any, Any], Any],
    flatten_with_keys_fn: Callable[[Any], tuple[Any, Any]] | None = None,
) -> None:
    """Let objects of exactly this type be containers."""
    NODES[kind] = Node(kind, flatten_fn, unflatten_fn, flatten_with_keys_fn)


def _plain(x: Any) -> tuple[list[Any], Any]:
    return list(x), None


def _mapping(x: dict[Any, Any]) -> tuple[list[Any], Any]:
    return list(x.values()), list(x)


def _defaults(x: defaultdict[Any, Any]) -> tuple[list[Any], Any]:
    return list(x.values()), [x.default_factory, list(x)]


def _queue(x: deque[Any]) -> tuple[list[Any], Any]:
    return list(x), x.maxlen


register(tuple, _plain, lambda children, context: tuple(children), _in_places(_plain))
register(list, _plain, lambda children, context: list(children), _in_places(_plain))
# what a function makes of sizes are no sizes any more
register(Size, _plain, lambda children, context: tuple(children), _in_places(_plain))
register(deque, _queue, lambda children, context: deque(children, maxlen=context), _in_places(_queue))
register(dict, _mapping, lambda children, context: dict(zip(context, children, strict=True)), _with_keys(_mapping))
register(
    OrderedDict,
    _mapping,
    lambda children, context: OrderedDict(zip(context, children, strict=True)),
    _with_keys(_mapping),
)
register(
    defaultdict,
    _defaults,
    lambda children, context: defaultdict(context[0], zip(context[1], children, strict=True)),
    _with_keys(_defaults),
)
register(namedtuple, lambda x: (list(x), type(x)), lambda children, context: context(*children), _with_fields)

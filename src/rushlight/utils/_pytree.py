"""Nested containers as flat lists of leaves, in the names of PyTorch's `utils._pytree`; the containers themselves are
`func.tree`'s.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import types
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from rushlight.core.warning import warn
from rushlight.func import tree as _tree
from rushlight.func.tree import DICTS as STANDARD_DICT_TYPES
from rushlight.func.tree import LEAF, GetAttrKey, MappingKey, SequenceKey, flatten, is_namedtuple_class, tree_map
from rushlight.func.tree import NODES as SUPPORTED_NODES
from rushlight.func.tree import Node as NodeDef
from rushlight.func.tree import Spec as TreeSpec
from rushlight.func.tree import node_type as _get_node_type

__all__ = [
    "BUILTIN_TYPES",
    "Context",
    "DumpableContext",
    "FlattenFn",
    "FlattenFunc",
    "FromDumpableContextFn",
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "LeafSpec",
    "MappingKey",
    "NodeDef",
    "PyTree",
    "PyTreeSpec",
    "STANDARD_DICT_TYPES",
    "SUPPORTED_NODES",
    "SUPPORTED_SERIALIZED_TYPES",
    "SequenceKey",
    "ToDumpableContextFn",
    "TreeSpec",
    "UnflattenFn",
    "UnflattenFunc",
    "arg_tree_leaves",
    "is_constant_class",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "is_structseq",
    "is_structseq_class",
    "is_structseq_instance",
    "key_get",
    "keystr",
    "map_only",
    "register_constant",
    "register_dataclass",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_dict",
    "treespec_dumps",
    "treespec_leaf",
    "treespec_list",
    "treespec_loads",
    "treespec_pprint",
    "treespec_tuple",
]

PyTree = Context = DumpableContext = Any
PyTreeSpec = TreeSpec
FlattenFn = Callable[[Any], tuple[list[Any], Any]]
FlattenFunc = FlattenFn
UnflattenFn = Callable[[Iterable[Any], Any], Any]
UnflattenFunc = UnflattenFn
ToDumpableContextFn = Callable[[Any], Any]
FromDumpableContextFn = Callable[[Any], Any]
IsLeaf = Callable[[Any], bool]
BUILTIN_TYPES = frozenset((tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque))


class KeyEntry(Protocol):
    """A step of a path: it is hashable, prints as Python would write it, and finds what it leads to."""

    def __hash__(self) -> int: ...

    def __eq__(self, other: object) -> bool: ...

    def __str__(self) -> str: ...

    def get(self, parent: Any) -> Any:
        """What the step leads to."""


KeyPath = tuple[KeyEntry, ...]


class _LeafMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TreeSpec) and instance.is_leaf()


class LeafSpec(TreeSpec, metaclass=_LeafMeta):
    """The shape of a leaf: `LeafSpec()` makes it, `isinstance` finds it."""

    def __new__(cls) -> TreeSpec:  # type: ignore[misc]
        return LEAF


# Python's containers taken apart: packages register subclasses of theirs with these.
_tuple_flatten, _tuple_unflatten, _tuple_flatten_with_keys = SUPPORTED_NODES[tuple][1:]
_list_flatten, _list_unflatten, _list_flatten_with_keys = SUPPORTED_NODES[list][1:]
_dict_flatten, _dict_unflatten, _dict_flatten_with_keys = SUPPORTED_NODES[dict][1:]
_deque_flatten, _deque_unflatten, _deque_flatten_with_keys = SUPPORTED_NODES[deque][1:]
_defaultdict_flatten, _defaultdict_unflatten, _defaultdict_flatten_with_keys = SUPPORTED_NODES[defaultdict][1:]
_namedtuple_flatten, _namedtuple_unflatten, _namedtuple_flatten_with_keys = SUPPORTED_NODES[namedtuple][1:]
_ordereddict_flatten, _ordereddict_unflatten, _ordereddict_flatten_with_keys = SUPPORTED_NODES[OrderedDict][1:]
_odict_flatten, _odict_unflatten = _ordereddict_flatten, _ordereddict_unflatten


# ---------------------------------------------------------------------------------------------------------- registering
class _Dump(NamedTuple):
    """How a type is called in a text, and its context written and read."""

    type: Any
    name: str
    to_dumpable: ToDumpableContextFn | None = None
    from_dumpable: FromDumpableContextFn | None = None


_dumps: dict[Any, _Dump] = {}
SUPPORTED_SERIALIZED_TYPES = _dumps
_by_dumped_name: dict[str, _Dump] = {}
_named_tuples: dict[Any, str] = {}


def _let_dump(
    kind: Any,
    name: str,
    to_dumpable: ToDumpableContextFn | None = None,
    from_dumpable: FromDumpableContextFn | None = None,
) -> None:
    _dumps[kind] = _by_dumped_name[name] = _Dump(kind, name, to_dumpable, from_dumpable)


def register_pytree_node(
    cls: type[Any],
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: ToDumpableContextFn | None = None,
    from_dumpable_context: FromDumpableContextFn | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None,
) -> None:
    """Let objects of exactly this class be containers, here and in `vmap`, `grad` and the other transforms.

    Args:
        cls: the class.
        flatten_fn: gives (list of children, context).
        unflatten_fn: makes the object of (children, context).
        serialized_type_name: what the class is called by `treespec_dumps`.
        to_dumpable_context: makes something that JSON can write of a context.
        from_dumpable_context: its inverse.
        flatten_with_keys_fn: gives (list of (key, child), context).

    Raises:
        ValueError: the class is registered already, or one of the two functions of contexts is given alone.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"register_pytree_node(): 'cls' must not be registered already; found {cls}")
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(
            "register_pytree_node(): 'to_dumpable_context' and 'from_dumpable_context' must be given together, for "
            f"{cls}"
        )
    _tree.register(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
    if serialized_type_name is not None:
        _let_dump(cls, serialized_type_name, to_dumpable_context, from_dumpable_context)


def _register_pytree_node(
    cls: type[Any],
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    to_str_fn: Any = None,
    maybe_from_str_fn: Any = None,
    **options: Any,
) -> None:
    """The older name of `register_pytree_node`; a class may be registered again."""
    warn("_register_pytree_node() is deprecated; write register_pytree_node()", FutureWarning)
    _deregister_pytree_node(cls)
    register_pytree_node(cls, flatten_fn, unflatten_fn, **options)


def _deregister_pytree_node(cls: type[Any]) -> None:
    """Let objects of a class be leaves again."""
    SUPPORTED_NODES.pop(cls, None)
    dumped = _dumps.pop(cls, None)
    if dumped is not None:
        del _by_dumped_name[dumped.name]
    _constants.discard(cls)


def _register_namedtuple(cls: type[Any], *, serialized_type_name: str) -> None:
    """Say what a class of named tuples is called by `treespec_dumps`; containers they are without it."""
    _named_tuples[cls] = serialized_type_name


def register_dataclass(
    cls: type[Any],
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Let a dataclass (or any class whose constructor takes its attributes by name) be a container. Attributes that are
    None are no children.

    Args:
        cls: the class.
        field_names: the attributes that count; by default a dataclass's fields that its constructor takes.
        drop_field_names: attributes that are left out, and have their default when the object is made.
        serialized_type_name: what the class is called by `treespec_dumps`.

    Raises:
        ValueError: the names are not those of a dataclass's fields; there are none.
    """
    fields = {f.name for f in dataclasses.fields(cls) if f.init} if dataclasses.is_dataclass(cls) else None
    if field_names is None:
        if fields is None:
            raise ValueError(
                f"register_dataclass(): 'field_names' must be given for a class that is no dataclass; found {cls}"
            )
        names = [f.name for f in dataclasses.fields(cls) if f.init]
    else:
        names = list(field_names)
        stated = set(names) | set(drop_field_names or ())
        if fields is not None and stated != fields:
            raise ValueError(
                f"register_dataclass(): 'field_names' and 'drop_field_names' must be the fields of {cls.__name__}, "
                f"{sorted(fields)}; found {sorted(stated)}"
            )

    def parts(x: Any) -> tuple[list[str], list[str]]:
        here = [name for name in names if getattr(x, name) is not None]
        return here, [name for name in names if name not in here]

    def flatten_fn(x: Any) -> tuple[list[Any], Any]:
        here, absent = parts(x)
        return [getattr(x, name) for name in here], [here, absent]

    def flatten_with_keys(x: Any) -> tuple[list[tuple[Any, Any]], Any]:
        here, absent = parts(x)
        return [(GetAttrKey(name), getattr(x, name)) for name in here], [here, absent]

    def unflatten_fn(children: Iterable[Any], context: Any) -> Any:
        here, absent = context
        return cls(**dict(zip(here, children, strict=True)), **dict.fromkeys(absent))

    register_pytree_node(
        cls, flatten_fn, unflatten_fn, serialized_type_name=serialized_type_name, flatten_with_keys_fn=flatten_with_keys
    )


_constants: set[Any] = set()


def register_constant(cls: type[Any]) -> None:
    """Let objects of a class be part of the shape: they have no leaves, and are compared by `==`.

    Raises:
        TypeError: the class compares or hashes by identity.
    """
    if cls.__eq__ is object.__eq__:  # type: ignore[comparison-overlap]
        raise TypeError(f"register_constant(): 'cls' must have an `__eq__` of its own; found {cls}")
    if cls.__hash__ is None or cls.__hash__ is object.__hash__:  # type: ignore[comparison-overlap]
        raise TypeError(f"register_constant(): 'cls' must have a `__hash__` of its own; found {cls}")
    register_pytree_node(
        cls, lambda x: ([], x), lambda children, context: context, flatten_with_keys_fn=lambda x: ([], x)
    )
    _constants.add(cls)


def is_constant_class(cls: type[Any]) -> bool:
    """Whether a class was given to `register_constant`."""
    return cls in _constants


# ------------------------------------------------------------------------------------------------------------ questions
def is_namedtuple(obj: Any) -> bool:
    """Whether this is a named tuple, or a class of them."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj)) and not is_structseq(obj)


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether an object is a named tuple."""
    return not isinstance(obj, type) and is_namedtuple(obj)


def is_structseq_class(cls: Any) -> bool:
    """Whether a class is one of the interpreter's or of operators' results with names."""
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and (isinstance(getattr(cls, "n_sequence_fields", None), int) or cls.__module__.endswith("return_types"))
    )


def is_structseq(obj: Any) -> bool:
    """Whether this is such a result, or a class of them."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_instance(obj: Any) -> bool:
    """Whether an object is such a result."""
    return is_structseq_class(type(obj))


def tree_is_leaf(tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether an object is no container."""
    return (is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


_is_leaf = tree_is_leaf
_is_namedtuple_instance = is_namedtuple_instance


# --------------------------------------------------------------------------------------------------- apart and together
def tree_flatten(tree: Any, is_leaf: IsLeaf | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of a nested container, and the shape to put them back with.

    Args:
        tree: tuples, lists, dicts, named tuples, deques and what is registered, in any nesting.
        is_leaf: says which containers count as leaves.
    """
    return flatten(tree, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The container of that shape with these leaves.

    Raises:
        TypeError: the second argument is no shape.
        ValueError: there are too many leaves, or too few.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"tree_unflatten(): argument 'treespec' must be a TreeSpec, not {type(treespec).__name__}")
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: IsLeaf | None = None) -> Iterator[Any]:
    """The leaves, one after the other."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    for child in SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree: Any, is_leaf: IsLeaf | None = None) -> list[Any]:
    """The leaves, from left to right."""
    return flatten(tree, is_leaf)[0]


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """The leaves of all arguments."""
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_leaves(tree)]


def tree_structure(tree: Any, is_leaf: IsLeaf | None = None) -> TreeSpec:
    """The shape."""
    return flatten(tree, is_leaf)[1]


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf | None = None) -> Any:
    """Apply a function to the leaves for what it does; returns the container as it is."""
    leaves, spec = flatten(tree, is_leaf)
    for values in zip(leaves, *map(spec.flatten_up_to, rests), strict=True):
        func(*values)
    return tree


def _chooser(kinds: Any) -> Callable[[Any], bool]:
    if isinstance(kinds, (type, tuple, types.UnionType)):
        return lambda x: isinstance(x, kinds)
    if callable(kinds):
        return lambda x: bool(kinds(x))
    raise TypeError(
        f"map_only(): the first argument must be a type, a tuple of types, or a function; found {type(kinds).__name__}"
    )


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A decorator: the function leaves alone what is not of a type (of one of several; what a predicate denies)."""
    chosen = _chooser(type_or_types_or_pred)
    return lambda func: lambda x: func(x) if chosen(x) else x


def tree_map_only(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf | None = None
) -> Any:
    """The container with the function applied to leaves of a type (or of several, or to which a predicate says yes)."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf | None = None
) -> Any:
    """Apply a function to leaves of a type for what it does; returns the container as it is."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether a predicate holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether a predicate holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether a predicate holds for all leaves of a type."""
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf | None = None) -> bool:
    """Whether a predicate holds for a leaf of a type."""
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: IsLeaf | None = None) -> list[Any] | None:
    """One entry a leaf of the shape from a container that is a prefix of it; None when it is none."""
    return _tree.broadcast_prefix(tree, treespec, lambda x: tree_is_leaf(x, is_leaf), lists_as_tuples=False)


# ---------------------------------------------------------------------------------------------------------------- paths
def _with_paths(path: KeyPath, tree: Any, is_leaf: IsLeaf | None) -> Iterator[tuple[KeyPath, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    node = SUPPORTED_NODES[_get_node_type(tree)]
    if node.flatten_with_keys_fn is None:
        raise ValueError(
            f"tree_flatten_with_path(): {node.type} must be registered with a 'flatten_with_keys_fn', by "
            "register_pytree_node()"
        )
    for key, child in node.flatten_with_keys_fn(tree)[0]:
        yield from _with_paths((*path, key), child, is_leaf)


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf | None = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """The leaves, each with the keys that lead to it, and the shape."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf | None = None) -> list[tuple[KeyPath, Any]]:
    """The leaves, each with the keys that lead to it.

    Raises:
        ValueError: a container was registered without names for its children.
    """
    return list(_with_paths((), tree, is_leaf))


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf | None = None) -> Any:
    """The container with the function applied to (path, leaf, what stands in the same place of the others)."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten([func(path, leaf, *values) for (path, leaf), *values in zip(leaves, *others, strict=True)])


def keystr(kp: KeyPath) -> str:
    """A path as Python would write it: ['a'][0].b"""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """What a path leads to."""
    for key in kp:
        obj = key.get(obj)
    return obj


# --------------------------------------------------------------------------------------------------------------- shapes
def treespec_leaf() -> TreeSpec:
    """The shape of a leaf."""
    return LEAF


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """The shape of a tuple of such children."""
    return TreeSpec(tuple, None, iterable)


def treespec_list(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """The shape of a list of such children."""
    return TreeSpec(list, None, iterable)


def treespec_dict(
    mapping: Mapping[Any, TreeSpec] | Iterable[tuple[Any, TreeSpec]] = (), /, **kwargs: TreeSpec
) -> TreeSpec:
    """The shape of a dict of such children."""
    children = dict(mapping, **kwargs)
    return TreeSpec(dict, list(children), children.values())


class _Asterisk:
    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """The shape as a container of asterisks."""
    return repr(treespec.rebuild([_Asterisk()] * treespec.num_leaves))


_VERSION = 1


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """The shape as JSON.

    Raises:
        TypeError: the argument is no shape.
        ValueError: the protocol is unknown.
        NotImplementedError: a type was registered without a name for texts.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"treespec_dumps(): argument 'treespec' must be a TreeSpec, not {type(treespec).__name__}")
    if protocol not in (None, _VERSION):
        raise ValueError(f"treespec_dumps(): 'protocol' must be {_VERSION}; found {protocol}")
    return json.dumps([_VERSION, _to_json(treespec)])


def _to_json(spec: TreeSpec) -> dict[str, Any]:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    dumped = _dumps.get(spec.type)
    if dumped is None:
        raise NotImplementedError(
            f"treespec_dumps(): {spec.type} must be registered with a 'serialized_type_name', by register_pytree_node()"
        )
    context = json.dumps(spec.context) if dumped.to_dumpable is None else dumped.to_dumpable(spec.context)
    return {"type": dumped.name, "context": context, "children_spec": [_to_json(c) for c in spec.children()]}


def treespec_loads(serialized: str) -> TreeSpec:
    """The shape that `treespec_dumps` has written.

    Raises:
        ValueError: the text is none of its.
        NotImplementedError: it names a type that is not registered.
    """
    loaded = json.loads(serialized)
    if not (isinstance(loaded, list) and len(loaded) == 2 and isinstance(loaded[1], dict)):
        raise ValueError(
            "treespec_loads(): 'serialized' must be a text of treespec_dumps(); found another JSON document"
        )
    if loaded[0] != _VERSION:
        raise ValueError(f"treespec_loads(): the protocol must be {_VERSION}; found {loaded[0]}")
    return _from_json(loaded[1])


def _from_json(node: dict[str, Any]) -> TreeSpec:
    if node["type"] is None:
        return LEAF
    dumped = _by_dumped_name.get(node["type"])
    if dumped is None:
        raise NotImplementedError(
            f"treespec_loads(): a type must be registered by the name {node['type']!r}; found none"
        )
    context = json.loads(node["context"]) if dumped.from_dumpable is None else dumped.from_dumpable(node["context"])
    return TreeSpec(dumped.type, context, [_from_json(child) for child in node["children_spec"]])


def _defaults_to_json(context: Any) -> dict[str, Any]:
    factory, keys = context
    return {
        "default_factory_module": getattr(factory, "__module__", None),
        "default_factory_name": getattr(factory, "__qualname__", None),
        "dict_context": keys,
    }


def _defaults_from_json(found: Any) -> list[Any]:
    name = found["default_factory_name"]
    return [
        None if name is None else getattr(importlib.import_module(found["default_factory_module"]), name),
        found["dict_context"],
    ]


def _fields_to_json(context: Any) -> str:
    if context not in _named_tuples:
        raise NotImplementedError(
            f"treespec_dumps(): {context} must be registered with a 'serialized_type_name', by _register_namedtuple()"
        )
    return _named_tuples[context]


def _fields_from_json(found: Any) -> Any:
    name = found
    cls = next((c for c, known in _named_tuples.items() if known == name), None)
    if cls is None:
        raise NotImplementedError(
            f"treespec_loads(): a class of named tuples must be registered by the name {name!r}; found none"
        )
    return cls


for _kind in (tuple, list, dict):
    _let_dump(_kind, f"builtins.{_kind.__name__}")
_let_dump(OrderedDict, "collections.OrderedDict")
_let_dump(deque, "collections.deque")
_let_dump(defaultdict, "collections.defaultdict", _defaults_to_json, _defaults_from_json)
_let_dump(namedtuple, "collections.namedtuple", _fields_to_json, _fields_from_json)

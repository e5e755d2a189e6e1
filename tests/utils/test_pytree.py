"""`utils._pytree`: shapes of nested containers, compared with PyTorch's for random nestings."""

from __future__ import annotations

import collections
import copy
import dataclasses
import pickle
import random
from typing import Any

import pytest

import rushlight as rl
from rushlight.utils import _pytree as ours

Point = collections.namedtuple("Point", "x y")


class Box:
    """A container of a program's own."""

    def __init__(self, inside: Any, label: str = "") -> None:
        self.inside, self.label = inside, label

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and (self.inside, self.label) == (other.inside, other.label)

    __hash__ = None  # type: ignore[assignment]


@dataclasses.dataclass
class Record:
    a: Any
    b: Any = None


def register(module: Any) -> None:
    """Let `module` know this file's containers."""
    keys = module.GetAttrKey("inside")
    module.register_pytree_node(
        Box,
        lambda b: ([b.inside], b.label),
        lambda children, label: Box(*children, label),
        serialized_type_name="tests.Box",
        flatten_with_keys_fn=lambda b: ([(keys, b.inside)], b.label),
    )
    module.register_dataclass(Record, serialized_type_name="tests.Record")
    module._register_namedtuple(Point, serialized_type_name="tests.Point")


register(ours)


def nested(rng: random.Random, depth: int = 3) -> Any:
    """A random nesting of every container; leaves are ints, None and text."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([rng.randrange(100), None, "leaf"])
    inner = [nested(rng, depth - 1) for _ in range(rng.randrange(4))]
    keys = rng.sample("abcdef", len(inner))
    kind = rng.randrange(9)
    if kind < 5:
        return [
            tuple,
            list,
            collections.deque,
            lambda v: dict(zip(keys, v)),
            lambda v: collections.OrderedDict(zip(keys, v)),
        ][kind](inner)
    if kind == 5:
        return collections.defaultdict(list, zip(keys, inner))
    if kind == 6:
        return Point(nested(rng, depth - 1), nested(rng, depth - 1))
    return (
        Box(nested(rng, depth - 1), rng.choice("uv"))
        if kind == 7
        else Record(nested(rng, depth - 1), nested(rng, depth - 1))
    )


TREES = [nested(random.Random(seed)) for seed in range(120)]


@pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))
def test_apart_and_together(tree: Any) -> None:
    leaves, spec = ours.tree_flatten(tree)
    assert ours.tree_unflatten(leaves, spec) == tree and spec.num_leaves == len(leaves) == len(
        list(ours.tree_iter(tree))
    )
    assert ours.tree_map(lambda x: x, tree) == tree
    assert [ours.key_get(tree, path) for path, _ in ours.tree_leaves_with_path(tree)] == leaves
    again = ours.treespec_loads(ours.treespec_dumps(spec))
    assert (
        again == spec
        and hash(again) == hash(spec)
        and pickle.loads(pickle.dumps(spec)) == spec
        and copy.deepcopy(spec) == spec
    )
    assert spec.flatten_up_to(tree) == leaves
    for wrong in ([*leaves, 1], leaves[1:]):
        if len(wrong) != len(leaves):
            with pytest.raises(ValueError, match="'leaves' must be"):
                ours.tree_unflatten(wrong, spec)


def test_everything_is_as_in_pytorch() -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.utils._pytree
    if Box not in theirs.SUPPORTED_NODES:
        register(theirs)
    for tree in TREES:
        (a, sa), (b, sb) = ours.tree_flatten(tree), theirs.tree_flatten(tree)
        assert a == b and (sa.num_leaves, sa.num_nodes, sa.num_children) == (
            sb.num_leaves,
            sb.num_nodes,
            sb.num_children,
        )
        assert repr(sa) == repr(sb)
        assert ours.treespec_dumps(sa) == theirs.treespec_dumps(sb)
        assert [ours.keystr(p) for p, _ in ours.tree_leaves_with_path(tree)] == [
            theirs.keystr(p) for p, _ in theirs.tree_leaves_with_path(tree)
        ]
        assert repr(ours.tree_flatten_with_path(tree)[0]) == repr(theirs.tree_flatten_with_path(tree)[0])
        assert ours.tree_map_only(int, lambda x: x + 1, tree) == theirs.tree_map_only(int, lambda x: x + 1, tree)
        for other in TREES[:40]:
            assert ours._broadcast_to_and_flatten(other, sa) == theirs._broadcast_to_and_flatten(other, sb)
            assert (sa == ours.tree_structure(other)) == (sb == theirs.tree_structure(other))
            assert outcome(ours, tree, other) == outcome(theirs, tree, other)


def outcome(module: Any, tree: Any, other: Any) -> Any:
    """What mapping two trees together gives, or that they differ."""
    try:
        return module.tree_map(lambda x, y: (x, y), tree, other)
    except ValueError:
        return "refused"


def test_what_it_refuses() -> None:
    with pytest.raises(ValueError, match="registered already"):
        ours.register_pytree_node(Box, lambda b: ([], None), lambda children, context: Box(None))
    with pytest.raises(TypeError, match="must be a TreeSpec, not int"):
        ours.tree_unflatten([1], 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="arity"):
        ours.tree_map(lambda a, b: a, [1, 2], [1])
    with pytest.raises(ValueError, match="type mismatch"):
        ours.tree_map(lambda a, b: a, [1, 2], (1, 2))
    with pytest.raises(ValueError, match="keys mismatch"):
        ours.tree_map(lambda a, b: a, {"a": 1}, {"b": 2})
    with pytest.raises(TypeError, match="__eq__"):
        ours.register_constant(object)
    with pytest.raises(TypeError, match="must be a type"):
        ours.tree_map_only(3, abs, [1])

    class Unnamed:
        pass

    ours.register_pytree_node(Unnamed, lambda x: ([1], None), lambda children, context: Unnamed())
    try:
        with pytest.raises(NotImplementedError, match="serialized_type_name"):
            ours.treespec_dumps(ours.tree_structure(Unnamed()))
        with pytest.raises(ValueError, match="flatten_with_keys_fn"):
            ours.tree_flatten_with_path([Unnamed()])
    finally:
        ours._deregister_pytree_node(Unnamed)
    assert ours.tree_is_leaf(Unnamed())


def test_constants_are_part_of_the_shape() -> None:
    @dataclasses.dataclass(frozen=True)
    class Mode:
        name: str

    ours.register_constant(Mode)
    try:
        assert ours.is_constant_class(Mode) and ours.tree_leaves([Mode("a"), 1]) == [1]
        assert ours.tree_structure(Mode("a")) == ours.tree_structure(Mode("a")) != ours.tree_structure(Mode("b"))
        assert ours.tree_map(lambda x: x + 1, [Mode("a"), 1]) == [Mode("a"), 2]
    finally:
        ours._deregister_pytree_node(Mode)


def test_transforms_take_registered_containers() -> None:
    x = rl.arange(3.0)
    out = rl.func.vmap(lambda b: Box(b.inside * 2, b.label), in_dims=(Box(0, "u"),))(Box(x, "u"))
    assert isinstance(out, Box) and out.label == "u" and rl.equal(out.inside, x * 2)
    g = rl.func.grad(lambda r: (r.a * r.b).sum())(Record(x, x + 1))
    assert rl.equal(g.a, x + 1) and rl.equal(g.b, x)
    largest = ours.tree_map(lambda t: t + 1, rl.ones(2, 3).max(0))
    assert type(largest) is rl.return_types.max and largest.values.tolist() == [2.0] * 3
    assert isinstance(rl.func.vmap(lambda t: t.max(0))(rl.ones(2, 3)), tuple)

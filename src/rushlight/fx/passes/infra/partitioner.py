"""`CapabilityBasedPartitioner`: gathers the nodes that something else can run into as few modules as can be."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.operator_support import OperatorSupportBase
from rushlight.fx.passes.tools_common import defining_name
from rushlight.fx.passes.utils.fuser_utils import fuse_by_partitions

__all__ = ["CapabilityBasedPartitioner", "Partition"]

logger = logging.getLogger("torch.fx.passes.infra.partitioner")

_NO_COMPUTATION = frozenset({"torch.ops.aten.view", "_operator.getitem"})


class Partition:
    """Nodes that are to become one module.

    Args:
        id: its number.
        nodes: what it holds at first.
        node_orders: their places, counted from the graph's end.
    """

    def __init__(
        self, id: int | None = None, nodes: Iterable[Node] | None = None, node_orders: Iterable[int] | None = None
    ) -> None:
        self.id = id
        held = list(nodes or ())
        orders: list[int | None] = [None] * len(held) if node_orders is None else list(node_orders)
        self.nodes: dict[Node, int | None] = dict(zip(held, orders, strict=True))

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node, node_order: int | None = None) -> None:
        """Take a node in."""
        self.nodes[node] = node_order

    def remove_node(self, node: Node) -> None:
        """Leave a node out."""
        del self.nodes[node]

    def size(self) -> int:
        """How many nodes it holds."""
        return len(self.nodes)


class _Groups:
    """Which partition each node is in, while partitions grow."""

    def __init__(self) -> None:
        self.of: dict[Node, int] = {}
        self.nodes: dict[int, dict[Node, int]] = {}

    def put(self, node: Node, order: int, group: int) -> None:
        self.of[node] = group
        self.nodes.setdefault(group, {})[node] = order

    def merge(self, one: int, other: int) -> int | None:
        """Make two one, if the graph of partitions keeps without a cycle; the number of what is left, of the larger
        one.
        """
        if self._meet_outside(one, other):
            return None
        if len(self.nodes[one]) < len(self.nodes[other]):
            one, other = other, one
        for node, order in self.nodes.pop(other).items():
            self.put(node, order, one)
        return one

    def _meet_outside(self, one: int, other: int) -> bool:
        """Whether a path leads out of the two and back."""
        inside = (one, other)
        seen: set[Node] = set()
        todo = [user for g in inside for n in self.nodes[g] for user in n.users if self.of.get(user) not in inside]
        while todo:
            node = todo.pop()
            if node in seen:
                continue
            group = self.of.get(node)
            together = (node,) if group is None else tuple(self.nodes[group])  # a partition runs as a whole
            seen.update(together)
            for n in together:
                for user in n.users:
                    if self.of.get(user) in inside:
                        return True
                    if user not in seen:
                        todo.append(user)
        return False


class CapabilityBasedPartitioner:
    """Gathers supported nodes into partitions, as large as can be without a cycle between them, and makes a module of
    each.

    Args:
        graph_module: the module.
        operator_support: which nodes are supported.
        allows_single_node_partition: keep partitions of a single node that computes.
        non_compute_ops: qualified names of functions that count as no computation, in addition to those of indexing and
            views.
        allowed_single_node_partition_ops: qualified names of functions that may be alone.
        skip_horizontal_fusion: merge along edges of the graph alone.
    """

    def __init__(
        self,
        graph_module: GraphModule,
        operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False,
        non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None,
        skip_horizontal_fusion: bool = False,
    ) -> None:
        self.graph_module, self.operator_support = graph_module, operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = non_compute_ops if non_compute_ops is not None else []
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion

    def _is_node_supported(self, node: Node) -> bool:
        return self.operator_support.is_node_supported(dict(self.graph_module.named_modules()), node)

    def propose_partitions(self) -> list[Partition]:
        """The partitions; the graph is left as it is."""
        groups, last = _Groups(), -1
        for order, node in enumerate(reversed(self.graph_module.graph.nodes)):
            if not self._is_node_supported(node):
                continue
            last += 1
            groups.put(node, order, last)
            earlier = list(dict.fromkeys(groups.of[u] for u in node.users if u in groups.of))
            if not self.skip_horizontal_fusion:
                earlier = sorted((g for g in groups.nodes if g != last), key=lambda g: min(groups.nodes[g].values()))
            current = last
            for g in earlier:
                if g != current and g in groups.nodes:
                    merged = groups.merge(current, g)
                    current = current if merged is None else merged
        partitions = {
            g: Partition(g, *zip(*sorted(held.items(), key=lambda item: -item[1]), strict=True))
            for g, held in sorted(groups.nodes.items())
        }
        self._keep_elements(partitions, dict(groups.of))
        if not self.allows_single_node_partition:
            partitions = {g: p for g, p in partitions.items() if self._computes_enough(p)}
        return [p for p in partitions.values() if p.size()]

    def _keep_elements(self, partitions: dict[int, Partition], of: dict[Node, int]) -> None:
        """Put the elements of a value of several where the value is."""
        for node in self.graph_module.graph.nodes:
            if not all(u.op == "call_function" and defining_name(u.target) == "_operator.getitem" for u in node.users):
                continue
            group = of.get(node)
            for user in node.users:
                if of.get(user) != group:
                    if user in of:
                        partitions[of.pop(user)].remove_node(user)
                    if group is not None:
                        of[user] = group
                        partitions[group].add_node(user)

    def _computes_enough(self, partition: Partition) -> bool:
        count = 0
        for node in partition.nodes:
            if node.op == "call_function":
                name = defining_name(node.target)
                if name in self.allowed_single_node_partition_ops:
                    return True
                count += name not in _NO_COMPUTATION and name not in self.non_compute_ops
        return count > 1

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """Make a module of each partition, `prefix` and its place in the list; changes and returns the module."""
        return fuse_by_partitions(self.graph_module, [p.nodes for p in partitions], prefix)

    def remove_bookend_non_compute_ops(self, partitions: list[Partition]) -> None:
        """Leave out of the partitions what computes nothing and stands first or last in them."""
        names = set(self.non_compute_ops)

        def idle(node: Node) -> bool:
            return node.op == "call_function" and defining_name(node.target) in names

        for partition in partitions:
            away: set[Node] = set()
            for forward in (True, False):
                # From the edge inwards: all that is reached by way of nothing but such nodes.
                for node in list(partition.nodes) if forward else list(reversed(list(partition.nodes))):
                    around = node.all_input_nodes if forward else node.users
                    if idle(node) and all(n not in partition.nodes or n in away for n in around):
                        away.add(node)
            for node in away:
                partition.remove_node(node)

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        """Propose partitions and make modules of them."""
        return self.fuse_partitions(self.propose_partitions(), prefix)

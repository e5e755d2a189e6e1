"""Exchanges between processes that return a new tensor, as `torch.distributed._functional_collectives` has them;
gradients go back through them.

A group is a ProcessGroup, the ranks of one, or its name; a reduction is said by its name, "sum", "avg", "max", ...
"""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.distributed import groups
from rushlight.distributed.backends import Op, ReduceOp
from rushlight.distributed.distributed_c10d import get_process_group_ranks
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.nn import functional as of

__all__ = [
    "all_gather_into_tensor_coalesced",
    "all_gather_single",
    "all_gather_single_autograd",
    "all_gather_tensor",
    "all_gather_tensor_autograd",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all_single",
    "all_to_all_single_autograd",
    "broadcast",
    "permute_tensor",
    "reduce_scatter_single",
    "reduce_scatter_single_autograd",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_autograd",
    "reduce_scatter_tensor_coalesced",
    "wait_tensor",
]

Group = ProcessGroup | Sequence[int] | str


def _group(group: Group) -> ProcessGroup:
    if isinstance(group, ProcessGroup):
        return group
    for known in dict.fromkeys(groups._pg_map):
        if isinstance(group, str) and known.group_name == group:
            return known
        if isinstance(group, (list, tuple)) and get_process_group_ranks(known) == list(group):
            return known
    raise ValueError(f"no group of processes is known by {group!r}; give a ProcessGroup, its ranks or its name")


def _op(name: str) -> Op:
    found = getattr(ReduceOp, name.upper(), None)
    if found is None:
        raise ValueError(f"argument 'reduceOp' must name a reduction, as 'sum' or 'max'; found {name!r}")
    return found  # type: ignore[no-any-return]


def wait_tensor(tensor: Tensor) -> Tensor:
    """The tensor when its exchange has ended; it has, where this returns."""
    return tensor


def all_reduce(self: Tensor, reduceOp: str, group: Group, tag: str = "") -> Tensor:
    """The tensors of all processes combined."""
    return of.all_reduce(self, _op(reduceOp), _group(group))


def broadcast(self: Tensor, src: int, group: Group, tag: str = "") -> Tensor:
    """The tensor of process `src`."""
    return of.broadcast(self, src, _group(group))


def all_gather_tensor(self: Tensor, gather_dim: int, group: Group, tag: str = "") -> Tensor:
    """The tensors of all processes, joined along a dimension."""
    return rushlight.cat(of.all_gather(self, _group(group)), gather_dim)


def reduce_scatter_tensor(self: Tensor, reduceOp: str, scatter_dim: int, group: Group, tag: str = "") -> Tensor:
    """This process's part, along a dimension, of the tensors of all processes combined.

    Raises:
        AssertionError: for a dimension that the number of processes does not divide.
    """
    g = _group(group)
    if self.shape[scatter_dim] % g.size():
        raise AssertionError(
            f"reduce_scatter_tensor(): the size of dimension {scatter_dim}, {self.shape[scatter_dim]}, must be a "
            f"multiple of the {g.size()} processes"
        )
    parts = [p.contiguous() for p in rushlight.chunk(self, g.size(), scatter_dim)]
    return of.reduce_scatter(parts[0], parts, _op(reduceOp), g)


def all_to_all_single(
    self: Tensor, output_split_sizes: list[int] | None, input_split_sizes: list[int] | None, group: Group, tag: str = ""
) -> Tensor:
    """This process's part of each process's tensor, behind one another along dimension 0; sizes that are not given are
    equal.
    """
    rows = self.shape[0] if output_split_sizes is None else sum(output_split_sizes)
    output = self.new_empty((rows, *self.shape[1:]))
    return of.all_to_all_single(output, self, output_split_sizes, input_split_sizes, _group(group))


def permute_tensor(self: Tensor, src_dst: Sequence[int], group: Group, tag: str = "") -> Tensor:
    """Each process's tensor at the process that `src_dst` names for it."""
    g = _group(group)
    sent, got = [0] * g.size(), [0] * g.size()
    for source, target in enumerate(src_dst):
        if source == g.rank():
            sent[target] = self.numel()
        if target == g.rank():
            got[source] = self.numel()
    return all_to_all_single(self.reshape(-1), got, sent, g).reshape(self.shape)


def all_reduce_coalesced(self: Sequence[Tensor], reduceOp: str, group: Group, tag: str = "") -> list[Tensor]:
    """`all_reduce` of each."""
    return [all_reduce(x, reduceOp, group) for x in self]


def all_gather_into_tensor_coalesced(self: Sequence[Tensor], group: Group, tag: str = "") -> list[Tensor]:
    """`all_gather_tensor` of each along dimension 0."""
    return [all_gather_tensor(x, 0, group) for x in self]


def reduce_scatter_tensor_coalesced(
    inputs: Sequence[Tensor], reduceOp: str, scatter_dim: Sequence[int], group: Group, tag: str = ""
) -> list[Tensor]:
    """`reduce_scatter_tensor` of each, along its dimension."""
    return [reduce_scatter_tensor(x, reduceOp, d, group) for x, d in zip(inputs, scatter_dim, strict=True)]


all_gather_single = all_gather_single_autograd = all_gather_tensor_autograd = all_gather_tensor
reduce_scatter_single = reduce_scatter_single_autograd = reduce_scatter_tensor_autograd = reduce_scatter_tensor
all_to_all_single_autograd = all_to_all_single

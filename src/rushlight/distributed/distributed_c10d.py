"""Exchanges between the processes of a group, by the names of `torch.distributed`."""

from __future__ import annotations

import datetime
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.distributed.backends import Op, ReduceOp, Work
from rushlight.distributed.groups import (  # noqa: F401  # the sparse_module of them all, by PyTorch's name
    GroupMember,
    ProcessGroup,
    _all,
    _get_default_group,
    _get_default_store,
    _group,
    _pg_map,
    _World,
    default_pg_timeout,
    destroy_process_group,
    get_backend,
    get_backend_config,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
    supports_complex,
)
from rushlight.operators.table.types import Device

__all__ = [
    "GroupMember",
    "P2POp",
    "ProcessGroup",
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_backend_config",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "is_ucc_available",
    "is_xccl_available",
    "isend",
    "monitored_barrier",
    "new_group",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
    "supports_complex",
]


# ------------------------------------------------------------------------------------------------------------ exchanges
def _check_tensor(x: Tensor, name: str) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor but got {type(x)} instead."
        )


def _check_tensors(x: Any, name: str) -> None:
    if not isinstance(x, (list, tuple)) or not all(isinstance(t, Tensor) for t in x):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor] but got {type(x)} "
            "instead."
        )


def _same_dtype(*groups: Any) -> None:
    kinds = list(dict.fromkeys(t.dtype for g in groups for t in ([g] if isinstance(g, Tensor) else g)))
    if len(kinds) > 1:
        raise ValueError(f"Invalid usage of tensors with different dtypes. Found {kinds[0]} and {kinds[1]}")


def _done(work: Work, async_op: bool) -> Work | None:
    if async_op:
        return work
    work.wait()
    return None


def _member(group: ProcessGroup | None, call: Callable[[ProcessGroup], Work], async_op: bool) -> Work | None:
    found = _group(group)
    return None if found is None else _done(call(found), async_op)


def _root(found: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
    """The root's number in the group, of that among all or in the group; 0 where none is given."""
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_src and src")
    if group_rank is not None:
        return group_rank
    return 0 if rank is None else get_group_rank(found, rank)


def _check_listed(tensor: Tensor, listed: list[Tensor] | None, name: str) -> list[Tensor]:
    """A tensor of each process, and those of all at the root: the latter; none elsewhere."""
    _check_tensor(tensor, "tensor")
    if not listed:
        return []
    _check_tensors(listed, name)
    _same_dtype(tensor, listed)
    return listed


def _listing_root(
    g: ProcessGroup, rank: int | None, group_rank: int | None, listed: list[Tensor], name: str, what: str
) -> int:
    """`_root`, which must have been given the list."""
    root = _root(g, rank, group_rank)
    if g.rank() == root and not listed:
        raise ValueError(f"Argument ``{name}`` must be specified on {what} rank.")
    return root


def _combines(name: str, op: Op, tensors: Sequence[Tensor]) -> None:
    if not isinstance(op, Op):
        raise TypeError(f"{name}(): 'op' must be a ReduceOp; found {op!r}")
    if any(t.is_complex() for t in tensors) and not supports_complex(op):
        raise ValueError(f"{name} does not support {op} on complex tensors")


def all_reduce(
    tensor: Tensor, op: Op = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Combine a tensor of each process, in place, in all of them.

    Returns:
        None; with `async_op` the Work, whose `wait` returns when it is done.
    """
    _check_tensor(tensor, "tensor")
    _combines("all_reduce", op, [tensor])
    return _member(group, lambda g: g._backend.allreduce([tensor], op), async_op)


def all_reduce_coalesced(
    tensors: Any, op: Op = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """`all_reduce` of several tensors."""
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    _check_tensors(tensors, "tensors")
    _same_dtype(tensors)
    _combines("all_reduce", op, tensors)
    return _member(group, lambda g: g._backend.allreduce(tensors, op), async_op)


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Give all processes the tensor of process `src`, in place."""
    _check_tensor(tensor, "tensor")
    return _member(group, lambda g: g._backend.broadcast([tensor], _root(g, src, group_src)), async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Op = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Combine a tensor of each process, in place, in process `dst`."""
    _check_tensor(tensor, "tensor")
    _combines("reduce", op, [tensor])
    return _member(group, lambda g: g._backend.reduce([tensor], _root(g, dst, group_dst), op), async_op)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Write the tensors of all processes into a list of tensors, one for each."""
    _check_tensors(tensor_list, "tensor_list")
    _check_tensor(tensor, "tensor")
    _same_dtype(tensor_list, tensor)
    return _member(group, lambda g: g._backend.allgather(tensor_list, tensor), async_op)


def all_gather_coalesced(
    output_tensor_lists: list[list[Tensor]],
    input_tensor_list: list[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """`all_gather` of several tensors."""
    _check_tensors(input_tensor_list, "tensor_list")
    pairs = list(zip(output_tensor_lists, input_tensor_list, strict=True))
    return _member(group, lambda g: _all([g._backend.allgather(o, t) for o, t in pairs]), async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Write the tensors of all processes behind one another, or stacked, into a tensor."""
    _check_tensor(input_tensor, "input_tensor")
    _check_tensor(output_tensor, "output_tensor")
    return _member(
        group, lambda g: g._backend.allgather(_parts(output_tensor, g, input_tensor), input_tensor), async_op
    )


_all_gather_base = all_gather_into_tensor


def _parts(whole: Tensor, g: ProcessGroup, like: Tensor) -> list[Tensor]:
    """The parts of a tensor for each process: along the first dim, or those that it stacks."""
    if g.size() == 1 and whole.shape == like.shape:
        return [whole]
    if whole.dim() == like.dim() + 1 and whole.shape[0] == g.size() and g.size() > 1:
        return list(whole)
    if whole.dim() and g.size() > 1 and whole.shape[0] == g.size() * (like.shape[0] if like.dim() else 1):
        return list(whole.chunk(g.size()))
    return [whole]  # which the backend refuses


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: Op = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Combine lists of a tensor for each process, and give each its one."""
    _check_tensor(output, "output")
    _check_tensors(input_list, "input_list")
    _same_dtype(output, input_list)
    _combines("reduce_scatter", op, [output])
    return _member(group, lambda g: g._backend.reduce_scatter(output, input_list, op), async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Op = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Combine a tensor of each process, and give each its part of it."""
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    return _member(group, lambda g: g._backend.reduce_scatter(output, _parts(input, g, output), op), async_op)


_reduce_scatter_base = reduce_scatter_tensor


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Write the tensors of all processes into a list of tensors of process `dst`."""
    listed = _check_listed(tensor, gather_list, "gather_list")

    def call(g: ProcessGroup) -> Work:
        root = _listing_root(g, dst, group_dst, listed, "gather_list", "destination")
        if g.rank() != root and listed:
            raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
        return g._backend.gather(listed, tensor, root)

    return _member(group, call, async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Give each process its one of the tensors of process `src`."""
    listed = _check_listed(tensor, scatter_list, "scatter_list")

    def call(g: ProcessGroup) -> Work:
        return g._backend.scatter(tensor, listed, _listing_root(g, src, group_src, listed, "scatter_list", "source"))

    return _member(group, call, async_op)


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Give each process its one of the tensors of each."""
    _check_tensors(output_tensor_list, "output_tensor_list")
    _check_tensors(input_tensor_list, "input_tensor_list")
    _same_dtype(output_tensor_list, input_tensor_list)
    return _member(group, lambda g: g._backend.alltoall(output_tensor_list, input_tensor_list), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Divide a tensor along its first dim, and give each process its part of each process's."""
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    _same_dtype(output, input)

    def call(g: ProcessGroup) -> Work:
        return g._backend.alltoall(
            _divided(output, output_split_sizes, g.size()), _divided(input, input_split_sizes, g.size())
        )

    return _member(group, call, async_op)


def _divided(x: Tensor, sizes: list[int] | None, n: int) -> list[Tensor]:
    if not sizes:
        if x.shape[0] % n:
            raise RuntimeError("all_to_all_single(): the first dim must divide by the size of the group")
        sizes = [x.shape[0] // n] * n
    if sum(sizes) != x.shape[0]:
        raise RuntimeError(f"Split sizes doesn't match total dim 0 size: {sizes} for {x.shape[0]}")
    return list(x.split(sizes))


def barrier(group: ProcessGroup | None = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Wait for all processes of a group."""
    return _member(group, lambda g: g._backend.barrier(), async_op)


def monitored_barrier(
    group: ProcessGroup | None = None, timeout: datetime.timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """`barrier`, which says who is missing."""
    barrier(group)


# -------------------------------------------------------------------------------------------------- from one to another
def _other(g: ProcessGroup, rank: int | None, group_rank: int | None, what: str) -> int:
    found = _root(g, rank, group_rank)
    if found == g.rank():
        raise ValueError(f"Invalid {what} rank: {what} rank should not be the same as the rank of the current process.")
    return found


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Begin to send a tensor to a process. ValueError: it is this one."""
    _check_tensor(tensor, "tensor")
    return _member(group, lambda g: g._backend.send(tensor, _other(g, dst, group_dst, "destination"), tag), True)


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Begin to receive a tensor of a process, or any (None), in place. ValueError: it is this one."""
    _check_tensor(tensor, "tensor")

    def call(g: ProcessGroup) -> Work:
        source = None if src is None and group_src is None else _other(g, src, group_src, "source")
        return g._backend.recv(tensor, source, tag)

    return _member(group, call, True)


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Send a tensor to a process."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receive a tensor of a process, in place; returns whose it was."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank() if src is None and group_src is None else _root(_get_default_group(), src, group_src)


class P2POp:
    """One of the exchanges that `batch_isend_irecv` begins.

    Args:
        op: isend or irecv.
        tensor: what is sent or received.
        peer: the other process.
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: ProcessGroup | None = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type ``isend`` or ``irecv``.")
        _check_tensor(tensor, "tensor")
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag
        self.group_peer = group_peer


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begin several exchanges; returns their Works."""
    if not p2p_op_list or not all(isinstance(p, P2POp) for p in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    found = [p.op(p.tensor, p.peer, p.group, p.tag, p.group_peer) for p in p2p_op_list]
    return [w for w in found if w is not None]


# ------------------------------------------------------------------------------------------------------------- objects
def _packed(x: Any) -> Tensor:
    data = bytearray(pickle.dumps(x))
    return rushlight.frombuffer(data, dtype=rushlight.uint8)


def _unpacked(t: Tensor, size: int) -> Any:
    return pickle.loads(bytes(t[:size].tolist()))


def _gathered(obj: Any, g: ProcessGroup) -> list[Any]:
    """What each process has, of objects whose pickles differ in size."""
    data = _packed(obj)
    sizes = [rushlight.zeros(1, dtype=rushlight.int64) for _ in range(g.size())]
    g._backend.allgather(sizes, rushlight.tensor([data.numel()])).wait()
    counts = [int(s) for s in sizes]
    padded = rushlight.zeros(max(counts), dtype=rushlight.uint8)
    padded[: data.numel()] = data
    outputs = [rushlight.empty_like(padded) for _ in counts]
    g._backend.allgather(outputs, padded).wait()
    return [_unpacked(t, n) for t, n in zip(outputs, counts, strict=True)]


def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Write what each process has, anything that can be pickled, into a list."""
    g = _group(group)
    if g is not None:
        found = _gathered(obj, g)
        for i, x in enumerate(found):
            object_list[i] = x


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    group_dst: int | None = None,
) -> None:
    """Write what each process has into a list of process `dst`."""
    g = _group(group)
    if g is None:
        return
    here = g.rank() == _root(g, dst, group_dst)
    if here and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if not here and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    found = _gathered(obj, g)
    if here:
        assert object_gather_list is not None
        object_gather_list[: len(found)] = found


def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: Device = None,
    group_src: int | None = None,
) -> None:
    """Give all processes the objects of the list of process `src`."""
    g = _group(group)
    if g is None:
        return
    root = _root(g, src, group_src)
    data = _packed(list(object_list)) if g.rank() == root else rushlight.empty(0, dtype=rushlight.uint8)
    size = rushlight.tensor([data.numel()])
    g._backend.broadcast([size], root).wait()
    if g.rank() != root:
        data = rushlight.empty(int(size), dtype=rushlight.uint8)
    g._backend.broadcast([data], root).wait()
    object_list[:] = _unpacked(data, data.numel())


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    group_src: int | None = None,
) -> None:
    """Give each process its one of the objects of process `src`, as the first of its list."""
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    g = _group(group)
    if g is None:
        return
    root = _root(g, src, group_src)
    if g.rank() == root and len(scatter_object_input_list or []) != g.size():
        raise RuntimeError(
            "scatter_object_list(): 'scatter_object_input_list' must have one object for each process, "
            f"{g.size()}; found {len(scatter_object_input_list or [])}"
        )
    objects = list(scatter_object_input_list or [None] * g.size())
    broadcast_object_list(objects, group=g, group_src=root)
    scatter_object_output_list[0] = objects[g.rank()]


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: ProcessGroup | None = None,
    device: Device = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Send objects to a process."""
    data = _packed(list(object_list))
    send(rushlight.tensor([data.numel()]), dst, group, 0, group_dst)
    send(data, dst, group, 0, group_dst)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: Device = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receive objects of a process into a list; returns whose they were."""
    size = rushlight.zeros(1, dtype=rushlight.int64)
    source = recv(size, src, group, 0, group_src)
    data = rushlight.empty(int(size), dtype=rushlight.uint8)
    recv(data, source, group)
    object_list[:] = _unpacked(data, data.numel())
    return source

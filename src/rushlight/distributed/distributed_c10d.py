"""Groups of processes and the exchanges in them, by the names of `torch.distributed`."""

from __future__ import annotations

import datetime
import os
import pickle
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs, urlparse

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.distributed.backends import Backend, Collectives, Op, ReduceOp, Work
from rushlight.distributed.stores import FileStore, HashStore, PrefixStore, Store, TCPStore

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

default_pg_timeout = datetime.timedelta(minutes=30)
_pg_map: dict[Any, Any] = {}
_count = 0  # of the groups that were made, which names them


class ProcessGroup:
    """Some of the processes, and how they exchange tensors.

    backend: the exchanges. ranks: their numbers among all. name: what distinguishes it. shown: the backend's name, as
    it was asked for.
    """

    def __init__(
        self, backend: Collectives, ranks: Sequence[int], name: str, shown: str, group_desc: str = "undefined"
    ) -> None:
        self._backend, self._ranks, self.group_name, self._shown = backend, list(ranks), name, shown
        self.group_desc = group_desc

    def rank(self) -> int:
        """This process's number in the group."""
        return self._backend.rank()

    def size(self) -> int:
        """The number of processes."""
        return self._backend.size()

    def name(self) -> str:
        """The backend's name."""
        return self._backend.name

    def allreduce(self, tensors: Any, opts: Any = ReduceOp.SUM) -> Work:
        """Combine the tensors of all processes, in all of them."""
        return self._backend.allreduce([tensors] if isinstance(tensors, Tensor) else tensors, opts)

    def broadcast(self, tensors: Any, root: int = 0) -> Work:
        """Give all processes the root's tensors."""
        return self._backend.broadcast([tensors] if isinstance(tensors, Tensor) else tensors, root)

    def allgather(self, output_tensors: Sequence[Sequence[Tensor]], input_tensors: Sequence[Tensor]) -> Work:
        """Give all processes the tensors of each."""
        return _all([self._backend.allgather(o, t) for o, t in zip(output_tensors, input_tensors, strict=True)])

    def barrier(self, opts: Any = None) -> Work:
        """Wait for all processes."""
        return self._backend.barrier()

    def __repr__(self) -> str:
        return f"<ProcessGroup {self.group_name}: {self.name()}, {self.rank()} of {self.size()}>"


def _all(works: list[Work]) -> Work:
    for w in works[:-1]:
        w.wait()
    return works[-1]


class _World:
    """The group of all processes, which there is one of, and its store."""

    group: ProcessGroup | None = None
    store: Store | None = None


class _WorldMeta(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The group of all processes; None before `init_process_group`."""
        return _World.group


class group(metaclass=_WorldMeta):
    """Groups by name: WORLD."""


class GroupMember(metaclass=_WorldMeta):
    """What stands for a group in a process that is in it (WORLD), or is not."""

    NON_GROUP_MEMBER = -100


# -------------------------------------------------------------------------------------------------------- what there is
def is_available() -> bool:
    """Whether there are groups of processes: yes, of one."""
    return True


def is_initialized() -> bool:
    """Whether the group of all processes has been made."""
    return _World.group is not None


def is_mpi_available() -> bool:
    """Whether MPI can be used: no."""
    return False


def is_nccl_available() -> bool:
    """Whether NCCL can be used: no."""
    return False


def is_ucc_available() -> bool:
    """Whether UCC can be used: no."""
    return False


def is_xccl_available() -> bool:
    """Whether XCCL can be used: no."""
    return False


def is_gloo_available() -> bool:
    """Whether the backend of that name can be used: yes, for one process."""
    return True


def is_torchelastic_launched() -> bool:
    """Whether PyTorch's launcher has started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def is_backend_available(backend: str) -> bool:
    """Whether groups can be made by a name."""
    return backend.lower() in Backend.makers


def supports_complex(reduceOp: Op) -> bool:
    """Whether an operation combines complex numbers."""
    return reduceOp not in (ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PRODUCT, ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR)


# ----------------------------------------------------------------------------------------------------- making the group
def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: datetime.timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Make the group of all processes, which for the backends here is of this one.

    Args: backend: "gloo" or a registered one; also "cpu:gloo". init_method: "env://" (RANK, WORLD_SIZE, MASTER_ADDR,
    MASTER_PORT), "tcp://host:port" or "file://path". timeout: of the exchanges. world_size, rank: with a store, or an
    init_method that does not say them. store: instead of init_method.
    Errors: ValueError where the group is there, or a number is missing; RuntimeError for a backend that is not here,
    or a group of more than one process.
    """
    if _World.group is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    shown, key = _backend_name(backend)
    if key == "mpi":
        raise RuntimeError(
            "Distributed package doesn't have MPI built in: rushlight has the backend gloo, for one process"
        )
    if store is not None:
        if world_size <= 0:
            raise AssertionError("world_size must be positive if using store")
        if rank < 0:
            raise AssertionError("rank must be non-negative if using store")
    else:
        store, rank, world_size = _rendezvous(init_method or "env://", rank, world_size, key)
    limit = default_pg_timeout if timeout is None else timeout
    store.set_timeout(limit)
    _World.group = _make(key, shown, store, range(world_size), rank, limit, "default_pg")
    _World.store = store
    _pg_map[_World.group] = shown, store


def _backend_name(backend: str | None) -> tuple[str, str]:
    """What a backend is shown as, and what it is registered as."""
    if backend is None:
        return "undefined", "gloo"
    shown = Backend(backend)
    parts = dict(p.partition(":")[::2] for p in shown.split(",")) if ":" in shown else {"cpu": str(shown)}
    for key in parts.values():
        if key not in Backend.makers and key not in Backend.backend_list:
            raise AssertionError(f"Unknown backend type {key}")
    return str(shown), parts.get("cpu", next(iter(parts.values())))


def _make(
    key: str, shown: str, store: Store, ranks: Sequence[int], rank: int, timeout: datetime.timedelta, desc: str
) -> ProcessGroup:
    global _count
    make = Backend.makers.get(key)
    if make is None:
        raise RuntimeError(
            f"Distributed package doesn't have {key.upper()} built in: rushlight has the backend gloo, for one process"
        )
    name = str(_count)
    made = make(PrefixStore(name, store), rank, len(ranks), timeout)
    _count += 1
    return ProcessGroup(made, ranks, name, shown, desc)


def _rendezvous(url: str, rank: int, world_size: int, key: str) -> tuple[Store, int, int]:
    """The store, rank and world size that an init_method leads to."""
    found = urlparse(url)
    query = {k: v[-1] for k, v in parse_qs(found.query).items()}
    rank = int(query.get("rank", rank))
    world_size = int(query.get("world_size", world_size))
    if found.scheme == "env":
        environment: dict[str, str] = {}
        given = {"RANK": rank, "WORLD_SIZE": world_size, "MASTER_ADDR": -1, "MASTER_PORT": -1}
        for name, value in given.items():
            if value != -1:
                environment[name] = str(value)
            elif name in os.environ:
                environment[name] = os.environ[name]
            else:
                raise ValueError(
                    f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} "
                    "expected, "
                    "but not set"
                )
        rank, world_size = int(environment["RANK"]), int(environment["WORLD_SIZE"])
        return _store_at(environment["MASTER_ADDR"], int(environment["MASTER_PORT"]), world_size, key), rank, world_size
    if found.scheme in ("tcp", "file"):
        for what, value in (("rank", rank), ("world size", world_size)):
            if value == -1:
                raise ValueError(
                    f"Error initializing torch.distributed using {found.scheme}:// rendezvous: {what} parameter missing"
                )
        if found.scheme == "file":
            return FileStore(found.path, world_size), rank, world_size
        if found.port is None:
            raise ValueError("Error initializing torch.distributed using tcp:// rendezvous: port number missing")
        return _store_at(str(found.hostname), found.port, world_size, key), rank, world_size
    raise RuntimeError(f"No rendezvous handler for {found.scheme}://")


def _store_at(host: str, port: int, world_size: int, key: str) -> Store:
    """The store that the processes meet at: for one process, whatever the port; for more, the backend finds its own
    way.
    """
    return TCPStore(host, port, 1, True, multi_tenant=True) if world_size == 1 else HashStore()


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Let a group go; None: that of all processes, and with it all others.

    Errors: AssertionError where there is none.
    """
    if group is None:
        group = _World.group
    if group is None:
        raise AssertionError("Process group cannot be None")
    if group not in _pg_map:
        raise ValueError("destroy_process_group(): 'group' must be a group that is there; it is gone already")
    if group is not _World.group:
        del _pg_map[group]
        return
    if isinstance(_World.store, TCPStore):
        _World.store.close()
    _World.group = _World.store = None
    _pg_map.clear()


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
) -> Any:
    """A group of some of the processes (None: of all); GroupMember.NON_GROUP_MEMBER in a process that is not in it.

    Errors: ValueError for ranks that there are not.
    """
    world = _get_default_group()
    chosen = list(range(world.size())) if ranks is None else sorted(ranks)
    if len(chosen) > world.size():
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for r in chosen:
        if not 0 <= r < world.size():
            raise ValueError("The new group's rank should be within the world_size set by init_process_group")
    if not chosen or world.rank() not in chosen:
        return GroupMember.NON_GROUP_MEMBER
    shown, key = (world._shown, _backend_name(world._shown if world._shown != "undefined" else None)[1])
    if backend is not None:
        shown, key = _backend_name(backend)
    assert _World.store is not None
    limit = default_pg_timeout if timeout is None else timeout
    made = _make(key, shown, _World.store, chosen, chosen.index(world.rank()), limit, group_desc or "undefined")
    _pg_map[made] = shown, _World.store
    return made


def new_subgroups(
    group_size: int | None = None,
    group: ProcessGroup | None = None,
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of `group_size` processes each: (this process's, all of them)."""
    size = get_world_size()
    each = size if group_size is None else group_size
    if each <= 0 or size % each:
        raise ValueError(f"new_subgroups(): 'group_size' must divide the world size, {size}; found {each}")
    return new_subgroups_by_enumeration(
        [list(range(i, i + each)) for i in range(0, size, each)], timeout, backend, pg_options, group_desc
    )


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of these processes: (this process's, all of them)."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    own, made = None, []
    for ranks in ranks_per_subgroup_list:
        made.append(new_group(ranks, timeout, backend, pg_options, group_desc=group_desc))
        if get_rank() in ranks:
            own = made[-1]
    return own, made


# ------------------------------------------------------------------------------------------------------------ questions
def _get_default_group() -> ProcessGroup:
    """The group of all processes. ValueError: it has not been made."""
    if _World.group is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _World.group


def _group(group: Any) -> ProcessGroup | None:
    """A group, or that of all processes; None where this process is not in it."""
    if group is None:
        return _get_default_group()
    return None if group == GroupMember.NON_GROUP_MEMBER else group


def _get_default_store() -> Store:
    """The store of the group of all processes."""
    _get_default_group()
    assert _World.store is not None
    return _World.store


def get_rank(group: Any = None) -> int:
    """This process's number in a group; -1 where it is not in it."""
    found = _group(group)
    return -1 if found is None else found.rank()


def get_world_size(group: Any = None) -> int:
    """The number of processes in a group; -1 where this one is not in it."""
    found = _group(group)
    return -1 if found is None else found.size()


def get_backend(group: Any = None) -> str:
    """The name that the group's backend was asked for by."""
    found = _group(group)
    if found is None:
        raise ValueError("Invalid process group specified")
    return found._shown


def get_backend_config(group: Any = None) -> str:
    """The backend of each device, as "cpu:gloo"."""
    shown = get_backend(group)
    return shown if ":" in shown else f"cpu:{'gloo' if shown == 'undefined' else shown}"


def get_process_group_ranks(group: Any) -> list[int]:
    """The numbers that the processes of a group have among all."""
    found = _group(group)
    return [] if found is None else list(found._ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The number in a group of a process that has a number among all. ValueError: it is not in it."""
    if group is GroupMember.WORLD:
        return global_rank
    if global_rank not in group._ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return group._ranks.index(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The number among all of a process that has a number in a group. ValueError: there is none."""
    if group is GroupMember.WORLD:
        return group_rank
    if not 0 <= group_rank < len(group._ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return group._ranks[group_rank]


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """This process's number on its machine, LOCAL_RANK. RuntimeError: that is not set, and no other is given."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise RuntimeError("LOCAL_RANK is not in the environment: get_node_local_rank() needs it, or fallback_rank")
    return fallback_rank


# ------------------------------------------------------------------------------------------------------------ exchanges
def _check_tensor(x: Any, name: str) -> None:
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


def _member(group: Any, call: Callable[[ProcessGroup], Work], async_op: bool) -> Work | None:
    found = _group(group)
    return None if found is None else _done(call(found), async_op)


def _root(found: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
    """The root's number in the group, of that among all or in the group; 0 where none is given."""
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_src and src")
    if group_rank is not None:
        return group_rank
    return 0 if rank is None else get_group_rank(found, rank)


def _combines(name: str, op: Op, tensors: Sequence[Tensor]) -> None:
    if any(t.is_complex() for t in tensors) and not supports_complex(op):
        raise ValueError(f"{name} does not support {op} on complex tensors")


def all_reduce(tensor: Tensor, op: Op = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Combine a tensor of each process, in place, in all of them.

    Returns: None; with `async_op` the Work, whose `wait` returns when it is done.
    """
    _check_tensor(tensor, "tensor")
    _combines("all_reduce", op, [tensor])
    return _member(group, lambda g: g._backend.allreduce([tensor], op), async_op)


def all_reduce_coalesced(tensors: Any, op: Op = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """`all_reduce` of several tensors."""
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    _check_tensors(tensors, "tensors")
    _same_dtype(tensors)
    _combines("all_reduce", op, tensors)
    return _member(group, lambda g: g._backend.allreduce(tensors, op), async_op)


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Give all processes the tensor of process `src`, in place."""
    _check_tensor(tensor, "tensor")
    return _member(group, lambda g: g._backend.broadcast([tensor], _root(g, src, group_src)), async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Op = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Combine a tensor of each process, in place, in process `dst`."""
    _check_tensor(tensor, "tensor")
    _combines("reduce", op, [tensor])
    return _member(group, lambda g: g._backend.reduce([tensor], _root(g, dst, group_dst), op), async_op)


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False) -> Work | None:
    """Write the tensors of all processes into a list of tensors, one for each."""
    _check_tensors(tensor_list, "tensor_list")
    _check_tensor(tensor, "tensor")
    _same_dtype(tensor_list, tensor)
    return _member(group, lambda g: g._backend.allgather(tensor_list, tensor), async_op)


def all_gather_coalesced(
    output_tensor_lists: list[list[Tensor]], input_tensor_list: list[Tensor], group: Any = None, async_op: bool = False
) -> Work | None:
    """`all_gather` of several tensors."""
    _check_tensors(input_tensor_list, "tensor_list")
    pairs = list(zip(output_tensor_lists, input_tensor_list, strict=True))
    return _member(group, lambda g: _all([g._backend.allgather(o, t) for o, t in pairs]), async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
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
    output: Tensor, input_list: list[Tensor], op: Op = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Combine lists of a tensor for each process, and give each its one."""
    _check_tensor(output, "output")
    _check_tensors(input_list, "input_list")
    _same_dtype(output, input_list)
    _combines("reduce_scatter", op, [output])
    return _member(group, lambda g: g._backend.reduce_scatter(output, input_list, op), async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Op = ReduceOp.SUM, group: Any = None, async_op: bool = False
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
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Write the tensors of all processes into a list of tensors of process `dst`."""
    _check_tensor(tensor, "tensor")
    if gather_list:
        _check_tensors(gather_list, "gather_list")
        _same_dtype(tensor, gather_list)

    def call(g: ProcessGroup) -> Work:
        root = _root(g, dst, group_dst)
        if g.rank() == root and not gather_list:
            raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
        if g.rank() != root and gather_list:
            raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
        return g._backend.gather(gather_list or [], tensor, root)

    return _member(group, call, async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Give each process its one of the tensors of process `src`."""
    _check_tensor(tensor, "tensor")
    if scatter_list:
        _check_tensors(scatter_list, "scatter_list")
        _same_dtype(tensor, scatter_list)

    def call(g: ProcessGroup) -> Work:
        root = _root(g, src, group_src)
        if g.rank() == root and not scatter_list:
            raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
        return g._backend.scatter(tensor, scatter_list or [], root)

    return _member(group, call, async_op)


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None, async_op: bool = False
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
    group: Any = None,
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


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Wait for all processes of a group."""
    return _member(group, lambda g: g._backend.barrier(), async_op)


def monitored_barrier(
    group: Any = None, timeout: datetime.timedelta | None = None, wait_all_ranks: bool = False
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
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Begin to send a tensor to a process. ValueError: it is this one."""
    _check_tensor(tensor, "tensor")
    return _member(group, lambda g: g._backend.send(tensor, _other(g, dst, group_dst, "destination"), tag), True)


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Begin to receive a tensor of a process, or any (None), in place. ValueError: it is this one."""
    _check_tensor(tensor, "tensor")

    def call(g: ProcessGroup) -> Work:
        source = None if src is None and group_src is None else _other(g, src, group_src, "source")
        return g._backend.recv(tensor, source, tag)

    return _member(group, call, True)


def send(tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Send a tensor to a process."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receive a tensor of a process, in place; returns whose it was."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank() if src is None and group_src is None else _root(_get_default_group(), src, group_src)


class P2POp:
    """One of the exchanges that `batch_isend_irecv` begins.

    Args: op: isend or irecv. tensor: what is sent or received. peer: the other process.
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: Any = None,
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


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
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
    group: Any = None,
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
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None
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
    group: Any = None,
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
    group: Any = None,
    device: Any = None,
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
    group: Any = None,
    device: Any = None,
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

"""Groups of processes: how they are made, and what can be asked of them."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs, urlparse

from rushlight.core.naming import named
from rushlight.core.tensor import Tensor
from rushlight.distributed.backends import Backend, Collectives, Op, ReduceOp, Work
from rushlight.distributed.stores import FileStore, HashStore, PrefixStore, Store, TCPStore

default_pg_timeout = datetime.timedelta(minutes=30)


_pg_map: dict[ProcessGroup, Any] = {}


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


def is_available() -> bool:
    """Whether there are groups of processes: yes, of one."""
    return True


def is_initialized() -> bool:
    """Whether the group of all processes has been made."""
    return _World.group is not None


def _not_there(library: str) -> Callable[[], bool]:
    def answer() -> bool:
        return False

    return named(answer, f"is_{library}_available", f"Whether {library.upper()} can be used: no.")


is_mpi_available = _not_there("mpi")
is_nccl_available = _not_there("nccl")
is_ucc_available = _not_there("ucc")
is_xccl_available = _not_there("xccl")


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

    Args:
        backend: "gloo" or a registered one; also "cpu:gloo".
        init_method: "env://" (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), "tcp://host:port" or "file://path".
        timeout: of the exchanges.
        world_size, rank: with a store, or an init_method that does not say them.
        store: instead of init_method.

    Raises:
        ValueError: the group is there, or a number is missing.
        RuntimeError: for a backend that is not here, or a group of more than one process.
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

    Raises:
        AssertionError: there is none.
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
) -> ProcessGroup | int:
    """A group of some of the processes (None: of all); GroupMember.NON_GROUP_MEMBER in a process that is not in it.

    Raises:
        ValueError: for ranks that there are not.
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


def _rank_not_in_group(group: ProcessGroup | None = None) -> bool:
    """Whether this process is in no part of a group."""
    return _group(group) is None


def get_rank(group: ProcessGroup | None = None) -> int:
    """This process's number in a group; -1 where it is not in it."""
    found = _group(group)
    return -1 if found is None else found.rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """The number of processes in a group; -1 where this one is not in it."""
    found = _group(group)
    return -1 if found is None else found.size()


def get_backend(group: ProcessGroup | None = None) -> str:
    """The name that the group's backend was asked for by."""
    found = _group(group)
    if found is None:
        raise ValueError("Invalid process group specified")
    return found._shown


def get_backend_config(group: ProcessGroup | None = None) -> str:
    """The backend of each device, as "cpu:gloo"."""
    shown = get_backend(group)
    return shown if ":" in shown else f"cpu:{'gloo' if shown == 'undefined' else shown}"


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
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

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
from rushlight.distributed import default_pg_timeout as default_pg_timeout
from rushlight.distributed.backends import Backend as Backend, ReduceOp as ReduceOp, Work as Work
from rushlight.distributed.distributed_c10d import (
    P2POp as P2POp, all_gather as all_gather, all_gather_coalesced as all_gather_coalesced,
    all_gather_into_tensor as all_gather_into_tensor, all_gather_object as all_gather_object, all_reduce as all_reduce,
    all_reduce_coalesced as all_reduce_coalesced, all_to_all as all_to_all, all_to_all_single as all_to_all_single,
    barrier as barrier, batch_isend_irecv as batch_isend_irecv, broadcast as broadcast,
    broadcast_object_list as broadcast_object_list, gather as gather, gather_object as gather_object, irecv as irecv,
    isend as isend, monitored_barrier as monitored_barrier, recv as recv, recv_object_list as recv_object_list, reduce as reduce,
    reduce_scatter as reduce_scatter, reduce_scatter_tensor as reduce_scatter_tensor, scatter as scatter,
    scatter_object_list as scatter_object_list, send as send, send_object_list as send_object_list,
)
from rushlight.distributed.groups import (
    GroupMember as GroupMember, ProcessGroup as ProcessGroup, destroy_process_group as destroy_process_group,
    get_backend as get_backend, get_backend_config as get_backend_config, get_global_rank as get_global_rank,
    get_group_rank as get_group_rank, get_node_local_rank as get_node_local_rank,
    get_process_group_ranks as get_process_group_ranks, get_rank as get_rank, get_world_size as get_world_size, group as group,
    init_process_group as init_process_group, is_available as is_available, is_backend_available as is_backend_available,
    is_gloo_available as is_gloo_available, is_initialized as is_initialized, is_mpi_available as is_mpi_available,
    is_nccl_available as is_nccl_available, is_torchelastic_launched as is_torchelastic_launched,
    is_ucc_available as is_ucc_available, is_xccl_available as is_xccl_available, new_group as new_group,
    new_subgroups as new_subgroups, new_subgroups_by_enumeration as new_subgroups_by_enumeration,
    supports_complex as supports_complex,
)
from rushlight.distributed.stores import (
    DistBackendError as DistBackendError, DistError as DistError, DistStoreError as DistStoreError, FileStore as FileStore,
    HashStore as HashStore, PrefixStore as PrefixStore, Store as Store, TCPStore as TCPStore,
)
from rushlight.utils._absent import absent_names as absent_names
from torch.distributed import (
    backends as backends, device_mesh as device_mesh, distributed_c10d as distributed_c10d, fsdp as fsdp, groups as groups,
    nn as nn, optim as optim, rpc as rpc, stores as stores, tensor as tensor,
)
from typing import Any

class DeviceMesh:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ProcessGroupGloo:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ProcessGroupNCCL:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
breakpoint: Callable[..., Any]
init_device_mesh: Callable[..., Any]
split_group: Callable[..., Any]

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from rushlight.distributed import (
    Backend as Backend, GroupMember as GroupMember, ReduceOp as ReduceOp, get_rank as get_rank, get_world_size as get_world_size,
    group as group, init_process_group as init_process_group, is_available as is_available,
    is_gloo_available as is_gloo_available, is_initialized as is_initialized, is_mpi_available as is_mpi_available,
    is_nccl_available as is_nccl_available, is_torchelastic_launched as is_torchelastic_launched,
)
from torch.distributed import (
    DeviceMesh as DeviceMesh, DistBackendError as DistBackendError, DistError as DistError, FileStore as FileStore,
    HashStore as HashStore, P2POp as P2POp, PrefixStore as PrefixStore, ProcessGroup as ProcessGroup,
    ProcessGroupGloo as ProcessGroupGloo, ProcessGroupNCCL as ProcessGroupNCCL, Store as Store, TCPStore as TCPStore, Work as Work,
)
from typing import Any

all_gather: Callable[..., Any]
all_gather_coalesced: Callable[..., Any]
all_gather_into_tensor: Callable[..., Any]
all_gather_object: Callable[..., Any]
all_reduce: Callable[..., Any]
all_reduce_coalesced: Callable[..., Any]
all_to_all: Callable[..., Any]
all_to_all_single: Callable[..., Any]
barrier: Callable[..., Any]
batch_isend_irecv: Callable[..., Any]
breakpoint: Callable[..., Any]
broadcast: Callable[..., Any]
broadcast_object_list: Callable[..., Any]
destroy_process_group: Callable[..., Any]
gather: Callable[..., Any]
gather_object: Callable[..., Any]
get_backend: Callable[..., Any]
get_backend_config: Callable[..., Any]
get_global_rank: Callable[..., Any]
get_group_rank: Callable[..., Any]
get_node_local_rank: Callable[..., Any]
get_process_group_ranks: Callable[..., Any]
init_device_mesh: Callable[..., Any]
irecv: Callable[..., Any]
isend: Callable[..., Any]
monitored_barrier: Callable[..., Any]
new_group: Callable[..., Any]
new_subgroups: Callable[..., Any]
new_subgroups_by_enumeration: Callable[..., Any]
recv: Callable[..., Any]
recv_object_list: Callable[..., Any]
reduce: Callable[..., Any]
reduce_scatter: Callable[..., Any]
reduce_scatter_tensor: Callable[..., Any]
scatter: Callable[..., Any]
scatter_object_list: Callable[..., Any]
send: Callable[..., Any]
send_object_list: Callable[..., Any]
split_group: Callable[..., Any]
supports_complex: Callable[..., Any]

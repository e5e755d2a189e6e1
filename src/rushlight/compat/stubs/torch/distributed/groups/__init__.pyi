# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributed.backends import Backend as Backend, Collectives as Collectives, ReduceOp as ReduceOp, Work as Work
from rushlight.distributed.groups import (
    GroupMember as GroupMember, ProcessGroup as ProcessGroup, _World as _World, _WorldMeta as _WorldMeta,
    default_pg_timeout as default_pg_timeout, destroy_process_group as destroy_process_group, get_backend as get_backend,
    get_backend_config as get_backend_config, get_global_rank as get_global_rank, get_group_rank as get_group_rank,
    get_node_local_rank as get_node_local_rank, get_process_group_ranks as get_process_group_ranks, get_rank as get_rank,
    get_world_size as get_world_size, group as group, init_process_group as init_process_group, is_available as is_available,
    is_backend_available as is_backend_available, is_gloo_available as is_gloo_available, is_initialized as is_initialized,
    is_mpi_available as is_mpi_available, is_nccl_available as is_nccl_available,
    is_torchelastic_launched as is_torchelastic_launched, is_ucc_available as is_ucc_available,
    is_xccl_available as is_xccl_available, new_group as new_group, new_subgroups as new_subgroups,
    new_subgroups_by_enumeration as new_subgroups_by_enumeration, supports_complex as supports_complex,
)
from rushlight.distributed.stores import (
    FileStore as FileStore, HashStore as HashStore, PrefixStore as PrefixStore, Store as Store, TCPStore as TCPStore,
)
from torch.distributed.backends import Op as Op

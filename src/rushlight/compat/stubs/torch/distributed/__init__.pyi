# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.distributed import default_pg_timeout as default_pg_timeout
from rushlight.distributed._lacking import lacking as lacking
from rushlight.distributed.backends import Backend as Backend
from rushlight.distributed.backends import ReduceOp as ReduceOp
from rushlight.distributed.backends import Work as Work
from rushlight.distributed.distributed_c10d import P2POp as P2POp
from rushlight.distributed.distributed_c10d import all_gather as all_gather
from rushlight.distributed.distributed_c10d import all_gather_coalesced as all_gather_coalesced
from rushlight.distributed.distributed_c10d import all_gather_into_tensor as all_gather_into_tensor
from rushlight.distributed.distributed_c10d import all_gather_object as all_gather_object
from rushlight.distributed.distributed_c10d import all_reduce as all_reduce
from rushlight.distributed.distributed_c10d import all_reduce_coalesced as all_reduce_coalesced
from rushlight.distributed.distributed_c10d import all_to_all as all_to_all
from rushlight.distributed.distributed_c10d import all_to_all_single as all_to_all_single
from rushlight.distributed.distributed_c10d import barrier as barrier
from rushlight.distributed.distributed_c10d import batch_isend_irecv as batch_isend_irecv
from rushlight.distributed.distributed_c10d import broadcast as broadcast
from rushlight.distributed.distributed_c10d import broadcast_object_list as broadcast_object_list
from rushlight.distributed.distributed_c10d import gather as gather
from rushlight.distributed.distributed_c10d import gather_object as gather_object
from rushlight.distributed.distributed_c10d import irecv as irecv
from rushlight.distributed.distributed_c10d import isend as isend
from rushlight.distributed.distributed_c10d import monitored_barrier as monitored_barrier
from rushlight.distributed.distributed_c10d import recv as recv
from rushlight.distributed.distributed_c10d import recv_object_list as recv_object_list
from rushlight.distributed.distributed_c10d import reduce as reduce
from rushlight.distributed.distributed_c10d import reduce_scatter as reduce_scatter
from rushlight.distributed.distributed_c10d import reduce_scatter_tensor as reduce_scatter_tensor
from rushlight.distributed.distributed_c10d import scatter as scatter
from rushlight.distributed.distributed_c10d import scatter_object_list as scatter_object_list
from rushlight.distributed.distributed_c10d import send as send
from rushlight.distributed.distributed_c10d import send_object_list as send_object_list
from rushlight.distributed.groups import GroupMember as GroupMember
from rushlight.distributed.groups import ProcessGroup as ProcessGroup
from rushlight.distributed.groups import destroy_process_group as destroy_process_group
from rushlight.distributed.groups import get_backend as get_backend
from rushlight.distributed.groups import get_backend_config as get_backend_config
from rushlight.distributed.groups import get_global_rank as get_global_rank
from rushlight.distributed.groups import get_group_rank as get_group_rank
from rushlight.distributed.groups import get_node_local_rank as get_node_local_rank
from rushlight.distributed.groups import get_process_group_ranks as get_process_group_ranks
from rushlight.distributed.groups import get_rank as get_rank
from rushlight.distributed.groups import get_world_size as get_world_size
from rushlight.distributed.groups import group as group
from rushlight.distributed.groups import init_process_group as init_process_group
from rushlight.distributed.groups import is_available as is_available
from rushlight.distributed.groups import is_backend_available as is_backend_available
from rushlight.distributed.groups import is_gloo_available as is_gloo_available
from rushlight.distributed.groups import is_initialized as is_initialized
from rushlight.distributed.groups import is_mpi_available as is_mpi_available
from rushlight.distributed.groups import is_nccl_available as is_nccl_available
from rushlight.distributed.groups import is_torchelastic_launched as is_torchelastic_launched
from rushlight.distributed.groups import is_ucc_available as is_ucc_available
from rushlight.distributed.groups import is_xccl_available as is_xccl_available
from rushlight.distributed.groups import new_group as new_group
from rushlight.distributed.groups import new_subgroups as new_subgroups
from rushlight.distributed.groups import new_subgroups_by_enumeration as new_subgroups_by_enumeration
from rushlight.distributed.groups import supports_complex as supports_complex
from rushlight.distributed.stores import DistBackendError as DistBackendError
from rushlight.distributed.stores import DistError as DistError
from rushlight.distributed.stores import DistStoreError as DistStoreError
from rushlight.distributed.stores import FileStore as FileStore
from rushlight.distributed.stores import HashStore as HashStore
from rushlight.distributed.stores import PrefixStore as PrefixStore
from rushlight.distributed.stores import Store as Store
from rushlight.distributed.stores import TCPStore as TCPStore
from torch.distributed import backends as backends
from torch.distributed import device_mesh as device_mesh
from torch.distributed import distributed_c10d as distributed_c10d
from torch.distributed import fsdp as fsdp
from torch.distributed import groups as groups
from torch.distributed import nn as nn
from torch.distributed import optim as optim
from torch.distributed import rpc as rpc
from torch.distributed import stores as stores
from torch.distributed import tensor as tensor

class DeviceMesh(_Made): ...
class ProcessGroupGloo(_Made): ...
class ProcessGroupNCCL(_Made): ...
breakpoint: _Function
init_device_mesh: _Function
split_group: _Function

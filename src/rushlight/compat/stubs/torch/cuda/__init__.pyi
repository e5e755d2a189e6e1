# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.cuda import (
    CudaError as CudaError, Event as Event, OutOfMemoryError as OutOfMemoryError, Stream as Stream, stream as _of_StreamContext,
    current_device as current_device, current_stream as current_stream, default_generators as default_generators,
    default_stream as default_stream, device as device, device_count as device_count, device_of as device_of,
    empty_cache as empty_cache, get_arch_list as get_arch_list, get_device_capability as get_device_capability,
    get_device_name as get_device_name, get_device_properties as get_device_properties, get_gencode_flags as get_gencode_flags,
    get_rng_state as get_rng_state, get_rng_state_all as get_rng_state_all, graph as graph,
    graph_pool_handle as graph_pool_handle, init as init, initial_seed as initial_seed, ipc_collect as ipc_collect,
    is_available as is_available, is_bf16_supported as is_bf16_supported,
    is_current_stream_capturing as is_current_stream_capturing, is_initialized as is_initialized,
    is_tf32_supported as is_tf32_supported, make_graphed_callables as make_graphed_callables, manual_seed as manual_seed,
    manual_seed_all as manual_seed_all, max_memory_allocated as max_memory_allocated, max_memory_cached as max_memory_cached,
    max_memory_reserved as max_memory_reserved, mem_get_info as mem_get_info, memory_allocated as memory_allocated,
    memory_cached as memory_cached, memory_reserved as memory_reserved, memory_snapshot as memory_snapshot,
    memory_stats as memory_stats, memory_summary as memory_summary,
    reset_accumulated_memory_stats as reset_accumulated_memory_stats, reset_max_memory_allocated as reset_max_memory_allocated,
    reset_max_memory_cached as reset_max_memory_cached, reset_peak_memory_stats as reset_peak_memory_stats, seed as seed,
    seed_all as seed_all, set_device as set_device, set_per_process_memory_fraction as set_per_process_memory_fraction,
    set_rng_state as set_rng_state, set_rng_state_all as set_rng_state_all, set_stream as set_stream, stream as stream,
    synchronize as synchronize, utilization as utilization,
)
from torch.cuda import amp as amp, profiler as profiler

StreamContext = _of_StreamContext

"""Names that programs import because `torch.distributed` is available, of what is not here: groups of more than one
process's sharding, pipelines, checkpoints and launchers. Using one says so.

Where the standard of a package is "if torch.distributed.is_available(): from torch.distributed.x import y", the import
must work, whatever becomes of y.
"""

from __future__ import annotations

from typing import Any

from rushlight.utils._absent import absent_class, absent_function

WHY = "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel"

# A module of PyTorch's -> the names in it, beside those that compat/places.py finds for it.
ROOMS: dict[str, str] = {
    "torch.distributed._composable": "",
    "torch.distributed._composable.checkpoint_activation": "checkpoint",
    "torch.distributed._composable.fsdp": "",
    "torch.distributed._composable.fsdp.fully_shard": "",
    "torch.distributed._composable.replicate": "DDP replicate unimplemented_deepcopy",
    "torch.distributed._composable.replicate_with_fsdp": ("ReplicateModule is_composable_with_replicate replicate"),
    "torch.distributed._tensor": "",
    "torch.distributed._tensor.api": "",
    "torch.distributed._tensor.experimental": "implicit_replication",
    "torch.distributed._tensor.placement_types": "",
    "torch.distributed.algorithms": "",
    "torch.distributed.algorithms._checkpoint": "",
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper": "offload_wrapper",
    "torch.distributed.algorithms.ddp_comm_hooks": "register_ddp_comm_hook",
    "torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook": (
        "hook_with_zero_step hook_with_zero_step_interleaved"
    ),
    "torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks": "noop_hook",
    "torch.distributed.algorithms.ddp_comm_hooks.default_hooks": ("bf16_compress_wrapper fp16_compress_wrapper"),
    "torch.distributed.algorithms.ddp_comm_hooks.mixed_precision_hooks": "",
    "torch.distributed.algorithms.ddp_comm_hooks.optimizer_overlap_hooks": "",
    "torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook": "PostLocalSGDState post_localSGD_hook",
    "torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook": "PowerSGDState batched_powerSGD_hook",
    "torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks": (
        "quantization_perchannel_hook quantization_pertensor_hook"
    ),
    "torch.distributed.algorithms.join": "Join JoinHook Joinable",
    "torch.distributed.algorithms.model_averaging": "",
    "torch.distributed.algorithms.model_averaging.hierarchical_model_averager": "HierarchicalModelAverager",
    "torch.distributed.algorithms.model_averaging.utils": (
        "average_parameters average_parameters_or_parameter_groups get_params_to_average"
    ),
    "torch.distributed.autograd": "context is_available",
    "torch.distributed.checkpoint": "",
    "torch.distributed.checkpoint._consolidate_hf_safetensors": "consolidate_safetensors_files",
    "torch.distributed.checkpoint.api": "CheckpointException",
    "torch.distributed.checkpoint.default_planner": (
        "DefaultLoadPlanner DefaultSavePlanner _EmptyStateDictLoadPlanner create_default_global_load_plan "
        "create_default_global_save_plan create_default_local_load_plan create_default_local_save_plan"
    ),
    "torch.distributed.checkpoint.filesystem": (
        "FileSystem FileSystemBase FileSystemReader FileSystemWriter SerializationFormat"
    ),
    "torch.distributed.checkpoint.format_utils": (
        "BroadcastingTorchSaveReader DynamicMetaLoadPlanner dcp_to_torch_save torch_save_to_dcp"
    ),
    "torch.distributed.checkpoint.hf_storage": "HuggingFaceStorageReader HuggingFaceStorageWriter",
    "torch.distributed.checkpoint.metadata": (
        "BytesStorageMetadata ChunkStorageMetadata Metadata MetadataIndex StorageMeta TensorProperties "
        "TensorStorageMetadata"
    ),
    "torch.distributed.checkpoint.optimizer": "load_sharded_optimizer_state_dict",
    "torch.distributed.checkpoint.planner": (
        "BytesIOWriteData LoadItemType LoadPlan LoadPlanner ReadItem SavePlan SavePlanner TensorWriteData "
        "WriteItem WriteItemType"
    ),
    "torch.distributed.checkpoint.planner_helpers": "create_read_items_for_chunk_list",
    "torch.distributed.checkpoint.quantized_hf_storage": "QuantizedHuggingFaceStorageReader",
    "torch.distributed.checkpoint.resharding": "",
    "torch.distributed.checkpoint.staging": "AsyncStager BlockingAsyncStager DefaultStager StagingOptions",
    "torch.distributed.checkpoint.state_dict": (" "),
    "torch.distributed.checkpoint.state_dict_loader": "_load_state_dict load load_state_dict",
    "torch.distributed.checkpoint.state_dict_saver": (
        "AsyncCheckpointerType AsyncSaveResponse async_save save save_state_dict"
    ),
    "torch.distributed.checkpoint.stateful": "Stateful ",
    "torch.distributed.checkpoint.storage": "StorageReader StorageWriter WriteResult",
    "torch.distributed.checkpoint.utils": "find_state_dict_object find_tensor_shard",
    "torch.distributed.constants": "default_pg_nccl_timeout",
    "torch.distributed.elastic": "",
    "torch.distributed.elastic.events": "construct_and_record_rdzv_event record record_rdzv_event",
    "torch.distributed.elastic.events.api": "Event EventSource NodeState RdzvEvent",
    "torch.distributed.elastic.multiprocessing": (
        "DefaultLogsSpecs LogsDest LogsSpecs MultiprocessContext PContext ProcessFailure RunProcsResult "
        "SignalException Std SubprocessContext start_processes to_map"
    ),
    "torch.distributed.elastic.multiprocessing.api": (
        "DefaultLogsSpecs LogsDest LogsSpecs MultiprocessContext PContext RunProcsResult SignalException Std "
        "SubprocessContext get_std_cm to_map"
    ),
    "torch.distributed.elastic.multiprocessing.errors": (
        "ChildFailedError ErrorHandler ProcessFailure get_error_handler record"
    ),
    "torch.distributed.elastic.rendezvous": (
        "RendezvousClosedError RendezvousConnectionError RendezvousError RendezvousGracefulExitError "
        "RendezvousHandler RendezvousHandlerCreator RendezvousHandlerRegistry RendezvousInfo RendezvousParameters "
        "RendezvousStateError RendezvousStoreInfo RendezvousTimeoutError rendezvous_handler_registry"
    ),
    "torch.distributed.elastic.utils": "",
    "torch.distributed.fsdp": "",
    "torch.distributed.fsdp.wrap": "CustomPolicy ModuleWrapPolicy",
    "torch.distributed.launch": "launch main parse_args",
    "torch.distributed.launcher": "",
    "torch.distributed.launcher.api": "LaunchConfig elastic_launch launch_agent",
    "torch.distributed.nn": "",
    "torch.distributed.nn.api": "",
    "torch.distributed.nn.api.remote_module": "RemoteModule",
    "torch.distributed.optim": "as_functional_optim",
    "torch.distributed.optim.apply_optimizer_in_backward": "",
    "torch.distributed.optim.named_optimizer": "",
    "torch.distributed.optim.optimizer": "DistributedOptimizer",
    "torch.distributed.optim.post_localSGD_optimizer": "PostLocalSGDOptimizer",
    "torch.distributed.optim.utils": "as_functional_optim register_functional_optim",
    "torch.distributed.optim.zero_redundancy_optimizer": "ZeroRedundancyOptimizer",
    "torch.distributed.pipelining": (
        "Pipe PipelineStage Schedule1F1B ScheduleDualPipeV ScheduleGPipe ScheduleInterleaved1F1B "
        "ScheduleInterleavedZeroBubble ScheduleLoopedBFS ScheduleZBVZeroBubble SplitPoint build_stage pipe_split "
        "pipeline"
    ),
    "torch.distributed.pipelining.microbatch": "TensorChunkSpec merge_chunks split_args_kwargs_into_chunks",
    "torch.distributed.pipelining.schedules": (
        "PipelineScheduleMulti PipelineScheduleSingle Schedule1F1B ScheduleDualPipeV ScheduleGPipe "
        "ScheduleInterleaved1F1B ScheduleInterleavedZeroBubble ScheduleLoopedBFS ScheduleZBVZeroBubble "
        "get_schedule_class"
    ),
    "torch.distributed.pipelining.stage": "PipelineStage build_stage",
    "torch.distributed.rendezvous": "register_rendezvous_handler rendezvous",
    "torch.distributed.rpc": (
        "AllGatherStates backend_registered construct_rpc_backend_options init_backend is_available "
        "method_factory new_method register_backend"
    ),
    "torch.distributed.rpc.api": (
        "AllGatherStates RRef get_worker_info method_factory new_method remote rpc_async rpc_sync shutdown"
    ),
    "torch.distributed.rpc.backend_registry": (
        "BackendType backend_registered construct_rpc_backend_options init_backend register_backend"
    ),
    "torch.distributed.rpc.options": "TensorPipeRpcBackendOptions",
    "torch.distributed.run": (
        "config_from_args determine_local_world_size get_rdzv_endpoint get_use_env main parse_args "
        "parse_min_max_nnodes run_script_path"
    ),
    "torch.distributed.tensor": "",
    "torch.distributed.tensor._utils": "compute_local_shape_and_global_offset",
    "torch.distributed.tensor.experimental": ("context_parallel implicit_replication local_map register_sharding"),
    "torch.distributed.tensor.experimental._attention": "set_rotate_method",
    "torch.distributed.tensor.parallel": (
        "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput "
        "RowwiseParallel SequenceParallel loss_parallel parallelize_module"
    ),
    "torch.distributed.tensor.parallel.api": "parallelize_module",
    "torch.distributed.tensor.parallel.ddp": "",
    "torch.distributed.tensor.parallel.fsdp": "DTensorExtensions",
    "torch.distributed.tensor.parallel.input_reshard": "input_reshard",
    "torch.distributed.tensor.parallel.loss": "loss_parallel",
    "torch.distributed.tensor.parallel.style": (
        "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput "
        "RowwiseParallel SequenceParallel"
    ),
    "torch.distributed.tensor.placement_types": "_StridedShard",
}

_CLASSES = frozenset({"context", "elastic_launch"})  # without a capital
_made: dict[str, Any] = {}


def _no() -> bool:
    """Whether it is there: no."""
    return False


_no.__name__ = _no.__qualname__ = "is_available"


def absent(room: str) -> dict[str, Any]:
    """The absent classes and functions of a module; one that several modules name is one object."""
    for name in ROOMS.get(room, "").split():
        if name not in _made:
            make = absent_class if name.lstrip("_")[0].isupper() or name in _CLASSES else absent_function
            _made[name] = _no if name == "is_available" else make(name, room, WHY)
    return {name: _made[name] for name in ROOMS.get(room, "").split()}

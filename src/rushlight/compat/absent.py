"""Names that programs import because `torch.distributed` is available, of features that rushlight lacks: sharding,
pipelines, checkpoints and launchers for groups of several processes. Using one is an error that says so.

Where the standard of a package is "if torch.distributed.is_available(): from torch.distributed.x import y", the import
must work, whatever becomes of y.
"""

from __future__ import annotations

from typing import Any

from rushlight.utils._absent import absent_class, absent_function

WHY = "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel"

# A module of torch.distributed, and its names other than those that compat/places.py finds for it. A line that
# begins with a space goes on with the names of the one before.
_TABLE = """\
_composable
_composable.checkpoint_activation checkpoint
_composable.fsdp
_composable.fsdp.fully_shard
_composable.replicate DDP replicate unimplemented_deepcopy
_composable.replicate_with_fsdp ReplicateModule is_composable_with_replicate replicate
_tensor
_tensor.api
_tensor.experimental implicit_replication
_tensor.placement_types
algorithms
algorithms._checkpoint
algorithms._checkpoint.checkpoint_wrapper offload_wrapper
algorithms.ddp_comm_hooks register_ddp_comm_hook
algorithms.ddp_comm_hooks.ddp_zero_hook hook_with_zero_step hook_with_zero_step_interleaved
algorithms.ddp_comm_hooks.debugging_hooks noop_hook
algorithms.ddp_comm_hooks.default_hooks bf16_compress_wrapper fp16_compress_wrapper
algorithms.ddp_comm_hooks.mixed_precision_hooks
algorithms.ddp_comm_hooks.optimizer_overlap_hooks
algorithms.ddp_comm_hooks.post_localSGD_hook PostLocalSGDState post_localSGD_hook
algorithms.ddp_comm_hooks.powerSGD_hook PowerSGDState batched_powerSGD_hook
algorithms.ddp_comm_hooks.quantization_hooks quantization_perchannel_hook quantization_pertensor_hook
algorithms.join Join JoinHook Joinable
algorithms.model_averaging
algorithms.model_averaging.hierarchical_model_averager HierarchicalModelAverager
algorithms.model_averaging.utils average_parameters average_parameters_or_parameter_groups get_params_to_average
autograd context is_available
checkpoint
checkpoint._consolidate_hf_safetensors consolidate_safetensors_files
checkpoint.api CheckpointException
checkpoint.default_planner DefaultLoadPlanner DefaultSavePlanner _EmptyStateDictLoadPlanner
    create_default_global_load_plan create_default_global_save_plan create_default_local_load_plan
    create_default_local_save_plan
checkpoint.filesystem FileSystem FileSystemBase FileSystemReader FileSystemWriter SerializationFormat
checkpoint.format_utils BroadcastingTorchSaveReader DynamicMetaLoadPlanner dcp_to_torch_save torch_save_to_dcp
checkpoint.hf_storage HuggingFaceStorageReader HuggingFaceStorageWriter
checkpoint.metadata BytesStorageMetadata ChunkStorageMetadata Metadata MetadataIndex StorageMeta TensorProperties
    TensorStorageMetadata
checkpoint.optimizer load_sharded_optimizer_state_dict
checkpoint.planner BytesIOWriteData LoadItemType LoadPlan LoadPlanner ReadItem SavePlan SavePlanner TensorWriteData
    WriteItem WriteItemType
checkpoint.planner_helpers create_read_items_for_chunk_list
checkpoint.quantized_hf_storage QuantizedHuggingFaceStorageReader
checkpoint.resharding
checkpoint.staging AsyncStager BlockingAsyncStager DefaultStager StagingOptions
checkpoint.state_dict
checkpoint.state_dict_loader _load_state_dict load load_state_dict
checkpoint.state_dict_saver AsyncCheckpointerType AsyncSaveResponse async_save save save_state_dict
checkpoint.stateful Stateful
checkpoint.storage StorageReader StorageWriter WriteResult
checkpoint.utils find_state_dict_object find_tensor_shard
constants default_pg_nccl_timeout
elastic
elastic.events construct_and_record_rdzv_event record record_rdzv_event
elastic.events.api Event EventSource NodeState RdzvEvent
elastic.multiprocessing DefaultLogsSpecs LogsDest LogsSpecs MultiprocessContext PContext ProcessFailure RunProcsResult
    SignalException Std SubprocessContext start_processes to_map
elastic.multiprocessing.api DefaultLogsSpecs LogsDest LogsSpecs MultiprocessContext PContext RunProcsResult
    SignalException Std SubprocessContext get_std_cm to_map
elastic.multiprocessing.errors ChildFailedError ErrorHandler ProcessFailure get_error_handler
elastic.rendezvous RendezvousClosedError RendezvousConnectionError RendezvousError RendezvousGracefulExitError
    RendezvousHandler RendezvousHandlerCreator RendezvousHandlerRegistry RendezvousInfo RendezvousParameters
    RendezvousStateError RendezvousStoreInfo RendezvousTimeoutError rendezvous_handler_registry
elastic.utils
fsdp
fsdp.wrap CustomPolicy ModuleWrapPolicy
launch launch main parse_args
launcher
launcher.api LaunchConfig elastic_launch launch_agent
nn
nn.api
nn.api.remote_module RemoteModule
optim as_functional_optim
optim.apply_optimizer_in_backward
optim.named_optimizer
optim.optimizer DistributedOptimizer
optim.post_localSGD_optimizer PostLocalSGDOptimizer
optim.utils as_functional_optim register_functional_optim
optim.zero_redundancy_optimizer ZeroRedundancyOptimizer
pipelining Pipe PipelineStage Schedule1F1B ScheduleDualPipeV ScheduleGPipe ScheduleInterleaved1F1B
    ScheduleInterleavedZeroBubble ScheduleLoopedBFS ScheduleZBVZeroBubble SplitPoint build_stage pipe_split pipeline
pipelining.microbatch TensorChunkSpec merge_chunks split_args_kwargs_into_chunks
pipelining.schedules PipelineScheduleMulti PipelineScheduleSingle Schedule1F1B ScheduleDualPipeV ScheduleGPipe
    ScheduleInterleaved1F1B ScheduleInterleavedZeroBubble ScheduleLoopedBFS ScheduleZBVZeroBubble get_schedule_class
pipelining.stage PipelineStage build_stage
rendezvous register_rendezvous_handler rendezvous
rpc AllGatherStates backend_registered construct_rpc_backend_options init_backend is_available method_factory
    new_method register_backend
rpc.api AllGatherStates RRef get_worker_info method_factory new_method remote rpc_async rpc_sync shutdown
rpc.backend_registry BackendType backend_registered construct_rpc_backend_options init_backend register_backend
rpc.options TensorPipeRpcBackendOptions
run config_from_args determine_local_world_size get_rdzv_endpoint get_use_env parse_args parse_min_max_nnodes
    run_script_path
tensor
tensor._utils compute_local_shape_and_global_offset
tensor.experimental context_parallel implicit_replication local_map register_sharding
tensor.experimental._attention set_rotate_method
tensor.parallel ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput
    RowwiseParallel SequenceParallel loss_parallel parallelize_module
tensor.parallel.api parallelize_module
tensor.parallel.ddp
tensor.parallel.fsdp DTensorExtensions
tensor.parallel.input_reshard input_reshard
tensor.parallel.loss loss_parallel
tensor.parallel.style ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput
    RowwiseParallel SequenceParallel
tensor.placement_types _StridedShard
"""
NAMESPACES: dict[str, str] = {}
for _line in _TABLE.replace("\n ", " ").splitlines():
    _namespace, _, _names = _line.partition(" ")
    NAMESPACES[f"torch.distributed.{_namespace}"] = _names

_CLASSES = frozenset({"context", "elastic_launch"})  # without a capital
_made: dict[str, Any] = {}


def _no() -> bool:
    """Whether it is there: no."""
    return False


_no.__name__ = _no.__qualname__ = "is_available"


def absent(namespace: str) -> dict[str, Any]:
    """The absent classes and functions of a module; one that several modules name is one object."""
    for name in NAMESPACES.get(namespace, "").split():
        if name not in _made:
            make = absent_class if name.lstrip("_")[0].isupper() or name in _CLASSES else absent_function
            _made[name] = _no if name == "is_available" else make(name, namespace, WHY)
    return {name: _made[name] for name in NAMESPACES.get(namespace, "").split()}

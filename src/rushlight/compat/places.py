"""The places in PyTorch of names that rushlight keeps elsewhere, and the names of the package that PyTorch lacks."""

from __future__ import annotations

# A module of PyTorch's -> a module of rushlight's -> the classes and functions that are kept there. A module that
# rushlight has no file for is made of these.
NAMESPACES: dict[str, dict[str, str]] = {
    "torch": {
        "rushlight._dynamo.eval_frame": "compile",
        "rushlight._C": (
            "AnyType AwaitType BoolType ClassType ComplexType DeviceObjType DictType DispatchKey DispatchKeySet "
            "EnumType FloatType FutureType IntType InterfaceType ListType NoneType NumberType OptionalType "
            "PyObjectType PyTorchFileReader PyTorchFileWriter RRefType ScriptModule ScriptObject StreamObjType "
            "StringType SymBoolType SymIntType TensorType TupleType Type UnionType"
        ),
        "rushlight.names.quantized": "qscheme",
        "rushlight.names.streams": "Event Stream",
        "rushlight.names.symbols": (
            "SymBool SymFloat SymInt _sym_sqrt sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not sym_sum"
        ),
        "rushlight.accelerator": "AcceleratorError get_device_module",
        "rushlight.cuda": "OutOfMemoryError",
        "rushlight.amp.autocast_mode": (
            "clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype "
            "is_autocast_cache_enabled "
            "is_autocast_cpu_enabled is_autocast_enabled set_autocast_cache_enabled set_autocast_dtype "
            "set_autocast_enabled"
        ),
        "rushlight.autograd.anomaly_mode": "is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled",
        "rushlight.core._native": "set_num_threads",
        "rushlight.core.dtypes": "dtype layout memory_format",
        "rushlight.core.devices": "Size device",
        "rushlight.core.tensor": "Tensor is_grad_enabled is_inference_mode_enabled",
        "rushlight.func.control": "cond",
        "rushlight.operators.creation.creation": "get_default_device set_default_device",
        "rushlight.operators.tensors.info": (
            "can_cast finfo get_default_dtype iinfo is_complex is_floating_point is_inference is_nonzero is_tensor "
            "numel "
            "promote_types result_type set_default_tensor_type typename"
        ),
        "rushlight.operators.tensors.interop": (
            "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor "
            "ShortTensor asarray "
            "from_numpy frombuffer "
            "scalar_tensor"
        ),
        "rushlight.nn.modules._flat_rnn": "gru lstm rnn_relu rnn_tanh",
        "rushlight.operators.shapes.layouts": (
            "ccol_indices_copy col_indices_copy crow_indices_copy dsmm hsmm hspmm indices_copy resize_as_sparse_ "
            "row_indices_copy saddmm smm "
            "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor "
            "sparse_csr_tensor spmm sspaddmm "
            "values_copy"
        ),
        "rushlight.operators.tensors.memory": (
            "BoolStorage ByteStorage CharStorage DoubleStorage FloatStorage IntStorage LongStorage ShortStorage "
            "get_device is_signed "
            "is_storage set_flush_denormal"
        ),
        "rushlight.operators.tensors.refusals": (
            "dequantize int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale "
            "q_zero_point quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic"
        ),
        "rushlight.operators.nn.native": (
            "embedding_bag native_batch_norm native_dropout native_group_norm native_layer_norm"
        ),
        "rushlight.names.settings": (
            "are_deterministic_algorithms_enabled get_deterministic_debug_mode get_float32_matmul_precision "
            "get_num_interop_threads "
            "is_deterministic_algorithms_warn_only_enabled is_warn_always_enabled set_deterministic_debug_mode "
            "set_float32_matmul_precision "
            "set_num_interop_threads set_warn_always use_deterministic_algorithms"
        ),
    },
    "torch._C": {
        "rushlight.overrides": "DisableTorchFunction DisableTorchFunctionSubclass",
        "rushlight.operators.random.generators": "Generator",
    },
    "torch._C._profiler": {"rushlight.profiler": "ProfilerActivity"},
    "torch.cuda.random": {
        "rushlight.cuda": (
            "get_rng_state get_rng_state_all initial_seed manual_seed manual_seed_all seed seed_all "
            "set_rng_state set_rng_state_all"
        )
    },
    "torch.fx._symbolic_trace": {
        "rushlight.fx.tracing": "PH PHBase PHWithMeta Tracer _assert_is_none is_fx_tracing wrap"
    },
    "torch._linalg_utils": {"rushlight.operators.tensors.refusals": "eig lstsq matrix_rank solve symeig"},
    **{
        f"torch.utils.data.datapipes.{kind}.{namespace}": {
            f"rushlight.utils.data.datapipes.{kind}": " ".join(f"{n}{suffix}" for n in names.split())
        }
        for kind, suffix, namespaces in (
            (
                "iter",
                "IterDataPipe",
                {
                    "callable": "Collator Mapper",
                    "combinatorics": "Sampler Shuffler",
                    "combining": "Concater Demultiplexer Forker Multiplexer Zipper",
                    "filelister": "FileLister",
                    "fileopener": "FileOpener",
                    "grouping": "Batcher Grouper UnBatcher",
                    "selecting": "Filter",
                    "sharding": "ShardingFilter",
                    "streamreader": "StreamReader",
                    "utils": "IterableWrapper",
                },
            ),
            (
                "map",
                "MapDataPipe",
                {
                    "callable": "Mapper",
                    "combining": "Concater Zipper",
                    "grouping": "Batcher",
                    "utils": "SequenceWrapper",
                },
            ),
        )
        for namespace, names in namespaces.items()
    },
    "torch.utils.data.datapipes.map.combinatorics": {"rushlight.utils.data.datapipes.map": "ShufflerIterDataPipe"},
    "torch.utils.data.datapipes._decorator": {"rushlight.utils.data.datapipes.datapipe": "functional_datapipe"},
    "torch._jit_internal": {"rushlight.jit": "export ignore unused"},
    "torch.nn.modules.module": {"rushlight.nn.modules._state_dict": "_IncompatibleKeys"},
    "torch._tensor_str": {
        "rushlight.inspection.printing": (
            "PRINT_OPTS _add_suffixes _str_intern _tensor_str get_printoptions printoptions set_printoptions"
        )
    },
    "torch.autograd": {"rushlight.autograd.running": "backward grad"},
    "torch.autograd.graph": {
        "rushlight.autograd.running": "GradientEdge get_gradient_edge",
        "rushlight.core.engine": "Node",
    },
    "torch.distributed._composable": {},
    "torch.distributed._composable.fsdp": {
        "rushlight.distributed.fsdp": "CPUOffloadPolicy FSDPModule MixedPrecisionPolicy OffloadPolicy fully_shard"
    },
    "torch.distributed._functional_collectives": {
        "rushlight.distributed._absent": "AsyncCollectiveTensor",
        "rushlight.distributed.nn.values": (
            "all_gather_into_tensor_coalesced all_gather_single all_gather_single_autograd all_gather_tensor "
            "all_gather_tensor_autograd all_reduce all_reduce_coalesced all_to_all_single all_to_all_single_autograd "
            "broadcast permute_tensor reduce_scatter_single reduce_scatter_single_autograd reduce_scatter_tensor "
            "reduce_scatter_tensor_autograd reduce_scatter_tensor_coalesced wait_tensor"
        ),
    },
    "torch.distributed._tensor": {
        "rushlight.distributed.tensor": "DTensor distribute_module distribute_tensor",
        "rushlight.distributed.tensor.placements": "Partial Placement Replicate Shard",
    },
    "torch.distributed.elastic.multiprocessing.errors": {"rushlight.distributed._launching": "record"},
    "torch.distributed.algorithms": {},
    "torch.distributed.algorithms._checkpoint": {},
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper": {
        "rushlight.distributed._absent": (
            "CheckpointImpl CheckpointWrapper apply_activation_checkpointing checkpoint_wrapper"
        )
    },
    "torch.distributed.algorithms.ddp_comm_hooks": {"rushlight.distributed._absent": "DDPCommHookType"},
    "torch.distributed.algorithms.ddp_comm_hooks.default_hooks": {
        "rushlight.nn.parallel.communication": "allreduce_hook bf16_compress_hook fp16_compress_hook"
    },
    "torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook": {"rushlight.distributed._absent": "powerSGD_hook"},
    "torch.distributed.algorithms.model_averaging": {},
    "torch.distributed.algorithms.model_averaging.averagers": {
        "rushlight.distributed._absent": "ModelAverager PeriodicModelAverager"
    },
    "torch.distributed.checkpoint": {
        "rushlight.distributed._absent": (
            "DefaultLoadPlanner DefaultSavePlanner FileSystemReader FileSystemWriter async_save load load_state_dict "
            "save save_state_dict"
        )
    },
    "torch.distributed.checkpoint.state_dict": {
        "rushlight.distributed.state_dicts": (
            "StateDictOptions get_model_state_dict get_optimizer_state_dict get_state_dict set_model_state_dict "
            "set_optimizer_state_dict set_state_dict"
        )
    },
    "torch.distributed.distributed_c10d": {
        "rushlight.distributed.backends": "Backend ReduceOp Work",
        "rushlight.distributed.groups": (
            "GroupMember ProcessGroup destroy_process_group get_backend get_backend_config get_global_rank "
            "get_group_rank get_node_local_rank get_process_group_ranks get_rank get_world_size group "
            "init_process_group is_available is_backend_available is_gloo_available is_initialized "
            "is_mpi_available is_nccl_available is_torchelastic_launched is_ucc_available is_xccl_available "
            "new_group new_subgroups new_subgroups_by_enumeration supports_complex"
        ),
        "rushlight.distributed.stores": (
            "DistBackendError DistError DistStoreError FileStore HashStore PrefixStore Store TCPStore"
        ),
    },
    "torch.distributed.constants": {"rushlight.distributed.distributed_c10d": "default_pg_timeout"},
    "torch.distributed.fsdp.api": {
        "rushlight.distributed.fsdp": (
            "BackwardPrefetch CPUOffload FullOptimStateDictConfig FullStateDictConfig LocalOptimStateDictConfig "
            "LocalStateDictConfig MixedPrecision OptimStateDictConfig OptimStateKeyType ShardedOptimStateDictConfig "
            "ShardedStateDictConfig ShardingStrategy StateDictConfig StateDictSettings StateDictType"
        )
    },
    "torch.distributed.fsdp.fully_sharded_data_parallel": {
        "rushlight.distributed.fsdp": (
            "BackwardPrefetch CPUOffload FullOptimStateDictConfig FullStateDictConfig FullyShardedDataParallel "
            "LocalStateDictConfig MixedPrecision OptimStateKeyType ShardedOptimStateDictConfig "
            "ShardedStateDictConfig ShardingStrategy StateDictType"
        ),
        "rushlight.distributed._absent": "FlatParameter",
    },
    "torch.distributed.fsdp.sharded_grad_scaler": {"rushlight.distributed._absent": "ShardedGradScaler"},
    "torch.distributed.fsdp.wrap": {
        "rushlight.distributed._absent": (
            "always_wrap_policy enable_wrap lambda_auto_wrap_policy size_based_auto_wrap_policy "
            "transformer_auto_wrap_policy wrap"
        )
    },
    "torch.distributed.run": {
        "rushlight.distributed._absent": "get_args_parser run",
        "rushlight.distributed._launching": "main",
    },
    "torch.distributed.tensor.placement_types": {
        "rushlight.distributed.tensor.placements": "Partial Placement Replicate Shard"
    },
    "torch.distributed.utils": {"rushlight.distributed._absent": "_sync_module_states"},
    "torch.func": {
        "rushlight.func.derivatives": "grad grad_and_value hessian jacfwd jacrev jvp linearize vjp",
        "rushlight.func.mapping": "vmap",
        "rushlight.func.module_calls": (
            "functional_call functionalize replace_all_batch_norm_modules_ stack_module_state"
        ),
        "rushlight.func.rearranging": "rearrange",
    },
    "torch.functional": {
        "rushlight": (
            "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist "
            "istft lu meshgrid norm pca_lowrank split stft "
            "svd_lowrank tensordot unique unique_consecutive unravel_index"
        ),
        "rushlight.operators.linalg.contraction": "chain_matmul einsum",
    },
    "torch.hub": {
        "rushlight.hub.download": "download_url_to_file load_state_dict_from_url",
        "rushlight.hub.folders": "get_dir set_dir",
        "rushlight.hub.repositories": "help list load",
    },
    "torch.jit._async": {"rushlight.jit": "fork wait"},
    "torch.jit._freeze": {"rushlight.jit": "freeze optimize_for_inference"},
    "torch.jit._script": {"rushlight.jit": "Attribute ScriptModule interface script"},
    "torch.jit._serialization": {"rushlight.jit": "load save"},
    "torch.jit._trace": {"rushlight.jit": "trace trace_module"},
    "torch.masked.maskedtensor": {
        "rushlight.masked.tensor": "MaskedTensor as_masked_tensor is_masked_tensor masked_tensor"
    },
    "torch.masked.maskedtensor.core": {"rushlight.masked.tensor": "MaskedTensor is_masked_tensor"},
    "torch.masked.maskedtensor.creation": {"rushlight.masked.tensor": "as_masked_tensor masked_tensor"},
    "torch.nn.modules.activation": {"rushlight.nn.modules.attention": "MultiheadAttention"},
    "torch.nn.modules.batchnorm": {"rushlight.nn.modules.lazy": "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d"},
    "torch.nn.modules.conv": {
        "rushlight.nn.modules.lazy": (
            "LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"
        )
    },
    "torch.nn.modules.instancenorm": {
        "rushlight.nn.modules.lazy": "LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d"
    },
    "torch.nn.modules.linear": {"rushlight.nn.modules.lazy": "LazyLinear"},
    "torch.nn.modules.loss": {"rushlight.nn.modules.linear_cross_entropy": "LinearCrossEntropyLoss"},
    "torch.nn.parallel.data_parallel": {"rushlight.nn.parallel": "DataParallel"},
    "torch.optim._adafactor": {"rushlight.optim.matrices": "Adafactor", "rushlight.optim._functional": "adafactor"},
    "torch.optim._muon": {"rushlight.optim.matrices": "Muon", "rushlight.optim._functional": "muon"},
    "torch.optim": {  # (where a name stands last is where it says that it is from)
        "rushlight.optim.swap": "swap_in_optimizer_params_and_state",
        "rushlight.optim.matrices": "Adafactor Muon",
    },
    "torch.optim.adadelta": {"rushlight.optim.adaptive": "Adadelta", "rushlight.optim._functional": "adadelta"},
    "torch.optim.adagrad": {"rushlight.optim.adaptive": "Adagrad", "rushlight.optim._functional": "adagrad"},
    "torch.optim.adam": {"rushlight.optim._functional": "adam"},
    "torch.optim.adamax": {"rushlight.optim.adam_variants": "Adamax", "rushlight.optim._functional": "adamax"},
    "torch.optim.adamw": {"rushlight.optim.adam": "AdamW", "rushlight.optim._functional": "adamw"},
    "torch.optim.asgd": {"rushlight.optim.adam_variants": "ASGD", "rushlight.optim._functional": "asgd"},
    "torch.optim.lr_scheduler": {
        "rushlight.optim._cyclic": "CyclicLR OneCycleLR",
        "rushlight.optim._schedule": "LRScheduler",
    },
    "torch.optim.nadam": {"rushlight.optim.adam_variants": "NAdam", "rushlight.optim._functional": "nadam"},
    "torch.optim.radam": {"rushlight.optim.adam_variants": "RAdam", "rushlight.optim._functional": "radam"},
    "torch.optim.rmsprop": {"rushlight.optim.adaptive": "RMSprop", "rushlight.optim._functional": "rmsprop"},
    "torch.optim.rprop": {"rushlight.optim.adaptive": "Rprop", "rushlight.optim._functional": "rprop"},
    "torch.optim.sgd": {"rushlight.optim._functional": "sgd"},
    "torch.profiler.profiler": {
        "rushlight.profiler": (
            "ProfilerAction _default_schedule_fn profile schedule supported_activities tensorboard_trace_handler"
        )
    },
    "torch.random": {
        "rushlight.operators.random.generators": "fork_rng get_rng_state initial_seed manual_seed seed set_rng_state"
    },
    "torch.serialization": {
        "rushlight.utils.serialization._options": (
            "LoadEndianness default_restore_location get_crc32_options get_default_load_endianness "
            "get_default_mmap_options location_tag register_package "
            "set_crc32_options set_default_load_endianness set_default_mmap_options skip_data"
        ),
        "rushlight.compat.checkpoint": "get_unsafe_globals_in_checkpoint load save",
        "rushlight.compat.unpickler": "add_safe_globals clear_safe_globals get_safe_globals safe_globals",
    },
    "torch.storage": {"rushlight.operators.tensors.memory": "TypedStorage"},
    "torch.torch_version": {"rushlight.compat.version": "TorchVersion"},
    "torch.utils.checkpoint": {
        "rushlight.utils.selective": "CheckpointPolicy SelectiveCheckpointContext create_selective_checkpoint_contexts"
    },
    "torch.utils.flop_counter": {
        "rushlight.utils._flop_formulas": (
            "addmm_flop baddbmm_flop bmm_flop conv_flop conv_flop_count flop_registry mm_flop sdpa_flop sdpa_flop_count"
        )
    },
    "torch.utils._contextlib": {"rushlight.autograd.grad_mode": "_DecoratorContextManager"},
    "torch.utils.data._utils.collate": {"rushlight.utils.data.collate": "default_collate default_convert"},
    "torch.utils.data._utils.worker": {"rushlight.utils.data.worker": "_generate_state get_worker_info"},
}

# Names of the package that dir(torch) does not show: rushlight's own namespaces, the array standard's names, and
# variants in place that are methods in PyTorch.
OWN = frozenset(
    (
        "Any annotations array_api astype bitwise_invert broadcast_arrays compat core cumulative_prod cumulative_sum "
        "expand_dims explain "
        "fork_rng get_printoptions isdtype load_package logging matrix_transpose operators packaging permute_dims "
        "names inspection prims program "
        "repeat repro "
        "show take_along_axis transforms unique_all unique_counts unique_inverse unique_values unstack vecdot "
        "absolute_ add_ addbmm_ addcdiv_ addcmul_ addmm_ addr_ arctan2_ atan2_ baddbmm_ bitwise_and_ "
        "bitwise_left_shift_ bitwise_not_ "
        "bitwise_or_ bitwise_right_shift_ bitwise_xor_ copy_ copysign_ cumprod_ cumsum_ digamma_ div_ divide_ eq_ "
        "erfinv_ fill_diagonal_ "
        "float_power_ floor_divide_ fmod_ ge_ greater_ greater_equal_ gt_ heaviside_ hypot_ igamma_ igammac_ "
        "index_add_ index_copy_ "
        "index_fill_ index_reduce_ le_ lerp_ less_ less_equal_ lgamma_ logaddexp2_ logaddexp_ logical_and_ "
        "logical_not_ logical_or_ "
        "logical_xor_ lt_ masked_fill_ masked_scatter_ mul_ multiply_ mvlgamma_ ne_ nextafter_ not_equal_ polygamma_ "
        "pow_ put_ remainder_ "
        "renorm_ scatter_ scatter_add_ scatter_reduce_ sgn_ sign_ sub_ subtract_ tril_ triu_ true_divide_ "
        "__dir__ _FUNCTIONS _LAZY _MODULES _OWN_METHODS _array_namespace _as_overloads _attach _documentation _dtypes "
        "_guard _index_put_ _load _visualize "
        "_local_scalar_dense _math _overloads _public_names _repr _namespace _sample_von_mises _shape_class _upcalls "
    ).split()
)

# Module and name here -> (module here, module there).
PLACES: dict[str, dict[str, tuple[str, str]]] = {}
for _theirs, _sources in NAMESPACES.items():
    for _own, _names in _sources.items():
        PLACES.setdefault(_own, {}).update(dict.fromkeys(_names.split(), (_own, _theirs)))

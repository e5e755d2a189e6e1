"""Public names of PyTorch 2.13 that rushlight lacks, a line a namespace; written by tools/lacking.py."""

from __future__ import annotations

LACKING: dict[str, str] = {
    "torch": "AVG AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType "
    "BenchmarkConfig BenchmarkExecutionStats Block BoolType BufferDict CallStack "
    "Capsule ClassType Code CompilationUnit CompleteArgumentSpec ComplexType "
    "ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable "
    "DeserializationStorageContext DeviceObjType DictType EnumType ErrorReport "
    "ExcludeDispatchKeyGuard ExecutionPlan FatalError FileCheck FloatType "
    "FunctionSchema FutureType Gradient Graph GraphExecutorState IODescriptor "
    "InferredType IntType InterfaceType JITException ListType LiteScriptModule "
    "LockingLogger LoggerBase ModuleDict Node NoneType NoopLogger NumberType "
    "OperatorInfo OptionalType PRIVATE_OPS ParameterDict PyObjectType QInt32Storage "
    "QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage RRefType SUM "
    "ScriptClass ScriptClassFunction ScriptDict ScriptDictIterator "
    "ScriptDictKeyIterator ScriptFunction ScriptList ScriptListIterator ScriptMethod "
    "ScriptModuleSerializer ScriptObjectProperty "
    "SerializationStorageContext StaticModule Storage StreamObjType "
    "StringType SymBoolType SymIntType TensorType ThroughputBenchmark TracingState "
    "TupleType Type USE_GLOBAL_DEPS USE_RTLD_GLOBAL_WITH_LIBTORCH UnionType Use Value "
    "autocast_decrement_nesting autocast_increment_nesting batch_norm_backward_elemt "
    "batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats "
    "batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bit "
    "choose_qparams_optimized classes classproperty compiled_with_cxx11_abi contrib "
    "cpp cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution "
    "cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose "
    "cudnn_grid_sampler cudnn_is_acceptable empty_quantized fbgemm_linear_fp16_weight "
    "fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight "
    "fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight "
    "fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix fork "
    "fused_moving_avg_obs_fake_quant get_autocast_ipu_dtype get_autocast_xla_dtype "
    "get_file_path has_spectral import_ir_module import_ir_module_from_buffer "
    "init_num_threads is_autocast_ipu_enabled "
    "is_autocast_xla_enabled is_distributed is_vulkan_available "
    "merge_type_from_type_comment miopen_batch_norm miopen_convolution "
    "miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose "
    "miopen_ctc_loss miopen_depthwise_convolution miopen_rnn "
    "mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_linear_backward_weights "
    "mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer monitor mtia native_norm "
    "nativert numa package parse_ir parse_schema parse_type_comment "
    "prepare_multiprocessing_environment "
    "profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 quantized_batch_norm "
    "quantized_gru quantized_gru_cell quantized_lstm quantized_lstm_cell "
    "quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d "
    "quantized_rnn_relu_cell quantized_rnn_tanh_cell set_autocast_cpu_dtype "
    "set_autocast_cpu_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype "
    "set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled "
    "slice_inverse sym_constrain_range sym_constrain_range_for_size "
    "thread_safe_generator torch unify_type_list wait windows",
    "torch.Tensor": "ipu is_distributed mtia reinforce slice_inverse storage_type to_mkldnn xpu",
    "torch.autograd": "DeviceType Mapping ProfilerActivity ProfilerConfig ProfilerEvent ProfilerState "
    "SavedTensor Sequence cast enforce_grad_layout_policy handle_torch_function "
    "has_torch_function is_multithreading_enabled is_tensor_like "
    "is_view_replay_enabled kineto_available overload profiler_legacy torch",
    "torch.backends": "cusparselt kleidiai m mha miopen nnpack python_native xeon xnnpack",
    "torch.cpu": "AbstractContextManager Event Mapping MappingProxyType Stream StreamContext "
    "current_stream lru_cache stream torch",
    "torch.cuda": "AcceleratorError BFloat16Storage BFloat16Tensor BoolStorage BoolTensor "
    "ByteStorage ByteTensor CUDAGraph CUDAPluggableAllocator Callable CharStorage "
    "CharTensor ComplexDoubleStorage ComplexFloatStorage DEVICE_REQUIREMENT "
    "DeferredCudaCallError Device DoubleStorage DoubleTensor ExternalStream "
    "FloatStorage FloatTensor GreenContext HalfStorage HalfTensor IntStorage "
    "IntTensor LongStorage LongTensor MemPool NewType Optional "
    "PYTORCH_RELEASES_CODE_CC ShortStorage ShortTensor TYPE_CHECKING "
    "caching_allocator_alloc caching_allocator_delete caching_allocator_disabled "
    "caching_allocator_enable can_device_access_peer cast change_current_allocator "
    "check_error classproperty clock_rate comm cudaStatus cudart current_blas_handle "
    "current_solver_handle device_memory_used gds get_allocator_backend "
    "get_per_process_memory_fraction get_stream_from_external get_sync_debug_mode "
    "graphs green_contexts has_half has_magma host_memory_stats "
    "host_memory_stats_as_nested_dict jiterator list_gpu_processes lru_cache "
    "memory_stats_as_nested_dict memory_usage nccl power_draw random "
    "reset_accumulated_host_memory_stats reset_peak_host_memory_stats "
    "set_sync_debug_mode sparse streams temperature torch tunable use_mem_pool",
    "torch.distributed": "AllToAllOptions AllreduceCoalescedOptions AllreduceOptions BackendConfig "
    "BarrierOptions BroadcastOptions BuiltinCommHookType DebugLevel DistNetworkError "
    "GatherOptions GradBucket GroupName Logger QueueEmptyError RankType ReduceOptions "
    "ReduceScatterOptions Reducer ScatterOptions algorithms all_gather_single "
    "argparse_util autograd c10d_logger checkpoint collective_utils config constants "
    "debug elastic flight_recorder get_debug_level get_default_backend_for_device "
    "get_pg_count launch launcher log logging_handlers pipelining record_comm "
    "reduce_op reduce_scatter_single register_rendezvous_handler remote_device "
    "rendezvous run set_debug_level set_debug_level_from_env shrink_group timedelta "
    "torch utils",
    "torch.fft": "Tensor common_args factory_common_args torch",
    "torch.func": "debug_unwrap",
    "torch.fx": "ProxyableClassMeta annotate config tensor_type traceback",
    "torch.hub": "Any DEFAULT_CACHE_DIR ENV_GITHUB_TOKEN ENV_TORCH_HOME ENV_XDG_CACHE_HOME "
    "HTTPError MAP_LOCATION MODULE_HUBCONF Path READ_DATA_CHUNK Request URLError "
    "VAR_DEPENDENCY deprecated torch urlopen",
    "torch.jit": "CompilationUnit ONNXTracedModule RecursiveScriptClass ScriptWarning "
    "TracingCheckError contextmanager export_opnames frontend generate_bytecode "
    "jit_module_from_flatbuffer last_executed_optimized_graph mobile quantized "
    "run_frozen_optimizations save_jit_module_to_flatbuffer set_module supported_ops "
    "torch unsupported_tensor_ops",
    "torch.library": "EffectType NAMELESS_SCHEMA ParamSpec TYPE_CHECKING TypeVar Union deprecated "
    "device_types_t overload torch",
    "torch.linalg": "common_notes",
    "torch.multiprocessing": "ENV_VAR_PARALLEL_START init_reductions pool queue reductions torch",
    "torch.nn": "Container backends cpp factory_kwargs intrinsic qat quantizable",
    "torch.nn.functional": "BroadcastingList1 BroadcastingList2 BroadcastingList3 DType "
    "GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES Optional ScalingType "
    "SwizzleType assert_int_or_pair boolean_dispatch grad handle_torch_function "
    "has_torch_function has_torch_function_unary has_torch_function_variadic "
    "reproducibility_notes scaled_grouped_mm scaled_mm sparse_support_notes "
    "tf32_notes torch",
    "torch.nn.init": "Literal TypeVar torch",
    "torch.nn.utils.rnn": "Callable PackedSequence_ Self TypeVar bind copy_method_params torch",
    "torch.nn.parallel": "DistributedDataParallelCPU comm deprecated",
    "torch.onnx": "ExportableModule InputObserver JitScalarType OnnxExporterError TYPE_CHECKING "
    "errors ops producer_name producer_version symbolic_opset10 symbolic_opset11 "
    "symbolic_opset12 symbolic_opset13 symbolic_opset14 symbolic_opset15 "
    "symbolic_opset16 symbolic_opset17 symbolic_opset18 symbolic_opset19 "
    "symbolic_opset20 symbolic_opset7 symbolic_opset8 symbolic_opset9 testing torch "
    "utils verification",
    "torch.optim": "adadelta adagrad adamax adamw asgd nadam radam rmsprop rprop",
    "torch.optim.lr_scheduler": "EPOCH_DEPRECATION_WARNING Literal Self SupportsFloat TYPE_CHECKING Tensor "
    "TypedDict inf override partial ref wraps",
    "torch.overrides": "ParamSpec TypeVar cast torch wraps",
    "torch.profiler": "DeviceType ExecutionTraceObserver KinetoStepTracker Optimizer RecordScope "
    "TypeVarTuple Unpack is_fbcode itt profiler python_tracer "
    "register_optimizer_step_post_hook",
    "torch.random": "Generator TYPE_CHECKING torch",
    "torch.serialization": "Callable Enum FileLike Generic INT_SIZE IO IS_WINDOWS LONG_SIZE MAGIC_NUMBER "
    "PROTOCOL_VERSION SHORT_SIZE STORAGE STORAGE_KEY_SEPARATOR Storage StorageType T "
    "TypeAlias TypeIs TypeVar UNSAFE_MESSAGE cast closing get_source_lines_and_file "
    "normalize_storage_type storage_to_tensor_type torch validate_hpu_device",
    "torch.signal.windows": "windows",
    "torch.special": "Tensor common_args multi_dim_common torch",
    "torch.storage": "Any HAS_NUMPY Self Storage T TYPE_CHECKING TypeVar cast torch",
    "torch.testing": "FileCheck",
    "torch.utils": "ThroughputBenchmark backcompat backend_registration bundled_inputs "
    "cmake_prefix_path cpp_backtrace debug_log deterministic file_baton "
    "generate_methods_for_privateuse1_backend get_cpp_backtrace hipify jit mkldnn "
    "mobile_optimizer model_dump module_tracker rename_privateuse1_backend set_module "
    "show_pickle swap_tensors torch viz weak",
    "torch.utils.data": "DFIterDataPipe DataChunk IterDataPipe MapDataPipe argument_validation "
    "backward_compatibility functional_datapipe graph graph_settings "
    "guaranteed_datapipes_determinism non_deterministic runtime_validation "
    "runtime_validation_disabled",
}

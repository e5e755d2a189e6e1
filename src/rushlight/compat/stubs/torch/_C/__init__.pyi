# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight._C import (
    _GLIBCXX_USE_CXX11_ABI as _GLIBCXX_USE_CXX11_ABI, _ROOMS as _ROOMS, _cuda_getDeviceCount as _cuda_getDeviceCount,
    _get_accelerator as _get_accelerator, _get_cudnn_enabled as _get_cudnn_enabled, _get_default_device as _get_default_device,
    _get_privateuse1_backend_name as _get_privateuse1_backend_name, _get_tracing_state as _get_tracing_state,
    _has_cuda as _has_cuda, _has_cudnn as _has_cudnn, _has_mkldnn as _has_mkldnn, _has_mps as _has_mps, _has_xpu as _has_xpu,
    _is_tracing as _is_tracing, _jit_can_fuse_on_cpu as _jit_can_fuse_on_cpu, _jit_can_fuse_on_gpu as _jit_can_fuse_on_gpu,
    _jit_override_can_fuse_on_cpu as _jit_override_can_fuse_on_cpu,
    _jit_override_can_fuse_on_gpu as _jit_override_can_fuse_on_gpu, _jit_set_bailout_depth as _jit_set_bailout_depth,
    _jit_set_nvfuser_enabled as _jit_set_nvfuser_enabled, _jit_set_nvfuser_guard_mode as _jit_set_nvfuser_guard_mode,
    _jit_set_profiling_executor as _jit_set_profiling_executor, _jit_set_profiling_mode as _jit_set_profiling_mode,
    _jit_set_texpr_fuser_enabled as _jit_set_texpr_fuser_enabled, _log_api_usage_once as _log_api_usage_once,
    _show_config as _show_config, _switch as _switch, _why as _why, has_cuda as has_cuda, has_mkl as has_mkl, has_mps as has_mps,
    has_openmp as has_openmp, has_xpu as has_xpu,
)
from rushlight._C.keys import (
    DispatchKeySet as DispatchKeySet, _AutoDispatchBelowAutograd as _AutoDispatchBelowAutograd,
    _ExcludeDispatchKeyGuard as _ExcludeDispatchKeyGuard,
)
from rushlight.core.dtypes import dtype as dtype, layout as layout, memory_format as memory_format
from rushlight.core.errors import LinAlgError as _of__LinAlgError
from rushlight.core.places import Size as Size, device as device
from rushlight.core.tensor import (
    Tensor as Tensor, Tensor as _of_TensorBase, Tensor as _of__TensorBase,
    _disabled_torch_function_impl as _disabled_torch_function_impl,
)
from rushlight.operators.random.generators import Generator as Generator
from rushlight.overrides import (
    DisableTorchFunction as DisableTorchFunction, DisableTorchFunctionSubclass as DisableTorchFunctionSubclass,
)
from rushlight.utils._absent import absent_class as absent_class
from torch import (
    DispatchKey as DispatchKey, PyTorchFileReader as PyTorchFileReader, PyTorchFileWriter as PyTorchFileWriter,
    ScriptModule as ScriptModule,
)
from torch._C import keys as keys
from typing import Any

class CompilationUnit:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class Graph:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class Node:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ScriptFunction:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
TensorBase = _of_TensorBase
class Type:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class Value:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
_LinAlgError = _of__LinAlgError
_TensorBase = _of__TensorBase
class _TensorMeta:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...

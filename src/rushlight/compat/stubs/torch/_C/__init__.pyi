# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight._C import _GLIBCXX_USE_CXX11_ABI as _GLIBCXX_USE_CXX11_ABI
from rushlight._C import _ROOMS as _ROOMS
from rushlight._C import _are_functorch_transforms_active as _are_functorch_transforms_active
from rushlight._C import _cuda_getDeviceCount as _cuda_getDeviceCount
from rushlight._C import _get_accelerator as _get_accelerator
from rushlight._C import _get_cudnn_enabled as _get_cudnn_enabled
from rushlight._C import _get_default_device as _get_default_device
from rushlight._C import _get_privateuse1_backend_name as _get_privateuse1_backend_name
from rushlight._C import _get_tracing_state as _get_tracing_state
from rushlight._C import _has_cuda as _has_cuda
from rushlight._C import _has_cudnn as _has_cudnn
from rushlight._C import _has_mkldnn as _has_mkldnn
from rushlight._C import _has_mps as _has_mps
from rushlight._C import _has_xpu as _has_xpu
from rushlight._C import _is_alias_of as _is_alias_of
from rushlight._C import _is_torch_function_mode_enabled as _is_torch_function_mode_enabled
from rushlight._C import _is_tracing as _is_tracing
from rushlight._C import _jit_can_fuse_on_cpu as _jit_can_fuse_on_cpu
from rushlight._C import _jit_can_fuse_on_gpu as _jit_can_fuse_on_gpu
from rushlight._C import _jit_override_can_fuse_on_cpu as _jit_override_can_fuse_on_cpu
from rushlight._C import _jit_override_can_fuse_on_gpu as _jit_override_can_fuse_on_gpu
from rushlight._C import _jit_set_bailout_depth as _jit_set_bailout_depth
from rushlight._C import _jit_set_nvfuser_enabled as _jit_set_nvfuser_enabled
from rushlight._C import _jit_set_nvfuser_guard_mode as _jit_set_nvfuser_guard_mode
from rushlight._C import _jit_set_profiling_executor as _jit_set_profiling_executor
from rushlight._C import _jit_set_profiling_mode as _jit_set_profiling_mode
from rushlight._C import _jit_set_texpr_fuser_enabled as _jit_set_texpr_fuser_enabled
from rushlight._C import _log_api_usage_once as _log_api_usage_once
from rushlight._C import _show_config as _show_config
from rushlight._C import _switch as _switch
from rushlight._C import _why as _why
from rushlight._C import has_cuda as has_cuda
from rushlight._C import has_mkl as has_mkl
from rushlight._C import has_mps as has_mps
from rushlight._C import has_openmp as has_openmp
from rushlight._C import has_xpu as has_xpu
from rushlight._C.keys import DispatchKeySet as DispatchKeySet
from rushlight._C.keys import _AutoDispatchBelowAutograd as _AutoDispatchBelowAutograd
from rushlight._C.keys import _ExcludeDispatchKeyGuard as _ExcludeDispatchKeyGuard
from rushlight.core.dtypes import dtype as dtype
from rushlight.core.dtypes import layout as layout
from rushlight.core.dtypes import memory_format as memory_format
from rushlight.core.errors import LinAlgError as _of__LinAlgError
from rushlight.core.places import Size as Size
from rushlight.core.places import device as device
from rushlight.core.storage import Storage as Storage
from rushlight.core.storage import Storage as _of_StorageBase
from rushlight.core.tensor import Tensor as Tensor
from rushlight.core.tensor import Tensor as _of_TensorBase
from rushlight.core.tensor import Tensor as _of__TensorBase
from rushlight.core.tensor import _disabled_torch_function_impl as _disabled_torch_function_impl
from rushlight.operators.random.generators import Generator as Generator
from rushlight.overrides import DisableTorchFunction as DisableTorchFunction
from rushlight.overrides import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from rushlight.utils._absent import absent_class as absent_class
from torch import DispatchKey as DispatchKey
from torch import PyTorchFileReader as PyTorchFileReader
from torch import PyTorchFileWriter as PyTorchFileWriter
from torch import ScriptModule as ScriptModule
from torch import ScriptObject as ScriptObject
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
StorageBase = _of_StorageBase
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

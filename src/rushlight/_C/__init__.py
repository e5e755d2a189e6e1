"""Names of PyTorch's compiled module that programs read. There is no such module here; each name is the object that its
public name has, or says what it asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight._C.keys import DispatchKey, DispatchKeySet, _AutoDispatchBelowAutograd, _ExcludeDispatchKeyGuard
from rushlight.core.dtypes import dtype, layout, memory_format
from rushlight.core.errors import LinAlgError as _LinAlgError
from rushlight.core.storage import Storage
from rushlight.core.tensor import Size, Tensor, _disabled_torch_function_impl, device
from rushlight.overrides import DisableTorchFunction, DisableTorchFunctionSubclass
from rushlight.utils._absent import absent_class

__all__ = [
    "_AutoDispatchBelowAutograd",
    "_ExcludeDispatchKeyGuard",
    "_LinAlgError",
    "_disabled_torch_function_impl",
    "DispatchKey",
    "DispatchKeySet",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "Generator",
    "Size",
    "device",
    "dtype",
    "layout",
    "memory_format",
]

_TensorBase = TensorBase = Tensor
_TensorMeta = type(Tensor)
Generator = rushlight.Generator
StorageBase = Storage
has_cuda = has_mps = has_xpu = _has_cuda = _has_cudnn = _has_mkldnn = _has_mps = _has_xpu = has_openmp = has_mkl = False
_GLIBCXX_USE_CXX11_ABI = True


def _get_tracing_state() -> None:
    """The state of TorchScript's tracer: none is at work."""
    return


def _is_tracing() -> bool:
    """Whether TorchScript's tracer is at work: no."""
    return False


def _log_api_usage_once(event: str) -> None:
    """Report to PyTorch's makers that a name is used: nothing is reported."""


def _set_warnAlways(b: bool) -> None:
    """`torch.set_warn_always`."""
    rushlight.set_warn_always(b)


def _get_warnAlways() -> bool:
    """`torch.is_warn_always_enabled`."""
    return rushlight.is_warn_always_enabled()


def _get_cudnn_enabled() -> bool:
    """Whether cuDNN may be used: there is none."""
    return False


def _cuda_getDeviceCount() -> int:
    """The number of CUDA devices: 0."""
    return 0


def _get_default_device() -> str:
    """The type of the device on which factories make tensors."""
    return rushlight.get_default_device().type


def _are_functorch_transforms_active() -> bool:
    """Whether a transform of `torch.func` is in force in this thread."""
    from rushlight.func.levels import in_force

    return bool(in_force())


def _is_torch_function_mode_enabled() -> bool:
    """Whether a TorchFunctionMode is in force in this thread."""
    from rushlight.operators.table.dispatch import modes
    from rushlight.overrides import TorchFunctionMode

    return any(isinstance(mode, TorchFunctionMode) for mode in modes.stack)


def _is_alias_of(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors have one storage."""
    return first.untyped_storage() is second.untyped_storage()


def _get_privateuse1_backend_name() -> str:
    """What the device type for backends from outside is called."""
    return "privateuseone"


def _get_accelerator(check: bool | None = None) -> device:
    """The device type of this machine's accelerator; without one, the CPU. RuntimeError: `check`, and there is none."""
    if check:
        raise RuntimeError("_get_accelerator(): there is no accelerator; ask accelerator.is_available() first")
    return device("cpu")


def _switch(was: bool) -> Callable[[bool], bool]:
    """A switch of TorchScript's compiler, which does not exist here: it returns what was set before, and steers
    nothing.
    """
    state = [was]

    def set_switch(value: bool) -> bool:
        before, state[0] = state[0], value
        return before

    return set_switch


(
    _jit_set_profiling_executor,
    _jit_set_profiling_mode,
    _jit_set_texpr_fuser_enabled,
    _jit_set_nvfuser_enabled,
    _jit_set_nvfuser_guard_mode,
) = (_switch(False) for _ in range(5))
_jit_override_can_fuse_on_cpu, _jit_override_can_fuse_on_gpu, _jit_set_bailout_depth = (
    _switch(False) for _ in range(3)
)


def _jit_can_fuse_on_cpu() -> bool:
    """Whether TorchScript's compiler fuses on the CPU: there is none."""
    return False


_jit_can_fuse_on_gpu = _jit_can_fuse_on_cpu


def _show_config() -> str:
    """How the library was built; `__config__.show()`."""
    from rushlight.__config__ import show

    return show()


def _mps_is_available() -> bool:
    """Whether there is a GPU of Apple's: no."""
    return False


_mps_is_in_bad_fork = _mps_is_available

_why = "there is no TorchScript here; torch.fx has graphs of functions"
Graph, Node, Value, Type, ScriptModule, ScriptFunction, ScriptObject, CompilationUnit = (
    absent_class(name, __name__, _why, NotImplementedError)
    for name in ("Graph", "Node", "Value", "Type", "ScriptModule", "ScriptFunction", "ScriptObject", "CompilationUnit")
)
# Types of TorchScript, which packages name in annotations and ask `isinstance` for.
_TYPES = (
    "AnyType AwaitType BoolType ClassType ComplexType DeviceObjType DictType EnumType FloatType FutureType IntType "
    "InterfaceType ListType NoneType NumberType OptionalType PyObjectType RRefType StreamObjType StringType "
    "SymBoolType SymIntType TensorType TupleType UnionType"
).split()
globals().update({_name: type(_name, (Type,), {"__module__": __name__, "__doc__": Type.__doc__}) for _name in _TYPES})
PyTorchFileReader, PyTorchFileWriter = (
    absent_class(name, __name__, "archives are read and written by torch.load and torch.save", NotImplementedError)
    for name in ("PyTorchFileReader", "PyTorchFileWriter")
)


_ROOMS = frozenset(("_fft", "_functorch", "_linalg", "_nn", "_special"))


def __getattr__(name: str) -> Any:
    if name in _ROOMS:  # which enter whole rooms of the library
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")

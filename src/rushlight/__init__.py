"""rushlight: tensors and automatic differentiation in PyTorch's language.

The names, signatures and semantics are PyTorch's; docs/differences.md lists the exceptions. `python -m rushlight
script.py` runs a program that says `import torch`, `rushlight.compat.install()` does the same from within, and
`rushlight.explain("softmax")` shows what an operator is and what it compiles to.
"""

# What is imported here is the public namespace; `as` says so to type checkers:
# ruff: noqa: F401, I001  # isort would give every `as` an import of its own
from __future__ import annotations

import importlib
import math as _math
from typing import TYPE_CHECKING, Any

from rushlight.core import dtypes as _dtypes
from rushlight.core._native import num_threads as get_num_threads, set_num_threads as set_num_threads
from rushlight.core.dtypes import (
    bfloat16 as bfloat16,
    channels_last as channels_last,
    channels_last_3d as channels_last_3d,
    complex32 as complex32,
    complex64 as complex64,
    complex128 as complex128,
    contiguous_format as contiguous_format,
    dtype as dtype,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    float4_e2m1fn_x2 as float4_e2m1fn_x2,
    float8_e4m3fn as float8_e4m3fn,
    float8_e4m3fnuz as float8_e4m3fnuz,
    float8_e5m2 as float8_e5m2,
    float8_e5m2fnuz as float8_e5m2fnuz,
    float8_e8m0fnu as float8_e8m0fnu,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    layout as layout,
    memory_format as memory_format,
    preserve_format as preserve_format,
    strided as strided,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
from rushlight.core.patched import guard as _guard
from rushlight.core.tensor import (
    Size as Size,
    Tensor as Tensor,
    attach as _attach,
    device as device,
    is_grad_enabled as is_grad_enabled,
    is_inference_mode_enabled as is_inference_mode_enabled,
)
from rushlight.operators import load as _load
from rushlight.operators.table.define import FUNCTIONS as _FUNCTIONS
from rushlight.operators.table.define import public_names as _public_names
from rushlight.operators.table.dispatch import overloads as _overloads
from rushlight.core.upcalls import upcalls as _upcalls

_load()
from rushlight import autograd  # noqa: E402  # gives the core its in-place rules and Tensor its backward()

globals().update(_public_names(""))
globals().update(_FUNCTIONS)
bool = _dtypes.bool_  # PyTorch's names, some of which hide built-in ones
half, float, double, chalf, cfloat, cdouble = float16, float32, float64, complex32, complex64, complex128
globals().update({_d.name: _d for _d in _dtypes.NAMED})
globals().update(layout.registry)
short, int, long = int16, int32, int64
inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
newaxis = None
legacy_contiguous_format = contiguous_format

__version__ = "0.1.0"


def _repr(t: Tensor) -> str:
    from rushlight.inspection.printing import tensor_repr

    return tensor_repr(t)


def _shape_class(op: Any) -> str:
    from rushlight.inspection.shape_classes import shape_class_of

    return shape_class_of(op)


def _documentation(op: Any) -> str:
    from rushlight.inspection.documentation import documentation

    return documentation(op)


def _namespace(name: str) -> Any:
    """A module of the package that is loaded when its first attribute is read."""
    return importlib.import_module(f"rushlight.{name}")


def _array_namespace(self: Tensor, /, *, api_version: str | None = None) -> Any:
    return _namespace("array_api").of_version(api_version)


def _as_overloads(*call: Any) -> Any:
    return _namespace("library.dispatching").dispatch_wrapped(*call)


def _visualize(self: Tensor, file: str | None = None) -> Any:
    """Write a page that shows where the elements of the tensor are in its storage; see `rushlight.show`.

    Args:
        file: where to write it (default: a new file in the folder for temporary files).

    Returns:
        The page, with its `path`.
    """
    return _namespace("inspection.strides").show(self, file=file)


_attach("__array_namespace__", _array_namespace)
# Methods of tensors that PyTorch lacks; they are absent while the package stands in for torch.
_OWN_METHODS = {"visualize": _visualize}
_attach("visualize", _visualize)
# What `__torch_function__` sees of Tensor besides operators: its attributes, and methods that are plain functions.
_guard(
    [
        name
        for name, value in vars(Tensor).items()
        if type(value).__name__ in ("getset_descriptor", "property", "cython_function_or_method", "function")
        and name
        not in (
            "__dict__",
            "__class__",
            "__weakref__",
            "__reduce_ex__",
            "__array_ufunc__",
            "__array_wrap__",
            "_meta_",
            "_keys_",
            "grad_fn_",
            "as_subclass",
        )
    ]
)
_upcalls.repr = _repr
_overloads.append(_as_overloads)
_upcalls.shape_class = _shape_class
_upcalls.documentation = _documentation

# Namespaces and names that are loaded at their first use, which keeps the import quick.
_MODULES = (
    "_C",
    "_VF",
    "__config__",
    "__future__",
    "_custom_ops",
    "_dynamo",
    "_functorch",
    "_guards",
    "_higher_order_ops",
    "_inductor",
    "_logging",
    "_ops",
    "_subclasses",
    "_tensor",
    "_utils",
    "_vmap_internals",
    "accelerator",
    "amp",
    "ao",
    "array_api",
    "autograd",
    "backends",
    "compat",
    "compiler",
    "cpu",
    "cuda",
    "distributed",
    "distributions",
    "export",
    "fft",
    "func",
    "functional",
    "futures",
    "fx",
    "hub",
    "inspection",
    "jit",
    "library",
    "linalg",
    "masked",
    "mps",
    "multiprocessing",
    "nested",
    "nn",
    "onnx",
    "ops",
    "optim",
    "overrides",
    "packaging",
    "profiler",
    "quantization",
    "quasirandom",
    "random",
    "return_types",
    "serialization",
    "signal",
    "sparse",
    "special",
    "storage",
    "testing",
    "torch_version",
    "types",
    "utils",
    "version",
    "xpu",
)
_LAZY = {
    **dict.fromkeys("SymBool SymFloat SymInt sym_float sym_fresh_size sym_int sym_ite".split(), "names.symbols"),
    **dict.fromkeys("sym_max sym_min sym_not sym_sqrt sym_sum".split(), "names.symbols"),
    **dict.fromkeys("per_channel_affine per_channel_affine_float_qparams".split(), "names.quantized"),
    **dict.fromkeys("per_channel_symmetric per_tensor_affine per_tensor_symmetric qscheme".split(), "names.quantized"),
    **dict.fromkeys(("gru", "lstm", "rnn_relu", "rnn_tanh"), "nn.modules._flat_rnn"),
    **dict.fromkeys(("Event", "Stream"), "names.streams"),
    **dict.fromkeys(("PyTorchFileReader", "PyTorchFileWriter", "ScriptModule", "ScriptObject", "StorageBase"), "_C"),
    "get_device_module": "accelerator",
    "Future": "futures",
    "Tag": "library.tags",
    "AcceleratorError": "accelerator",
    "GradScaler": "amp",
    "to_dlpack": "utils.dlpack",
    "DisableTorchFunction": "overrides",
    "DisableTorchFunctionSubclass": "overrides",
    "DispatchKey": "_C.keys",
    "DispatchKeySet": "_C.keys",
    "OutOfMemoryError": "cuda",
    "compile": "_dynamo",
    "save": "compat.checkpoint",
    "load": "compat.checkpoint",
    "explain": "inspection.explaining",
    "logging": "inspection.logs",
    "show": "inspection.strides",
    "repro": "inspection.minimize",
    **dict.fromkeys(("load_package", "package"), "packaging"),
    "set_printoptions": "inspection.printing",
    "get_printoptions": "inspection.printing",
    "no_grad": "autograd",
    "enable_grad": "autograd",
    "set_grad_enabled": "autograd",
    "inference_mode": "autograd",
    "vmap": "func",
    "cond": "func.control",
    "while_loop": "func.control",
    # Names that the array API standard has and PyTorch lacks; where both have one, PyTorch's meaning stands
    # (docs/array_api.md).
    **dict.fromkeys(
        (
            "astype",
            "bitwise_invert",
            "broadcast_arrays",
            "cumulative_prod",
            "cumulative_sum",
            "expand_dims",
            "isdtype",
            "matrix_transpose",
            "permute_dims",
            "repeat",
            "take_along_axis",
            "unique_all",
            "unique_counts",
            "unique_inverse",
            "unique_values",
            "unstack",
            "vecdot",
        ),
        "array_api",
    ),
    "is_anomaly_check_nan_enabled": "autograd.anomaly_mode",
    "is_anomaly_enabled": "autograd.anomaly_mode",
    "set_anomaly_enabled": "autograd.anomaly_mode",
    **dict.fromkeys(
        (
            "use_deterministic_algorithms",
            "are_deterministic_algorithms_enabled",
            "is_deterministic_algorithms_warn_only_enabled",
            "set_deterministic_debug_mode",
            "get_deterministic_debug_mode",
            "set_float32_matmul_precision",
            "get_float32_matmul_precision",
            "set_num_interop_threads",
            "get_num_interop_threads",
            "set_warn_always",
            "is_warn_always_enabled",
            "has_lapack",
            "has_mkl",
            "has_openmp",
        ),
        "names.settings",
    ),
    **dict.fromkeys(
        (
            "autocast",
            "clear_autocast_cache",
            "get_autocast_cpu_dtype",
            "get_autocast_dtype",
            "get_autocast_gpu_dtype",
            "is_autocast_cache_enabled",
            "is_autocast_cpu_enabled",
            "is_autocast_enabled",
            "set_autocast_cache_enabled",
            "set_autocast_dtype",
            "set_autocast_enabled",
        ),
        "amp.autocast_mode",
    ),
}


if TYPE_CHECKING:
    from rushlight._operators import *  # noqa: F403  # made by tools/stubs.py
else:

    def __getattr__(name: str) -> Any:
        if name in _LAZY:
            value = getattr(_namespace(_LAZY[name]), name)
            globals()[name] = value
            return value
        if name in _MODULES:
            try:
                return _namespace(name)
            except ModuleNotFoundError as error:
                if error.name != f"rushlight.{name}":
                    raise
        if name == "__all__":  # for `from torch import *`: the public names, modules excepted
            return [
                n
                for n in _namespace("compat.identity").shown_names()
                if not n.startswith("_")
                and n not in _MODULES
                and n not in ("TYPE_CHECKING", "torch")
                and type(globals().get(n)) is not type(importlib)
            ]
        if name == "classes":
            return _namespace("names.classes")
        # PyTorch imports itself, and some programs write torch.torch.Tensor
        if name == "torch" and __name__ == "torch":
            return importlib.import_module("rushlight")
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_MODULES})

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
from rushlight.utils._absent import absent_names as absent_names
from rushlight.utils.cpp_extension import CUDA_HOME as CUDA_HOME
from rushlight.utils.cpp_extension import CUDNN_HOME as CUDNN_HOME
from rushlight.utils.cpp_extension import IS_HIP_EXTENSION as IS_HIP_EXTENSION
from rushlight.utils.cpp_extension import ROCM_HOME as ROCM_HOME
from rushlight.utils.cpp_extension import get_cxx_compiler as get_cxx_compiler
from rushlight.utils.cpp_extension import get_default_build_root as get_default_build_root
from rushlight.utils.cpp_extension import is_ninja_available as is_ninja_available
from rushlight.utils.cpp_extension import verify_ninja_availability as verify_ninja_availability
from typing import Any

class BuildExtension:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
CUDAExtension: Callable[..., Any]
CppExtension: Callable[..., Any]
SyclExtension: Callable[..., Any]
get_compiler_abi_compatibility_and_version: Callable[..., Any]
include_paths: Callable[..., Any]
library_paths: Callable[..., Any]
load: Callable[..., Any]
load_inline: Callable[..., Any]

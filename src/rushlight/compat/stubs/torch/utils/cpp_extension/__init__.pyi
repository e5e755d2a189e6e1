# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.utils._absent import absent_names as absent_names
from rushlight.utils.cpp_extension import CUDA_HOME as CUDA_HOME
from rushlight.utils.cpp_extension import CUDNN_HOME as CUDNN_HOME
from rushlight.utils.cpp_extension import IS_HIP_EXTENSION as IS_HIP_EXTENSION
from rushlight.utils.cpp_extension import ROCM_HOME as ROCM_HOME
from rushlight.utils.cpp_extension import get_cxx_compiler as get_cxx_compiler
from rushlight.utils.cpp_extension import get_default_build_root as get_default_build_root
from rushlight.utils.cpp_extension import is_ninja_available as is_ninja_available
from rushlight.utils.cpp_extension import verify_ninja_availability as verify_ninja_availability

class BuildExtension(_Made): ...
CUDAExtension: _Function
CppExtension: _Function
SyclExtension: _Function
get_compiler_abi_compatibility_and_version: _Function
include_paths: _Function
library_paths: _Function
load: _Function
load_inline: _Function

"""Extensions of PyTorch in C++ and CUDA: refused, for what they call is PyTorch's own library, which is not here.

Packages import this module to build kernels when there is a GPU, and go on without them when that fails.
"""

from __future__ import annotations

import os
import shutil

from rushlight.utils._absent import absent_names

_why = (
    "what extensions are compiled against, PyTorch's own library, is not there; rushlight compiles operators that are "
    "written in Python"
)
CUDA_HOME: str | None = None
ROCM_HOME: str | None = None
CUDNN_HOME: str | None = None
IS_HIP_EXTENSION = False
_LACKING = absent_names(
    __name__,
    _why,
    ["BuildExtension"],
    (
        "load load_inline CppExtension CUDAExtension SyclExtension include_paths library_paths "
        "get_compiler_abi_compatibility_and_version"
    ).split(),
)
globals().update(_LACKING)
__all__ = [*_LACKING, "get_cxx_compiler", "get_default_build_root", "is_ninja_available", "verify_ninja_availability"]


def get_default_build_root() -> str:
    """The folder of extensions that PyTorch would build."""
    return os.path.join(os.path.expanduser("~"), ".cache", "torch_extensions")


def get_cxx_compiler() -> str:
    """The name of the C++ compiler."""
    return os.environ.get("CXX", "c++")


def is_ninja_available() -> bool:
    """Whether the program ninja is there."""
    return shutil.which("ninja") is not None


def verify_ninja_availability() -> None:
    """RuntimeError where the program ninja is not there."""
    if not is_ninja_available():
        raise RuntimeError("verify_ninja_availability(): the program ninja must be on the path")

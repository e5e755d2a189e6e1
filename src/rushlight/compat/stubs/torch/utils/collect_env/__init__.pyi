# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.collect_env import (
    Runner as Runner, SystemEnv as SystemEnv, get_cachingallocator_config as get_cachingallocator_config,
    get_clang_version as get_clang_version, get_cmake_version as get_cmake_version, get_conda_packages as get_conda_packages,
    get_cpu_info as get_cpu_info, get_cuda_module_loading_config as get_cuda_module_loading_config,
    get_cudnn_version as get_cudnn_version, get_env_info as get_env_info, get_gcc_version as get_gcc_version,
    get_gpu_info as get_gpu_info, get_libc_version as get_libc_version, get_nvidia_driver_version as get_nvidia_driver_version,
    get_nvidia_smi as get_nvidia_smi, get_os as get_os, get_pip_packages as get_pip_packages, get_platform as get_platform,
    get_pretty_env_info as get_pretty_env_info, get_python_platform as get_python_platform,
    get_running_cuda_version as get_running_cuda_version, is_xnnpack_available as is_xnnpack_available,
    library_versions as library_versions, main as main, pretty_str as pretty_str, processor as processor, run as run,
    run_and_parse_first_match as run_and_parse_first_match, run_and_read_all as run_and_read_all,
    run_and_return_first_line as run_and_return_first_line,
)

"""The part of a fault report that describes the machine: versions, the processor's features, caches, threads. `python
-m
rushlight.collect_env` prints it.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import rushlight
from rushlight.core.naming import named

Runner = Callable[[Any], tuple[int, str, str]]

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "library_versions", "main", "pretty_str", "processor"]

# What kernels and libraries make use of, in the words of Linux.
_FEATURES = (
    "sse4_2",
    "avx",
    "avx2",
    "fma",
    "f16c",
    "avx512f",
    "avx512bw",
    "avx512dq",
    "avx512vl",
    "avx512_bf16",
    "avx512_fp16",
    "amx_tile",
    "asimd",
    "sve",
)
_LIBRARIES = ("llvmlite", "numpy", "scipy-openblas64")
_OPTIONAL = ("tensorboard", "safetensors", "torchvision", "transformers", "lightning", "timm")


class SystemEnv(NamedTuple):
    """What is reported, by name. What PyTorch's report has of CUDA is None or False."""

    torch_version: str
    rushlight_version: str
    is_debug_build: bool
    cuda_compiled_version: str
    is_cuda_available: bool
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    cpu_info: str
    cpu_features: str
    cpu_caches: str
    processors: str
    memory: str
    threads: str
    kernel_cache: str
    pip_packages: str


def processor() -> tuple[str, str]:
    """The processor's name, and its features that kernels may use."""
    name, flags = platform.processor() or platform.machine(), ""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return name, "unknown: there is no /proc/cpuinfo"
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            name = value.strip()
        if key.strip() in ("flags", "Features"):
            flags = value
    return name, " ".join(f for f in _FEATURES if f in flags.split()) or "none of " + " ".join(_FEATURES)


def _caches() -> str:
    """The caches of the first processor."""
    found = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue  # a machine that hides one of them
        found.append(f"L{level}{'' if kind == 'Unified' else kind[0].lower()} {size}")
    return ", ".join(found) or "unknown"


def library_versions() -> dict[str, str]:
    """The versions of the packages that rushlight stands on."""
    return {name: _version(name) or "not installed" for name in _LIBRARIES}


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _memory() -> str:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return f"{pages * size / 2**30:.1f} GiB"


def sizes_in(folder: Path) -> list[int]:
    """The bytes of each kernel that a folder keeps; other processes may remove some meanwhile."""
    found = []
    for f in folder.glob("??/*"):
        with contextlib.suppress(FileNotFoundError):
            info = f.stat()
            if stat.S_ISREG(info.st_mode):
                found.append(info.st_size)
    return found


def _kernel_cache() -> str:
    from rushlight.compiler.kernels import cache

    folder = cache.folder()
    if folder is None:
        return "in memory alone: this user has no home folder"
    if not folder.is_dir():
        return f"{folder} (not there)"
    files = sizes_in(folder)
    return f"{folder} ({len(files)} files, {sum(files) / 1e6:.1f} of at most {cache.bound() / 1e6:.0f} MB)"


# PyTorch's questions one by one. `run_lambda`: what runs a command, as run() does.
def run(command: Any) -> tuple[int, str, str]:
    """Run a command.

    Args:
        command: a list of words, or a line for the shell.

    Returns:
        Status, output, errors.
    """
    import subprocess

    done = subprocess.run(command, capture_output=True, text=True, shell=isinstance(command, str), check=False)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def run_and_read_all(run_lambda: Runner, command: Any) -> str | None:
    """What a command prints; None where it fails."""
    try:
        status, out, _ = run_lambda(command)
    except FileNotFoundError:
        return None
    return out if status == 0 else None


def run_and_return_first_line(run_lambda: Runner, command: Any) -> str | None:
    """The first line that a command prints; None where it fails."""
    out = run_and_read_all(run_lambda, command)
    return None if out is None else out.split("\n")[0]


def run_and_parse_first_match(run_lambda: Runner, command: Any, regex: str) -> str | None:
    """The first group of a regular expression in what a command prints; None where there is none."""
    import re

    found = re.search(regex, run_and_read_all(run_lambda, command) or "")
    return None if found is None else found.group(1)


def get_platform() -> str:
    """The operating system, as `sys.platform` has it."""
    return sys.platform


def get_os(run_lambda: Runner) -> str:
    """The operating system's name and version."""
    return f"{platform.system()} {platform.release()} ({platform.machine()})"


def get_python_platform() -> str:
    """The platform, as Python has it."""
    return platform.platform()


def get_libc_version() -> str:
    """The C library."""
    return "-".join(platform.libc_ver()) or "unknown"


def get_cpu_info(run_lambda: Runner) -> str:
    """The processor's name."""
    return processor()[0]


def get_gcc_version(run_lambda: Runner) -> str | None:
    """The C compiler's version; None where there is none."""
    return run_and_parse_first_match(run_lambda, ["gcc", "--version"], r"gcc (.*)")


def get_clang_version(run_lambda: Runner) -> str | None:
    """clang's version; None where there is none."""
    return run_and_parse_first_match(run_lambda, ["clang", "--version"], r"clang version (.*)")


def get_cmake_version(run_lambda: Runner) -> str | None:
    """CMake's version; None where there is none."""
    return run_and_parse_first_match(run_lambda, ["cmake", "--version"], r"cmake (.*)")


def get_pip_packages(run_lambda: Runner, patterns: Any = None) -> tuple[str, str]:
    """pip's name, and the packages that matter, a line each.

    Args:
        patterns: parts of further packages' names.
    """
    wanted = (*_LIBRARIES, *_OPTIONAL, *(patterns or ()))
    lines = {
        f"{d.metadata['Name']}=={d.version}"
        for d in importlib.metadata.distributions()
        if any(w in (d.metadata["Name"] or "") for w in wanted)
    }
    return "pip3", "\n".join(sorted(lines))


def get_conda_packages(run_lambda: Runner, patterns: Any = None) -> str | None:
    """None: conda's packages are not looked for."""
    return None


def _nothing(name: str, why: str) -> Callable[[Runner], str | None]:
    def get(run_lambda: Runner) -> str | None:
        return None

    return named(get, name, f"None: {why}.")


get_gpu_info = _nothing("get_gpu_info", "no GPU is used")
get_nvidia_driver_version = _nothing("get_nvidia_driver_version", "no GPU is used")


def get_nvidia_smi() -> str:
    """The program that tells of GPUs by NVIDIA."""
    return "nvidia-smi"


get_running_cuda_version = _nothing("get_running_cuda_version", "CUDA is not used")
get_cudnn_version = _nothing("get_cudnn_version", "cuDNN is not used")


def get_cuda_module_loading_config() -> str:
    """What PyTorch says where CUDA is not there."""
    return "N/A"


def get_cachingallocator_config() -> str:
    """What PyTorch says where CUDA is not there."""
    return ""


def is_xnnpack_available() -> bool:
    """False: XNNPACK is not used."""
    return False


def get_env_info() -> SystemEnv:
    """Everything that is reported."""
    from rushlight.version import __version__ as followed

    name, features = processor()
    packages = {**library_versions(), **{p: v for p in _OPTIONAL if (v := _version(p)) is not None}}
    return SystemEnv(
        torch_version=str(followed),
        rushlight_version=str(rushlight.__version__),
        is_debug_build=False,
        cuda_compiled_version="None",
        is_cuda_available=False,
        os=get_os(run),
        libc_version=get_libc_version(),
        python_version=sys.version.replace("\n", " "),
        python_platform=platform.platform(),
        cpu_info=name,
        cpu_features=features,
        cpu_caches=_caches(),
        processors=f"{len(os.sched_getaffinity(0))} of {os.cpu_count()}",
        memory=_memory(),
        threads=f"{rushlight.get_num_threads()} (OMP_NUM_THREADS: {os.environ.get('OMP_NUM_THREADS', 'not set')})",
        kernel_cache=_kernel_cache(),
        pip_packages="\n".join(f"{p}=={v}" for p, v in packages.items()),
    )


_TITLES = {
    "torch_version": "PyTorch version",
    "rushlight_version": "rushlight version",
    "is_debug_build": "Is debug build",
    "cuda_compiled_version": "CUDA used to build",
    "is_cuda_available": "Is CUDA available",
    "os": "OS",
    "libc_version": "Libc version",
    "python_version": "Python version",
    "python_platform": "Python platform",
    "cpu_info": "CPU",
    "cpu_features": "CPU features",
    "cpu_caches": "CPU caches",
    "processors": "Processors",
    "memory": "Memory",
    "threads": "Threads",
    "kernel_cache": "Kernel cache",
}


def pretty_str(envinfo: SystemEnv) -> str:
    """A report as text."""
    lines = ["Collecting environment information..."]
    lines += [f"{title}: {getattr(envinfo, field)}" for field, title in _TITLES.items()]
    lines += ["", "Versions of relevant libraries:", *(f"[pip3] {line}" for line in envinfo.pip_packages.splitlines())]
    return "\n".join(lines)


def get_pretty_env_info() -> str:
    """The report of this machine."""
    return pretty_str(get_env_info())


def main() -> None:
    """Print the report of this machine."""
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()

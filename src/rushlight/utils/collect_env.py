"""What a report of a fault must say of the machine: versions, the processor's features, caches, threads. `python -m
rushlight.collect_env` prints it.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from pathlib import Path
from typing import NamedTuple

import rushlight

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
_LIBRARIES = ("llvmlite", "numpy", "scipy-openblas64", "ducc0")
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


def _kernel_cache() -> str:
    from rushlight.compiler.kernels import cache

    folder = cache.folder()
    if folder is None:
        return "in memory alone: this user has no home folder"
    if not folder.is_dir():
        return f"{folder} (not there)"
    files = [f for f in folder.rglob("*") if f.is_file()]
    return (
        f"{folder} ({len(files)} files, {sum(f.stat().st_size for f in files) / 1e6:.1f} of at most "
        f"{cache.bound() / 1e6:.0f} MB)"
    )


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
        os=f"{platform.system()} {platform.release()} ({platform.machine()})",
        libc_version="-".join(platform.libc_ver()) or "unknown",
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

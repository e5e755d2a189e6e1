"""The processor."""

from __future__ import annotations

import functools
import platform

__all__ = ["get_cpu_capability"]


@functools.cache
def get_cpu_capability() -> str:
    """The widest vectors that the processor has, in PyTorch's words: "AVX512", "AVX2", "NEON" or "DEFAULT"."""
    if platform.machine() in ("aarch64", "arm64"):
        return "NEON"
    try:
        with open("/proc/cpuinfo") as file:
            found = next((line.split() for line in file if line.startswith("flags")), [])
    except OSError:  # only Linux has the file; elsewhere nothing is known
        return "DEFAULT"
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= set(found):
        return "AVX512"
    return "AVX2" if {"avx2", "fma"} <= set(found) else "DEFAULT"

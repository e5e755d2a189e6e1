"""This processor taken for a smaller one, by the kernels that are compiled from then on."""

from __future__ import annotations

# What processors with AVX2 alone lack; valgrind knows none of it.
_BEYOND = ("avx512", "avx10", "amx", "evex512", "avxvnni", "avxifma", "avxneconvert", "gfni", "vaes", "vpclmulqdq")


def without_avx512() -> None:
    """Take the processor for one that has AVX2 alone, in this process, before anything is compiled."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    for name in features:
        features[name] = features[name] and not name.startswith(_BEYOND)
    llvm.get_host_cpu_features = lambda: features
    llvm.get_host_cpu_name = lambda: "x86-64-v3"

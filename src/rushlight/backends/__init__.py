"""Switches and questions about the libraries behind the operators, under PyTorch's names.

Questions about libraries that are not here are answered with False. Their switches hold what is set and steer nothing.
"""

from __future__ import annotations

from . import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp, opt_einsum, quantized
from ._switch import disable_global_flags, flags_frozen

__all__ = [
    "cpu",
    "cuda",
    "cudnn",
    "disable_global_flags",
    "flags_frozen",
    "mkl",
    "mkldnn",
    "mps",
    "openmp",
    "opt_einsum",
    "quantized",
]

fp32_precision = "none"  # held; products of float32 are made in float32

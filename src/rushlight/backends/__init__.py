"""Switches and questions about the libraries behind the operators, under PyTorch's names.

Questions about libraries that are not here are answered with False. Their switches hold what is set and steer nothing.
"""
from __future__ import annotations

from . import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp, quantized

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "quantized"]

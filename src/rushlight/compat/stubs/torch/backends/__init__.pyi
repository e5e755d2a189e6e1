# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends import fp32_precision as fp32_precision
from torch.backends import (
    cpu as cpu, cuda as cuda, cudnn as cudnn, mkl as mkl, mkldnn as mkldnn, mps as mps, openmp as openmp,
    opt_einsum as opt_einsum, quantized as quantized,
)

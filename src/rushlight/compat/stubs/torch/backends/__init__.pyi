# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.backends import (
    cpu as cpu, cuda as cuda, cudnn as cudnn, mkl as mkl, mkldnn as mkldnn, mps as mps, openmp as openmp, quantized as quantized,
)

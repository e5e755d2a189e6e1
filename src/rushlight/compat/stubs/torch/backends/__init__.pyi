# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends import fp32_precision as fp32_precision
from rushlight.backends._switch import disable_global_flags as disable_global_flags
from rushlight.backends._switch import flags_frozen as flags_frozen
from torch.backends import cpu as cpu
from torch.backends import cuda as cuda
from torch.backends import cudnn as cudnn
from torch.backends import mkl as mkl
from torch.backends import mkldnn as mkldnn
from torch.backends import mps as mps
from torch.backends import openmp as openmp
from torch.backends import opt_einsum as opt_einsum
from torch.backends import quantized as quantized

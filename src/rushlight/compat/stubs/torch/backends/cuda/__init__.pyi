# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends.cuda import SDPAParams as SDPAParams
from rushlight.backends.cuda import _Matmul as _Matmul
from rushlight.backends.cuda import can_use_cudnn_attention as can_use_cudnn_attention
from rushlight.backends.cuda import can_use_efficient_attention as can_use_efficient_attention
from rushlight.backends.cuda import can_use_flash_attention as can_use_flash_attention
from rushlight.backends.cuda import enable_cudnn_sdp as enable_cudnn_sdp
from rushlight.backends.cuda import enable_flash_sdp as enable_flash_sdp
from rushlight.backends.cuda import enable_math_sdp as enable_math_sdp
from rushlight.backends.cuda import enable_mem_efficient_sdp as enable_mem_efficient_sdp
from rushlight.backends.cuda import flash_sdp_enabled as flash_sdp_enabled
from rushlight.backends.cuda import is_built as is_built
from rushlight.backends.cuda import is_flash_attention_available as is_flash_attention_available
from rushlight.backends.cuda import math_sdp_enabled as math_sdp_enabled
from rushlight.backends.cuda import matmul as matmul
from rushlight.backends.cuda import mem_efficient_sdp_enabled as mem_efficient_sdp_enabled
from rushlight.backends.cuda import sdp_kernel as sdp_kernel

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.utils._python_dispatch import TorchDispatchMode as TorchDispatchMode
from rushlight.utils.flop_counter import FlopCounterMode as FlopCounterMode
from rushlight.utils.flop_counter import Shape as Shape
from rushlight.utils.flop_counter import _Products as _Products
from rushlight.utils.flop_counter import _Raw as _Raw
from rushlight.utils.flop_counter import addmm_flop as addmm_flop
from rushlight.utils.flop_counter import baddbmm_flop as baddbmm_flop
from rushlight.utils.flop_counter import bmm_flop as bmm_flop
from rushlight.utils.flop_counter import conv_flop as conv_flop
from rushlight.utils.flop_counter import conv_flop_count as conv_flop_count
from rushlight.utils.flop_counter import flop_registry as flop_registry
from rushlight.utils.flop_counter import mm_flop as mm_flop
from rushlight.utils.flop_counter import register_flop_formula as register_flop_formula
from rushlight.utils.flop_counter import sdpa_flop as sdpa_flop
from rushlight.utils.flop_counter import sdpa_flop_count as sdpa_flop_count

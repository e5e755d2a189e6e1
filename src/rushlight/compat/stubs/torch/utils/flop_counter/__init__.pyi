# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.utils._python_dispatch import TorchDispatchMode as TorchDispatchMode
from rushlight.utils.flop_counter import (
    FlopCounterMode as FlopCounterMode, Shape as Shape, _Raw as _Raw, addmm_flop as addmm_flop, baddbmm_flop as baddbmm_flop,
    bmm_flop as bmm_flop, conv_flop as conv_flop, conv_flop_count as conv_flop_count, flop_registry as flop_registry,
    mm_flop as mm_flop, register_flop_formula as register_flop_formula, sdpa_flop as sdpa_flop, sdpa_flop_count as sdpa_flop_count,
)

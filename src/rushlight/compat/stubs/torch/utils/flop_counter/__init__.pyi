# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.utils._flop_formulas import Products as Products
from rushlight.utils._flop_formulas import Raw as Raw
from rushlight.utils._flop_formulas import SEVERAL as SEVERAL
from rushlight.utils._flop_formulas import addmm_flop as addmm_flop
from rushlight.utils._flop_formulas import baddbmm_flop as baddbmm_flop
from rushlight.utils._flop_formulas import bmm_flop as bmm_flop
from rushlight.utils._flop_formulas import conv_flop as conv_flop
from rushlight.utils._flop_formulas import conv_flop_count as conv_flop_count
from rushlight.utils._flop_formulas import flop_registry as flop_registry
from rushlight.utils._flop_formulas import mm_flop as mm_flop
from rushlight.utils._flop_formulas import sdpa_flop as sdpa_flop
from rushlight.utils._flop_formulas import sdpa_flop_count as sdpa_flop_count
from rushlight.utils._flop_formulas import shapes as shapes
from rushlight.utils._flop_formulas import shapes_of as shapes_of
from rushlight.utils._python_dispatch import TorchDispatchMode as TorchDispatchMode
from rushlight.utils.flop_counter import FlopCounterMode as FlopCounterMode
from rushlight.utils.flop_counter import register_flop_formula as register_flop_formula

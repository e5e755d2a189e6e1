# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.draws import Draw as Draw
from rushlight.jit.draws import Place as Place
from rushlight.jit.draws import alike as alike
from rushlight.jit.draws import ones_in as ones_in
from rushlight.jit.draws import places_of as places_of

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.utils.convert_parameters import parameters_to_vector as parameters_to_vector
from rushlight.nn.utils.convert_parameters import vector_to_parameters as vector_to_parameters

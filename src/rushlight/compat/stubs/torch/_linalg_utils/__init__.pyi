# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.operators.tensors.refusals import eig as eig
from rushlight.operators.tensors.refusals import lstsq as lstsq
from rushlight.operators.tensors.refusals import matrix_rank as matrix_rank
from rushlight.operators.tensors.refusals import solve as solve
from rushlight.operators.tensors.refusals import symeig as symeig

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.graph import without_hooks as without_hooks
from rushlight.core.dtypes import dtype as dtype
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.calls import Call as Call
from rushlight.jit.calls import name_results as name_results
from rushlight.jit.calls import numbers_in as numbers_in
from rushlight.jit.calls import results_of as results_of
from rushlight.jit.calls import supplied as supplied
from rushlight.jit.graphs import Found as Found
from rushlight.jit.graphs import Gone as Gone
from rushlight.jit.graphs import LetGo as LetGo
from rushlight.jit.graphs import Spot as Spot
from rushlight.jit.graphs import _Behind as _Behind
from rushlight.jit.graphs import made_again as made_again
from rushlight.jit.graphs import spots_of as spots_of

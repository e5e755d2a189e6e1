# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.experimental.symbolic_shapes import ConstraintViolationError as ConstraintViolationError
from rushlight.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode as GuardOnDataDependentSymNode
from rushlight.fx.experimental.symbolic_shapes import guard_or_false as guard_or_false
from rushlight.fx.experimental.symbolic_shapes import guard_or_true as guard_or_true
from rushlight.fx.experimental.symbolic_shapes import guard_size_oblivious as guard_size_oblivious
from rushlight.fx.experimental.symbolic_shapes import is_concrete_int as is_concrete_int
from rushlight.fx.experimental.symbolic_shapes import statically_known_true as statically_known_true
from rushlight.fx.experimental.symbolic_shapes import sym_eq as sym_eq
from rushlight.names.symbols import SymBool as SymBool
from rushlight.names.symbols import SymInt as SymInt

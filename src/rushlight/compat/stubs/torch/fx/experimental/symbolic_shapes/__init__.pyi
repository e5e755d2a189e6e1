# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.experimental.symbolic_shapes import ConstraintViolationError as ConstraintViolationError
from rushlight.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode as GuardOnDataDependentSymNode

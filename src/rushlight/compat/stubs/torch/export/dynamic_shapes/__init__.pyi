# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.exc import UserError as UserError
from rushlight.core.tensor import Tensor as Tensor
from rushlight.export._ranges import Ranges as Ranges
from rushlight.export._ranges import ValueRanges as ValueRanges
from rushlight.export.dynamic_shapes import AdditionalInputs as AdditionalInputs
from rushlight.export.dynamic_shapes import Constraint as Constraint
from rushlight.export.dynamic_shapes import Dim as Dim
from rushlight.export.dynamic_shapes import DimHint as DimHint
from rushlight.export.dynamic_shapes import ShapesCollection as ShapesCollection
from rushlight.export.dynamic_shapes import Sizes as Sizes
from rushlight.export.dynamic_shapes import _DerivedDim as _DerivedDim
from rushlight.export.dynamic_shapes import _DimHintType as _DimHintType
from rushlight.export.dynamic_shapes import arguments as arguments
from rushlight.export.dynamic_shapes import dims as dims
from rushlight.export.dynamic_shapes import each_leaf as each_leaf
from rushlight.export.dynamic_shapes import (
    refine_dynamic_shapes_from_suggested_fixes as refine_dynamic_shapes_from_suggested_fixes,
)
from rushlight.export.dynamic_shapes import specialized as specialized
from rushlight.fx.experimental.symbolic_shapes import ConstraintViolationError as ConstraintViolationError
from rushlight.nn.modules.module import Module as Module

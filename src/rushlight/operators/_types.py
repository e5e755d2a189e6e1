"""The annotations that the operator table is written in (see `_define._KINDS`)."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

Operand: TypeAlias = Any         # a tensor or a number
Number: TypeAlias = Any          # a number that is given at launch: no recompilation for a new value
Int: TypeAlias = Any             # an int given at launch
Ints: TypeAlias = Any            # a sequence of ints given at launch
Tensors: TypeAlias = Sequence[Any]
Dims: TypeAlias = Any            # None, an int or a sequence of ints; static

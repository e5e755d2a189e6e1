# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import device as device
from rushlight.core.dtypes import dtype as dtype
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.schema import Argument as Argument
from rushlight.library.schema import FunctionSchema as FunctionSchema
from rushlight.library.schema import Number as Number
from rushlight.library.schema import Return as Return
from rushlight.library.schema import UNFIT as UNFIT
from rushlight.library.schema import _Written as _Written
from rushlight.library.schema import fitting as fitting
from rushlight.library.schema import infer_schema as infer_schema
from rushlight.library.schema import parse_schema as parse_schema
from rushlight.library.schema import taken_as_they_are as taken_as_they_are
from rushlight.library.schema import type_shown as type_shown

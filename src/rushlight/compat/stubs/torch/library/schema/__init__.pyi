# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.dtypes import dtype as dtype
from rushlight.core.places import device as device
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.schema import (
    Argument as Argument, FunctionSchema as FunctionSchema, Number as Number, Return as Return, UNFIT as UNFIT,
    _Written as _Written, fitting as fitting, infer_schema as infer_schema, parse_schema as parse_schema, type_shown as type_shown,
)

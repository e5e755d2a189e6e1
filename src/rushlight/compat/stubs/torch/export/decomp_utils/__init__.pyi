# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.export.decomp_utils import CustomDecompTable as CustomDecompTable
from rushlight.library.aten_schemas import schemas_of as schemas_of
from rushlight.library.operator import OpOverload as OpOverload

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.aten_schemas import AtenArgument as AtenArgument
from rushlight.library.aten_schemas import AtenSchema as AtenSchema
from rushlight.library.aten_schemas import schema_of as schema_of
from rushlight.library.aten_schemas import schemas_of as schemas_of

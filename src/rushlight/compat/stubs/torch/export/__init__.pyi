# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.export import (
    Dim as Dim, ExportedProgram as ExportedProgram, dims as dims, export as export, load as load, save as save,
)

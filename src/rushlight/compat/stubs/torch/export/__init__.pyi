# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.export import Dim as Dim
from rushlight.export import ExportedProgram as ExportedProgram
from rushlight.export import dims as dims
from rushlight.export import export as export
from rushlight.export import load as load
from rushlight.export import save as save

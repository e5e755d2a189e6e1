# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import device as device
from rushlight.core.tensor import Tensor as Tensor
from rushlight.export.exported_program import ExportedProgram as ExportedProgram
from rushlight.export.passes import move_to_device_pass as move_to_device_pass
from rushlight.nn.parameter import Parameter as Parameter

# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight.onnx import (
    OperatorExportTypes as OperatorExportTypes, TensorProtoDataType as TensorProtoDataType, TrainingMode as TrainingMode,
    _Opset as _Opset, export as export, is_in_onnx_export as is_in_onnx_export,
    is_onnxrt_backend_supported as is_onnxrt_backend_supported, register_custom_op_symbolic as register_custom_op_symbolic,
    select_model_mode_for_export as select_model_mode_for_export, unregister_custom_op_symbolic as unregister_custom_op_symbolic,
)
from rushlight.utils._absent import absent_class as absent_class
from typing import Any

class ONNXProgram:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...

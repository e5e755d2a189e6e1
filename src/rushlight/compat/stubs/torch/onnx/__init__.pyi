# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Made as _Made
from rushlight.onnx import OperatorExportTypes as OperatorExportTypes
from rushlight.onnx import TensorProtoDataType as TensorProtoDataType
from rushlight.onnx import TrainingMode as TrainingMode
from rushlight.onnx import _Opset as _Opset
from rushlight.onnx import export as export
from rushlight.onnx import is_in_onnx_export as is_in_onnx_export
from rushlight.onnx import is_onnxrt_backend_supported as is_onnxrt_backend_supported
from rushlight.onnx import register_custom_op_symbolic as register_custom_op_symbolic
from rushlight.onnx import select_model_mode_for_export as select_model_mode_for_export
from rushlight.onnx import unregister_custom_op_symbolic as unregister_custom_op_symbolic
from rushlight.utils._absent import absent_class as absent_class

class ONNXProgram(_Made): ...

"""Names of `torch.onnx` that programs import: rushlight writes no ONNX files, and says so."""

from __future__ import annotations

import enum
import importlib
import re
from typing import Any, NoReturn

from rushlight.utils._absent import absent_class

__all__ = [
    "ONNXProgram",
    "OperatorExportTypes",
    "TensorProtoDataType",
    "TrainingMode",
    "export",
    "is_in_onnx_export",
    "is_onnxrt_backend_supported",
    "register_custom_op_symbolic",
    "select_model_mode_for_export",
    "unregister_custom_op_symbolic",
]


class TrainingMode:
    """The modes that `export` takes."""

    EVAL, PRESERVE, TRAINING = 0, 1, 2


class OperatorExportTypes:
    """The ways of writing operators that `export` takes."""

    ONNX, ONNX_ATEN, ONNX_ATEN_FALLBACK, ONNX_FALLTHROUGH = 0, 1, 2, 3


def is_in_onnx_export() -> bool:
    """Whether a model is being exported: never."""
    return False


def is_onnxrt_backend_supported() -> bool:
    """Whether `torch.compile` has ONNX Runtime as a backend: no."""
    return False


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Any, opset_version: int, custom_opsets: Any = None
) -> None:
    """Tell the exporter how an operator is written: there is no exporter that would ask."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Undo `register_custom_op_symbolic`."""


class TensorProtoDataType(enum.IntEnum):
    """ONNX's numbers for the dtypes of elements (the enumeration TensorProto.DataType of its format)."""

    (
        UNDEFINED,
        FLOAT,
        UINT8,
        INT8,
        UINT16,
        INT16,
        INT32,
        INT64,
        STRING,
        BOOL,
        FLOAT16,
        DOUBLE,
        UINT32,
        UINT64,
        COMPLEX64,
        COMPLEX128,
        BFLOAT16,
    ) = range(17)
    FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ = range(17, 21)


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"torch.onnx.{name}: rushlight lacks ONNX; save the state dict with torch.save, load it in PyTorch and "
        "export there"
    )


def select_model_mode_for_export(model: Any, mode: Any) -> NoReturn:
    """Not there yet. NotImplementedError."""
    _refuse("select_model_mode_for_export")


def export(model: Any, args: Any = (), f: Any = None, **options: Any) -> NoReturn:
    """Not there yet. NotImplementedError."""
    _refuse("export")


ONNXProgram = absent_class(
    "ONNXProgram",
    __name__,
    "rushlight lacks ONNX; save the state dict with torch.save, load it in PyTorch and export there",
    NotImplementedError,
)


class _Opset:
    """How a version of ONNX writes operators: names that packages import; whatever is asked of it says that the
    exporter is lacking.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = f"torch.onnx.{name}"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: _refuse(f"{self.__name__.rpartition('.')[2]}.{name}")


def __getattr__(name: str) -> Any:
    if re.fullmatch("symbolic_opset([7-9]|1[0-9]|20)", name):
        return _Opset(name)
    if name in ("operators", "symbolic_helper"):
        return importlib.import_module(f"rushlight.onnx.{name}")
    raise AttributeError(f"module 'torch.onnx' has no attribute '{name}'")

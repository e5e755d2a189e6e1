# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.exc import (
    BackendCompilerFailed as BackendCompilerFailed, InvalidBackend as InvalidBackend, RecompileError as RecompileError,
    TorchDynamoException as TorchDynamoException, TorchRuntimeError as TorchRuntimeError, Unsupported as Unsupported,
    UserError as UserError,
)

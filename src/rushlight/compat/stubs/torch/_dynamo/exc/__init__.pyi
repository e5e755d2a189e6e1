# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.exc import BackendCompilerFailed as BackendCompilerFailed
from rushlight._dynamo.exc import InvalidBackend as InvalidBackend
from rushlight._dynamo.exc import RecompileError as RecompileError
from rushlight._dynamo.exc import TorchDynamoException as TorchDynamoException
from rushlight._dynamo.exc import TorchRuntimeError as TorchRuntimeError
from rushlight._dynamo.exc import Unsupported as Unsupported
from rushlight._dynamo.exc import UserError as UserError

"""The errors of `torch.compile` that programs catch."""

from __future__ import annotations

__all__ = [
    "BackendCompilerFailed",
    "InvalidBackend",
    "RecompileError",
    "TorchDynamoException",
    "TorchRuntimeError",
    "Unsupported",
    "UserError",
]


class TorchDynamoException(RuntimeError):
    """The base class of these errors."""


class InvalidBackend(TorchDynamoException):
    """`backend` names nothing that is there."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


class BackendCompilerFailed(TorchDynamoException):
    """A backend raised."""


class RecompileError(TorchDynamoException):
    """A function would be compiled again where that is an error."""


class TorchRuntimeError(TorchDynamoException):
    """An operator raised while a function was compiled."""


class Unsupported(TorchDynamoException):
    """A function cannot be one program (`fullgraph=True`)."""


class UserError(Unsupported):
    """A function cannot be one program for a reason that its writer can cure."""

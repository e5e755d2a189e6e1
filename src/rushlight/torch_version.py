"""PyTorch's module of the version string's class."""

from rushlight.compat.version import TorchVersion

__all__ = ["TorchVersion"]

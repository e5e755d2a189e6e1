"""Settings of saving and loading."""

from rushlight.utils.serialization import config

__all__ = ["config"]

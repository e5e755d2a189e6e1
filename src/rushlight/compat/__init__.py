"""Standing in for `torch`: the import alias, the launcher, PyTorch's checkpoint files. Nothing here is loaded by `import rushlight`."""

from __future__ import annotations

from rushlight.compat.alias import MissingAttribute, install, installed, uninstall
from rushlight.compat.version import TorchVersion, torch_version

__all__ = ["MissingAttribute", "TorchVersion", "install", "installed", "torch_version", "uninstall"]

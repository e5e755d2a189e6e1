"""Standing in for `torch`: the import alias, the launcher, PyTorch's checkpoint files. Nothing here is loaded by
`import rushlight`.
"""

from __future__ import annotations

from typing import Any

from rushlight.compat.alias import MissingAttribute, install, installed, uninstall
from rushlight.compat.version import TorchVersion, torch_version

__all__ = ["MissingAttribute", "TorchVersion", "install", "installed", "torch_version", "uninstall"]


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext rushlight.compat`: install() for a notebook or an IPython session."""
    from rushlight.compat.tracebacks import cover_shell

    install()
    cover_shell()


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext rushlight.compat`: uninstall()."""
    uninstall()

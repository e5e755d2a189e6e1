"""What `importlib.metadata` says of the installed package "torch" while rushlight stands in for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path

from rushlight.compat.version import torch_version

_PACKAGE = Path(__file__).resolve().parent.parent


class TorchDistribution(Distribution):
    """The package "torch": the version that is followed, and rushlight's files under torch's names."""

    def read_text(self, filename: str) -> str | None:
        """A metadata file's text; None for one that there is not."""
        if filename == "METADATA":
            import rushlight

            own = rushlight.__version__.partition("+rushlight.")[2] or rushlight.__version__
            return (
                f"Metadata-Version: 2.1\nName: torch\nVersion: {torch_version(own)}\nSummary: rushlight, standing in "
                "for PyTorch\n"
                "Home-page: https://pytorch.org/\nLicense-Expression: BSD-3-Clause\n"
                "Requires-Dist: typing-extensions\n\n"
            )
        if filename == "RECORD":
            names = sorted(p.relative_to(_PACKAGE).as_posix() for p in _PACKAGE.rglob("*.py"))
            return "".join(f"torch/{name},,\n" for name in names)
        if filename == "top_level.txt":
            return "functorch\ntorch\n"
        return None

    def locate_file(self, path: object) -> Path:
        """Where a file of the package is: torch/x.py is rushlight/x.py."""
        parts = Path(str(path)).parts
        return _PACKAGE.joinpath(*parts[1:]) if parts and parts[0] == "torch" else _PACKAGE.parent.joinpath(*parts)


def distributions(name: str | None) -> Iterable[Distribution]:
    """The distribution, where "torch" or all are asked for."""
    if name is None or re.sub(r"[-_.]+", "-", name).lower() == "torch":
        yield TorchDistribution()

"""Metadata of the packages "torch" and "torchcodec" for `importlib.metadata`, while rushlight stands in for them."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path

from rushlight.compat.version import TORCHCODEC, torch_version

_PACKAGE = Path(__file__).resolve().parent.parent


class StandIn(Distribution):
    """A package whose files are rushlight's under the package's names."""

    def __init__(self, name: str, version: str, folder: Path, fields: str, top: tuple[str, ...]) -> None:
        self._stand_in, self._version, self._folder, self._fields, self._top = name, version, folder, fields, top

    def read_text(self, filename: str) -> str | None:
        """A metadata file's text; None for one that there is not."""
        if filename == "METADATA":
            return (
                f"Metadata-Version: 2.1\nName: {self._stand_in}\nVersion: {self._version}\n"
                f"Summary: rushlight, standing in for {self._stand_in}\n{self._fields}\n"
            )
        if filename == "RECORD":
            names = sorted(p.relative_to(self._folder).as_posix() for p in self._folder.rglob("*.py"))
            return "".join(f"{self._stand_in}/{name},,\n" for name in names)
        if filename == "top_level.txt":
            return "".join(f"{name}\n" for name in self._top)
        return None

    def locate_file(self, path: object) -> Path:
        """Where a file of the package is: torch/x.py is rushlight/x.py."""
        parts = Path(str(path)).parts
        own = parts and parts[0] == self._stand_in
        return self._folder.joinpath(*parts[1:]) if own else _PACKAGE.parent.joinpath(*parts)


def _torch() -> StandIn:
    import rushlight

    own = rushlight.__version__.partition("+rushlight.")[2] or rushlight.__version__
    fields = "Home-page: https://pytorch.org/\nLicense-Expression: BSD-3-Clause\nRequires-Dist: typing-extensions\n"
    return StandIn("torch", torch_version(own), _PACKAGE, fields, ("functorch", "torch"))


def _torchcodec() -> StandIn:
    return StandIn("torchcodec", TORCHCODEC, _PACKAGE / "compat" / "torchcodec", "Requires-Dist: av\n", ("torchcodec",))


def distributions(name: str | None) -> Iterable[Distribution]:
    """The distributions of this name, or all where it is None; torchcodec where it can be imported."""
    asked = None if name is None else re.sub(r"[-_.]+", "-", name).lower()
    if asked in (None, "torch"):
        yield _torch()
    if asked in (None, "torchcodec") and importlib.util.find_spec("av") is not None:
        yield _torchcodec()

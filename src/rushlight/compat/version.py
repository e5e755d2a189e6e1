"""`torch.__version__`: the PyTorch release whose behaviour is followed and, after the plus sign, rushlight's own name
and version.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["FOLLOWS", "TORCHCODEC", "TorchVersion", "torch_version"]

FOLLOWS = "2.13.0"
TORCHCODEC = "0.14.0"  # the release of torchcodec that is followed

_RELEASE = re.compile(
    r"v?(?P<release>\d+(?:\.\d+)*)(?P<pre>(?:[-_.]?(?:a|b|rc|dev|alpha|beta|pre)[-_.]?\d*)+)?"
    r"(?P<post>[-_.]?post\d*)?(?:\+(?P<local>[\w.]+))?$",
    re.IGNORECASE,
)


def _key(version: Any) -> tuple[tuple[int, ...], int, int]:
    """Where a version stands: its release, then before (-1) or after (1) that release, then whether it has a local
    part.
    """
    if isinstance(version, (tuple, list)):
        version = ".".join(map(str, version))
    match = _RELEASE.match(str(version).strip())
    if match is None:
        raise ValueError(f"torch.__version__: cannot compare with {version!r}: it is not a version")
    release = [int(part) for part in match["release"].split(".")]
    while len(release) > 1 and release[-1] == 0:  # 2.13 and 2.13.0 are one version
        release.pop()
    stage = -1 if match["pre"] else 1 if match["post"] else 0
    return tuple(release), stage, int(match["local"] is not None)


class TorchVersion(str):
    """A version string that also compares as a version: `torch.__version__ >= "2.2"` and `>= (2, 2)` mean what they
    say.

    Comparing with something that is no version compares the text, as for any string.
    """

    __slots__ = ()

    def _compare(self, other: Any) -> int | None:
        if not isinstance(other, (str, tuple, list)):
            return None
        if str(self) == other:
            return 0
        try:
            mine, theirs = _key(str(self)), _key(other)
        except ValueError:
            if not isinstance(other, str):
                raise
            return (str(self) > other) - (str(self) < other)
        return (mine > theirs) - (mine < theirs)

    def __eq__(self, other: object) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order == 0

    def __ne__(self, other: object) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order != 0

    def __lt__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order >= 0

    __hash__ = str.__hash__


def torch_version(own: str) -> TorchVersion:
    """The version to show to PyTorch programs, from rushlight's own: "2.13.0+rushlight.0.1.0"."""
    return TorchVersion(f"{FOLLOWS}+rushlight.{own}")

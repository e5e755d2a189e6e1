"""The progress bar of downloads, and of packages that take it from here: the one of the package tqdm, or a plain one
where that is not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["tqdm"]

try:
    from tqdm import tqdm  # type: ignore[import-untyped]
except ImportError:

    class tqdm:  # type: ignore[no-redef]
        """A count of what is done, on standard error.

        Args:
            iterable: what is gone through, if anything.
            total: how much there is.
            disable: show nothing. Further arguments of tqdm's are accepted.
        """

        __module__ = "tqdm"  # for which it stands: nothing says more of one than of the other

        def __init__(
            self,
            iterable: Iterable[Any] | None = None,
            total: float | None = None,
            disable: bool = False,
            **further: Any,
        ) -> None:
            self.iterable, self.total, self.disable, self.n = iterable, total, disable, 0
            if total is None and hasattr(iterable, "__len__"):
                self.total = len(iterable)  # type: ignore[arg-type]

        def __iter__(self) -> Iterator[Any]:
            with self:
                for item in self.iterable or ():
                    yield item
                    self.update(1)

        def update(self, n: int) -> None:
            """n more are done."""
            self.n += n
            if not self.disable:
                sys.stderr.write(f"\r{self.n}" + ("" if self.total is None else f" of {self.total}"))
                sys.stderr.flush()

        def set_description(self, *args: Any, **kwargs: Any) -> None:
            """Accepted as tqdm's."""

        def close(self) -> None:
            """End the line."""
            if not self.disable:
                sys.stderr.write("\n")

        def __enter__(self) -> tqdm:
            return self

        def __exit__(self, *error: Any) -> None:
            self.close()

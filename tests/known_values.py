"""Exact values that take mpmath long to find: found once, kept in a file beside the test, and some found again in every
run.

    RUSHLIGHT_KEEP_VALUES=1 .venv/bin/python -m pytest tests/compiler/test_hypergeometric.py

writes the values of points that have none yet (and drops none: remove the file to begin anew). A value belongs to its
arguments, bit for bit; for other arguments, as another processor's `numpy.exp` may make them, it is found on the spot.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import mpmath as mp

DIGITS = 25  # a double has 16: what is cut off is 2^-30 ulp
FOUND_AGAIN = 0.02  # this share of the kept values, and one at least, is compared with mpmath in each run
KEEP = os.environ.get("RUSHLIGHT_KEEP_VALUES") == "1"


class KnownValues:
    """The file `path` of {name: {digest of the arguments: value, null where there is none}}."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tables: dict[str, dict[str, str | None]] = json.loads(path.read_text()) if path.exists() else {}

    def values(self, name: str, find: Callable[..., Any], points: Iterable[tuple[Any, ...]]) -> list[Any]:
        """find(*point) of every point, kept or found; find gives a real number of mpmath's, or None.

        Raises AssertionError where a kept value is not what mpmath finds.
        """
        table = self.tables.get(name, {})
        points = list(points)
        keys = [hashlib.sha256(repr(point).encode()).hexdigest()[:10] for point in points]
        kept = [i for i, key in enumerate(keys) if key in table]
        for i in random.SystemRandom().sample(kept, min(len(kept), max(1, round(FOUND_AGAIN * len(kept))))):
            self._compare(name, points[i], _number(table[keys[i]]), find(*points[i]))
        if len(kept) == len(points):
            return [_number(table[key]) for key in keys]
        if KEEP:
            table = {
                **table,
                **{key: _text(find(*point)) for key, point in zip(keys, points, strict=True) if key not in table},
            }
            self.tables[name] = table
            self.path.write_text(json.dumps(self.tables, indent=0, sort_keys=True) + "\n")
        else:
            warnings.warn(
                f"{self.path.name}: {name}: {len(points) - len(kept)} of {len(points)} values are not kept",
                stacklevel=2,
            )
        return [_number(table[key]) if key in table else find(*point) for key, point in zip(keys, points, strict=True)]

    def _compare(self, name: str, point: tuple[Any, ...], kept: Any, found: Any) -> None:
        same = (
            kept is found is None
            or kept is not None
            and found is not None
            and abs(kept - found) <= mp.mpf(10) ** -20 * abs(found)
        )
        assert same, f"{self.path.name}: {name}{point} is kept as {kept}, and is {found}"


def _number(text: str | None) -> Any:
    with mp.workdps(DIGITS + 5):
        return None if text is None else mp.mpf(text)


def _text(value: Any) -> str | None:
    with mp.workdps(DIGITS + 5):
        return None if value is None else mp.nstr(mp.mpf(value), DIGITS)

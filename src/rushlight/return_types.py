"""The named tuples that operators with several results return: return_types.max, return_types.sort, ..."""

from __future__ import annotations

from rushlight.operators.table.returns import TYPES


def __getattr__(name: str) -> type:
    found = TYPES.get(name)
    if found is None:
        raise AttributeError(
            f"module 'rushlight.return_types' has no attribute '{name}'; there are {', '.join(sorted(TYPES))}"
        )
    return found


def __dir__() -> list[str]:
    return sorted(TYPES)

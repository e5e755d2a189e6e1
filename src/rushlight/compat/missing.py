"""What an error says of a name that is not there: a gap, which PyTorch's list of names tells, or a typing mistake."""
from __future__ import annotations

import difflib

from rushlight.compat.version import FOLLOWS

__all__ = ["explain", "nearest"]


def nearest(name: str, names: list[str]) -> str | None:
    """The public name most like `name`, if one is."""
    by_lower = {n.lower(): n for n in names if not n.startswith("_")}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def explain(space: str, name: str, names: list[str]) -> str:
    """The end of a message about `name`, which `space` lacks. Args: space: as PyTorch calls it. names: what the namespace has."""
    from rushlight.compat.lacking import LACKING

    if name in LACKING.get(space, "").split():
        return f"PyTorch {FOLLOWS} has {space}.{name}, and rushlight lacks it so far"
    near = nearest(name, names)
    if near is not None:
        return f"did you mean {space}.{near}?"
    return f"rushlight does not have it (it follows PyTorch {FOLLOWS})"

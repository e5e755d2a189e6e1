"""The words of an error about a name that is missing: either PyTorch's list of names has it and rushlight lacks it, or
it is a typing mistake."""

from __future__ import annotations

import difflib

from rushlight.compat.version import FOLLOWS

__all__ = ["explain", "gap", "nearest"]


def nearest(name: str, names: list[str]) -> str | None:
    """The public name most like `name`, if one is; of those that differ in capitals alone, the one with the capitals of
    `name`.
    """
    by_lower: dict[str, list[str]] = {}
    for n in names:
        if not n.startswith("_"):
            by_lower.setdefault(n.lower(), []).append(n)
    found = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if not found:
        return None
    like = difflib.SequenceMatcher(b=name)

    def likeness(n: str) -> float:
        like.set_seq1(n)
        return like.ratio()

    return max((n for key in found for n in by_lower[key]), key=likeness)


def gap(space: str, name: str) -> str | None:
    """The words about a name that PyTorch has in `space` and rushlight lacks; None for any other name."""
    from rushlight.compat.lacking import LACKING

    if name in LACKING.get(space, "").split():
        return f"PyTorch {FOLLOWS} has {space}.{name}, and rushlight lacks it so far"
    return None


def explain(space: str, name: str, names: list[str]) -> str:
    """The end of a message about `name`, which `space` lacks.

    Args:
        space: as PyTorch calls it.
        names: what the namespace has.
    """
    lacking = gap(space, name)
    if lacking is not None:
        return lacking
    near = nearest(name, names)
    if near is not None:
        return f"did you mean {space}.{near}?"
    return f"rushlight does not have it (it follows PyTorch {FOLLOWS})"

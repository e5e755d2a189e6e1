"""Which FakeTensorMode is in force; packages ask `torch._guards` for it."""

from __future__ import annotations

from typing import Any

__all__ = ["active_fake_mode", "detect_fake_mode"]


def _in_force() -> list[Any]:
    """The fake modes in force in this thread, innermost first."""
    from rushlight._subclasses.fake_tensor import FakeTensorMode
    from rushlight.operators.table.dispatch import modes

    found = [getattr(entered, "mode", entered) for entered in reversed(modes.stack)]
    return [mode for mode in found if isinstance(mode, FakeTensorMode)]


def active_fake_mode() -> Any:
    """The innermost FakeTensorMode in force; None where there is none."""
    return next(iter(_in_force()), None)


def detect_fake_mode(inputs: Any = None) -> Any:
    """The FakeTensorMode in force, or the one that made the fake tensors among `inputs`, in whatever containers; None
    where there is none.

    Raises:
        AssertionError: there are several.
    """
    from rushlight._subclasses.fake_tensor import FakeTensor
    from rushlight.utils import _pytree

    found = [(f"active fake mode {i}", mode) for i, mode in enumerate(_in_force())]
    for i, x in enumerate(_pytree.tree_leaves(inputs)):
        if isinstance(x, FakeTensor):
            found.append((f"fake tensor input {i}", x.fake_mode))
    for what, mode in found[1:]:
        if mode is not found[0][1]:
            raise AssertionError(
                f"detect_fake_mode(): one mode must be at work; found {found[0][1]} ({found[0][0]}) and {mode} ({what})"
            )
    return found[0][1] if found else None

"""The context manager `flags` that several backends have."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any


def flags_of(module: str, names: tuple[str, ...]) -> Callable[..., AbstractContextManager[None]]:
    """A context manager that sets the named switches of a module and puts them back; names not given stay as they
    are.
    """

    @contextmanager
    def inside(values: dict[str, Any]) -> Iterator[None]:
        space = vars(sys.modules[module])
        old = {name: space[name] for name in values}
        space.update(values)
        try:
            yield
        finally:
            space.update(old)

    def flags(**values: Any) -> AbstractContextManager[None]:
        """Inside, the switches are these. TypeError for a name that the backend does not have."""
        unknown = sorted(set(values) - set(names))
        if unknown:
            raise TypeError(
                f"{module}.flags(): got an unexpected keyword argument '{unknown[0]}'; there are {', '.join(names)}"
            )
        return inside(values)

    return flags

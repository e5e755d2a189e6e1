"""The context manager `flags` that several backends have, and what makes it the one way to set a switch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import Any

_SWITCHES: dict[str, tuple[str, ...]] = {}  # by module: the names of its `flags`, where assignments can be ended
_frozen = False


class _Frozen(ModuleType):
    """A backend whose switches no assignment sets."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _SWITCHES[vars(self)["__spec__"].name]:
            raise RuntimeError(
                f"{self.__name__}.{name}: an assignment cannot set it after disable_global_flags(); found the value "
                f"{value!r}; use `with {self.__name__}.flags({name}={value!r})`"
            )
        super().__setattr__(name, value)


def disable_global_flags() -> None:
    """Let assignments to a switch of a backend that has `flags` be RuntimeErrors from now on."""
    global _frozen
    _frozen = True
    for module in _SWITCHES:
        sys.modules[module].__class__ = _Frozen


def flags_frozen() -> bool:
    """Whether `disable_global_flags` has been called."""
    return _frozen


def flags_of(
    module: str, names: tuple[str, ...], *, freezes: bool = True
) -> Callable[..., AbstractContextManager[None]]:
    """A context manager that sets the named switches of a module and puts them back; names not given stay as they
    are. `freezes`: `disable_global_flags` ends assignments to them.
    """

    if freezes:
        _SWITCHES[module] = names

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

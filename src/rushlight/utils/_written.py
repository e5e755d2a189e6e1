"""Modules of settings that programs write (`torch._dynamo.config`): what is set is kept, and steers nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["patch_of"]


def patch_of(module: str) -> Callable[..., Any]:
    """The function `patch` of a module of settings."""

    @contextmanager
    def patched(values: dict[str, Any]) -> Iterator[None]:
        space = vars(sys.modules[module])
        missing = object()
        old = {k: space.get(k, missing) for k in values}
        space.update(values)
        try:
            yield
        finally:
            for k, v in old.items():
                if v is missing:
                    del space[k]
                else:
                    space[k] = v

    def patch(arg: str | dict[str, Any] | None = None, value: Any = None, **kwargs: Any) -> Any:
        """A context manager and decorator in which settings have other values: `patch("verbose", True)`,
        `patch({...})`, `patch(verbose=True)`.
        """
        given = {arg: value} if isinstance(arg, str) else dict(arg or {})
        return patched(given | kwargs)

    patch.__module__ = module
    return patch

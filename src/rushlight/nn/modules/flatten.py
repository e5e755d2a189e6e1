"""Modules that join or split dimensions."""

from __future__ import annotations

from typing import Any

from rushlight import Tensor

from ._functional import FunctionModule

__all__ = ["Flatten", "Unflatten"]


class Flatten(FunctionModule):
    """Joins the dimensions from ``start_dim`` to ``end_dim``."""

    __constants__ = ["start_dim", "end_dim"]

    _shown_ = ("start_dim", "end_dim")

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self._set_(start_dim=start_dim, end_dim=end_dim)

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(FunctionModule):
    """Splits dimension ``dim`` into ``unflattened_size``.

    Raises:
        TypeError: the size is not a tuple of ints (a tuple of (name, size) pairs where ``dim`` is a name).
    """

    __constants__ = ["dim", "unflattened_size"]

    _shown_ = ("dim", "unflattened_size")

    def __init__(self, dim: int | str, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(dim, (int, str)):
            raise TypeError(f"Unflatten: dim must be an int or a name; found {type(dim).__name__}")
        item = int if isinstance(dim, int) else tuple
        sizes = unflattened_size if isinstance(unflattened_size, (tuple, list)) else (unflattened_size,)
        wrong = next((size for size in sizes if not isinstance(size, item)), None)
        if wrong is not None or sizes is not unflattened_size:
            found = unflattened_size if wrong is None else wrong
            raise TypeError(
                f"Unflatten: unflattened_size must be a tuple of {item.__name__}s for dim={dim!r}, found {found!r} "
                f"({type(found).__name__})"
            )
        self._set_(dim=dim, unflattened_size=unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

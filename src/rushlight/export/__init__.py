"""Names of `torch.export`: rushlight does not turn whole functions into one program yet, and says so."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Dim", "ExportedProgram", "dims", "export", "load", "save"]


class Dim:
    """A size by name, with bounds: `Dim("batch", min=1, max=64)`."""

    AUTO, STATIC, DYNAMIC = "AUTO", "STATIC", "DYNAMIC"

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        if not name.isidentifier():
            raise ValueError(f"Dim(): 'name' must be an identifier; found {name!r}")
        if min is not None and max is not None and min >= max:
            raise ValueError(f"Dim(): 'min' must be less than 'max'; found {min} and {max}")
        self.__name__, self.min, self.max = name, min, max

    def __repr__(self) -> str:
        return f"Dim({self.__name__!r}, min={self.min}, max={self.max})"


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Several sizes by name."""
    return tuple(Dim(n, min=min, max=max) for n in names)


class ExportedProgram:
    """The type of exported programs: nothing here is one."""


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"torch.export.{name}: rushlight lacks exported programs; torch.fx.symbolic_trace makes a graph of a module, "
        "torch.save keeps its state"
    )


def export(mod: Any, args: Any = (), kwargs: Any = None, **options: Any) -> NoReturn:
    """Not there yet. NotImplementedError."""
    _refuse("export")


def save(ep: Any, f: Any, **options: Any) -> NoReturn:
    """Not there yet. NotImplementedError."""
    _refuse("save")


def load(f: Any, **options: Any) -> NoReturn:
    """Not there yet. NotImplementedError."""
    _refuse("load")

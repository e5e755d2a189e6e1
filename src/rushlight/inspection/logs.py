"""`rushlight.logging`: what is traced and compiled, as it happens."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Self, TextIO

from rushlight.compiler import events

__all__ = ["Log", "logging"]


class Log:
    """What `logging` gives: it tells until `stop()`, or until the block that it is entered for ends."""

    def __init__(self, kinds: tuple[str, ...], file: TextIO | None) -> None:
        self.kinds, self.file = kinds, file
        self._listener: Callable[[str, str], None] = self._write
        events.listen(kinds, self._listener)

    def _write(self, kind: str, text: str) -> None:
        out = sys.stderr if self.file is None else self.file
        head = f"[rushlight {kind}] "
        out.write("".join(f"{head}{line}\n" for line in text.splitlines()))
        out.flush()

    def stop(self) -> None:
        """Tell nothing more."""
        events.leave(self._listener)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()


def logging(*kinds: str, file: TextIO | None = None) -> Log:
    """Tell what is traced and compiled, line by line, as PyTorch's TORCH_LOGS does.

    Args:
        kinds: of "graphs" (what a function became: each new segment of `torch.compile` as the calls in it, each program
            of `rushlight.jit`), "breaks" (why a segment ended
            before its function did, and in which line), "recompiles" (an operator, or a function, that is traced once
            more, and for what) and "kernels" (each kernel that is compiled: its loops, how long it took).
        file: where to write it (default: sys.stderr).

    Returns:
        An object with `stop()`, and a context manager that stops at its end.

    Raises:
        ValueError: none is named, or one that is not known.
    """
    wrong = [k for k in kinds if k not in events.KINDS]
    if wrong or not kinds:
        raise ValueError(
            f"logging(): kinds must be of {', '.join(events.KINDS)}; found {', '.join(map(repr, wrong)) or 'none'}"
        )
    return Log(kinds, file)


# What PyTorch's `set_logs` calls what is logged here.
ARTIFACTS: dict[str, str] = {
    **dict.fromkeys(("graph", "graph_code", "aot_graphs", "aot_joint_graph", "post_grad_graphs"), "graphs"),
    "graph_breaks": "breaks",
    **dict.fromkeys(("recompiles", "recompiles_verbose"), "recompiles"),
    **dict.fromkeys(("output_code", "kernel_code"), "kernels"),
}
_set: list[Log] = []


def set_logs(**levels: Any) -> None:
    """Tell what is named, instead of what was set before: PyTorch's names (`graph_breaks=True`) stand for the kinds of
    `rushlight.logging`; those of parts of its compiler, and levels, are accepted.
    """
    while _set:
        _set.pop().stop()
    kinds = tuple(dict.fromkeys(ARTIFACTS[name] for name, on in levels.items() if name in ARTIFACTS and on))
    if kinds:
        _set.append(logging(*kinds))

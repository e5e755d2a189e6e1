"""The addresses of functions that kernels call (`emit/functions.py`)."""

from __future__ import annotations

from rushlight.compiler.kernels import cache
from rushlight.compiler.llvm.objfile import Made


def address(name: str) -> int:
    """Where the function of this name is, which is compiled if no tier of the cache has it."""
    return cache.get(name, lambda: _build(name), address)


def _build(name: str) -> Made:
    from rushlight.compiler.emit import functions
    from rushlight.compiler.llvm import machine

    return machine.machine_code(lambda: functions.module(name))


def made(name: str) -> Made:
    """The code of the function of this name, for the target that is in force."""
    from rushlight.compiler.llvm import machine

    return cache.made(name + machine.target_suffix(), lambda: _build(name))

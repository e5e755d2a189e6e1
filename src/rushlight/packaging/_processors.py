"""The processors that a package has code for: what they are called, and what they must have."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rushlight.compiler.llvm.machine import Target


class Processor(NamedTuple):
    """A processor by name: the flags that the kernel of Linux shows for what it must have, and which kernels of
    products it runs (`compiler/products/kernels.py`).
    """

    name: str
    flags: frozenset[str]
    code_path: str


_V2 = "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"
_V3 = f"{_V2} avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"
_V4 = f"{_V3} avx512f avx512bw avx512cd avx512dq avx512vl"
# The levels of the x86-64 psABI, in LLVM's names.
LEVELS = {
    "x86-64-v3": Processor("x86-64-v3", frozenset(_V3.split()), "avx2"),
    "x86-64-v4": Processor("x86-64-v4", frozenset(_V4.split()), "avx512"),
}
NATIVE = "native"


def own_flags() -> frozenset[str]:
    """What this processor has, as the kernel of Linux names it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
            for line in f:
                name, _, flags = line.partition(":")
                if name.strip() in ("flags", "Features"):
                    return frozenset(flags.split())
    except OSError:
        return frozenset()
    return frozenset()


def _letters(flag: str) -> str:
    """A flag without what LLVM and Linux write differently: avx512bf16 is avx512_bf16, and sse4.1 sse4_1."""
    return "".join(c for c in flag if c.isalnum())


def processor_of(name: str) -> tuple[Processor, Target]:
    """A processor by name, and what LLVM knows it by.

    Raises:
        ValueError: there is none of this name, or none of this machine's family.
    """
    from rushlight.compiler.llvm import machine

    if name == NATIVE:
        from rushlight.compiler.products import kernels

        target, own = machine.host(), own_flags()
        asked = {_letters(f) for f in target.features.split(",") if f[:1] == "+"}
        flags = frozenset(f for f in own if _letters(f) in asked)
        return Processor(NATIVE, flags, kernels.code_path()), target
    found = LEVELS.get(name)
    if found is None or platform.machine() not in ("x86_64", "AMD64"):
        names = (*LEVELS, NATIVE) if platform.machine() in ("x86_64", "AMD64") else (NATIVE,)
        raise ValueError(
            f"package(): argument 'processors' must be of {', '.join(names)} on this machine; found {name!r}"
        )
    return found, machine.Target(name, "", found.code_path == "avx512")

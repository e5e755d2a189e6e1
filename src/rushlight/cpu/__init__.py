"""The names of `torch.cpu`: the one device that is always there."""

from __future__ import annotations

from typing import Any

from rushlight.cpu import amp
from rushlight.operators.table.types import Device

__all__ = [
    "amp",
    "current_device",
    "device_count",
    "get_capabilities",
    "is_available",
    "is_initialized",
    "set_device",
    "synchronize",
]

# The names of features, in PyTorch's words: those of Linux but for these.
_FEATURES = """
    sse sse2 sse3 ssse3 sse4_1 sse4_2 sse4a avx avx2 avx_vnni f16c fma3 fma4 bmi bmi2 popcnt lzcnt aes sha clflush
    clflushopt clwb amx_tile amx_int8 amx_bf16 amx_fp16 avx512_f avx512_cd avx512_bw avx512_dq avx512_vl avx512_ifma
    avx512_vbmi avx512_vbmi2 avx512_bitalg avx512_vnni avx512_vpopcntdq avx512_bf16 avx512_fp16 avx512_vp2intersect
    avx512_4vnniw avx512_4fmaps
    """.split()
_OF_LINUX = {
    "sse3": "pni",
    "fma3": "fma",
    "bmi": "bmi1",
    "lzcnt": "abm",
    "sha": "sha_ni",
    **{f"avx512_{name}": f"avx512{name}" for name in ("f", "cd", "bw", "dq", "vl", "ifma", "vbmi")},
}


def get_capabilities() -> dict[str, Any]:
    """What the processor has: its name and architecture, cores, caches, and each instruction set, by name."""
    import os
    import platform
    from pathlib import Path

    fields: dict[str, str] = {}
    cores = set()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # another system: nothing is known but what Python knows
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        fields[key.strip()] = value.strip()
        if key.strip() == "core id":
            cores.add((fields.get("physical id", "0"), value.strip()))
    flags = fields.get("flags", "").split()
    logical = os.cpu_count() or 1
    found: dict[str, Any] = {name: _OF_LINUX.get(name, name) in flags for name in _FEATURES}
    return found | {
        "architecture": platform.machine(),
        "cpu_name": fields.get("model name", platform.processor()),
        "num_logical_cores": logical,
        "num_physical_cores": len(cores) or logical,
        "num_sockets": len({socket for socket, _ in cores}) or 1,
    }


def is_available() -> bool:
    """Whether there is a CPU."""
    return True


def is_initialized() -> bool:
    """Whether it is ready: always."""
    return True


def device_count() -> int:
    """The number of CPU devices: 1."""
    return 1


def current_device() -> str:
    """The current device's name."""
    return "cpu"


def set_device(device: Device) -> None:
    """Accepted: there is one device."""


def synchronize(device: Device = None) -> None:
    """Wait until the device has finished: calls return when they have."""

"""How much memory there is left."""

from __future__ import annotations

import os
from pathlib import Path

_SYSTEM, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def available() -> int:
    """How many bytes this process may still get without others losing theirs: those that the system says are free, or
    that its control group leaves.
    """
    found = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if _SYSTEM.is_file():
        rows = dict(line.split(":", 1) for line in _SYSTEM.read_text().splitlines() if ":" in line)
        if "MemAvailable" in rows:
            found = int(rows["MemAvailable"].split()[0]) * 1024
    most, now = _GROUP / "memory.max", _GROUP / "memory.current"
    if most.is_file() and now.is_file() and (limit := most.read_text().strip()).isdigit():
        found = min(found, int(limit) - int(now.read_text()))
    return max(found, 0)

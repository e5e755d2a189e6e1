"""What `save` and `load` do where a call does not say: `config.load.mmap = True` maps files from then on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from mmap import MAP_PRIVATE
from typing import Any

__all__ = ["load", "patch", "save"]


class load:
    """Of `load`: whether files are mapped, with which flags; the byte order of files that do not say theirs (None:
    little).

    `calculate_storage_offsets` is accepted: where members lie is always read from the archive's directory.
    """

    mmap = False
    endianness: Any = None
    mmap_flags: int = MAP_PRIVATE
    calculate_storage_offsets = False


class save:
    """Of `save`. All files have check sums and aligned storages: these say nothing that is not done, and are kept for
    programs that set them.
    """

    compute_crc32 = True
    use_pinned_memory_for_d2h = False
    storage_alignment = 64


@contextmanager
def patch(where: str | dict[str, Any], value: Any = None) -> Iterator[None]:
    """Change settings for a `with` block or a decorated function: `patch("load.mmap", True)`, or a dictionary of such
    names. AttributeError: there is no such setting.
    """
    changes = where if isinstance(where, dict) else {where: value}
    before = []
    for name, new in changes.items():
        part, _, key = name.partition(".")
        holder = {"load": load, "save": save}.get(part)
        if holder is None or key.startswith("_") or not hasattr(holder, key):
            raise AttributeError(f"config.patch(): there is no setting {name!r}")
        before.append((holder, key, getattr(holder, key), new))
    for holder, key, _, new in before:
        setattr(holder, key, new)
    try:
        yield
    finally:
        for holder, key, old, _ in before:
            setattr(holder, key, old)

"""What one process has compiled, as bytes for another: `save_cache_artifacts` and `load_cache_artifacts`.

The bytes are the files of the kernel cache that a process has read or written (compiler/kernels/cache.py), each with
its name and its length. A name is the hash of what a kernel computes, of the processor, and of the compiler that has
made it; so another processor or another version of rushlight looks for other names, and uses none of them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from rushlight.core.warning import warn

__all__ = ["load_cache_artifacts", "save_cache_artifacts"]

_MAGIC = b"RUSHCACH"
_HEAD = struct.Struct("<40sQ")  # name, length of the file
_KIND = "inductor"


@dataclass
class CacheInfo:
    """What was saved or loaded: the names of the files, by PyTorch's kind of artifact."""

    artifacts: dict[str, list[str]] = field(default_factory=dict)

    @property
    def inductor_artifacts(self) -> list[str]:
        """The names of kernels and plans: all that there is."""
        return self.artifacts.get(_KIND, [])

    def empty(self) -> bool:
        """Whether there are none."""
        return not self.artifacts


def save_cache_artifacts() -> tuple[bytes, CacheInfo] | None:
    """The kernels and plans that this process has compiled, or has taken from the cache on disk.

    Returns:
        Bytes for `load_cache_artifacts`, in another process or on another machine, and what is in them; None where
        nothing was compiled, or nothing is kept on disk.
    """
    from rushlight.compiler.kernels import cache

    found = [(name, content) for name in cache.touched() if (content := cache.file_of(name)) is not None]
    if not found:
        return None
    parts = [part for name, content in found for part in (_HEAD.pack(name.encode(), len(content)), content)]
    return b"".join([_MAGIC, *parts]), CacheInfo({_KIND: [name for name, _ in found]})


def load_cache_artifacts(serialized_artifacts: bytes) -> CacheInfo | None:
    """Put what another process has compiled into this user's cache on disk. It is machine code, so it must come from
    who may run code here.

    Args:
        serialized_artifacts: what `save_cache_artifacts` has given.

    Returns:
        What was put there; None, with a warning, for bytes that are not whole, or where nothing is kept on disk.
    """
    from rushlight.compiler.kernels import cache

    if not isinstance(serialized_artifacts, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"load_cache_artifacts(): 'serialized_artifacts' must be bytes; found {type(serialized_artifacts).__name__}"
        )
    try:
        found = list(_files(bytes(serialized_artifacts)))
        if not all(cache.is_whole(name, content) for name, content in found):
            raise ValueError("a file is damaged, or of another version of the format")
    except ValueError as error:
        warn(f"load_cache_artifacts(): 'serialized_artifacts' is not used: {error}")
        return None
    kept = [name for name, content in found if cache.keep_file(name, content)]
    if len(kept) < len(found):
        warn("load_cache_artifacts(): the cache on disk is off, or cannot be written: RUSHLIGHT_CACHE_DIR names it")
    return CacheInfo({_KIND: kept}) if kept else None


def _files(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The name and the content of each file; ValueError where the bytes are something else."""
    if not data.startswith(_MAGIC):
        raise ValueError("it is not what save_cache_artifacts() gives")
    at = len(_MAGIC)
    while at < len(data):
        if len(data) - at < _HEAD.size:
            raise ValueError("it ends early")
        raw, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        name = raw.decode("ascii")
        if len(data) - at < length or not set(name) <= set("0123456789abcdef"):
            raise ValueError("it ends early, or names what is no kernel")
        yield name, data[at : at + length]
        at += length

"""Settings of `torch.serialization`: the byte order of files that do not say theirs, how files are mapped, whether data
is written, where storages go.
"""

from __future__ import annotations

import enum
import mmap
from collections.abc import Callable
from typing import Any

from rushlight.core.storage import Storage
from rushlight.core.tensor import device
from rushlight.utils.serialization import config

__all__ = [
    "LoadEndianness",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "location_tag",
    "register_package",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
]

Tagger = Callable[[Any], "str | None"]
Deserializer = Callable[[Any, str], Any]


class LoadEndianness(enum.Enum):
    """The order of the bytes of a number."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Settings:
    skip = False


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order that files are taken to have which do not say theirs; None: little."""
    found: LoadEndianness | None = config.load.endianness
    return found


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the byte order that files are taken to have which do not say theirs. TypeError: it is no LoadEndianness, nor
    None.
    """
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError(
            "set_default_load_endianness(): 'endianness' must be a LoadEndianness or None; found "
            f"{type(endianness).__name__}"
        )
    config.load.endianness = endianness


def get_default_mmap_options() -> int:
    """How `load(mmap=True)` maps files: `mmap.MAP_PRIVATE`, where writes stay in this process, or `mmap.MAP_SHARED`,
    where they go to the file.
    """
    return config.load.mmap_flags


class set_default_mmap_options:
    """Set how `load(mmap=True)` maps files, permanently or for a `with` block.

    Args:
        flags: `mmap.MAP_PRIVATE` or `mmap.MAP_SHARED`.

    Raises:
        ValueError.
    """

    def __init__(self, flags: int) -> None:
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(
                f"set_default_mmap_options(): 'flags' must be mmap.MAP_PRIVATE or mmap.MAP_SHARED; found {flags!r}"
            )
        self.before, config.load.mmap_flags = config.load.mmap_flags, flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        config.load.mmap_flags = self.before


def get_crc32_options() -> bool:
    """What `set_crc32_options` has set."""
    return config.save.compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Say whether files need check sums that other programs accept. All files have them here: they are computed as the
    bytes are written.
    """
    config.save.compute_crc32 = compute_crc32


class skip_data:
    """Inside a `with` block, `save` leaves room for the bytes of storages without writing them, and `load` makes
    storages without reading them.

    Args:
        materialize_fake_tensors: accepted: there are no fake tensors whose data a file would be without.
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.before = False

    def __enter__(self) -> None:
        self.before, _Settings.skip = _Settings.skip, True

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        _Settings.skip = self.before


def skips() -> bool:
    """Whether `skip_data` is in force."""
    return _Settings.skip


# --------------------------------------------------------------------------------------------------------------- places
def _tag_of_device(storage: Any) -> str:
    return str(storage.device.type)


def _here(storage: Any, location: str) -> Any:
    return storage if location == "cpu" else None


def _on_meta(storage: Any, location: str) -> Storage | None:
    return Storage(storage.nbytes(), device="meta") if location == "meta" else None


_packages: list[tuple[int, Tagger, Deserializer]] = [
    (10, lambda s: "cpu" if _tag_of_device(s) == "cpu" else None, _here),
    (22, lambda s: "meta" if _tag_of_device(s) == "meta" else None, _on_meta),
]


def register_package(priority: int, tagger: Tagger, deserializer: Deserializer) -> None:
    """Add a kind of memory to those that files know.

    Args:
        priority: they are asked in this order, least first; the CPU's is 10.
        tagger: storage -> the location that stands for it in the file, or None for another kind's.
        deserializer: (storage on the CPU, location) -> the storage there, or None for another kind's location.
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda package: package[0])


def location_tag(storage: Any) -> str:
    """The location that stands for a storage in a file. RuntimeError: no package knows it."""
    for _, tagger, _ in _packages:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError(
        f"location_tag(): 'storage' must be of a kind that a package has registered; found {type(storage).__name__}"
    )


def default_restore_location(storage: Any, location: str | device) -> Any:
    """The storage of a file at the place that a location stands for. RuntimeError: no package knows it."""
    for _, _, deserializer in _packages:
        found = deserializer(storage, str(location))
        if found is not None:
            return found
    raise RuntimeError(
        f"default_restore_location(): 'location' must be one that a package has registered; found {str(location)!r}"
    )


def has_packages() -> bool:
    """Whether others than the library's own kinds of memory are registered."""
    return len(_packages) > 2

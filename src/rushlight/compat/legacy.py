"""The file format of PyTorch before 1.6, which `save` still writes when asked: pickles one after another, then the
bytes of the storages.

A file is a pickled number that marks it, one for the version of the format, a dict about the machine, the object (each
storage a persistent id, as in the newer format, with one more part for views of storages, which are no longer made),
the list of the storages' keys, and for each the number of its elements (int64) and their bytes.
"""

from __future__ import annotations

import os
import pickle
import pickletools
import struct
import sys
from collections.abc import Callable
from typing import IO, Any

from rushlight.compat import unpickler
from rushlight.compat.archive import DamagedFileError
from rushlight.compat.pickles import CheckpointPickler
from rushlight.compat.rebuild import brief, loaded_storage, storages_filled_later
from rushlight.core.storage import Storage, contents

__all__ = ["load_legacy", "looks_legacy", "save_legacy"]

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001
_SIZE = struct.Struct("<q")


class _Pickler(CheckpointPickler):
    def persistent_id(self, obj: Any) -> Any:
        found = super().persistent_id(obj)
        return None if found is None else (*found, None)


def save_legacy(obj: object, file: IO[bytes], protocol: int, write: Callable[[IO[bytes], memoryview], None]) -> None:
    """Write an object in this format; `write` writes all of a buffer."""
    about = {
        "protocol_version": VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {"short": 2, "int": 4, "long": 4},
    }
    for head in (MAGIC, VERSION, about):
        write(file, memoryview(pickle.dumps(head, protocol)))
    import io

    content = io.BytesIO()
    pickler = _Pickler(content, protocol)
    pickler.dump(obj)
    write(file, content.getbuffer())
    write(file, memoryview(pickle.dumps([str(key) for key in range(len(pickler.storages))], protocol)))
    for storage, itemsize in zip(pickler.storages, pickler.itemsizes, strict=True):
        write(file, memoryview(_SIZE.pack(storage.nbytes() // itemsize)))
        write(file, contents(storage))


def _next_pickle(file: IO[bytes], what: str) -> bytes:
    """The bytes of the pickle at the file's place, found without running it."""
    start = file.tell()
    try:
        for _ in pickletools.genops(file):
            pass
    except Exception as error:
        raise DamagedFileError(
            f"load(): the file is damaged or cut short in its {what}: {brief(str(error))}"
        ) from error
    end = file.tell()
    file.seek(start)
    return file.read(end - start)


def looks_legacy(start: bytes) -> bool:
    """Whether a file that begins so may be in this format: with a pickle of a long number."""
    return start[:1] == b"\x80" and start[2:4] == b"\x8a\n"


class _Reader:
    """The storages that the object names: made when they are named, filled when their bytes come."""

    def __init__(self, length: int, target: Callable[[Storage, str], Storage | None]) -> None:
        self.length, self.target = length, target
        # storage, bytes, itemsize, resolved
        self.found: dict[str, tuple[Storage | None, int, int, dict[Any, Storage]]] = {}

    def storage(self, pid: Any) -> Any:
        kinds = [type(part) for part in pid] if type(pid) is tuple else []
        # with weights_only=False alone can a class stand there
        if kinds and pid[0] == "module" and isinstance(pid[1], type):
            return pid[1]
        if (
            kinds[:5] != [str, unpickler.StorageType, str, str, int]
            or pid[0] != "storage"
            or len(kinds) > 6
            or pid[4] < 0
            or max(len(pid[2]), len(pid[3])) > 100
        ):
            raise pickle.UnpicklingError(
                "load(): the file has a persistent id that is no storage's, which would be ('storage', type, key, "
                "location, "
                "number of elements, None); found "
                f"{', '.join(map(brief, pid[:6])) if type(pid) is tuple else brief(pid)}"
            )
        if len(pid) == 6 and pid[5] is not None:
            raise pickle.UnpicklingError(
                "load(): the file has views of storages, which PyTorch before 0.4 wrote; load it in PyTorch and save "
                "it again"
            )
        _, kind, key, location, count = pid[:5]
        itemsize = 1 if kind.dtype is None else kind.dtype.itemsize
        nbytes = count * itemsize
        if key not in self.found:
            if nbytes > self.length:
                raise DamagedFileError(
                    f"load(): the file is cut short: storage {key!r} should have {brief(nbytes)} bytes, and the file "
                    f"has {self.length}"
                )
            self.length -= nbytes  # so that all together are no more than the file
            self.found[key] = self.target(Storage(nbytes), location), nbytes, itemsize, {}
        raw, have, _, resolved = self.found[key]
        if nbytes > have:
            raise pickle.UnpicklingError(
                f"load(): storage {key!r} is named with {brief(have)} bytes and with {brief(nbytes)}"
            )
        return loaded_storage(raw, nbytes, kind.dtype, resolved)

    def fill(self, file: IO[bytes], keys: Any) -> None:
        if type(keys) is not list or set(map(type, keys)) - {str} or sorted(keys) != sorted(self.found):
            raise pickle.UnpicklingError(
                "load(): the file's list of storages is not that of the storages that its tensors name"
            )
        for key in keys:
            storage, nbytes, itemsize, _ = self.found[key]
            head = file.read(_SIZE.size)
            if len(head) != _SIZE.size or _SIZE.unpack(head)[0] * itemsize != nbytes:
                raise DamagedFileError(
                    f"load(): the file is damaged: storage {key!r} should be {nbytes} bytes in elements of {itemsize}"
                )
            if storage is None:
                file.seek(nbytes, os.SEEK_CUR)
                continue
            data = file.read(nbytes)
            if len(data) != nbytes:
                raise DamagedFileError(f"load(): the file is cut short in storage {key!r}")
            contents(storage)[:] = data


def load_legacy(
    file: IO[bytes], weights_only: bool, target: Callable[[Storage, str], Storage | None], **options: Any
) -> Any:
    """Read an object in this format.

    Args:
        file: at its start.
        weights_only, options: as of `load`.
        target: maps a storage and its place in the file to where it goes, None: nowhere.

    Raises:
        RuntimeError and UnpicklingError, as `load`.
    """
    with storages_filled_later():
        return _load(file, weights_only, target, **options)


def _load(file: IO[bytes], weights_only: bool, target: Callable[[Storage, str], Storage | None], **options: Any) -> Any:
    start = file.tell()
    length = file.seek(0, os.SEEK_END) - start
    file.seek(start)
    reader = _Reader(length, target)

    def read(what: str, storage: Callable[[Any], Any], only: bool = True) -> Any:
        content = _next_pickle(file, what)
        return (
            unpickler.load_weights(content, storage, what)
            if only
            else unpickler.load_anything(content, storage, **options)
        )

    if read("mark", reader.storage) != MAGIC:
        raise RuntimeError(
            "load(): this is no checkpoint: it begins with a pickle, and not with the mark of PyTorch's older format"
        )
    version = read("version", reader.storage)
    if version != VERSION:
        raise RuntimeError(
            f"load(): the file says that it is in version {brief(version)} of the older format; {VERSION} is read"
        )
    about = read("description", reader.storage)
    if type(about) is not dict or about.get("little_endian") is not (sys.byteorder == "little"):
        raise RuntimeError("load(): the file was written on a machine of the other byte order")
    result = read("object", reader.storage, weights_only)
    reader.fill(file, read("list of storages", reader.storage))
    return result

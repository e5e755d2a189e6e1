"""The file: a head, a description in JSON, and blobs of bytes (weights, machine code) that begin at multiples of 64.

```
8 bytes   "RLPACKGE"
u32       version of the format
u32       CRC-32 of all bytes that follow it
u64       bytes of the whole file
u64, u64  where the description begins, and its bytes
u64, u64  likewise of the section for programs in C (_runtime.py)
```

Numbers are little-endian. A blob is given by its place and its length.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from rushlight.packaging._errors import PackageError

VERSION = 4  # of the format: raise it whenever the head, the description or the layout of anything in it changes
MAGIC = b"RLPACKGE"
_HEAD = struct.Struct("<8sIIQQQQQ")
_CHECKED_FROM = 16  # behind the checksum
_ALIGN = 64
_STEP = 1 << 24  # bytes that are checked at once

Place = tuple[int, int]  # where a blob begins, and its bytes


class Writer:
    """A file that is made: whole under its name, or not at all."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
        self._known: dict[bytes, Place] = {}
        self._file: BinaryIO = open(self._temporary, "xb+")  # closed by finish or discard
        self._file.write(b"\0" * _HEAD.size)

    def add(self, blob: bytes | memoryview) -> Place:
        """Append a blob; an equal one that is short is there once."""
        short = bytes(blob) if len(blob) <= 1 << 16 else None
        if short is not None and short in self._known:
            return self._known[short]
        self._file.write(b"\0" * (-self._file.tell() % _ALIGN))
        place = self._file.tell(), len(blob)
        self._file.write(blob)
        if short is not None:
            self._known[short] = place
        return place

    def finish(self, description: dict[str, Any], section: bytes) -> None:
        """Write the description, the section for programs in C and the head, and give the file its name."""
        text = json.dumps(description, separators=(",", ":")).encode()
        places = *self.add(text), *self.add(section)
        whole = self._file.tell()
        self._file.seek(0)
        self._file.write(_HEAD.pack(MAGIC, VERSION, 0, whole, *places))
        self._file.seek(_CHECKED_FROM)
        crc = 0
        while part := self._file.read(_STEP):
            crc = zlib.crc32(part, crc)
        self._file.seek(0)
        self._file.write(_HEAD.pack(MAGIC, VERSION, crc, whole, *places))
        self._file.close()
        os.replace(self._temporary, self.path)

    def discard(self) -> None:
        """Leave nothing behind."""
        self._file.close()
        self._temporary.unlink(missing_ok=True)


class Reader:
    """A file that is read: mapped into memory, private to the process, after its checksum was compared.

    Raises:
        PackageError: it is none of `package`, was cut or changed, or is of another version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        with open(path, "rb") as file:
            head = file.read(_HEAD.size)
            if not head.startswith(MAGIC):
                raise PackageError(f"load_package(): {self.path!r} is no file that rushlight.package() has written")
            size = os.fstat(file.fileno()).st_size
            if len(head) < _HEAD.size:
                raise PackageError(f"load_package(): {self.path!r} was cut: it has {size} bytes")
            _, version, crc, whole, at, length, _, _ = _HEAD.unpack(head)
            if version != VERSION:
                raise PackageError(
                    f"load_package(): {self.path!r} has the format {version}; this rushlight reads the format "
                    f"{VERSION}: package the model again"
                )
            if size != whole:
                raise PackageError(f"load_package(): {self.path!r} must have {whole} bytes; found {size}: it was cut")
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        found = 0
        with memoryview(self.memory) as view:
            for start in range(_CHECKED_FROM, whole, _STEP):
                found = zlib.crc32(view[start : start + _STEP], found)
        if found != crc:
            raise PackageError(f"load_package(): {self.path!r} was changed: its checksum is not that of its bytes")
        self.description: dict[str, Any] = json.loads(self.memory[at : at + length])

    def blob(self, place: Place) -> bytes:
        """A copy of a blob."""
        at, size = place
        return self.memory[at : at + size]

"""The zip archive that a checkpoint is, read with nothing taken on trust.

Python's zipfile is made for honest archives: it keeps two members of one name, members that lie on each other, and
members of a gigabyte in a kilobyte, and it raises whatever its parts raise. Here the directory is checked as a whole
when it is opened, so that the members cannot be more bytes than the file (or, compressed, than `GROWTH` times as many);
every error is a RuntimeError that names the member.

Source:
    PKWARE's APPNOTE.TXT 6.3, sections 4.3 to 4.5.
"""

from __future__ import annotations

import os
import pickle
import struct
import zlib
from typing import IO, NamedTuple

from rushlight.core.sharing import map_file
from rushlight.core.storage import Storage, contents, storage_from_external

__all__ = ["Archive", "Member"]

GROWTH = 64  # a compressed archive may hold so many times its size: weights shrink by a tenth, text by ten
SMALL = 1 << 20  # and this is never too much

_END = struct.Struct("<4s4H2LH")
_END64_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_ABSENT = 0xFFFFFFFF  # the true value stands in the extra field
_MAX_COMMENT = 0xFFFF
_STORED, _DEFLATED = 0, 8
ALIGNMENT = 16  # of a mapped member, for all dtypes; one that lies elsewhere is read


class DamagedFileError(pickle.UnpicklingError, EOFError, RuntimeError):
    """What is no checkpoint, or was cut short: PyTorch raises one of the three, by how far it has come."""


class Member(NamedTuple):
    """A member of the archive: its name, where its header is in the file, how it is kept and its size so and plain."""

    name: str
    offset: int
    method: int
    packed: int
    size: int


class Archive:
    """The members of an open file by name.

    Args:
        file: with `read`, `seek` and `tell`; the archive may be preceded and followed by other bytes.

    Raises:
        RuntimeError: for a file that is no archive, and for a directory that cannot be true.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._length = file.seek(0, os.SEEK_END) or file.tell()
        self.members: dict[str, Member] = {}
        self._mapped: Storage | None = None
        count, size, start, self._shift = self._end()
        self._directory(self._at(start, size, "directory"), count, start)
        self._check_places(start)

    def map(self, path: str, shared: bool) -> None:
        """Let storages lie on the file at `path`, which this archive is; what is written to them stays in this process
        unless `shared`.
        """
        self._mapped = map_file("load", path, shared, self._length)

    def read(self, name: str) -> bytes:
        """The bytes of a member.

        Raises:
            RuntimeError.
        """
        member = self._found(name)
        data = self._at(self._data(member), member.packed, f"member {name}")
        if member.method == _STORED:
            return data
        try:
            unpack = zlib.decompressobj(-15)
            plain = unpack.decompress(data, member.size + 1)
        except zlib.error as e:
            raise RuntimeError(f"load(): the archive is damaged: member {name} cannot be decompressed ({e})") from None
        if len(plain) != member.size:
            raise RuntimeError(
                f"load(): the archive is damaged: member {name} should have {member.size} bytes and decompresses to "
                + ("more" if len(plain) > member.size else str(len(plain)))
            )
        return plain

    def read_storage(self, name: str) -> Storage:
        """The bytes of a member as a storage.

        Raises:
            RuntimeError.
        """
        member = self._found(name)
        if (
            member.method == _STORED
            and self._mapped is not None
            and member.size
            and self._data(member) % ALIGNMENT == 0
        ):
            return storage_from_external(self._mapped.data_ptr() + self._data(member), member.size, self._mapped)
        if member.method != _STORED:
            plain = self.read(name)
            storage = Storage(len(plain))
            contents(storage)[:] = plain
            return storage
        self._file.seek(self._data(member))
        storage = Storage(member.size)
        done, view = 0, contents(storage)
        while done < member.size:  # straight into the storage where the file can do that
            if hasattr(self._file, "readinto"):
                got = self._file.readinto(view[done:])
            else:
                piece = self._file.read(member.size - done)
                got = len(piece)
                view[done : done + got] = piece
            if not got:
                raise RuntimeError(f"load(): the archive is cut short in member {name}")
            done += got
        return storage

    def _found(self, name: str) -> Member:
        member = self.members.get(name)
        if member is None:
            raise RuntimeError(f"load(): the archive has no member {_brief(name)}")
        return member

    def _at(self, start: int, size: int, what: str) -> bytes:
        if start < 0 or size > self._length - start:
            raise RuntimeError(
                f"load(): the archive is damaged or cut short: its {_brief(what)} of {size} bytes at {start} lies "
                f"outside the file of {self._length} bytes"
            )
        self._file.seek(start)
        data = self._file.read(size)
        if len(data) != size:
            raise RuntimeError(f"load(): the archive is cut short in its {_brief(what)}")
        return data

    def _data(self, member: Member) -> int:
        """Where a member's bytes begin: its own header may have other padding than the directory says."""
        header = _LOCAL.unpack(self._at(member.offset, _LOCAL.size, f"member {member.name}"))
        name = self._at(member.offset + _LOCAL.size, header[9], f"member {member.name}")
        if header[0] != b"PK\x03\x04" or name != member.name.encode() or header[3] != member.method:
            raise RuntimeError(
                f"load(): the archive is damaged: the header at {member.offset} is not that of member {member.name}"
            )
        start = member.offset + _LOCAL.size + header[9] + header[10]
        if member.packed > self._length - start:
            raise RuntimeError(f"load(): the archive is cut short in member {member.name}")
        return start  # type: ignore[no-any-return]

    def _end(self) -> tuple[int, int, int, int]:
        """Of the directory: the number of entries, its size, where it begins in the file; and how far the archive
        begins after the file does.
        """
        tail_at = max(self._length - _END.size - _MAX_COMMENT, 0)
        tail = self._at(tail_at, self._length - tail_at, "directory's end")
        found = tail.rfind(b"PK\x05\x06", 0, max(len(tail) - _END.size, 0) + 4)
        if found < 0:
            raise DamagedFileError(
                "load(): this is not a checkpoint in PyTorch's zip format, or it was cut short: it has no zip "
                "directory at its end"
            )
        at = tail_at + found
        _, disk, first_disk, here, count, size, start, _ = _END.unpack_from(tail, found)
        if disk or first_disk or here != count:
            raise RuntimeError("load(): the archive's directory is damaged: it speaks of several disks")
        if at >= _END64_LOCATOR.size + _END64.size:  # PyTorch writes these records into small archives too
            signature, _, where, _ = _END64_LOCATOR.unpack(
                self._at(at - _END64_LOCATOR.size, _END64_LOCATOR.size, "directory's locator")
            )
            if signature == b"PK\x06\x07":
                at -= _END64_LOCATOR.size + _END64.size
                end = _END64.unpack(self._at(at, _END64.size, "directory's end"))
                if end[0] != b"PK\x06\x06" or where > at:
                    raise RuntimeError(
                        "load(): the archive's directory is damaged: its end for large archives is not where it "
                        "should be"
                    )
                count, size, start = end[7:]
        shift = at - size - start
        if shift < 0:
            raise RuntimeError(
                f"load(): the archive's directory is damaged or cut short: {size} bytes at {start} cannot end before "
                f"{at}"
            )
        return count, size, start + shift, shift

    def _directory(self, data: bytes, count: int, start: int) -> None:
        at = plain = 0
        for _ in range(count):
            if len(data) - at < _ENTRY.size:
                raise RuntimeError(
                    f"load(): the archive's directory is damaged: it should have {count} entries and ends after "
                    f"{len(self.members)}"
                )
            entry = _ENTRY.unpack_from(data, at)
            flags, method, packed, size, name_length, extra_length, comment_length, disk, offset = (
                *entry[3:5],
                *entry[8:14],
                entry[16],
            )
            extra_at = at + _ENTRY.size + name_length
            raw, extra = data[at + _ENTRY.size : extra_at], data[extra_at : extra_at + extra_length]
            at = extra_at + extra_length + comment_length
            if entry[0] != b"PK\x01\x02" or at > len(data):
                raise RuntimeError(f"load(): the archive's directory is damaged at entry {len(self.members)}")
            try:
                name = raw.decode()
            except UnicodeDecodeError:
                raise RuntimeError(
                    f"load(): the archive's directory is damaged: {_brief(repr(raw))} is no member's name in UTF-8"
                ) from None
            size, packed, offset = _large(name, extra, size, packed, offset)
            if name in self.members:
                raise RuntimeError(f"load(): the archive's directory has two members of the name {_brief(name)}")
            if flags & 0x2041 or disk:
                raise RuntimeError(
                    f"load(): member {_brief(name)} is encrypted or on another disk; checkpoints are neither"
                )
            if method not in (_STORED, _DEFLATED):
                raise RuntimeError(
                    f"load(): member {_brief(name)} is compressed by a method that is not read (number {method})"
                )
            if method == _STORED and size != packed:
                raise RuntimeError(
                    f"load(): the archive's directory is damaged: member {_brief(name)} is stored plainly, of {size} "
                    f"bytes in {packed}"
                )
            self.members[name] = Member(name, offset + self._shift, method, packed, size)
            plain += size
        if plain > GROWTH * self._length + SMALL:
            raise RuntimeError(
                f"load(): the zip archive claims to hold {plain} bytes in a file of {self._length}; a checkpoint "
                "does not shrink so much"
            )

    def _check_places(self, end: int) -> None:
        """The members lie one after the other, before the directory."""
        before = self._shift
        last = ""
        for member in sorted(self.members.values(), key=lambda m: m.offset):
            if member.offset < before:
                raise RuntimeError(
                    f"load(): the archive's directory is damaged: members {_brief(last)} and {_brief(member.name)} "
                    "overlap"
                )
            before, last = member.offset + _LOCAL.size + len(member.name.encode()) + member.packed, member.name
        if before > end:
            raise RuntimeError(
                f"load(): the archive is damaged or cut short: member {_brief(last)} reaches to byte {before}, and "
                f"the directory begins at {end}"
            )


def _large(name: str, extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """The three numbers with those that do not fit 32 bits taken from the extra field 1."""
    values = [size, packed, offset]
    at = 0
    while _ABSENT in values and at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            field = extra[at + 4 : at + 4 + length]
            for i, value in enumerate(values):
                if value == _ABSENT:
                    if len(field) < 8:
                        raise RuntimeError(
                            f"load(): the archive's directory is damaged: member {_brief(name)} has no sizes for "
                            "large members"
                        )
                    values[i], field = int.from_bytes(field[:8], "little"), field[8:]
            break
        at += 4 + length
    return values[0], values[1], values[2]


def _brief(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "..."

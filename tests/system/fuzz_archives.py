"""The archives of the grammar of checkpoint files (fuzz_files.py): zip files, laid out right or wrong."""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import dataclass


@dataclass
class Storage:
    """A storage as the archive has it."""

    key: str
    kind: str
    count: int
    size: int


@dataclass
class Member:
    """A member as written: the fields of its two headers, right or wrong."""

    name: bytes
    data: bytes
    method: int = 0
    flags: int = 0
    crc: int | None = None
    size: int | None = None  # in the directory
    packed: int | None = None
    offset: int | None = None
    local_name: bytes | None = None
    local_extra: bytes = b""
    extra: bytes = b""
    disk: int = 0
    local_signature: bytes = b"PK\x03\x04"


def zip64_field(*values: int) -> bytes:
    return struct.pack("<HH", 1, 8 * len(values)) + struct.pack(f"<{len(values)}Q", *(v % 2**64 for v in values))


def written(
    members: list[Member], comment: bytes = b"", claims: dict[str, int] | None = None, zip64_end: int | None = None
) -> bytes:
    """The archive's bytes; `claims` overrides fields of its end record."""
    out, directory = bytearray(), bytearray()
    for m in members:
        start = len(out) if m.offset is None else m.offset
        raw = zlib.compressobj(9, zlib.DEFLATED, -15) if m.method == 8 else None
        data = raw.compress(m.data) + raw.flush() if raw else m.data
        crc = zlib.crc32(m.data) if m.crc is None else m.crc
        size, packed = len(m.data) if m.size is None else m.size, len(data) if m.packed is None else m.packed
        fields = struct.pack("<HHHHIII", m.flags, m.method, 0, 33, crc, min(packed, 2**32 - 1), min(size, 2**32 - 1))
        called = m.name if m.local_name is None else m.local_name
        if m.offset is None:
            out += (
                m.local_signature
                + b"\x14\x00"
                + fields
                + struct.pack("<HH", len(called), len(m.local_extra))
                + called
                + m.local_extra
                + data
            )
        directory += (
            b"PK\x01\x02\x14\x03\x14\x00"
            + fields
            + struct.pack("<HHHHHII", len(m.name), len(m.extra), 0, m.disk, 0, 0, start % 2**32)
            + m.name
            + m.extra
        )
    end = {
        "disk": 0,
        "first_disk": 0,
        "here": len(members),
        "count": len(members),
        "size": len(directory),
        "start": len(out),
        "comment": len(comment),
        **(claims or {}),
    }
    tail = b""
    if zip64_end is not None:
        at = len(out) + len(directory)
        tail = (
            b"PK\x06\x06"
            + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, len(members), len(members), len(directory), len(out))
            + b"PK\x06\x07"
            + struct.pack("<IQI", 0, (at + zip64_end) % 2**64, 1)
        )
        end.update(start=2**32 - 1)
    last = struct.pack(
        "<HHHHIIH",
        *(end[k] % 2**16 for k in ("disk", "first_disk", "here", "count")),
        end["size"] % 2**32,
        end["start"] % 2**32,
        end["comment"] % 2**16,
    )
    return bytes(out + directory + tail + b"PK\x05\x06" + last + comment)


def archive(r: random.Random, pickled: bytes, storages: list[Storage], faults: int) -> bytes:
    folder = r.choice([b"archive/", b"a/", "fil\u00e9/".encode()])
    filling = r.choice([b"\x00", b"\x01\x00", b"\xff", bytes(range(256)), struct.pack("<q", 2**61 - 4)])
    members = [Member(folder + b"data.pkl", pickled), Member(folder + b"byteorder", b"little")]
    members += [Member(folder + b"data/" + s.key.encode(), (filling * s.size)[: s.size]) for s in storages]
    members.append(Member(folder + b"version", b"3\n"))
    if r.random() < 0.3:
        for m in members:
            m.local_extra = b"FB" + struct.pack("<H", 20) + b"Z" * 20
    comment, claims, end64 = b"", dict[str, int](), None
    if r.random() < 0.1:
        end64 = 0
    odd = [0, 1, 5, 2**16 - 1, 2**31, 2**32 - 1]
    for _ in range(faults):
        m = r.choice(members)
        what = r.randrange(30)
        if what == 0:
            members.remove(m) if len(members) > 1 else None
        elif what == 1:
            members.append(
                Member(
                    r.choice(
                        [
                            b"other/data.pkl",
                            folder + b"data/99",
                            folder + b"x",
                            b"",
                            b"/",
                            folder + b"constants.pkl",
                            b"\xff\xfe",
                        ]
                    ),
                    b"x" * r.randrange(50),
                )
            )
        elif what == 2:
            members.append(Member(m.name, m.data))
        elif what == 3:
            m.method = 8
        elif what == 4:
            m.method = r.choice([1, 12, 14, 93, 99])
        elif what == 5:
            m.flags = r.choice([1, 8, 0x800, 0x2000, 0x40])
        elif what == 6:
            m.crc = 12345
        elif what == 7:
            m.size = r.choice([*odd, max(len(m.data) - 1, 0), len(m.data) + 1, len(m.data) + 60])
        elif what == 8:
            m.packed = r.choice([*odd, max(len(m.data) - 1, 0), len(m.data) + 1])
        elif what == 9:
            m.size = m.packed = r.choice([*odd, len(m.data) + 1, len(m.data) + 200])
        elif what == 10:
            m.offset = r.choice([*odd, 30, 60])
        elif what == 11:
            m.extra = zip64_field(
                *(r.choice([0, 5, 2**31, 2**40, 2**63 - 1, 2**63, 2**64 - 1]) for _ in range(r.randrange(4)))
            )
            m.size = r.choice([None, 2**32 - 1])
            m.packed = r.choice([None, 2**32 - 1])
        elif what == 12:
            m.extra = r.choice([b"\x01", b"\x01\x00\x08\x00abc", b"\x01\x00\xff\xff", b"FB\x00\x00"])
        elif what == 13:
            m.local_name = r.choice([b"", b"x" * len(m.name), m.name + b"y"])
        elif what == 14:
            m.local_extra = b"Z" * r.choice([1, 100, 65535])
        elif what == 15:
            m.local_signature = b"PK\x01\x02"
        elif what == 16:
            m.disk = 3
        elif what == 17:
            m.name = r.choice(
                [
                    m.name.upper(),
                    m.name.replace(folder, b""),
                    m.name + b"/",
                    m.name[:-1],
                    m.name.replace(b"/", b"\\"),
                    b"../" + m.name,
                ]
            )
        elif what == 18:
            claims[r.choice(["disk", "first_disk", "here", "count", "size", "start", "comment"])] = r.choice(
                [*odd, 2, 46]
            )
        elif what == 19:
            end64 = r.choice([0, 1, -1, 2**40, -(2**62)])
        elif what == 20:
            comment = r.choice([b"comment", b"PK\x05\x06" + bytes(18), bytes(70000)])
        elif what == 21:
            members[0].data = r.choice([b"", b".", b"N", b"N.", bytes(100), pickled * 2])
        elif what == 22:
            members[1] = Member(
                folder + b"byteorder", r.choice([b"", b"big", b"Little", b"\xff\xfe", b"little\n", b"x" * 100000])
            )
        elif what == 23:
            members[-1] = Member(
                folder + b"version", r.choice([b"", b"0", b"999", b"x", b"\xff", b"3.5", b"9" * 5000, b"-3"])
            )
        elif what == 24:
            r.shuffle(members)
        elif what == 25:  # many names for the same bytes
            at = r.choice([0, 40])
            members += [
                Member(folder + b"data/" + str(100 + i).encode(), b"", offset=at, size=4000, packed=4000)
                for i in range(50)
            ]
        elif what == 26:
            m.data, m.method = bytes(r.choice([2**16, 2**20, 2**24])), 8
        elif what == 27:
            m.data = m.data[: r.randrange(len(m.data) + 1)]
        elif what == 28:
            m.data += b"more"
        else:
            m.name = folder + b"data/" + r.choice([b"0", b"1", b"2"])
    return written(members, comment, claims, end64)

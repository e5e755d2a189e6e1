"""A relocatable ELF object to one flat, position-independent piece of code.

Only what kernels need: 64-bit little-endian ELF for x86-64 and AArch64, sections that are loaded (.text, .rodata*), and
relocations relative to the place they are in (System V ABI, AMD64 supplement, table 4.9; ELF for the Arm 64-bit
Architecture, section 5.7). What a kernel calls of `functions` becomes a jump through an address that whoever loads the
code fills in. Any other symbol defined nowhere (a call of libm, memcpy …) is an internal error that names it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

PREFIX = "function "  # of the names of functions that kernels call (`emit/functions.py`)
_ALLOC, _RELA, _SYMTAB, _NOBITS = 2, 4, 2, 8
_X86, _ARM = 62, 183
PAGE = 4096
# A jump to the address that lies 8 bytes after it: jmp *[rip + 2], 2 bytes unused; ldr x16, #8, br x16.
_JUMP = {_X86: bytes.fromhex("ff25020000006690"), _ARM: bytes.fromhex("5000005800021fd6")}


class Made(NamedTuple):
    """Code, and where in it the function starts. calls: where the address of another function must stand, and its
    name.
    """

    code: bytes
    entry: int
    calls: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    offset: int
    size: int
    link: int
    info: int
    address: int  # in the image, -1 where it is not in it


def flatten(data: bytes, entry: str = "k") -> Made:
    """Lay the sections out and apply relocations.

    Args:
        data: the object file.
        entry: the function's name.

    Returns:
        The code, which must be loaded at a page boundary.

    Raises:
        RuntimeError: the object needs a symbol or a relocation that a flat piece of code cannot have.
    """
    if data[:6] != b"\x7fELF\x02\x01":
        raise RuntimeError("compiler: expected a 64-bit little-endian ELF object")
    machine = struct.unpack_from("<H", data, 18)[0]
    sections = _sections(data)
    image = bytearray()
    for s in sections:
        if s.address >= 0:
            image.extend(b"\0" * (s.address - len(image)))
            image.extend(b"\0" * s.size if s.kind == _NOBITS else data[s.offset : s.offset + s.size])
    symbols, found = _symbols(data, sections), -1
    calls: dict[str, int] = {}
    for name, address, _ in symbols:
        if name == entry:
            found = address
    for s in sections:
        if s.kind == _RELA and sections[s.info].address >= 0:
            for at in range(s.offset, s.offset + s.size, 24):
                place, info, addend = struct.unpack_from("<QQq", data, at)
                name, value, defined = symbols[info >> 32]
                if not defined and name.startswith(PREFIX):
                    if name not in calls:
                        image.extend(b"\0" * (-len(image) % 16) + _JUMP[machine] + b"\0" * 8)
                        calls[name] = len(image) - 8
                    value = calls[name] - 8
                elif not defined:
                    raise RuntimeError(
                        f"compiler: internal error: the kernel calls {name!r}, which does not exist in generated code"
                    )
                where = sections[s.info].address + place
                (_relocate_x86 if machine == _X86 else _relocate_arm)(image, info & 0xFFFFFFFF, where, value + addend)
    if found < 0:
        raise RuntimeError(f"compiler: internal error: the object has no function {entry!r}")
    return Made(bytes(image), found, tuple((at, name) for name, at in calls.items()))


def _sections(data: bytes) -> list[_Section]:
    start = struct.unpack_from("<Q", data, 40)[0]
    size, count, names_at = struct.unpack_from("<HHH", data, 58)
    raw = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
    table, end = raw[names_at][4], 0
    out = []
    for name_at, kind, flags, _, offset, length, link, info, align, _ in raw:
        name, address = _string(data, table + name_at), -1
        if flags & _ALLOC and length and not name.startswith(".eh_frame"):
            address = end + -end % max(align, 1)
            end = address + length
        out.append(_Section(name, kind, offset, length, link, info, address))
    return out


def _symbols(data: bytes, sections: list[_Section]) -> list[tuple[str, int, bool]]:
    """(name, address in the image, whether it is defined) of every symbol."""
    out = []
    for s in sections:
        if s.kind != _SYMTAB:
            continue
        for at in range(s.offset, s.offset + s.size, 24):
            name, _, _, index, value, _ = struct.unpack_from("<IBBHQQ", data, at)
            home = sections[index] if 0 < index < len(sections) else None
            defined = home is not None and home.address >= 0
            out.append(
                (
                    _string(data, sections[s.link].offset + name),
                    value + home.address if defined and home else 0,
                    defined,
                )
            )
    return out


def _string(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()


def _relocate_x86(image: bytearray, kind: int, place: int, target: int) -> None:
    if kind not in (2, 4):  # R_X86_64_PC32, R_X86_64_PLT32
        raise RuntimeError(f"compiler: internal error: x86-64 relocation {kind} in generated code")
    struct.pack_into("<i", image, place, target - place)


def _relocate_arm(image: bytearray, kind: int, place: int, target: int) -> None:
    word = struct.unpack_from("<I", image, place)[0]
    if kind == 261:  # R_AARCH64_PREL32
        struct.pack_into("<i", image, place, target - place)
        return
    if kind == 275:  # R_AARCH64_ADR_PREL_PG_HI21; the code starts at a page boundary
        pages = (target // PAGE - place // PAGE) & 0x1FFFFF
        word = word & ~((3 << 29) | (0x7FFFF << 5)) | (pages & 3) << 29 | (pages >> 2) << 5
    elif kind in (277, 278, 284, 285, 286, 299):  # ADD_ABS_LO12, LDST8, LDST16, LDST32, LDST64, LDST128
        shift = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4}[kind]
        word = word & ~(0xFFF << 10) | ((target & 0xFFF) >> shift) << 10
    elif kind in (282, 283):  # JUMP26, CALL26
        word = word & ~0x3FFFFFF | ((target - place) >> 2) & 0x3FFFFFF
    else:
        raise RuntimeError(f"compiler: internal error: AArch64 relocation {kind} in generated code")
    struct.pack_into("<I", image, place, word)

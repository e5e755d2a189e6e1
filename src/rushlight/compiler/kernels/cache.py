"""The kernel cache: memory, the user's disk, and a read-only pack, by the hash of what a kernel computes and for which
processor.

The disk has a bound, beyond which the least recently used kernels go. A file is one kernel: magic, format version, the
checksum of its name and the rest, the entry offset, the code, and what it calls; or text that belongs to kernels
(plans), without code. It is trusted only when this user owns it and nobody else may write it, and when the checksum is
right; anything else is rebuilt. Files appear by an atomic rename, so processes may share the folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from rushlight.compiler import events
from rushlight.compiler.counters import count
from rushlight.compiler.kernels.notice import waiting
from rushlight.compiler.llvm.objfile import Made
from rushlight.core import _native
from rushlight.core.dtypes import by_code
from rushlight.core.launch import PAIRED_FROM, ROWS_TOGETHER

VERSION = 2  # of generated code: raise it whenever a kernel's bits or calling convention change
_MAGIC = b"RUSHLITE"
_HEAD = struct.Struct("<8sI16sIQ")  # magic, version, checksum, entry offset, length of the code


_lock = threading.Lock()
_memory: dict[str, int] = {}
_touched: dict[str, None] = {}  # the names of the files that this process has read or written, in order
packs: list[Callable[[str], Made | None]] = []  # read-only packs: a kernel by its key, or None


@cache
def target() -> str:
    """The processor, as far as generated code depends on it; found without LLVM."""
    lines: set[str] = set()
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
        for line in f:
            name = line.split(":")[0].strip()
            if name in ("flags", "Features", "model name", "cpu family", "model", "CPU part", "CPU implementer"):
                lines.add(" ".join(line.split()))
    if not lines:  # (`platform` starts a program to find it)
        import platform

        lines.add(platform.processor())
    system = os.uname()
    return hashlib.blake2b(
        "\n".join([system.sysname, system.machine, *sorted(lines)]).encode(), digest_size=16
    ).hexdigest()


@cache
def version() -> str:
    """The version of generated code: VERSION, the sources of the generator, and what the bits of dtypes mean, so that
    an edit is never answered by old code.
    """
    digest = hashlib.blake2b(str(VERSION).encode(), digest_size=16)
    for file in generators():
        digest.update(file.read_bytes())
    digest.update(f"{PAIRED_FROM} {ROWS_TOGETHER}".encode())  # what the core and the code agree on
    digest.update(repr([(d.name, d.format) for d in by_code if d.format is not None]).encode())
    return digest.hexdigest()


def generators() -> list[Path]:
    """The sources that decide what code a loop nest becomes."""
    here = Path(__file__).parent
    compiler = here.parent
    beside = [here / "kernel.py", compiler / "costs.py", compiler.parent / "program" / "loops.py"]
    folders = (compiler / name for name in ("emit", "llvm", "products", "vecmath"))
    return [*beside, *sorted(file for folder in folders for file in folder.glob("*.py"))]


def key(text: str) -> str:
    """The name of the kernel variant that `text` describes, on this processor."""
    return hashlib.blake2b(f"{text}\n{target()}\n{version()}".encode(), digest_size=20).hexdigest()


def folder() -> Path | None:
    """The user's cache folder: RUSHLIGHT_CACHE_DIR, else ~/.cache/rushlight; None for a user without a home folder, who
    keeps kernels in memory.
    """
    named = os.environ.get("RUSHLIGHT_CACHE_DIR")
    if named:
        return Path(named)
    # "~" itself where neither HOME nor the password database knows one: that would be a folder of this name
    home = os.path.expanduser("~")
    base = os.environ.get("XDG_CACHE_HOME") or (os.path.join(home, ".cache") if os.path.isabs(home) else "")
    return Path(base) / "rushlight" if base else None


DEFAULT_BOUND = 1000  # MB
_GROUP = 4_000_000  # bytes that are looked through at once: some hundreds of files
_known: dict[tuple[Path, int], int] = {}  # bytes in a group of folders, as far as this process knows


def bound() -> int:
    """The most bytes that the kernels on disk may take: RUSHLIGHT_CACHE_MB, else 1 GB."""
    named = os.environ.get("RUSHLIGHT_CACHE_MB") or str(DEFAULT_BOUND)
    try:
        megabytes = float(named)
    except ValueError:
        megabytes = math.nan
    if not 0 <= megabytes < 1e12:
        raise ValueError(
            f"RUSHLIGHT_CACHE_MB must be a number of megabytes, 0 to keep no kernels on disk; found {named!r}"
        )
    return int(megabytes * 1e6)


def _taken(info: os.stat_result) -> int:
    return max(info.st_size, info.st_blocks * 512)


def _drop_unused(base: Path, name: str, added: int) -> None:
    """After `name` was written: where its folder and its neighbours hold more than their share of the bound, their
    least recently used go.

    Names are hashes, so each of the groups of folders holds much the same; a group is small, so that looking through it
    costs less than a compilation. A process looks when it first writes to a group, and whenever it must think that the
    group is full.
    """
    most = bound()
    groups = min(256, most // _GROUP) or 1
    group = int(name[:2], 16) * groups // 256
    _known[base, group] = known = _known.get((base, group), most) + added
    if known <= most // groups:
        return
    found = []
    for i in range(256):
        if i * groups // 256 == group:
            with contextlib.suppress(OSError), os.scandir(base / f"{i:02x}") as entries:
                found += [
                    (entry, entry.stat(follow_symlinks=False))
                    for entry in entries
                    if entry.name.startswith((f"{i:02x}", ".new-"))
                ]
    found.sort(key=lambda f: f[1].st_mtime_ns)
    known = sum(_taken(info) for _, info in found)
    if known > most // groups:
        for entry, info in found:
            if known <= most // groups * 3 // 4:
                break
            known -= _taken(info)
            with contextlib.suppress(OSError):  # another process was first
                os.unlink(entry.path)
    _known[base, group] = known


def _ours(info: os.stat_result) -> bool:
    return info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def read(name: str) -> Made | None:
    """A kernel on disk, or None when there is none that can be trusted."""
    found = _read(name)
    if found is None:
        return None
    entry, code, calls = found
    return Made(code, entry, tuple((at, called) for at, called in json.loads(calls)))


def read_text(name: str) -> bytes | None:
    """What `write_text` has kept under a name, or None when there is nothing that can be trusted."""
    found = _read(name)
    return None if found is None else found[2]


def _read(name: str) -> tuple[int, bytes, bytes] | None:
    """A file that can be trusted: entry offset, code and the rest."""
    base = folder()
    if base is None:
        return None
    path = base / name[:2] / name
    try:
        # a pipe must not make us wait for a writer
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode) or not _ours(info) or not _ours(os.stat(base)):
                return None
            data = b"".join(iter(lambda: os.read(fd, 1 << 20), b""))
            with contextlib.suppress(OSError):  # a disk that may only be read
                os.utime(fd)
        finally:
            os.close(fd)
    except OSError:  # it is not there, or the folder has gone meanwhile
        return None
    found = _parts(name, data)
    if found is not None:
        _touched[name] = None
    return found


def _parts(name: str, data: bytes) -> tuple[int, bytes, bytes] | None:
    """Entry offset, code and the rest of a file's content; None where that is damaged."""
    if len(data) < _HEAD.size:
        return None
    magic, ver, checksum, entry, length = _HEAD.unpack_from(data)
    body = data[_HEAD.size :]
    if (
        magic != _MAGIC
        or ver != VERSION
        or length > len(body)
        or entry >= max(length, 1)
        or checksum != _checksum(name, entry, length, body)
    ):
        return None
    return entry, body[:length], body[length:]


def _checksum(name: str, entry: int, length: int, body: bytes) -> bytes:
    """Of the name too: a good file under another kernel's name is not that kernel."""
    return hashlib.blake2b(name.encode() + struct.pack("<IQ", entry, length) + body, digest_size=16).digest()


def write(name: str, made: Made) -> None:
    """Keep a kernel on disk. A disk that cannot be written leaves the kernel in memory only."""
    _write(name, made.entry, made.code, json.dumps(made.calls).encode())


def write_text(name: str, text: bytes) -> None:
    """Keep text on disk, beside the kernels that it belongs to, if the disk can be written."""
    _write(name, 0, b"", text)


def on_disk() -> bool:
    """Whether anything is kept on disk."""
    return folder() is not None and bound() > 0


def _write(name: str, entry: int, code: bytes, rest: bytes) -> None:
    keep_file(name, _content(name, entry, code, rest))


def _content(name: str, entry: int, code: bytes, rest: bytes) -> bytes:
    body = code + rest
    return _HEAD.pack(_MAGIC, VERSION, _checksum(name, entry, len(code), body), entry, len(code)) + body


def keep_file(name: str, content: bytes) -> bool:
    """Put a file into the cache on disk; whether it is there."""
    if not on_disk():
        return False
    base = folder()
    assert base is not None
    path = base / name[:2] / name
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if base.stat().st_mode & 0o077:
            base.chmod(0o700)
        put(path, content)
        _touched[name] = None
        _drop_unused(base, name, _taken(path.stat()))
        return True
    return False


def touched() -> list[str]:
    """The names of the files that this process has read or written."""
    return list(_touched)


def file_of(name: str) -> bytes | None:
    """The content of a file in the cache on disk; None where none can be trusted."""
    found = _read(name)
    return None if found is None else _content(name, *found)


def is_whole(name: str, content: bytes) -> bool:
    """Whether a file's content is as it was written, under this name."""
    return _parts(name, content) is not None


def put(path: Path, content: bytes) -> None:
    """Make a file, whole or not at all. OSError where it cannot be made."""
    temporary = path.with_name(f".new-{os.getpid()}-{threading.get_ident()}-{time.monotonic_ns()}")
    try:  # around all that makes the file: whatever is raised, at whatever moment, leaves none behind
        with open(temporary, "xb") as f:
            os.fchmod(f.fileno(), 0o600)  # whatever the umask: nobody else may write what is to be trusted
            f.write(content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _load_native(code: bytearray) -> int:
    address: int = _native.load_code(code)
    return address


# puts code into executable memory at a page boundary, gives its address
loader: Callable[[bytearray], int] = _load_native


# What LLVM may need in a compilation and for itself, with room to spare: it ends the process where it gets no memory.
_ROOM, _LIBRARY = 64 << 20, 256 << 20


def need_room() -> None:
    """MemoryError where the process is limited to less memory than a compilation may take."""
    room = _ROOM if "llvmlite.binding" in sys.modules else _ROOM + _LIBRARY
    if not _native.has_room(room):
        raise MemoryError(
            f"not enough memory to compile a kernel: the process may not take {room >> 20} MB more (its limits on "
            "address space and data)"
        )


def made(text: str, build: Callable[[], Made]) -> Made:
    """The code of the kernel variant that `text` describes: from the disk, a pack, or `build()`."""
    name = key(text)
    for source in (read, *packs):
        found = source(name)
        if found is not None:
            count("kernels_loaded_from_disk")
            break
    else:
        need_room()
        start = time.perf_counter()
        with waiting:
            found = build()
        count("kernels_compiled")
        if events.heard("kernels"):
            took = 1000 * (time.perf_counter() - start)
            events.tell("kernels", f"compiled in {took:.1f} ms, {len(found.code)} bytes:\n{text}")
        write(name, found)
        _know_hand_over(measure=True)
    return found


def get(text: str, build: Callable[[], Made], called: Callable[[str], int]) -> int:
    """The address of the kernel variant that `text` describes, from memory or as `made` gives it.

    called: the address of a function that it calls.
    """
    name = key(text)
    with _lock:
        address = _memory.get(name)
    if address is not None:
        return address
    found = made(text, build)
    _know_hand_over(measure=False)
    address = load(found, called)
    with _lock:
        return _memory.setdefault(name, address)


def load(found: Made, called: Callable[[str], int]) -> int:
    """Put code into executable memory, with the addresses of what it calls; the address of its function."""
    code = bytearray(found.code)
    for at, name_called in found.calls:
        struct.pack_into("<Q", code, at, called(name_called))
    return loader(code) + found.entry


_hand_over_known = False
_hand_over_lock = threading.Lock()


def _know_hand_over(measure: bool) -> None:
    """Tell the thread pool what it costs on this machine to hand work over: as it was measured once, when a kernel was
    first compiled here (`measure`), and kept beside the kernels. A wrong number costs time alone, so the file is not
    guarded as kernels are; what is no number of nanoseconds is measured anew.
    """
    global _hand_over_known
    if _hand_over_known:
        return
    base = folder()
    with _hand_over_lock:
        if _hand_over_known or base is None or not bound():
            return
        path = base / f"hand-over-{target()}"
        took = _kept_hand_over(path)
        if took is None:
            if not measure:
                return
            took = _native.measure_hand_over()
            if took:
                with contextlib.suppress(OSError):
                    put(path, f"{took}\n".encode())
        _hand_over_known = True
        if took:
            _native.set_hand_over(took)


def _kept_hand_over(path: Path) -> int | None:
    """The nanoseconds that a file holds; None where it holds none."""
    try:
        with open(path, "rb") as f:
            took = int(f.read(20))
    except (OSError, ValueError):
        return None
    return took if 0 < took < 1_000_000_000 else None


also_forget: list[Callable[[], None]] = []  # what else remembers addresses


def forget() -> None:
    """Empty the memory tier (for tests)."""
    with _lock:
        _memory.clear()
    for f in also_forget:
        f()

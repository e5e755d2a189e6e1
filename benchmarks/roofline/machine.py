"""What this machine allows: bytes per second from each level of memory, operations a second of each dtype.

Loops of our own compiler do nothing but what is measured: eight vectors read, written or copied a turn, or as many
multiply-adds as registers hold, none of which waits for another. Every thread has its own memory, and all run at once.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rushlight.compiler.llvm import ir, machine
from rushlight.compiler.llvm.ir import BF16, F32, F64, I8, I64, PTR, VOID
from rushlight.core import _native

LINE = 8  # vectors that a turn of a loop over memory takes
# Of one measurement, which is the best of REPEATS, or of as many as fit into so much time, at least LEAST: short ones,
# lest another program comes in between in all of them.
SECONDS = 0.01
REPEATS, MOST_SECONDS, LEAST = 40, 0.6, 5


class Rates(NamedTuple):
    """Bytes a second of reading, writing, and of copying (what is read and what is written, together)."""

    read: float
    write: float
    copy: float


class Limits(NamedTuple):
    """What all threads together reach."""

    memory: dict[str, Rates]  # by level
    sizes: dict[str, int]  # bytes of all threads' data that a level holds
    operations: dict[str, float]  # by dtype; a multiply-add is two

    def level(self, size: int) -> str:
        """The level where so many bytes stay between one call and the next."""
        return next((name for name, most in self.sizes.items() if size <= most), "memory")

    def better(self, other: Limits) -> Limits:
        """Of two measurements of a machine, the higher rate of each: others on it, or its clock, may lower both."""
        memory = {level: Rates(*map(max, rates, other.memory[level])) for level, rates in self.memory.items()}
        operations = {dtype: max(rate, other.operations[dtype]) for dtype, rate in self.operations.items()}
        return Limits(memory, self.sizes, operations)


def measure(threads: int, processor: bool = False) -> Limits:
    """Measure the machine with so many threads; some ten seconds. processor: one thread, by the time that it has had,
    which other programs change little.
    """
    if processor and threads != 1:
        raise ValueError(f"measure(): the time of the processor is measured with 1 thread; found {threads}")
    now = time.thread_time if processor else time.perf_counter
    second = _cache(2, 1 << 20)
    third = max(_cache(3, 8 << 20), 2 * second * threads)
    # Half a cache is what loops over two or three operands keep in it, and less than the others on the machine leave
    # of a shared one.
    working = {
        "L2": second // 2,
        "L3": max(second * 3, min(third // (4 * threads), 24 << 20)),
        "memory": max(4 * third // threads, 16 << 20),
    }
    loops = {kind: _loaded(_memory_loop(kind)) for kind in Rates._fields}
    memory = {}
    for level, size in working.items():
        size = min(size, 512 << 20)
        rates = {}
        for kind, loop in loops.items():
            part = size // 2 if kind == "copy" else size
            rates[kind] = _fastest(
                now, threads, size, loop, part // (LINE * _bytes()), part * (2 if kind == "copy" else 1)
            )
        memory[level] = Rates(**rates)
    return Limits(memory, {"L2": second * threads // 2, "L3": third // 2}, _operations(now, threads))


def _operations(now: Callable[[], float], threads: int) -> dict[str, float]:
    rates = {}
    for dtype, element in (("float32", F32), ("float64", F64), ("int64", I64)):
        lanes, chains = _bytes() * 8 // element.width, _chains()
        loop = _loaded(_chain_loop(element, lanes, chains))
        rates[dtype] = _fastest(now, threads, 4096, loop, 1 << 14, (1 << 14) * chains * lanes * 2)
    halves = rates["float32"]  # where no instruction multiplies them they are converted
    if "amx" in _native.processor():
        halves = _fastest(now, threads, 4096, _loaded(_tile_loop()), 1 << 12, (1 << 12) * 4 * 2 * 16 * 16 * 32)
    elif "avx512bf16" in _native.processor():
        turns, pairs = 1 << 14, _chains() * 32
        halves = _fastest(now, threads, 4096, _loaded(_pair_loop(_chains())), turns, turns * pairs * 2)
    return {**rates, "bfloat16": halves, "float16": rates["float32"]}


def _cache(level: int, otherwise: int) -> int:
    """Bytes of a cache, or the larger one of a level, as the system reports them."""
    found = [
        int((place / "size").read_text().strip().removesuffix("K")) << 10
        for place in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")
        if (place / "level").read_text().strip() == str(level)
    ]
    return max(found, default=otherwise)


def _bytes() -> int:
    return 64 if machine.masks() else 32


def _chains() -> int:
    return 24 if machine.masks() else 12


# ------------------------------------------------------------------------------------------------------------ the loops
Loop = Callable[[int, int, int, int], None]  # two addresses, turns, how often all of them


def _loaded(make: Callable[[], ir.Module]) -> Loop:
    """The function `k` of a module, ready to be called; the interpreter is free meanwhile."""
    made = machine.machine_code(make)
    address = _native.load_code(bytearray(made.code)) + made.entry
    loop: Loop = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(address)
    return loop


Turn = Callable[[ir.IRBuilder, ir.Value, list[ir.Value]], list[ir.Value]]


def _loops(name: str, first: Callable[[ir.IRBuilder], list[ir.Value]], turn: Turn) -> ir.Module:
    """`k(p, q, turns, times)`: from p on, so many turns, and all again; what the turns hand on is stored at q at
    last.
    """
    made = ir.Module(name)
    fn = ir.Function(made, VOID, [PTR, PTR, I64, I64], "k")
    b, (_, q, turns, times) = ir.IRBuilder(fn), fn.args
    begin = first(b)
    before, outer, inner, next_, done = b.block, *(b.append_basic_block(x) for x in ("all", "turn", "next", "done"))
    b.branch(outer)
    b.position_at_end(outer)
    left, held = b.phi(I64), [b.phi(x.type) for x in begin]
    b.branch(inner)
    b.position_at_end(inner)
    i, values = b.phi(I64), [b.phi(x.type) for x in begin]
    after = turn(b, i, list(values))
    again = b.add(i, I64(1))
    b.cbranch(b.icmp_signed("<", again, turns), inner, next_)
    b.position_at_end(next_)
    rest = b.sub(left, I64(1))
    b.cbranch(b.icmp_signed(">", rest, I64(0)), outer, done)
    for phi, start, later, block in ((i, I64(0), again, outer), (left, times, rest, before)):
        phi.add_incoming(start, block)
        phi.add_incoming(later, inner if phi is i else next_)
    for phi, outside, start, later in zip(values, held, begin, after, strict=True):
        outside.add_incoming(start, before)
        outside.add_incoming(later, next_)
        phi.add_incoming(outside, outer)
        phi.add_incoming(later, inner)
    b.position_at_end(done)
    for x in after:
        b.store(x, q, align=4)
    b.ret_void()
    return made


def _memory_loop(kind: str) -> Callable[[], ir.Module]:
    t = ir.vector(F32, _bytes() // 4)

    def turn(b: ir.IRBuilder, i: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        p, q = b.function.args[:2]
        at = b.mul(i, I64(LINE * _bytes()))
        new = []
        for k in range(LINE):
            here = b.add(at, I64(k * _bytes()))
            x = t(1.0) if kind == "write" else b.load(b.gep(p, [here], source_etype=I8), typ=t, align=_bytes())
            if kind == "read":
                new.append(b.fadd(sums[k], x))
            else:
                b.store(x, b.gep(q, [here], source_etype=I8), align=_bytes())
        return new

    return lambda: _loops(kind, lambda b: [t(0.0)] * (LINE if kind == "read" else 0), turn)


def _chain_loop(element: ir.Type, lanes: int, chains: int) -> Callable[[], ir.Module]:
    t = ir.vector(element, lanes)

    def first(b: ir.IRBuilder) -> list[ir.Value]:
        # what the compiler cannot know: it would compute ahead
        return [b.load(b.gep(b.function.args[0], [I64(4 * k)], source_etype=I8), typ=t, align=4) for k in range(chains)]

    def turn(b: ir.IRBuilder, i: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        p = b.function.args[0]
        x, y = (b.load(b.gep(p, [I64(1024 + 64 * k)], source_etype=I8), typ=t, align=64) for k in range(2))
        if element is I64:
            return [b.add(b.mul(x, s), y) for s in sums]
        return [b.intrinsic(f"fma.{t.suffix}", t, [x, y, s]) for s in sums]

    return lambda: _loops(f"chains of {element}", first, turn)


def _pair_loop(chains: int) -> Callable[[], ir.Module]:
    """Products of pairs of bfloat16 numbers, added to 16 sums in float32."""
    t, pairs = ir.vector(F32, 16), ir.vector(BF16, 32)

    def first(b: ir.IRBuilder) -> list[ir.Value]:
        return [b.load(b.gep(b.function.args[0], [I64(4 * k)], source_etype=I8), typ=t, align=4) for k in range(chains)]

    def turn(b: ir.IRBuilder, i: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        p = b.function.args[0]
        x, y = (b.load(b.gep(p, [I64(1024 + 64 * k)], source_etype=I8), typ=pairs, align=64) for k in range(2))
        return [b.intrinsic("x86.avx512bf16.dpbf16ps.512", t, [s, x, y]) for s in sums]

    return lambda: _loops("pairs", first, turn)


def _tile_loop() -> Callable[[], ir.Module]:
    """Products of AMX's tiles, 16 x 16 sums of 32 terms each, four at a turn."""

    def first(b: ir.IRBuilder) -> list[ir.Value]:
        p = b.function.args[0]
        for at, word in _TILES:
            b.store(I64(word), b.gep(p, [I64(at)], source_etype=I8), align=8)
        b.intrinsic("x86.ldtilecfg", VOID, [p])
        for tile in range(8):
            b.intrinsic("x86.tilezero", VOID, [I8(tile)])
        return []

    def turn(b: ir.IRBuilder, i: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        for tile in range(4):
            b.intrinsic("x86.tdpbf16ps", VOID, [I8(tile), I8(4 + tile // 2), I8(6 + tile % 2)])
        return []

    return lambda: _loops("tiles", first, turn)


# The 64 bytes that say what eight tiles are: palette 1, 64 bytes in each of 16 rows.
_TILES = [
    (at, word)
    for at, word in zip(
        range(0, 64, 8), (1, 0, 0x0040004000400040, 0x0040004000400040, 0, 0, 0x1010101010101010, 0), strict=True
    )
]


# ------------------------------------------------------------------------------------------------------------ the clock
def _fastest(now: Callable[[], float], threads: int, size: int, loop: Loop, turns: int, amount: float) -> float:
    """How much a second of what all turns amount to, with every thread at its own `size` bytes."""
    rooms = [ctypes.create_string_buffer(2 * size + 8192) for _ in range(threads)]
    addresses = [(ctypes.addressof(room) + 4095) // 4096 * 4096 for room in rooms]
    for address in addresses:
        ctypes.memset(address, 0, 2 * size)
    # A copy's second operand lies behind its first; 4160 bytes more, lest both start at one place in the cache.
    seconds = [address + (size + 4160 if turns * LINE * _bytes() * 2 <= size else 0) for address in addresses]
    start = time.perf_counter()
    loop(addresses[0], seconds[0], turns, 1)
    times = max(1, int(SECONDS / max(time.perf_counter() - start, 1e-7)))

    def work(k: int, ready: threading.Barrier, moments: list[tuple[float, float]]) -> None:
        ready.wait()
        begun = now()
        loop(addresses[k], seconds[k], turns, times)
        moments.append((begun, now()))

    best, until = 0.0, time.perf_counter() + MOST_SECONDS
    for k in range(REPEATS):
        if k >= LEAST and time.perf_counter() > until:
            break
        ready, moments = threading.Barrier(threads), list[tuple[float, float]]()
        workers = [threading.Thread(target=work, args=(k, ready, moments)) for k in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        took = max(end for _, end in moments) - min(begun for begun, _ in moments)
        best = max(best, threads * times * amount / took)
    return best

"""A launcher of plans in plain Python over NumPy arrays: what the compiled core does, slowly, as `compiler/plan.py`
says it.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import struct
from typing import Any

import numpy as np

from rushlight.compiler.kernels import cache
from rushlight.compiler.plan import Alloc, Launch, Library, Plan
from rushlight.core.dtypes import to_numpy_dtype
from rushlight.core.launch import PAIRED_FROM
from rushlight.program.ir import Program
from rushlight.program.loops import CHUNK

_pages: list[Any] = []


def load_code(code: bytes) -> int:
    """Executable memory at a page boundary."""
    page = mmap.mmap(-1, (len(code) + 4095) & ~4095, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    _pages.append(page)
    return ctypes.addressof(ctypes.c_char.from_buffer(page))


cache.loader = load_code

_OPS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
    "eq": lambda a, b: int(a == b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "const": lambda a, b: a,
}


class Memory:
    """A buffer: the array that keeps it alive, and the address of its element 0."""

    def __init__(self, array: np.ndarray, strides: list[int]) -> None:
        self.array, self.strides = array, strides
        self.address = array.ctypes.data


def _order(alloc: Alloc, sizes: list[int], args: list[Any]) -> list[int]:
    """The dimensions of a buffer from the outermost to the innermost one, as the operands that it is like decide."""

    def outside(a: int, b: int) -> bool | None:
        """Whether dimension a is outside of b; None where no operand decides."""
        for like in alloc.like:
            x = args[like.input]
            if like.sized and list(x.shape) != sizes:
                continue
            strides = [0 if d is None else abs(x.strides[d]) for d in (like.dims[a], like.dims[b])]
            if all(strides) and strides[0] != strides[1]:
                return strides[0] > strides[1]
            if all(strides) and sizes[a] != sizes[b]:
                return sizes[a] > sizes[b]
        return None

    order = list(range(len(sizes)))[::-1]  # innermost first
    for at in range(len(order)):
        for k in reversed(range(at)):
            decided = outside(order[k], order[at])
            if decided is False:
                break
            if decided:
                order[k], order[at], at = order[at], order[k], k
    return order[::-1]


def _run_code(slots: list[int], code: list[tuple[str, int, int]]) -> None:
    for op, a, b in code:
        slots.append(a if op == "const" else _OPS[op](slots[a], slots[b]))


def _bits(value: Any, kind: str) -> list[int]:
    if kind == "c":
        z = complex(value)
        return [struct.unpack("q", struct.pack("d", p))[0] for p in (z.real, z.imag)]
    if kind == "f":
        return [struct.unpack("q", struct.pack("d", float(value)))[0], 0]
    return [int(value), 0]


def run(
    plan: Plan,
    program: Program,
    args: list[Any],
    symbols: list[int],
    threads: int = 1,
    modes: str | None = None,
    split: bool | None = None,
) -> list[np.ndarray]:
    """Execute a plan.

    modes: force "row" or "col" where a kernel has both. split: force splitting on or off. threads: cut each launch's
    items into this many ranges, run in reverse order.
    """
    slots = list(symbols)
    for v, a in zip(program.inputs, args, strict=True):
        if v.kind == "tensor":
            slots += [s // a.itemsize for s in a.strides]
    for v, a in zip(program.inputs, args, strict=True):
        if v.kind == "scalar":
            slots += _bits(a, v.dtype.kind)
    assert len(slots) == plan.code_base
    _run_code(slots, plan.code)
    for slot, expected in plan.guards:
        assert slots[slot] == expected, "a guard fails: the plan is not for these sizes"
    buffers: list[Any] = [
        Memory(a, []) if v.kind == "tensor" else None for v, a in zip(program.inputs, args, strict=True)
    ]
    for alloc in plan.allocs:
        sizes = [slots[s] for s in alloc.sizes]
        t = to_numpy_dtype(alloc.dtype)
        array = (
            np.full(max(int(np.prod(sizes)), 1), -99 if t.kind != "b" else 0, dtype=t)
            if t.kind != "u"
            else np.full(max(int(np.prod(sizes)), 1), 99, dtype=t)
        )
        order = _order(alloc, sizes, args)
        strides, step = [0] * len(sizes), 1
        for d in reversed(order):
            strides[d] = step
            step *= max(sizes[d], 1)
        if alloc.strides:
            assert alloc.strides[0] == len(slots)
        slots += strides
        buffers.append(Memory(array, strides))
    assert len(slots) == plan.post_base
    _run_code(slots, plan.post)
    assert len(slots) == plan.n_slots
    for step in plan.steps:
        if isinstance(step, Launch):
            launch(step, slots, buffers, threads, modes, split)
        else:
            library(step, slots, buffers)
            if step.then is not None:
                launch(step.then, slots, buffers, threads, modes, split)
    out = []
    for o in plan.outputs:
        if o.kind == "buffer":
            m = buffers[o.buffer]
            out.append(_view(m.array, [slots[s] for s in o.sizes], [slots[s] for s in o.strides], slots[o.offset]))
        else:
            out.append(_apply(args[o.index], o.steps, slots))
    return out


def _view(a: np.ndarray, sizes: list[int], strides: list[int], offset: int) -> np.ndarray:
    flat = a.reshape(-1) if a.flags.c_contiguous else a
    if flat is a:
        base = np.lib.stride_tricks.as_strided(a, (1,), (a.itemsize,))
    else:
        base = flat
    return np.lib.stride_tricks.as_strided(base[offset:], sizes, [s * a.itemsize for s in strides])


def _apply(a: np.ndarray, steps: Any, slots: list[int]) -> np.ndarray:
    for name, *rest in steps:
        if name == "reshape":
            a = a.reshape([slots[s] for s in rest[0]])
        elif name == "permute":
            a = a.transpose(rest[0])
        elif name == "slice":
            starts, sizes, strides = ([slots[s] for s in r] for r in rest)
            index = tuple(np.arange(n) * k + s for s, n, k in zip(starts, sizes, strides, strict=True))
            a = a[np.ix_(*index)]
        elif name == "broadcast":
            sizes = [slots[s] for s in rest[0]]
            shape = [1] * len(sizes)
            for d, n in zip(rest[1], a.shape, strict=True):
                shape[d] = n
            a = np.broadcast_to(a.reshape(shape), sizes)
        elif name == "diagonal":
            a = np.diagonal(a, slots[rest[0]], rest[1], rest[2])
        else:
            raise NotImplementedError(name)
    return a


def library(step: Library, slots: list[int], buffers: list[Any]) -> None:
    views = []
    for v in step.args:
        m = buffers[v.buffer]
        sizes, strides = [slots[s] for s in v.sizes], [slots[s] for s in v.strides]
        base = (ctypes.c_char * 1).from_address(m.address + slots[v.offset] * m.array.itemsize)
        raw = np.frombuffer(base, np.uint8)
        views.append(
            np.lib.stride_tricks.as_strided(
                np.lib.stride_tricks.as_strided(raw, (m.array.itemsize,), (1,)).view(m.array.dtype),
                sizes,
                [s * m.array.itemsize for s in strides],
            )
        )
    if step.name == "dot":
        views[2][...] = views[0] @ views[1]
    elif step.name == "sort":
        from rushlight.compiler.routines.sorting import sort

        sort(*views, dim=step.params["dim"], descending=step.params["descending"], stable=step.params["stable"])
    else:
        raise NotImplementedError(step.name)


def coalesce(sizes: list[int], strides: list[list[int]], reorder: bool) -> tuple[list[int], list[list[int]]]:
    """Drop dims of size 1, order (kept dims only) by the strides of the operands, merge what fits."""
    dims = [d for d, n in enumerate(sizes) if n != 1]
    if reorder:
        dims.sort(key=lambda d: tuple(-abs(s[d]) for s in reversed(strides)))
    out: list[int] = []
    new: list[list[int]] = [[] for _ in strides]
    for d in dims:
        if out and all(n[-1] == s[d] * sizes[d] for n, s in zip(new, strides, strict=True)):
            out[-1] *= sizes[d]
            for n, s in zip(new, strides, strict=True):
                n[-1] = s[d]
        else:
            out.append(sizes[d])
            for n, s in zip(new, strides, strict=True):
                n.append(s[d])
    return out, new


def launch(
    step: Launch, slots: list[int], buffers: list[Any], threads: int, modes: str | None, split: bool | None
) -> None:
    kernel = step.kernel
    kept, reduced = [slots[s] for s in step.sizes], [slots[s] for s in step.reduced]
    n_kept, n_reduced = int(np.prod(kept)), int(np.prod(reduced))
    if n_kept == 0 or (n_reduced == 0 and not kernel.has_reduction):
        return
    strides = [[slots[s] for s in o.strides] for o in step.operands]
    k = len(kept)
    if kernel.coalesce:
        new_kept, a = coalesce(kept, [s[:k] for s in strides], True)
        new_reduced, b = coalesce(reduced, [s[k:] for s in strides], False)
    else:
        new_kept, a, new_reduced, b = kept, [s[:k] for s in strides], reduced, [s[k:] for s in strides]
    if not new_kept:
        new_kept, a = [1], [[0] for _ in strides]
    if kernel.reduced and not new_reduced:
        new_reduced, b = [1], [[0] for _ in strides]
    sizes = [1 if o.buffer < 0 else buffers[o.buffer].array.itemsize for o in step.operands]
    K, R = len(new_kept), len(new_reduced)
    mode = "col" if not R else modes or ("row" if n_kept < 16 or any(s[-1] == 1 for s in b) else "col")
    if kernel.splittable and R and (split or (split is None and n_reduced > CHUNK)):
        mode = "part"
    vector = [s[-1] for s in (a if mode == "col" else b)]
    if mode == "col" and new_kept[-1] == 1:
        vector = [1] * len(vector)
    classes = "".join("c" if s == 1 else "b" if s == 0 else "s" for s in vector)
    params = [*new_kept, *new_reduced]
    for s, r, n in zip(a, b if R else [[] for _ in a], sizes, strict=True):
        params += [x * n for x in (*s, *r)]
    block = kernel.variant(K, R, mode, classes).block
    slices = 0 if block else 2 * threads  # of the places of a scatter
    told = mode == "col" and R > 0 and kernel.wide
    block = 32 if told and threads > 1 else block
    params += [block] * told + [slices] * bool(slices)
    for slot, name in zip(step.scalars, kernel.loops.scalars, strict=True):
        params += slots[slot : slot + (2 if name.startswith("complex") else 1)]
    pointers = [
        (0 if o.buffer < 0 else buffers[o.buffer].address) + slots[o.offset] * n
        for o, n in zip(step.operands, sizes, strict=True)
    ]
    chunks = -(-n_reduced // CHUNK)
    err = np.zeros(4, np.int64)
    if mode == "part":
        space = np.full(max(n_kept * chunks * kernel.partial_bytes, 8), 255, np.uint8)
        extra = [space.ctypes.data]
        paired = block == 2 and chunks >= PAIRED_FROM
        plans = [("part", n_kept * (-(-chunks // 2) if paired else chunks)), ("final", n_kept)]
    else:
        extra = []
        inner = slices or -(-new_kept[-1] // block)
        plans = [(mode, n_kept // new_kept[-1] * inner if mode == "col" else n_kept)]
    pointers_c = (ctypes.c_void_p * (len(pointers) + len(extra) + 1))(*pointers, *extra, err.ctypes.data)
    params_c = (ctypes.c_int64 * max(len(params), 1))(*params)
    for m, items in plans:
        code = kernel.variant(K, R, m, classes)
        fn = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(
            code.address
        )
        cuts = [items * t // threads for t in range(threads + 1)]
        for lo, hi in list(itertools.pairwise(cuts))[::-1]:
            if lo < hi and fn(pointers_c, params_c, lo, hi):
                if err[0] == 2:
                    raise ZeroDivisionError
                raise IndexError(f"index {err[1]} lies outside dimension {err[3]}, which has the size {err[2]}")

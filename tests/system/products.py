"""Random batched products against NumPy on contiguous copies, with forbidden pages around every block of memory.

    python tests/system/products.py PRODUCTS SEED       # e.g. 5000 0; even seeds forbid the bytes after a block, odd
    ones those before

Operands have batch dimensions of 0, 1 and more anywhere, are expanded, transposed, flipped and sliced; out= is a part
of a larger tensor, whose other elements must stay as they are.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (0, 1, 1, 1, 2, 3, 4)
KINDS = ("matmul", "matmul", "matmul", "bmm", "baddbmm", "einsum", "sdpa", "linalg_vecdot", "addbmm", "mm_t")
SENTINEL = 777.0


def placed(r: random.Random, shape: tuple[int, ...], dtype: str, shared: bool) -> tuple[Any, Any]:
    """(a tensor of `shape` that lies in a larger one in some way, that larger one). shared: elements may share
    memory.
    """
    import rushlight as rl

    n = len(shape)
    order = list(range(n))
    if r.random() < 0.4:
        r.shuffle(order)
    wide, index, strided = [], [], [1] * n
    for d in order:
        step, before, after = r.choice([1, 1, 1, 2]), r.choice([0, 0, 1]), r.choice([0, 0, 2])
        size = 1 if shared and r.random() < 0.2 else shape[d]
        strided[d] = size
        wide.append(before + size * step + after)
        index.append(slice(before, before + size * step, step))
    values = np.random.RandomState(r.randrange(1 << 30)).uniform(-1, 1, wide)
    if dtype.startswith("complex"):
        values = values + 1j * values[::-1]
    base = rl.tensor(values.astype(dtype).tolist(), dtype=getattr(rl, dtype)).reshape(wide)
    view = base[tuple(index)].permute(*[order.index(d) for d in range(n)]) if n else base
    view = view.expand(shape)
    if n and r.random() < 0.15:
        size, stride = view.shape, list(view.stride())
        dims = [d for d in range(n) if r.random() < 0.5 and size[d]]
        if dims and all(size):
            offset = view.storage_offset() + sum((size[d] - 1) * stride[d] for d in dims)
            for d in dims:
                stride[d] = -stride[d]
            from rushlight.core import raw

            view = raw.view_of(view, size, stride, offset)
    return view, base


def array(t: Any) -> Any:
    return np.array(t.tolist(), dtype=t.dtype.name if t.dtype.name != "bfloat16" else "float32").reshape(tuple(t.shape))


def batch(r: random.Random) -> tuple[int, ...]:
    return tuple(r.choice(SIZES) if r.random() < 0.9 else 5 for _ in range(r.choice([0, 1, 1, 2, 2, 3, 3, 4, 5])))


def broadcastable(r: random.Random, full: tuple[int, ...]) -> tuple[int, ...]:
    """A batch that broadcasts to `full`, mostly itself."""
    some = tuple(1 if r.random() < 0.15 else n for n in full)
    return some[r.randint(0, len(some)) :] if r.random() < 0.15 else some


def check(r: random.Random) -> str | None:
    """Do one product; what is wrong, or None."""
    import rushlight as rl

    kind = r.choice(KINDS)
    dtype = r.choice(["float32", "float32", "float64", "complex64", "complex128"])
    m, n, k = (r.choice([0, 1, 1, 2, 3, 4, 5, 8, 9, 17]) for _ in range(3))
    full = batch(r)
    if kind in ("bmm", "baddbmm", "addbmm"):
        full = (r.choice(SIZES),)
    elif kind == "mm_t":
        full = ()
    exact = kind in ("bmm", "baddbmm", "addbmm", "mm_t")
    if kind == "sdpa":
        dtype, m, n, k = ("float32" if dtype.startswith("c") else dtype), max(m, 1), max(n, 1), max(k, 1)
        full = full or (2,)
    a, _ = placed(r, (*(full if exact else broadcastable(r, full)), m, k), dtype, True)
    b, _ = placed(r, (*(full if exact else broadcastable(r, full)), k, n), dtype, True)
    x, y = array(a), array(b)
    into = None
    if kind in ("matmul", "mm_t"):
        call, expected = (lambda **o: rl.matmul(a, b, **o)), x @ y
    elif kind == "bmm":
        call, expected = (lambda **o: rl.bmm(a, b, **o)), x @ y
    elif kind == "baddbmm":
        c, _ = placed(r, (*full, m, n), dtype, True)
        call, expected = (lambda **o: rl.baddbmm(c, a, b, beta=0.5, alpha=2, **o)), 0.5 * array(c) + 2 * (x @ y)
    elif kind == "addbmm":
        c, _ = placed(r, (m, n), dtype, True)
        call, expected = (lambda **o: rl.addbmm(c, a, b, **o)), array(c) + (x @ y).sum(0)
    elif kind == "einsum":
        call, expected, into = (lambda: rl.einsum("...ij,...jk->...ik", a, b)), x @ y, False
    elif kind == "linalg_vecdot":
        b, _ = placed(r, tuple(a.shape), dtype, True)
        y = array(b)
        call, expected = (lambda **o: rl.linalg.vecdot(a, b, **o)), (x.conj() * y).sum(-1)
    else:
        c, _ = placed(r, (*full, n, k), dtype, True)
        v, _ = placed(r, (*full, n, m), dtype, True)
        call, into = (lambda: rl.nn.functional.scaled_dot_product_attention(a, c, v)), False
        s = x @ np.swapaxes(array(c), -1, -2) / math.sqrt(k)
        e = np.exp(s - s.max(-1, keepdims=True))
        expected = (e / e.sum(-1, keepdims=True)) @ array(v)
    if into is None and r.random() < 0.5:
        out, base = placed(r, expected.shape, dtype, False)
        with rl.no_grad():
            base.fill_(SENTINEL)
        call(out=out)
        found = array(out)
        if out.numel():
            out.fill_(SENTINEL)
        if not bool((base == SENTINEL).all()):
            return (
                f"{kind} {dtype} of {list(a.shape)} {a.stride()} and {list(b.shape)} {b.stride()} into "
                f"{list(out.shape)} {out.stride()} writes outside of out="
            )
    else:
        found = array(call())
    tolerance = 1e-4 if dtype in ("float32", "complex64") else 1e-10
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=tolerance, atol=tolerance):
        return f"{kind} {dtype} of {list(a.shape)} {a.stride()} and {list(b.shape)} {b.stride()} is wrong"
    return None


A_WORKER = 500  # what a process does: memory that was freed under guard is never used again


def main() -> int:
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    if len(sys.argv) == 3:
        env = dict(
            os.environ,
            RUSHLIGHT_GUARD=("end", "start")[seed % 2],
            PYTHONFAULTHANDLER="1",
            PYTHONPATH=str(Path(__file__).resolve().parents[2] / "src"),
        )
        codes = [
            subprocess.run(
                [sys.executable, *sys.argv[:1], str(min(k + A_WORKER, count)), str(seed), str(k)], env=env
            ).returncode
            for k in range(0, count, A_WORKER)
        ]
        print(
            f"{count} products of seed {seed}, {len([c for c in codes if c])} of {len(codes)} processes with "
            "something wrong"
        )
        return 1 if any(codes) else 0
    first = int(sys.argv[3])
    wrong = 0
    for i in range(first, count):
        said = check(random.Random(seed * 1_000_003 + i))
        if said is not None:
            wrong += 1
            print(f"product {i} of seed {seed}: {said}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""What Python's collector costs a backward over many nodes beside a large heap: python -m benchmarks.collector [torch]

The engine's objects hold no cycle of their own, so none of those that a backward makes by the thousand may be tracked:
each thousand would set off a collection that walks the program's own heap.
"""

from __future__ import annotations

import gc
import importlib
import sys
import time


def main(library: str = "rushlight", nodes: int = 5000, heap: int = 400_000, rounds: int = 50) -> None:
    """Print the time of a call of grad, and how many collections of each generation all of them set off, with the
    collector on and off.
    """
    lib = importlib.import_module(library)
    x = lib.ones(2, requires_grad=True)
    w = lib.ones(2, requires_grad=True)
    y = x
    for _ in range(nodes):
        y = y * 1.0001
    junk = [{"a": [i]} for i in range(heap)]
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        lib.autograd.grad((y * w).sum(), w, retain_graph=True)
        before = [g["collections"] for g in gc.get_stats()]
        start = time.perf_counter()
        for _ in range(rounds):
            lib.autograd.grad((y * w).sum(), w, retain_graph=True)
        each = (time.perf_counter() - start) / rounds
        counts = [g["collections"] - b for g, b in zip(gc.get_stats(), before, strict=True)]
        print(f"{library}: collector {'on' if enabled else 'off'}: {each * 1e3:.2f} ms per call, collections {counts}")
    gc.enable()
    print(f"({len(junk)} dicts beside it)")


if __name__ == "__main__":
    main(*sys.argv[1:2])

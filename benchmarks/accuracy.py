"""Measure the error, the speed and the size of functions of the vector mathematics, and write their rows in
docs/accuracy.md.

Run: python benchmarks/accuracy.py [name ...]; without names all functions are measured.
"""

from __future__ import annotations

import pathlib
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "compiler")]

import vecmath_accuracy as accuracy  # noqa: E402
import vecmath_complex_accuracy as complex_accuracy  # noqa: E402
import vecmath_jit as jit  # noqa: E402

from rushlight.compiler import vecmath  # noqa: E402
from rushlight.compiler.vecmath import complex_functions  # noqa: E402

PAGE = ROOT / "docs" / "accuracy.md"
COMPLEX = "\n## Complex functions\n"


def measure_complex(name: str, double: bool) -> list[str]:
    """The cells of one complex function in one format."""
    kernel = complex_accuracy.compiled(name, double)
    error = f"{complex_accuracy.errors(name, double)[0].max():.2f}"
    rng = np.random.default_rng(0)
    count = 4 if name in complex_functions.BINARY else 2
    inputs = [rng.uniform(-10, 10, 1 << 20).astype(kernel.loop.dtype) for _ in range(count)]
    return [error, best_time(kernel.loop, inputs, 8), instructions(kernel.loop)]


def best_time(kernel: jit.Compiled, inputs: list[np.ndarray], turns: int) -> str:
    """Milliseconds of the processor for a million elements, the least of many: other processes only add."""
    outputs = [np.empty_like(inputs[0]) for _ in range(kernel.outputs)]
    best = float("inf")
    for _ in range(turns):
        started = time.process_time()
        kernel.call(*[a.ctypes.data for a in [*inputs, *outputs]], inputs[0].size)
        best = min(best, time.process_time() - started)
    return f"{best * 1e3 * 1e6 / (1 << 20):.2f}"


def instructions(kernel: jit.Compiled) -> str:
    """The machine instructions of the whole kernel."""
    return str(sum(line.startswith("\t") and not line.startswith("\t.") for line in kernel.assembly().splitlines()))


def measure(name: str, double: bool) -> list[str]:
    """The cells of one function in one format."""
    kernel = jit.compiled(name, double)
    arity = vecmath.arity(name)
    args = (
        accuracy.samples64(name, arity, 300 if name in accuracy.TABLED else 1500)
        if double
        else accuracy.samples32(name, arity)
    )
    if name in ("lgamma", "digamma"):
        args = [args[0][args[0] > 0]]
    references = accuracy.REFERENCE64 if double else accuracy.REFERENCE32
    if name in ("floor", "ceil", "trunc", "round", "copysign", "nextafter", "fmod") or name not in references:
        error = "exact"
    else:
        errors = (accuracy.ulp_errors64 if double else accuracy.ulp_errors32)(name, kernel(*args), args)
        error = f"{errors.max():.2f}"
    rng = np.random.default_rng(0)
    low, high = accuracy.RANGES.get(name, [(-10, 10)])[0]
    inputs = [rng.uniform(low, high, 1 << 20).astype(kernel.dtype) for _ in range(arity)]
    fresh = min(jit.Compiled(kernel.module, double, 16, arity, 1).seconds for _ in range(4))
    return [error, best_time(kernel, inputs, 30), instructions(kernel), f"{fresh * 1e3:.0f}"]


def renewed(part: str, rows: dict[str, list[str]]) -> str:
    """A part of the page with these rows in its first table, by name."""
    lines = part.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("| --- ")) + 1
    end = next(i for i in range(first, len(lines) + 1) if i == len(lines) or not lines[i].startswith("| "))
    table = {line.split(" | ")[0].removeprefix("| "): line for line in lines[first:end]}
    table.update({name: "| " + " | ".join([name, *cells]) + " |" for name, cells in rows.items()})
    return "\n".join([*lines[:first], *[table[name] for name in sorted(table)], *lines[end:]])


def main() -> None:
    """Measure the functions that are named, or all, and renew their rows of the page."""
    named = set(sys.argv[1:])
    if unknown := named - set(vecmath.SUPPORTED) - set(vecmath.SUPPORTED_COMPLEX):
        sys.exit(f"accuracy: there is no function {', '.join(sorted(unknown))}")
    found: list[dict[str, list[str]]] = []
    for functions, how in ((vecmath.SUPPORTED, measure), (vecmath.SUPPORTED_COMPLEX, measure_complex)):
        found.append({})
        for name in sorted(named & set(functions) if named else functions):
            found[-1][name] = [*how(name, False), *how(name, True)]
            print(name, *found[-1][name], flush=True)
    of_reals, mark, of_complex = PAGE.read_text().partition(COMPLEX)
    PAGE.write_text(renewed(of_reals, found[0]) + mark + renewed(of_complex, found[1]))


if __name__ == "__main__":
    main()

"""Measure the error, the speed and the size of every function of the vector mathematics, and write docs/accuracy.md.

Run: python benchmarks/accuracy.py
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

HEAD = """# Accuracy of the mathematical functions

The largest error met, in units in the last place (ulp) of the result; 0.5 is a correctly rounded result. Floats: every
4099th of all bit patterns, and samples where a function is delicate, against double precision. Doubles: some thousands
of samples against mpmath. Then the time for a million elements on one thread, the machine instructions of the whole
kernel, and the time to compile it (about 4 ms of which an empty kernel takes too). Written by `benchmarks/accuracy.py`
on a processor with AVX-512; the bits are the same on every processor with fused multiply-add.

`lgamma` and `digamma` are given for positive arguments. On the negative axis they have zeros between the poles; close
to one the error is bounded in absolute terms (relative to the terms that cancel there), not in ulp. `floor`, `ceil`,
`trunc`, `round`, `copysign`, `nextafter` and `fmod` are exact. Subnormals, signed zeros, infinities and NaN follow
ISO C99 Annex F. Sine, cosine and tangent reduce every finite argument correctly, the largest too.

| function | float: ulp | ms | instructions | compile ms | double: ulp | ms | instructions | compile ms |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""

COMPLEX_HEAD = """
## Complex functions

The largest |error| met in units of eps |result| (eps = 2^-23 or 2^-52, so that 0.5 is about one correct rounding),
against mpmath, over the plane and close to zeros, poles, branch points and the unit circle; for `pow` of complex128
relative to (1 + |w log z|) |result|, as the exponential multiplies the logarithm's error by that. `mul` is the plain
four products, as in PyTorch: its error is relative to |z| |w|. The special values are those of ISO C99 Annex G, with
its later correction for `tanh(0 + i inf)`; `z ** 0` is 1. The time is that of a million numbers with parts in [-10,
10] on one thread.

| function | complex64: error | ms | instructions | complex128: error | ms | instructions |
| --- | --- | --- | --- | --- | --- | --- |
"""


def measure_complex(name: str, double: bool) -> list[str]:
    """The cells of one complex function in one format."""
    kernel = complex_accuracy.compiled(name, double)
    error = f"{complex_accuracy.errors(name, double)[0].max():.2f}"
    rng = np.random.default_rng(0)
    count = 4 if name in complex_functions.BINARY else 2
    inputs = [rng.uniform(-10, 10, 1 << 20).astype(kernel.loop.dtype) for _ in range(count)]
    return [error, best_time(kernel.loop, inputs, 8), instructions(kernel.loop)]


def best_time(kernel: jit.Compiled, inputs: list[np.ndarray], turns: int) -> str:
    """Milliseconds for a million elements, the least of many: other processes only add."""
    outputs = [np.empty_like(inputs[0]) for _ in range(kernel.outputs)]
    best = float("inf")
    for _ in range(turns):
        started = time.perf_counter()
        kernel.call(*[a.ctypes.data for a in [*inputs, *outputs]], inputs[0].size)
        best = min(best, time.perf_counter() - started)
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


def main() -> None:
    """Measure everything and write the page."""
    rows = []
    for name in sorted(vecmath.SUPPORTED):
        rows.append("| " + " | ".join([name, *measure(name, False), *measure(name, True)]) + " |")
        print(rows[-1], flush=True)
    more = []
    for name in sorted(vecmath.SUPPORTED_COMPLEX):
        more.append("| " + " | ".join([name, *measure_complex(name, False), *measure_complex(name, True)]) + " |")
        print(more[-1], flush=True)
    path = ROOT / "docs" / "accuracy.md"
    # that section is written by accuracy_special.py
    _, mark, special = path.read_text().partition("\n## Special functions")
    path.write_text(HEAD + "\n".join(rows) + "\n" + COMPLEX_HEAD + "\n".join(more) + "\n" + mark + special)


if __name__ == "__main__":
    main()

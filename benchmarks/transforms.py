"""How exact Fourier transforms are: `python -m benchmarks.transforms`.

Root mean square and largest error of all lengths from 1 to 2000, random input, against NumPy's transforms of long
doubles, in half units in the last place of the root mean square of the exact result.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import rushlight as rl

LENGTHS = 2000


def _errors(found: Any, exact: Any) -> tuple[float, float]:
    eps = np.finfo(found.dtype).eps / 2
    size = math.sqrt(float(np.mean(np.abs(exact) ** 2))) or 1.0
    e = np.abs(found.astype(np.clongdouble if np.iscomplexobj(found) else np.longdouble) - exact) / size / eps
    return math.sqrt(float(np.mean(e**2))), float(np.max(e))


def main() -> None:
    """Print a row for each transform and dtype."""
    rng = np.random.default_rng(0)
    print(f"{'transform':24s} {'mean':>6s} {'worst':>6s} {'largest single error':>21s}")
    for dtype in ("float32", "float64"):
        rows: dict[str, list[tuple[float, float]]] = {"fft": [], "rfft": [], "irfft": []}
        for n in range(1, LENGTHS + 1):
            x, y = rng.standard_normal((2, n)).astype(dtype)
            z = (x + 1j * y).astype("complex64" if dtype == "float32" else "complex128")
            exact = z.astype(np.clongdouble)
            half = z[: n // 2 + 1]
            rows["fft"].append(_errors(rl.fft.fft(rl.from_numpy(z)).numpy(), np.fft.fft(exact)))
            rows["rfft"].append(_errors(rl.fft.rfft(rl.from_numpy(x)).numpy(), np.fft.rfft(x.astype(np.longdouble))))
            back = np.fft.irfft(half.astype(np.clongdouble), n)
            rows["irfft"].append(_errors(rl.fft.irfft(rl.from_numpy(half.copy()), n).numpy(), back))
        for name, found in rows.items():
            rms = [r for r, _ in found]
            print(
                f"{name + ', ' + dtype:24s} {sum(rms) / len(rms):6.2f} {max(rms):6.1f} {max(m for _, m in found):21.0f}"
            )


if __name__ == "__main__":
    main()

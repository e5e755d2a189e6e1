"""Sobol sequences: points that fill a cube more evenly than random ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.checks import check_argument
from rushlight.operators.table.types import DType

__all__ = ["SobolEngine"]

_KNOWN = "_sobol_direction_numbers.npz"


def _published() -> tuple[Any, Any]:
    """Joe and Kuo's polynomials and first direction numbers, one row per dimension, from the table that SciPy ships."""
    import numpy as np

    spec = importlib.util.find_spec("scipy")
    file = Path(spec.origin or "").parent / "stats" / _KNOWN if spec is not None else None
    if file is None or not file.exists():
        raise RuntimeError(
            "SobolEngine(): the table of direction numbers is read from SciPy (1.7 or newer), which is not installed: "
            "pip install scipy"
        )
    with np.load(file) as table:
        return table["poly"], table["vinit"]


def _directions(dimension: int, bits: int) -> Any:
    """The direction numbers as int64, (dimension, bits); bit 0 of a point is its highest.

    Source:
        Bratley and Fox, "Algorithm 659: implementing Sobol's quasirandom sequence generator", 1988; the table is that
        of Joe and Kuo, "Constructing Sobol sequences with better two-dimensional projections", 2008.
    """
    import numpy as np

    if dimension == 1:  # van der Corput's sequence needs no table
        return np.left_shift(np.ones((1, bits), np.int64), np.arange(bits - 1, -1, -1))
    polynomials, first = (v[:dimension].astype(np.int64) for v in _published())
    v = np.ones((dimension, bits), np.int64)
    degrees = np.frexp(polynomials.astype(np.float64))[1] - 1
    for m in np.unique(degrees[1:]):
        of = np.flatnonzero(degrees == m)
        p, rows = polynomials[of], v[of]
        rows[:, :m] = first[of, :m]
        for j in range(m, bits):
            new = rows[:, j - m].copy()
            for k in range(m):
                new ^= ((p >> (m - 1 - k)) & 1) * (rows[:, j - k - 1] << (k + 1))
            rows[:, j] = new
        v[of] = rows
    return np.left_shift(v, np.arange(bits - 1, -1, -1))


class SobolEngine:
    """Draws the points of a Sobol sequence, one after the other.

    The points are PyTorch's, and so are scrambled ones if a seed is given.

    Args:
        dimension: of the points, 1 to 21201.
        scramble: randomize the sequence without loss of evenness (Owen's scrambling, by random matrices).
        seed: the seed of the scrambling; None draws one from the default generator.

    Raises:
        ValueError: the dimension is out of range.
        RuntimeError: SciPy, which has the table of direction numbers, is not installed.
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(
                f"SobolEngine(): 'dimension' must be in the supported range [1, {self.MAXDIM}]; found {dimension}"
            )
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        self.sobolstate = rushlight.from_numpy(_directions(dimension, self.MAXBIT))
        self.shift = rushlight.zeros(dimension, dtype=rushlight.long)
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def _scramble(self) -> None:
        import numpy as np

        bits, generator = self.MAXBIT, None
        if self.seed is not None:
            generator = rushlight.Generator()
            generator.manual_seed(self.seed)
        digits = rushlight.randint(2, (self.dimension, bits), generator=generator)
        self.shift = (digits * 2 ** rushlight.arange(bits)).sum(1)
        matrices = rushlight.randint(2, (self.dimension, bits, bits), generator=generator).tril().numpy()
        matrices[:, np.arange(bits), np.arange(bits)] = 1
        places = np.arange(bits - 1, -1, -1)
        rows = (matrices << places).sum(2)  # each row as one number, whose highest bit is the first column
        products = self.sobolstate.numpy()[:, :, None] & rows[:, None, :]
        for half in (16, 8, 4, 2, 1):  # the parity of the bits
            products ^= products >> half
        self.sobolstate = rushlight.from_numpy(((products & 1) << places).sum(2))

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: DType = None) -> Tensor:
        """The next n points.

        Args:
            n: how many.
            out: where to write them; it is resized.
            dtype: float32 or float64; default the default dtype.

        Returns:
            (n, dimension), in [0, 1).

        Raises:
            RuntimeError: n is less than 1.
            NotImplementedError: the dtype is another one.
        """
        dtype = rushlight.get_default_dtype() if dtype is None else dtype
        check_argument(n >= 1, "draw()", "n", "be at least 1", n)
        if dtype not in (rushlight.float32, rushlight.float64):
            raise NotImplementedError(f"draw(): 'dtype' must be torch.float32 or torch.float64; found {dtype}")
        first = int(self.num_generated == 0)
        points = self._points(n - first)
        drawn = rushlight.from_numpy(points).to(dtype) * 2.0**-self.MAXBIT
        if first:
            drawn = rushlight.cat((self._first_point.to(dtype), drawn))
        self.num_generated += n
        return drawn if out is None else out.resize_(drawn.shape).copy_(drawn)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: DType = None) -> Tensor:
        """The next 2**m points; see draw().

        Raises:
            ValueError: the total number of points, those drawn before included, is no power of two; the points would
                not be even.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                f"draw_base2(): The balance properties of Sobol' points require n to be a power of 2: "
                f"{self.num_generated} points have been generated before, and {n} more make {total}; use draw()"
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Go back to the first point, and return the engine."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Skip the next n points, and return the engine."""
        self._points(n - int(self.num_generated == 0))
        self.num_generated += n
        return self

    def _points(self, n: int) -> Any:
        """The n points after the current one, as ints (n, dimension); the last of them becomes the current one."""
        import numpy as np

        if n < 1:
            return np.zeros((0, self.dimension), np.int64)
        before = max(self.num_generated - 1, 0)  # a point differs from the last one in one bit of its index's Gray code
        index = np.arange(before + 1, before + n + 1, dtype=np.int64)
        changed = np.frexp((index & -index).astype(np.float64))[1] - 1
        points = np.bitwise_xor.accumulate(
            np.concatenate((self.quasi.numpy()[None], self.sobolstate.numpy().T[changed])), axis=0
        )[1:]
        self.quasi = rushlight.from_numpy(points[-1].copy())
        return points

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(parts)})"

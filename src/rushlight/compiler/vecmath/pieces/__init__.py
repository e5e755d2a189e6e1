"""Tables of local polynomials of the special functions, a module a family, which benchmarks/pieces.py writes."""

from __future__ import annotations

from rushlight.compiler.vecmath.pieces import airy, bessel, errors
from rushlight.compiler.vecmath.tables import Pieces

PIECES: dict[str, Pieces] = airy.PIECES | bessel.PIECES | errors.PIECES

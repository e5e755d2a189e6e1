"""Fourier transforms in PyTorch's names, cosine and sine transforms in SciPy's: the operators of the table whose namespace is fft."""
from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.operators._define import TABLE

globals().update({name.removeprefix("fft."): op for name, op in TABLE.items() if name.startswith("fft.")})

if TYPE_CHECKING:
    from rushlight.fft._operators import *  # noqa: F403  # by tools/stubs.py

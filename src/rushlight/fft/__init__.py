"""Fourier transforms in PyTorch's names, cosine and sine transforms in SciPy's: the operators of the table whose
namespace is fft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.operators.table.define import public_names

globals().update(public_names("fft"))

if TYPE_CHECKING:
    from rushlight.fft._operators import *  # noqa: F403  # by tools/stubs.py

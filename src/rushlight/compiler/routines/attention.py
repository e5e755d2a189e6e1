"""Attention in blocks (`core/native/attention.c`): which dtypes it serves, and its kernels."""

from __future__ import annotations

from rushlight.compiler.products import kernels
from rushlight.compiler.routines import products
from rushlight.core import _native
from rushlight.core import dtypes as dt


def serves(d: dt.dtype) -> bool:
    """Whether there are kernels of our own for a dtype, on this processor."""
    return d in (dt.float32, dt.float64, dt.bfloat16, dt.float16) and kernels.code_path() != "blas"


def open_attention(number: int, backward: bool, mask: int) -> None:
    """Make ready for attention, or its gradients, in a dtype by its number in blas.h: the core asks for it before the
    first; mask: 0 none, 1 bools, 2 numbers of that dtype, 3 of that which sums are made in.
    """
    use_code_path(number, backward, mask, kernels.code_path())


def use_code_path(number: int, backward: bool, mask: int, chosen: str) -> None:
    """The same with kernels of one's choice, for tests."""
    name = products.name_of(number)
    sums = "float64" if name == "float64" else "float32"
    addresses = kernels.rows_of_attention(name, (None, "bool", name, sums)[mask], backward, chosen)
    _native.use_attention(number, backward, mask, *addresses)

"""The kernels of matrix products for this processor, made when a dtype's first product asks for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache as once
from typing import TYPE_CHECKING

from rushlight.compiler.kernels import cache, called
from rushlight.core import _native, locks

if TYPE_CHECKING:
    from rushlight.compiler.llvm import ir

SETTING = "RUSHLIGHT_PRODUCTS"
ROADS = ("avx512", "avx2", "blas")  # from the widest instructions to none of our own


@once
def road() -> str:
    """Which kernels multiply: the best that the processor has, or those that RUSHLIGHT_PRODUCTS asks for.

    Raises:
        ValueError: the setting names none, or the processor lacks what it names.
    """
    found = _native.processor()
    has = [name for name in ROADS if name == "blas" or name in found]
    asked = os.environ.get(SETTING) or has[0]
    if asked not in ROADS:
        raise ValueError(f"{SETTING} must be one of {', '.join(ROADS)}; found {asked!r}")
    if asked not in has:
        raise ValueError(f"{SETTING}={asked}: this processor lacks it; it has {', '.join(has)}")
    return asked


def use(number: int, dtype: str) -> None:
    """Make the native loops multiply a dtype with our kernels, if there are any for it; `number` is that of blas.h."""
    if dtype not in ("float32", "float64"):
        return
    with locks.building:
        use_road(number, dtype, road())


def use_road(number: int, dtype: str, chosen: str) -> None:
    """The same with kernels of one's choice, for tests."""
    from rushlight.compiler.products.shapes import Pack, Tile

    if chosen == "blas":
        _native.use_product(number, 0, 0, 0, 0)
        return
    masks = chosen == "avx512"
    lanes = (16 if masks else 8) // (2 if dtype == "float64" else 1)
    tile, pack = Tile(dtype, 14 if masks else 6, 2, lanes, masks), Pack(dtype, lanes, masks)
    _native.use_product(number, _address(tile), _address(pack), tile.rows, tile.columns)


def _address(shape: object) -> int:
    return cache.get(f"product {shape!r}", lambda: _build(shape), called.address)


def _build(shape: object) -> cache.Made:
    from rushlight.compiler.llvm import machine
    from rushlight.compiler.products import pack, tile

    makers: dict[str, Callable[..., ir.Module]] = {"Tile": tile.module, "Pack": pack.module}
    return machine.machine_code(lambda: makers[type(shape).__name__](shape))

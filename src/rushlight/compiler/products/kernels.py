"""The kernels of matrix products for this processor, made when a dtype's first product asks for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache as once
from typing import TYPE_CHECKING, Any, NamedTuple

from rushlight.compiler.kernels import cache, called
from rushlight.compiler.llvm.objfile import Made
from rushlight.core import _native, locks

if TYPE_CHECKING:
    from rushlight.compiler.llvm import ir
    from rushlight.compiler.products.shapes import Amx, Dots, Tile

SETTING = "RUSHLIGHT_PRODUCTS"
# From the widest instructions to none of our own. The first two differ from "avx512" for bfloat16, and in int8's
# instructions. ("avx512bf16" has VNNI, too.)
PATHS = ("amx", "avx512bf16", "avx512", "avx2", "blas")
_OF_PAIRS = ("amx", "avx512bf16")  # bfloat16 is multiplied as it is, pairs of terms at a time

MOST_ROWS = 16  # of a tile

_limit: list[str] = []


def limit_to(chosen: str) -> None:
    """From now on multiply with kernels of this code path, of which there is code, where none were made yet."""
    if not _chosen:
        _limit[:] = [chosen]
        code_path.cache_clear()


@once
def code_path() -> str:
    """Which kernels multiply: the best that the processor has, or those that RUSHLIGHT_PRODUCTS asks for, or to which
    they are limited.

    Raises:
        ValueError: the setting names none, or the processor lacks what it names.
    """
    found = _native.processor()
    has = [name for name in PATHS if name == "blas" or name in found]
    asked = (_limit and _limit[0]) or os.environ.get(SETTING) or has[0]
    if asked not in PATHS:
        raise ValueError(f"{SETTING} must be one of {', '.join(PATHS)}; found {asked!r}")
    if asked not in has:
        raise ValueError(f"{SETTING}={asked}: this processor lacks it; it has {', '.join(has)}")
    return asked


_chosen: dict[int, tuple[str, str]] = {}  # of a dtype's number: its name, and the code path


def use(number: int, dtype: str) -> None:
    """Make the native loops multiply a dtype with our kernels, if there are any for it; `number` is that of blas.h."""
    with locks.building:
        use_code_path(number, dtype, code_path())


def use_code_path(number: int, dtype: str, chosen: str) -> None:
    """The same with kernels of one's choice."""
    _chosen[number] = dtype, chosen
    if chosen == "blas" or dtype not in OURS:
        _native.use_product(number, 0, 0, 0, 0, 0)
        return
    tile, *packs = _of_products(dtype, chosen)
    addresses = [_address(shape) for shape in packs]
    narrow = addresses[1] if len(packs) > 1 else 0
    _native.use_product(number, _address(tile), addresses[0], narrow, _rows_of(tile), tile.columns)
    if dtype == "bfloat16":
        _native.use_bf16(*[_address(shape) for shape in _of_bf16(chosen)] or (0, 0, 0))


# Complex numbers are multiplied by the kernels of their parts' dtype (core/native/product_pairs.c).
PARTS = {"complex64": "float32", "complex128": "float64"}
OURS = ("float32", "float64", "bfloat16", "float16", "int8")


def _rows_of(tile: Tile | Amx | Dots) -> int:
    """How many rows of C the loops of product.c hand over; those of product_words.c do not ask."""
    return tile.rows if isinstance(tile.rows, int) and tile.rows <= MOST_ROWS else MOST_ROWS


def _of_products(dtype: str, chosen: str) -> tuple[Any, ...]:
    """The shapes of the kernels that multiply a dtype: the tile, the packing, and what rounds the results."""
    from rushlight.compiler.products.shapes import Pack

    if dtype == "int8":
        words, masks = _of_words(chosen), chosen != "avx2"
        lanes = 16 if masks else 8
        return words, Pack("float32", "float32", lanes, masks), Pack("int32", "int8", lanes, masks)
    tile = _tile(dtype, chosen)
    wide, lanes, masks = tile.dtype, tile.lanes, tile.masks
    narrow = () if dtype == wide else (Pack(wide, dtype, lanes, masks),)
    return tile, Pack(dtype, wide, lanes, masks), *narrow


def _of_words(chosen: str) -> Amx | Dots:
    """The shape of the kernel that multiplies int8."""
    from rushlight.compiler.products.shapes import Amx, Dots

    if chosen == "amx":
        return Amx("int8")
    if chosen == "avx512bf16":
        return Dots("vnni", (12, 8, 4))
    return Dots("words", (8, 4)) if chosen == "avx512" else Dots("words", (4,), 8, masks=False)


def _of_bf16(chosen: str) -> tuple[Any, ...]:
    """The shapes of the kernels that multiply bfloat16 by pairs of terms, where the code path has such."""
    from rushlight.compiler.products.shapes import Amx, Dots, Pack

    if chosen not in _OF_PAIRS:
        return ()
    tile = Amx() if chosen == "amx" else Dots("bf16", (12, 8, 4))
    return tile, Pack("float32", "float32", 16, True), Pack("float32", "bfloat16", 16, True, hardware=True)


def made_for_products(dtype: str, chosen: str, convolutions: bool) -> dict[str, Made]:
    """The kernels that multiply a dtype, by their names in the cache, for the target that is in force.

    convolutions: with those that these have besides.
    """
    dtype = PARTS.get(dtype, dtype)
    if chosen == "blas" or dtype not in OURS:
        return {}
    shapes = [*_of_products(dtype, chosen), *(_of_bf16(chosen) if dtype == "bfloat16" else ())]
    if convolutions:
        shapes += _of_convolutions(dtype, chosen)
    return {_name(shape): _made(shape) for shape in shapes}


class Parts(NamedTuple):
    """The kernels that multiply a dtype, by their names in the cache, and a tile's rows and columns. `table`, `turned`:
    what convolutions have besides.
    """

    tile: str
    pack: str
    narrow: str | None
    table: str
    turned: str
    rows: int
    columns: int


def parts_of(dtype: str, chosen: str) -> Parts:
    """The kernels of a dtype that is among OURS."""
    tile, pack, *narrow = _of_products(dtype, chosen)
    table, turned = map(_name, _of_convolutions(dtype, chosen)) if dtype != "int8" else ("", "")
    names = _name(tile), _name(pack), _name(narrow[0]) if narrow else None, table, turned
    return Parts(*names, _rows_of(tile), tile.columns)


def bf16_names(chosen: str) -> list[str]:
    """The names of the kernels that multiply bfloat16 by pairs of terms, where the code path has such."""
    return [_name(shape) for shape in _of_bf16(chosen)]


def attention_names(dtype: str, mask: str | None, gradient: bool, chosen: str) -> list[str]:
    """The names of the kernel of attention's rows, and of the one that finishes them where there is one."""
    return [_name(shape) for shape in _of_rows(dtype, mask, gradient, chosen)]


def made_for_attention(dtype: str, mask: str | None, gradient: bool, chosen: str) -> dict[str, Made]:
    """The kernels of attention's rows, by their names in the cache, for the target that is in force."""
    return {_name(shape): _made(shape) for shape in _of_rows(dtype, mask, gradient, chosen)}


def use_table(number: int) -> None:
    """The tiles that have a table of offsets, for convolutions; of a dtype that has been made ready."""
    dtype, chosen = _chosen[number]
    with locks.building:
        _native.use_table(number, *[_address(shape) for shape in _of_convolutions(dtype, chosen)])


def _of_convolutions(dtype: str, chosen: str) -> tuple[Tile, Tile]:
    """The shapes of the tiles that have a table: of B's rows, and of A's columns."""
    tile = _tile(dtype, chosen)
    return tile._replace(table=True), tile._replace(turned=True)


def _tile(dtype: str, chosen: str) -> Tile:
    from rushlight.compiler.products.shapes import Tile

    wide, masks = "float64" if dtype == "float64" else "float32", chosen != "avx2"
    lanes = (16 if masks else 8) // (2 if wide == "float64" else 1)
    return Tile(wide, 14 if masks else 6, 2, lanes, masks)


def rows_of_attention(dtype: str, mask: str | None, gradient: bool, chosen: str) -> tuple[int, int]:
    """The addresses of the kernel of rows, and of the one that finishes them (0: the gradient needs none)."""
    with locks.building:
        rows, *finish = [_address(shape) for shape in _of_rows(dtype, mask, gradient, chosen)]
        return rows, finish[0] if finish else 0


def _of_rows(dtype: str, mask: str | None, gradient: bool, chosen: str) -> tuple[Any, ...]:
    from rushlight.compiler.products.shapes import Finish, Rows

    wide, masks = "float64" if dtype == "float64" else "float32", chosen != "avx2"
    rows = Rows(wide, mask, gradient, masks)
    return (rows,) if gradient else (rows, Finish(wide, masks))


def _name(shape: object) -> str:
    return f"product {shape!r}"


def _address(shape: object) -> int:
    return cache.get(_name(shape), lambda: _build(shape), called.address)


def _made(shape: object) -> Made:
    from rushlight.compiler.llvm import machine

    return cache.made(_name(shape) + machine.target_suffix(), lambda: _build(shape))


def _build(shape: object) -> Made:
    from rushlight.compiler.llvm import machine
    from rushlight.compiler.products import amx, dots, pack, softmax, tile

    makers: dict[str, Callable[..., ir.Module]] = {
        "Tile": tile.module,
        "Pack": pack.module,
        "Amx": amx.module,
        "Dots": dots.module,
        "Rows": softmax.rows_module,
        "Finish": softmax.finish_module,
    }
    return machine.machine_code(lambda: makers[type(shape).__name__](shape))

"""The rows of sorted entries, one an entry, and where each row begins: one from the other."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.table.checks import check_least
from rushlight.operators.table.define import METHODS, TABLE, eager


def _check(name: str, argument: str, t: Tensor, ranks: tuple[int, ...]) -> None:
    if t.dtype not in (dt.int64, dt.int32):
        raise NotImplementedError(f"{name}(): '{argument}' must be of dtype int64 or int32; found {t.dtype}")
    if t.ndim not in ranks:
        raise RuntimeError(
            f"{name}(): '{argument}' must have {' or '.join(map(str, ranks))} dimensions; found {t.ndim}"
        )


@eager(method=False, out=True)
def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Where the entries of each row begin, from the row of each entry.

    Args:
        input: (entries) of int64 or int32, ascending.
        size: how many rows there are.
        out_int32: int32 rather than int64.

    Returns:
        (size + 1); the last is the number of entries.

    Raises:
        RuntimeError: for another rank or a negative size.
        NotImplementedError: for another dtype.
    """
    name = "_convert_indices_from_coo_to_csr"
    _check(name, "input", input, (1,))
    check_least(name, "size", size, 0)
    # One row more, so that there are never so few that one is broadcast, which is another program.
    rows = TABLE["arange"](size + 2, dtype=input.dtype, device=input.device)
    found: Tensor = TABLE["searchsorted"](input, rows, out_int32=out_int32).narrow(0, 0, size + 1)
    return found


@eager(method=False, out=True)
def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """The row and the column of each entry, from where the entries of each row begin.

    Args:
        crow_indices: (*, rows + 1) of int64 or int32.
        col_indices: (*, entries).
        out_int32: int32 rather than int64.
        transpose: columns first.

    Returns:
        (2, entries), or with one dimension * before them (3, all entries): that of the batch first.

    Raises:
        RuntimeError: for other ranks, and for a number of entries that crow_indices does not have.
        NotImplementedError: for another dtype.
    """
    name = "_convert_indices_from_csr_to_coo"
    _check(name, "crow_indices", crow_indices, (1, 2))
    _check(name, "col_indices", col_indices, (crow_indices.ndim,))
    kind = dt.int32 if out_int32 else dt.int64
    *batch, entries = (int(n) for n in col_indices.shape)
    many, rows = int(batch[0]) if batch else 1, int(crow_indices.shape[-1]) - 1
    if batch and batch[0] != crow_indices.shape[0] or rows < 0:
        raise RuntimeError(
            f"{name}(): 'crow_indices' and 'col_indices' must be (*, rows + 1) and (*, entries); found "
            f"{list(crow_indices.shape)} and {list(col_indices.shape)}"
        )
    counts = METHODS["diff"](crow_indices.to(dt.int64)).reshape(many, rows)
    if bool((counts < 0).any()) or bool((counts.sum(1) != entries).any()):
        raise RuntimeError(f"{name}(): each row of 'crow_indices' must rise from 0 to the number of entries, {entries}")
    row = TABLE["repeat_interleave"](TABLE["arange"](rows).repeat(many), counts.reshape(-1))
    pair = [row, col_indices.reshape(-1).to(dt.int64)]
    if transpose:
        pair.reverse()
    if batch:
        pair.insert(0, TABLE["repeat_interleave"](TABLE["arange"](many), entries))
    stacked: Tensor = TABLE["stack"](pair)
    return stacked.to(kind)

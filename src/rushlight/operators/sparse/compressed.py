"""Compressed sparse layouts, by rows (csr, bsr) or columns (csc, bsc), of elements or of blocks.

Such a tensor, (*batch, rows, columns, *dense dimensions), refers to three strided ones: for each row where its entries
begin and end, (*batch, rows + 1); the column of each entry, (*batch, count); and the values, (*batch, count, *block,
*dense dimensions). It knows the same entries in coordinate format (`coo`), and back (`compress`): an operator of it is
the operator of that, and the result gets the layout again, so none is defined a second time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import raw
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import parts as p
from rushlight.operators.table.checks import check_that
from rushlight.operators.table.define import TABLE

BY_ROWS = (dt.layout.registry["sparse_csr"], dt.layout.registry["sparse_bsr"])
BY_COLUMNS = (dt.layout.registry["sparse_csc"], dt.layout.registry["sparse_bsc"])
IN_BLOCKS = (BY_ROWS[1], BY_COLUMNS[1])
LAYOUTS = BY_ROWS + BY_COLUMNS
TURNED = {**dict(zip(BY_ROWS, BY_COLUMNS, strict=True)), **dict(zip(BY_COLUMNS, BY_ROWS, strict=True))}
NAMES: dict[Any, tuple[str, str]] = dict.fromkeys(BY_ROWS, ("crow_indices", "col_indices"))
NAMES |= dict.fromkeys(BY_COLUMNS, ("ccol_indices", "row_indices"))
_ERRORS = {layout: f"Sparse{layout.name.removeprefix('sparse_').capitalize()}" for layout in LAYOUTS}


class Compressed:
    """The parts of a tensor in a compressed layout. ends: where the entries of each row (column) begin and end.
    others: the column (row) of each entry.
    """

    __slots__ = ("_known", "ends", "layout", "others", "values")

    def __init__(self, layout: dt.layout, ends: Tensor, others: Tensor, values: Tensor) -> None:
        self.layout, self.ends, self.others, self.values = layout, ends, others, values
        self._known: tuple[Any, Tensor, bool] | None = None

    @property
    def batch(self) -> tuple[int, ...]:
        """The sizes of the batch dimensions."""
        return tuple(int(n) for n in self.ends.shape[:-1])

    @property
    def block(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        if self.layout not in IN_BLOCKS:
            return 1, 1
        n = len(self.batch)
        return int(self.values.shape[n + 1]), int(self.values.shape[n + 2])

    @property
    def dense(self) -> tuple[int, ...]:
        """The sizes of the dense dimensions."""
        return tuple(int(n) for n in self.values.shape[len(self.batch) + 1 + 2 * (self.layout in IN_BLOCKS) :])

    def places(self, size: Sequence[int]) -> tuple[Tensor, bool]:
        """The indices of the entries in coordinate format, and whether they are in order, each there once.

        They are kept, and found again when somebody has written to the indices since.
        """
        state = (_version(self.ends), _version(self.others))
        if self._known is None or self._known[0] != state:
            with p.unrecorded():
                check("to_sparse", self, size)
                indices = _places(self, size)
                keys = p.linear(indices, size)
                self._known = (state, indices, bool((keys[1:] > keys[:-1]).all()))
        return self._known[1], self._known[2]


def parts(x: Tensor) -> Compressed:
    """The parts of a compressed tensor."""
    return x._meta_.parts  # type: ignore[no-any-return]


def _version(x: Tensor) -> int:
    return 0 if x.is_inference() else x._version


def is_compressed(x: Any) -> bool:
    """Whether something is a tensor in one of the compressed layouts."""
    return isinstance(x, Tensor) and bool(x._keys_ & p.LAYOUT) and x.layout in LAYOUTS


def _places(own: Compressed, size: Sequence[int]) -> Tensor:
    batch, (high, wide) = own.batch, own.block
    many, count, n = math.prod(batch), int(own.others.shape[-1]), int(own.ends.shape[-1]) - 1
    majors = TABLE["repeat_interleave"](
        TABLE["arange"](many * n) % max(n, 1), (own.ends[..., 1:] - own.ends[..., :-1]).reshape(-1)
    )
    minors = own.others.reshape(-1)
    rows, columns = (majors, minors) if own.layout in BY_ROWS else (minors, majors)
    which = TABLE["repeat_interleave"](TABLE["arange"](many), count)
    if own.layout in IN_BLOCKS:
        grid = (many * count, high, wide)
        rows = ((rows * high).reshape(-1, 1, 1) + TABLE["arange"](high).reshape(1, -1, 1)).expand(grid).reshape(-1)
        columns = ((columns * wide).reshape(-1, 1, 1) + TABLE["arange"](wide)).expand(grid).reshape(-1)
        which = TABLE["repeat_interleave"](which, high * wide)
    return TABLE["cat"]([p.unlinear(which, batch, len(batch)), TABLE["stack"]([rows, columns])], 0)


def check(name: str, own: Compressed, size: Sequence[int], ordered: bool = False) -> None:
    """RuntimeError where the indices are not those of a tensor of `size`. ordered: they must be in order as well."""
    ends, others = own.ends, own.others
    first, second = NAMES[own.layout]
    batch, count = own.batch, int(others.shape[-1])
    rows, columns = (int(size[len(batch)]) // own.block[0], int(size[len(batch) + 1]) // own.block[1])
    n, m = (rows, columns) if own.layout in BY_ROWS else (columns, rows)
    if ends.shape[-1] != n + 1:
        raise RuntimeError(
            f"{name}(): {first}.shape[-1] must be equal to the number of compressed "
            f"{'rows' if own.layout in BY_ROWS else 'columns'} + 1, {n + 1}; found {int(ends.shape[-1])}"
        )
    if not math.prod(batch):
        return
    steps = ends[..., 1:] - ends[..., :-1]
    for wrong, rule in (
        (bool((ends[..., 0] != 0).any()), f"`{first}[..., 0] == 0`"),
        (bool((ends[..., -1] != count).any()), f"`{first}[..., -1] == nnz`"),
        (
            bool(steps.numel()) and (int(steps.amin()) < 0 or (ordered and int(steps.amax()) > m)),
            f"`0 <= {first}[..., 1:] - {first}[..., :-1] <= {'ncols' if own.layout in BY_ROWS else 'nrows'}`",
        ),
        (
            bool(others.numel()) and (int(others.amin()) < 0 or int(others.amax()) >= m),
            f"`0 <= {second} < {'ncols' if own.layout in BY_ROWS else 'nrows'}`",
        ),
    ):
        if wrong:
            raise RuntimeError(
                f"{name}(): {rule} is not satisfied; found {first} {_few(ends)}, {second} {_few(others)}"
            )
    if ordered:
        keys = TABLE["repeat_interleave"](TABLE["arange"](math.prod(batch) * n), steps.reshape(-1)) * m
        keys = keys + others.reshape(-1)
        if not bool((keys[1:] > keys[:-1]).all()):
            raise RuntimeError(
                f"{name}(): `{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., "
                f"{'nrows' if own.layout in BY_ROWS else 'ncols'} are sorted and distinct along the last dimension "
                f"values` is not satisfied; found {_few(others)}"
            )


def _few(x: Tensor) -> str:
    """Some elements of a tensor of integers, for a message."""
    shown = x.flatten()[:8].tolist()
    return str(shown) if x.numel() <= 8 else f"{str(shown)[:-1]}, ...]"


# ------------------------------------------------------------------------------------------- between the formats
def make(
    own: Compressed, values: Tensor, size: Sequence[int], label: str = "SparseCompressedTensorBackward0"
) -> Tensor:
    """The tensor with the indices of `own` and other values, a function of the values. label: its node's."""
    new = Compressed(own.layout, own.ends, own.others, raw.alias_of(values))
    new._known = own._known
    size = tuple(int(n) for n in size)
    made = raw.layout_tensor(values.dtype, size, new)
    return p.record(made, label, [values], lambda g: [_taken(g, new, size)])


def values_of(x: Tensor) -> Tensor:
    """The values of a compressed tensor, a function of it."""
    own, size = parts(x), tuple(x.shape)
    return p.record(raw.alias_of(own.values), "ValuesBackward0", [x], lambda g: [make(own, g, size)])


def _taken(g: Tensor, own: Compressed, size: Sequence[int]) -> Tensor:
    """The elements of a gradient, dense or sparse, at the entries of `own`, in the shape of its values."""
    indices = own.places(size)[0]
    if is_compressed(g):
        theirs = parts(g)
        if theirs.layout is own.layout and theirs.ends is own.ends and theirs.others is own.others:
            return values_of(g)
        g = coo(g)
    return p.picked(g, indices, size).reshape(own.values.shape)


def coo(x: Tensor) -> Tensor:
    """A sparse tensor in coordinate format, a function of it: a dense gradient is the tensor's as it is."""
    if not is_compressed(x):
        return x
    own, size = parts(x), tuple(x.shape)
    indices, ordered = own.places(size)

    def back(g: Tensor) -> Sequence[Tensor | None]:
        return [make(own, _taken(g, own, size), size) if g._keys_ & p.LAYOUT else g]

    with p.unrecorded():
        made = p.plain(indices, own.values.reshape(-1, *own.dense), size, ordered)
    return p.record(made, "ToSparseBackward1", [x], back)


def dense(x: Tensor) -> Tensor:
    """The dense tensor of any other."""
    return p.dense(coo(x)) if x._keys_ & p.LAYOUT else x


def compress(
    name: str, x: Tensor, layout: dt.layout, block: tuple[int, int] = (1, 1), n_batch: int | None = None
) -> Tensor:
    """A tensor in coordinate format in a compressed layout; in blocks: those with an entry, all of them.

    n_batch: how many of the first dimensions count matrices; by default all sparse ones but two.
    """
    size, n_sparse = [int(n) for n in x.shape], p.sparse_dim(x)
    n_batch = n_sparse - 2 if n_batch is None else n_batch
    if n_batch < 0 or n_sparse != n_batch + 2:
        raise RuntimeError(
            f"{name}(): 'input' must have two sparse dimensions beside those of the batch; found "
            f"{n_sparse} of shape {size}"
        )
    batch, (high, wide) = size[:n_batch], block
    if high < 1 or wide < 1 or size[n_batch] % high or size[n_batch + 1] % wide:
        raise RuntimeError(
            f"{name}(): tensor sparse size ({size[n_batch]},{size[n_batch + 1]}) must be divisible by given blocksize; "
            f"found ({high},{wide})"
        )
    many, rows, columns = math.prod(batch), size[n_batch] // high, size[n_batch + 1] // wide
    n, m = (rows, columns) if layout in BY_ROWS else (columns, rows)
    x = p.coalesced(x)
    with p.unrecorded():
        indices = p.parts(x).indices
        row, column = indices[n_batch], indices[n_batch + 1]
        majors, minors = (row // high, column // wide) if layout in BY_ROWS else (column // wide, row // high)
        keys, where = p.unique((p.linear(indices[:n_batch], batch) * n + majors) * m + minors)
        edges = TABLE["searchsorted"](keys, TABLE["arange"](many * n + 1) * m)
        starts = edges[:-1].reshape(many, n)[:, :1] if n else edges[:1].expand(many, 1)
        ends = (
            TABLE["cat"]([edges[:-1].reshape(many, n), edges[1:].reshape(many, n)[:, -1:]], 1) - starts if n else starts
        )
        count = int(keys.shape[0]) // max(many, 1)
        if bool((ends[:, -1] != count).any()):
            raise RuntimeError(
                f"{name}(): Expect the same number of specified elements per batch; found {ends[:, -1].tolist()}"
            )
        others = (keys % max(m, 1)).reshape(*batch, count)
        ends = ends.reshape(*batch, n + 1)
        at = where * (high * wide) + (row % high) * wide + column % wide
    blocks = (high, wide) if layout in IN_BLOCKS else ()
    values = p.summed(p.values_of(x), at, int(keys.shape[0]) * high * wide)
    values = values.reshape(*batch, count, *blocks, *size[n_sparse:])
    return make(Compressed(layout, ends, others, values), values, size, _label(layout))


def convert(name: str, x: Tensor, layout: dt.layout, blocksize: Any = None, dense_dim: int | None = None) -> Tensor:
    """A tensor of any layout in a compressed one; itself if it has it."""
    block = _blocksize(name, layout, blocksize)
    if is_compressed(x):
        own = parts(x)
        if layout is own.layout and block == own.block:
            return x
        flat, n_batch = coo(x), len(own.batch)
    elif x._keys_ & p.LAYOUT:
        flat, n_batch = x, p.sparse_dim(x) - 2
    else:
        return _of_dense(name, x, layout, block, 0 if dense_dim is None else dense_dim)
    if dense_dim is not None and dense_dim != x.ndim - n_batch - 2:
        raise RuntimeError(
            f"{name}(): 'dense_dim' must be that of the tensor, {x.ndim - n_batch - 2}; found {dense_dim}"
        )
    with p.unrecorded():
        made = compress(name, flat.detach(), layout, block, n_batch)

    def back(g: Tensor) -> Sequence[Tensor | None]:
        if not g._keys_ & p.LAYOUT:
            return [g]
        return [like(x, _taken(g, parts(x), tuple(x.shape)), "") if is_compressed(x) else coo(g)]

    return p.record(made, _label(layout), [x], back)


def _label(layout: dt.layout) -> str:
    return f"ToSparse{layout.name.removeprefix('sparse_').capitalize()}Backward0"


def _of_dense(name: str, x: Tensor, layout: dt.layout, block: tuple[int, int], n_dense: int) -> Tensor:
    n_batch = x.ndim - n_dense - 2
    if n_dense < 0 or n_batch < 0:
        raise RuntimeError(
            f"{name}(): 'input' must have at least two dimensions beside {n_dense} dense ones; found {x.ndim}"
        )
    with p.unrecorded():
        made = compress(name, p.sparse(x.detach(), n_batch + 2), layout, block, n_batch)
    return p.record(made, _label(layout), [x], lambda g: [dense(g)])


def _blocksize(name: str, layout: dt.layout, blocksize: Any) -> tuple[int, int]:
    if layout not in IN_BLOCKS:
        if blocksize is not None:
            raise RuntimeError(
                f"{name}(): conversion to {_ERRORS[layout]} with blocksize argument given is not supported; "
                f"found {blocksize}"
            )
        return 1, 1
    if blocksize is None:
        raise RuntimeError(
            f"{name}(): conversion to {_ERRORS[layout]} without blocksize argument given is not supported; found None"
        )
    if not isinstance(blocksize, (tuple, list)) or len(blocksize) != 2 or not all(type(b) is int for b in blocksize):
        raise TypeError(f"{name}(): 'blocksize' must be two ints; found {blocksize!r}")
    return int(blocksize[0]), int(blocksize[1])


# ------------------------------------------------------------------------------------------------------- making
def from_parts(
    name: str,
    layout: dt.layout,
    ends: Any,
    others: Any,
    values: Any,
    size: Sequence[int] | None,
    ordered: bool | None,
    look: bool = True,
) -> Tensor:
    """The tensor of indices and values, a function of the values. size: None: what holds them. look: at the indices;
    who asks for none of it does that later (`check`).
    """
    for what, x in ((NAMES[layout][0], ends), (NAMES[layout][1], others), ("values", values)):
        if x._keys_ & p.LAYOUT or x.is_meta:
            raise RuntimeError(
                f"{name}(): expected {what} to be a strided tensor on the CPU; found {x.layout} on {x.device}"
            )
    for what, x in ((NAMES[layout][0], ends), (NAMES[layout][1], others)):
        check_that(x.dtype in (dt.int32, dt.int64), f"{name}()", what, "have the dtype int32 or int64", x.dtype)
        check_that(x.ndim >= 1, f"{name}()", what, "have dimensionality >= 1", x.ndim)
    batch = tuple(int(n) for n in ends.shape[:-1])
    blocks = 2 if layout in IN_BLOCKS else 0
    check_that(
        tuple(others.shape[:-1]) == batch
        and (not values.ndim < len(batch) + 1 + blocks)
        and (tuple(values.shape[: len(batch) + 1]) == tuple(others.shape)),
        f"{name}()",
        "the shapes",
        lambda: f"be (*batch, n + 1), (*batch, count) and (*batch, count, {'*block, ' if blocks else ''}*dense)",
        lambda: f"{list(ends.shape)}, {list(others.shape)} and {list(values.shape)}",
    )
    if not ends.shape[-1]:
        raise RuntimeError(f"{name}(): {NAMES[layout][0]} must hold at least one index; found none")
    with p.unrecorded():
        own = Compressed(layout, ends.to(dt.int64).contiguous(), others.to(dt.int64).contiguous(), values)
        if blocks and 0 in own.block:
            raise RuntimeError(f"{name}(): the blocks of 'values' must not be empty; found {own.block}")
        if size is None:
            n = int(ends.shape[-1]) - 1
            m = int(others.amax()) + 1 if others.numel() else 0
            rows, columns = (n, m) if layout in BY_ROWS else (m, n)
            size = [*batch, rows * own.block[0], columns * own.block[1], *own.dense]
        if (
            len(size) != values.ndim - blocks + 1
            or list(size[: len(batch)]) != list(batch)
            or list(size[len(batch) + 2 :]) != list(own.dense)
        ):
            raise RuntimeError(
                f"{name}(): 'size' must be (*batch, rows, columns, *dense) with batch {list(batch)} and dense "
                f"{list(own.dense)}; found {list(size)}"
            )
        if any(n < 0 for n in size) or any(
            n % b for n, b in zip(size[len(batch) : len(batch) + 2], own.block, strict=True)
        ):
            raise RuntimeError(f"{name}(): 'size' must hold whole blocks of {own.block}; found {list(size)}")
        if look:
            check(name, own, size, bool(ordered))
    return make(own, values, size)


def without_entries(
    layout: dt.layout, size: Sequence[int], dtype: dt.dtype, block: tuple[int, int] = (0, 0), dense: Sequence[int] = ()
) -> Tensor:
    """A matrix, or a batch of them, without entries."""
    if len(size) < 2 or (layout in IN_BLOCKS and 0 in block):
        raise RuntimeError(
            f"empty(): a tensor in the layout {layout} is made of a size of at least 2 dimensions, and not in blocks; "
            f"found {list(size)}"
        )
    with p.unrecorded():
        indices = TABLE["zeros"]((len(size) - len(dense), 0), dtype=dt.int64)
        x = p.plain(indices, TABLE["zeros"]((0, *dense), dtype=dtype), size, True)
        return compress("empty", x, layout, block if layout in IN_BLOCKS else (1, 1))


def like(x: Tensor, values: Tensor, label: str) -> Tensor:
    """The tensor with other values at its entries."""
    return make(parts(x), values, x.shape, label)


def turned(x: Tensor) -> Tensor:
    """The matrices transposed: the same parts in the layout by columns, or by rows."""
    own = parts(x)
    n = len(own.batch)
    values = own.values.transpose(n + 1, n + 2) if own.layout in IN_BLOCKS else own.values
    new = Compressed(TURNED[own.layout], own.ends, own.others, values)
    made = raw.layout_tensor(x.dtype, (*x.shape[:n], x.shape[n + 1], x.shape[n], *x.shape[n + 2 :]), new)

    def back(g: Tensor) -> Sequence[Tensor | None]:
        return [turned(g) if is_compressed(g) else g.transpose(n, n + 1)]

    return p.record(made, "TransposeBackward0", [x], back)

"""Attention whose scores a function changes and whose mask a function says: `flex_attention`.

The functions run on all positions at once, by `vmap`; scores are made whole, so memory grows with the product of the
lengths. A block mask is kept as PyTorch's is, by blocks, and its function decides within them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight
from rushlight import Tensor
from rushlight.func import vmap
from rushlight.operators.table.types import Device

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "create_nested_block_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

Mask = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
_DEFAULT_SPARSE_BLOCK_SIZE = 128


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Lets every position see every other."""
    return rushlight.ones((), dtype=rushlight.bool)


def and_masks(*mask_mods: Mask) -> Mask:
    """A mask that allows what all of these do."""

    def both(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
        result: Tensor = rushlight.ones((), dtype=rushlight.bool)
        for mask in mask_mods:
            result = result & mask(b, h, q, k)
        return result

    return both


def or_masks(*mask_mods: Mask) -> Mask:
    """A mask that allows what one of these does."""

    def either(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
        result: Tensor = rushlight.zeros((), dtype=rushlight.bool)
        for mask in mask_mods:
            result = result | mask(b, h, q, k)
        return result

    return either


class AuxRequest(NamedTuple):
    """What `flex_attention` should return in addition to the result."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What it has returned in addition to the result: the logarithms of the sums of exponentials, largest scores."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def _everywhere(fn: Callable[..., Tensor], with_score: bool) -> Callable[..., Tensor]:
    """The function on (B, H, Q, KV) positions at once."""
    first = (0,) if with_score else ()
    for dims in ((None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None)):
        fn = vmap(fn, in_dims=(*first, *dims))
    return fn


def create_mask(
    mod_fn: Callable[..., Tensor], B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Device = "cpu"
) -> Tensor:
    """A function's mask as a bool tensor (B, H, Q_LEN, KV_LEN); None for B or H is 1.

    Args:
        mod_fn: of (batch, head, query's position, key's position); or with a score first, whose result of -inf masks.
    """
    import inspect

    places = [rushlight.arange(n or 1, device=device) for n in (B, H, Q_LEN, KV_LEN)]
    required = [p for p in inspect.signature(mod_fn).parameters.values() if p.default is inspect.Parameter.empty]
    if len(required) == 5:
        scores = _everywhere(mod_fn, True)(rushlight.zeros([len(p) for p in places], device=device), *places)
        return scores != -math.inf
    return rushlight.broadcast_to(_everywhere(mod_fn, False)(*places), [len(p) for p in places]).clone()


class BlockMask:
    """A mask by blocks: for each row of blocks how many are not empty (`kv_num_blocks`) and which (`kv_indices`); those
    that are whole apart.

    Attributes: seq_lengths; kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices; BLOCK_SIZE (queries, keys);
    mask_mod, which decides within blocks.
    """

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int],
        mask_mod: Mask,
    ) -> None:
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = seq_lengths, BLOCK_SIZE, mask_mod
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod: Mask | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> BlockMask:
        """A mask of blocks that are known already."""
        size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        lengths = seq_lengths or (kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1])
        return cls(lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, size, mask_mod or noop_mask)

    @property
    def shape(self) -> tuple[int, ...]:
        """(B, H, queries, keys)."""
        return (*self.kv_num_blocks.shape[:2], *self.seq_lengths)

    def numel(self) -> int:
        """The number of pairs of positions."""
        return math.prod(self.shape)

    def to_dense(self) -> Tensor:
        """(B, H, rows of blocks, columns of blocks): 1 for blocks that are not empty."""
        dense = _dense_blocks(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is not None and self.full_kv_indices is not None:
            dense = dense | _dense_blocks(self.full_kv_num_blocks, self.full_kv_indices)
        return dense

    def sparsity(self) -> float:
        """The percentage of pairs in empty blocks."""
        return 100 * (1 - float(self.to_dense().float().mean()))

    def allowed(self, heads: int, batch: int, device: Device) -> Tensor:
        """The mask of pairs of positions: what the function allows within blocks that are not empty, and all of whole
        ones.
        """
        q_len, kv_len = self.seq_lengths
        pairs = create_mask(self.mask_mod, batch, heads, q_len, kv_len, device)

        def spread(blocks: Tensor) -> Tensor:
            return (
                blocks.bool()
                .repeat_interleave(self.BLOCK_SIZE[0], -2)
                .repeat_interleave(self.BLOCK_SIZE[1], -1)[..., :q_len, :kv_len]
            )

        result: Tensor = pairs & spread(_dense_blocks(self.kv_num_blocks, self.kv_indices))
        if self.full_kv_num_blocks is not None and self.full_kv_indices is not None:
            result = result | spread(_dense_blocks(self.full_kv_num_blocks, self.full_kv_indices))
        return result

    def to(self, device: Device) -> BlockMask:
        """The mask on a device."""

        def moved(t: Tensor | None) -> Tensor | None:
            return None if t is None else t.to(device)

        return BlockMask(
            self.seq_lengths,
            self.kv_num_blocks.to(device),
            self.kv_indices.to(device),
            moved(self.full_kv_num_blocks),
            moved(self.full_kv_indices),
            self.BLOCK_SIZE,
            self.mask_mod,
        )

    def __repr__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%)"


def _dense_blocks(counts: Tensor, indices: Tensor) -> Tensor:
    columns = indices.shape[-1]
    used = rushlight.arange(columns) < counts.unsqueeze(-1)
    return rushlight.zeros(indices.shape, dtype=rushlight.int32).scatter_reduce(
        -1, indices.long(), used.to(rushlight.int32), "amax"
    )


def _listed(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks there are in each row, and their numbers, those that are there first."""
    counts = blocks.sum(-1).to(rushlight.int32)
    return counts, blocks.to(rushlight.int32).argsort(dim=-1, descending=True, stable=True).to(rushlight.int32)


def create_block_mask(
    mask_mod: Mask,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Device = "cpu",
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    _compile: bool = False,
    **options: Any,
) -> BlockMask:
    """A function's mask by blocks.

    Args:
        mask_mod: of (batch, head, query's position, key's position), a bool.
        B, H: None for a mask that is the same for all.
    """
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    rows, columns = -(-Q_LEN // size[0]), -(-KV_LEN // size[1])
    padded = rushlight.nn.functional.pad(mask, (0, columns * size[1] - KV_LEN, 0, rows * size[0] - Q_LEN))
    counts = padded.view(*mask.shape[:2], rows, size[0], columns, size[1]).sum((3, 5))
    full = counts == size[0] * size[1]
    (some, which), (whole, which_whole) = _listed((counts > 0) & ~full), _listed(full)
    return BlockMask((Q_LEN, KV_LEN), some, which, whole, which_whole, (size[0], size[1]), mask_mod)


def create_nested_block_mask(*args: Any, **kwargs: Any) -> BlockMask:
    """Not there: NotImplementedError, for there are no nested tensors."""
    raise NotImplementedError("create_nested_block_mask(): there are no nested tensors yet")


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Callable[..., Tensor] | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: dict[str, Any] | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """softmax(score_mod(query @ key^T * scale)) @ value, where the mask allows it.

    Args:
        query: (B, H_q, L, E).
        key: (B, H_kv, S, E).
        value: (B, H_kv, S, E_v).
        score_mod: of (score, batch, head, query's position, key's position), differentiable.
        block_mask: from `create_block_mask`. A query that sees nothing has zeros.
        scale: 1 / sqrt(E) if not given.
        enable_gqa: whether several heads of the query share one of key and value.
        return_lse: whether the logarithm of the sum of exponentials is returned too.
        kernel_options: accepted.
        return_aux: what else is returned.

    Raises:
        ValueError: the tensors' shapes do not fit.
    """
    for name, x in (("query", query), ("key", key), ("value", value)):
        if x.dim() != 4:
            raise ValueError(f"flex_attention(): '{name}' must be of 4 dimensions (B, H, L, E); found {x.dim()}")
    heads, kv_heads = query.size(1), key.size(1)
    if (not enable_gqa and heads != kv_heads) or heads % kv_heads:
        raise ValueError(
            "flex_attention(): 'key' must have the heads of 'query', "
            f"{heads}{', or a divisor of them' if enable_gqa else ' (enable_gqa=True allows a divisor)'}; found "
            f"{kv_heads}"
        )
    if query.size(-1) != key.size(-1):
        raise ValueError(
            f"flex_attention(): 'key' must have vectors as long as the query's, {query.size(-1)}; found {key.size(-1)}"
        )
    if heads != kv_heads:
        key, value = (x.repeat_interleave(heads // kv_heads, 1) for x in (key, value))
    batch, q_len, kv_len = query.size(0), query.size(2), key.size(2)
    wide = rushlight.float32 if query.dtype in (rushlight.float16, rushlight.bfloat16) else query.dtype
    scores = (query @ key.transpose(-2, -1)).to(wide) * (1 / math.sqrt(query.size(-1)) if scale is None else scale)
    if score_mod is not None:
        places = [rushlight.arange(n, device=query.device) for n in (batch, heads, q_len, kv_len)]
        scores = _everywhere(score_mod, True)(scores, *places).to(wide)
    if block_mask is not None:
        if block_mask.seq_lengths[0] < q_len or block_mask.seq_lengths[1] < kv_len:
            raise ValueError(
                f"flex_attention(): 'block_mask' must be for {q_len} queries and {kv_len} keys; found "
                f"{block_mask.seq_lengths}"
            )
        allowed = block_mask.allowed(block_mask.shape[1], block_mask.shape[0], query.device)[..., :q_len, :kv_len]
        scores = scores.masked_fill(~allowed, -math.inf)
    lse = scores.logsumexp(-1)
    seen = lse != -math.inf
    weights = (scores - rushlight.where(seen, lse, 0.0).unsqueeze(-1)).exp()
    result = weights.to(query.dtype) @ value
    if return_aux is not None:
        return result, AuxOutput(lse if return_aux.lse else None, scores.amax(-1) if return_aux.max_scores else None)
    return (result, lse) if return_lse else result

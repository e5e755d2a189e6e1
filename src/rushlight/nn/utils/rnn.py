"""Sequences of different lengths in one batch: padded or packed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import rushlight
from rushlight import Tensor
from rushlight.core.naming import named

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the permutation that undoes one given as a 1-d index tensor."""
    return None if permutation is None else rushlight.argsort(permutation)


def _cast(name: str, dtype: str) -> Callable[[PackedSequence], PackedSequence]:
    def cast(self: PackedSequence) -> PackedSequence:
        return self.to(getattr(rushlight, dtype))

    return named(cast, name, f"Cast the data to {dtype}.", owner="PackedSequence")


class PackedSequence(_Packed):
    """Sequences sorted by falling length, stored step by step without padding.

    Args:
        data: all steps one after the other.
        batch_sizes: how many sequences are still alive at each step (int64, on the CPU).
        sorted_indices: the order in which the sequences were sorted, if they were.
        unsorted_indices: the order that undoes it.
    """

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if batch_sizes is None:
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes.device.type != "cpu":
            raise ValueError(
                f"PackedSequence: batch_sizes must be on the CPU, found it on {batch_sizes.device}; "
                "pack_padded_sequence() "
                "and pack_sequence() take care of that"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Move or cast the data; see ``Tensor.to``."""
        moved = self.data.to(*args, **kwargs)
        if moved is self.data:
            return self
        orders = (self.sorted_indices, self.unsorted_indices)
        return type(self)(moved, self.batch_sizes, *(None if t is None else t.to(moved.device) for t in orders))

    def cpu(self) -> PackedSequence:
        """Move to the CPU."""
        return self.to("cpu")

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Move to a CUDA device; RuntimeError where there is none."""
        return type(self)(self.data.cuda(*args, **kwargs), *self[1:])

    def pin_memory(self) -> PackedSequence:
        """With the data in pinned memory; see ``Tensor.pin_memory``."""
        return type(self)(self.data.pin_memory(), *self[1:])

    def is_pinned(self) -> bool:
        """Whether the data lies in pinned memory."""
        return self.data.is_pinned()

    float, double, half = _cast("float", "float32"), _cast("double", "float64"), _cast("half", "float16")
    long, int, short = _cast("long", "int64"), _cast("int", "int32"), _cast("short", "int16")
    char, byte = _cast("char", "int8"), _cast("byte", "uint8")

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a CUDA device."""
        return self.data.is_cuda


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | list[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch.

    Args:
        input: (L, N, *), or (N, L, *) with ``batch_first``.
        lengths: the length of each sequence.
        batch_first: whether the batch comes first.
        enforce_sorted: expect falling lengths; otherwise the sequences are sorted, and the order is kept.

    Raises:
        RuntimeError: lengths are not positive, not sorted, or not one for each sequence.
    """
    counts = rushlight.as_tensor(lengths, dtype=rushlight.int64)
    if batch_first:
        input = input.transpose(0, 1)
    sorted_indices = None
    if not enforce_sorted:
        counts, sorted_indices = rushlight.sort(counts, descending=True)
        sorted_indices = sorted_indices.to(input.device)
        input = input.index_select(1, sorted_indices)
    sizes = [int(n) for n in counts.tolist()]
    if len(sizes) != input.size(1):
        raise RuntimeError(
            f"pack_padded_sequence(): lengths must have an entry for each of the {input.size(1)} sequences; found "
            f"{len(sizes)}"
        )
    if any(n <= 0 for n in sizes):
        raise RuntimeError(f"pack_padded_sequence(): lengths must be 1 or more, found {min(sizes)}")
    if any(a < b for a, b in pairwise(sizes)):
        raise RuntimeError(
            f"pack_padded_sequence(): lengths must not rise from one sequence to the next, found {sizes}; with "
            "enforce_sorted=False the sequences are sorted first"
        )
    alive = [sum(n > t for n in sizes) for t in range(sizes[0])]
    # Steps with the same number of live sequences are one block.
    blocks: list[Tensor] = []
    t = 0
    while t < len(alive):
        end = t
        while end < len(alive) and alive[end] == alive[t]:
            end += 1
        blocks.append(input[t:end, : alive[t]].reshape(-1, *input.shape[2:]))
        t = end
    return PackedSequence(rushlight.cat(blocks), rushlight.tensor(alive, dtype=rushlight.int64), sorted_indices)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Undo :func:`pack_padded_sequence`.

    Args:
        sequence: the packed batch.
        batch_first: give (N, L, *) instead of (L, N, *).
        padding_value: what fills the ends.
        total_length: L, if it shall be more than the longest sequence.

    Returns:
        The padded batch and the lengths.

    Raises:
        ValueError: ``total_length`` is less than the longest sequence.
    """
    alive = [int(n) for n in sequence.batch_sizes.tolist()]
    longest, batch = len(alive), alive[0]
    if total_length is not None and total_length < longest:
        raise ValueError(
            f"pad_packed_sequence(): total_length must be at least {longest}, the longest sequence's; found "
            f"{total_length}"
        )
    data = sequence.data
    steps: list[Tensor] = []
    for n, step in zip(alive, data.split(alive), strict=True):
        if n < batch:
            filler = rushlight.full((batch - n, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)
            step = rushlight.cat([step, filler])
        steps.append(step)
    extra = 0 if total_length is None else total_length - longest
    if extra:
        filler = rushlight.full((batch, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)
        steps.extend([filler] * extra)
    padded = rushlight.stack(steps)
    padded = padded.transpose(0, 1) if batch_first else padded
    lengths = rushlight.tensor([sum(n > i for n in alive) for i in range(batch)], dtype=rushlight.int64)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices.cpu()]
    return padded, lengths


def pad_sequence(
    sequences: Tensor | list[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stack sequences (L_i, *) of different lengths into (max L, N, *), or (N, max L, *) with ``batch_first``.

    Raises:
        RuntimeError: the argument is not iterable.
        ValueError: ``padding_side`` is neither ``"right"`` nor ``"left"``.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence(): sequences must be a list of tensors, or a tensor; found {type(sequences).__name__}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"pad_sequence(): padding_side must be 'left' or 'right'; found {padding_side!r}")
    listed = list(sequences.unbind(0)) if isinstance(sequences, Tensor) else list(sequences)
    if not listed:
        raise RuntimeError("pad_sequence(): sequences must hold at least one tensor; found an empty list")
    longest = max(t.size(0) for t in listed)
    padded: list[Tensor] = []
    for t in listed:
        short = longest - t.size(0)
        if short:
            filler = rushlight.full((short, *t.shape[1:]), padding_value, dtype=t.dtype, device=t.device)
            t = rushlight.cat([t, filler] if padding_side == "right" else [filler, t])
        padded.append(t)
    return rushlight.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Undo :func:`pad_sequence`: a list of the sequences, cut to their lengths; they are copies."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    steps = rushlight.arange(padded_sequences.shape[1], device=lengths.device)
    return [seq[steps < n] for seq, n in zip(padded_sequences.unbind(0), lengths.unbind(0), strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences (L_i, *)."""
    lengths = rushlight.as_tensor([t.size(0) for t in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Undo :func:`pack_sequence`."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)

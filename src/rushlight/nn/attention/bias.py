"""Masks of causal attention, written out only where they are used: `causal_upper_left`, `causal_lower_right`."""

from __future__ import annotations

import enum
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.warning import warn
from rushlight.nn import functional as F
from rushlight.operators.table.types import Args, Classes, Device, Function, Kwargs

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """The corner of the scores that the diagonal of a causal mask goes through, where their sides differ."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask by its sizes, for `attn_mask` of `scaled_dot_product_attention`.

    Args:
        variant: the corner of the diagonal: query i sees the keys up to i (UPPER_LEFT), or up to
            i + seq_len_kv - seq_len_q (LOWER_RIGHT), so that the last query sees every key.
        seq_len_q: the number of queries.
        seq_len_kv: the number of keys.

    Raises:
        TypeError: the variant is no CausalVariant.
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        if not isinstance(variant, CausalVariant):
            raise TypeError(f"CausalBias: 'variant' must be a CausalVariant; found {type(variant).__name__}")
        return Tensor._make_subclass(cls, rushlight.empty(int(variant), seq_len_q, seq_len_kv))

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant is CausalVariant.LOWER_RIGHT:
            warn(
                f"CausalBias: 'seq_len_q' should be at most 'seq_len_kv' for LOWER_RIGHT; found {seq_len_q} and "
                f"{seq_len_kv}: the first queries see no key, and their results are nan"
            )

    def _materialize(self, device: Device = None) -> Tensor:
        """The mask, bool of shape (seq_len_q, seq_len_kv): True where a query sees a key."""
        beyond = self.seq_len_kv - self.seq_len_q if self.variant is CausalVariant.LOWER_RIGHT else 0
        whole = rushlight.ones(self.seq_len_q, self.seq_len_kv, dtype=rushlight.bool, device=device)
        return whole.tril(beyond)

    @classmethod
    def __torch_function__(cls, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        kwargs = {} if kwargs is None else kwargs
        if func is not F.scaled_dot_product_attention:
            return super().__torch_function__(func, types, args, kwargs)
        names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
        values = {**dict(zip(names, args, strict=False)), **kwargs}
        if values.get("is_causal"):
            raise ValueError(
                "scaled_dot_product_attention(): is_causal must be False where 'attn_mask' is a CausalBias"
            )
        mask = values["attn_mask"]
        if isinstance(mask, CausalBias):
            values["attn_mask"] = mask._materialize(values["query"].device)
        return func(**values)

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        return self._materialize().__repr__()


def causal_upper_left(*size: int) -> CausalBias:
    """A causal mask whose diagonal begins at the first query and the first key: the one of ``is_causal=True``.

    Args:
        size: the numbers of queries and of keys.
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *_two(size, "causal_upper_left"))


def causal_lower_right(*size: int) -> CausalBias:
    """A causal mask whose diagonal ends at the last query and the last key, as decoding with a cache needs it.

    Args:
        size: the numbers of queries and of keys.
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *_two(size, "causal_lower_right"))


def _two(size: tuple[int, ...], name: str) -> tuple[int, int]:
    if len(size) != 2:
        raise AssertionError(f"{name}(): the numbers of queries and of keys must be given; found {len(size)} sizes")
    return size[0], size[1]

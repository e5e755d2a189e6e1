"""How `nn.functional.linear_cross_entropy` may save memory."""

from __future__ import annotations

from dataclasses import dataclass

import rushlight

__all__ = ["LinearCrossEntropyOptions"]

_POLICIES = ("accurate", "balanced", "compact", "auto")
_DTYPES = ("None", "torch.float16", "torch.bfloat16", "torch.float32", "torch.float64")


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """Wishes about the logits of `linear_cross_entropy` in pieces; checked, and without effect: the result is that of
    one piece.

    Args:
        allow_retain_graph: always so here.
        batch_chunk_size: examples of a piece.
        chunking_method: None, "auto" or "aspect_ratio:<n>".
        acc_policy: "accurate", "balanced", "compact" or "auto".
        acc_dtype: a float dtype or None.

    Raises:
        ValueError: for any other value.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: rushlight.dtype | None = None

    def __post_init__(self) -> None:
        size, method = self.batch_chunk_size, self.chunking_method
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size <= 0):
            raise ValueError(f"batch_chunk_size must be a positive int or None; found {size!r}")
        kind, _, number = ("auto", "", "") if method is None else method.partition(":")
        if not (kind == "auto" and not number or kind == "aspect_ratio" and number.isdigit() and int(number) > 0):
            raise ValueError(f"invalid chunking_method: {method!r}; expected None, 'auto' or 'aspect_ratio:<n>'")
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}; expected one of {', '.join(_POLICIES)}")
        if str(self.acc_dtype) not in _DTYPES:
            raise ValueError(f"acc_dtype must be None or a floating point dtype; found {self.acc_dtype}")

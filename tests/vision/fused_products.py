"""Products of three terms, which make the grids and sizes of torchvision's rotations, in PyTorch as fused
multiply-adds.

PyTorch's BLAS fuses them on some processors, and on others it rounds each product first. A pixel in the middle between
two goes by the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch


def _fused(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The product, as a chain of fused multiply-adds in order of the terms: their sums in 64 bits, rounded once."""
    a, b = (t.numpy().astype(np.longdouble) for t in (x, y))
    total = np.zeros((), np.float32)
    for k in range(x.shape[-1]):
        total = (total + a[..., k : k + 1] * b[..., k : k + 1, :]).astype(np.float32)
    return torch.from_numpy(total)


def _fusing(plain: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """A function of PyTorch's that multiplies matrices, with such products."""

    def product(x: torch.Tensor, y: torch.Tensor, **options: Any) -> torch.Tensor:
        small = x.dtype is y.dtype is torch.float32 and x.ndim == y.ndim >= 2 and x.shape[-1] == 3 and not options
        small = small and not (x.requires_grad or y.requires_grad)
        return _fused(x, y) if small else plain(x, y, **options)

    return product


def prepare() -> None:
    """Let products of three terms in float32 be that, where PyTorch's are not."""
    x, y = torch.arange(1, 49, dtype=torch.float32).reshape(1, 16, 3).sin(), torch.full((1, 3, 2), 0.7).cos()
    if not torch.equal(x.bmm(y), _fused(x, y)):
        torch.Tensor.bmm, torch.matmul = _fusing(torch.Tensor.bmm), _fusing(torch.matmul)  # type: ignore
